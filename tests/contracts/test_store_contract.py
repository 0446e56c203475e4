"""The promises of the store, on SQLite and on a real PostgreSQL."""

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from resemblance.errors import SettingError, UnknownQuestionError
from resemblance.store import (
    AnswerIn,
    ContentError,
    Progress,
    StaleError,
    Standing,
    Store,
    StoreError,
    Wanted,
)


class Clock:
    """A clock that stands until it is moved."""

    now = 1e9

    def __call__(self):
        return self.now


def ask(n, pool=None, purpose="main"):
    return [Wanted({"kind": "triplet", "n": i}, purpose, pool) for i in range(n)]


def right(question, **more):
    return AnswerIn(question.id, {"chosen": 0}, rt_ms=512.25, **more)


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def store(url, clock):
    with Store.open(url, clock) as store:
        yield store


@pytest.fixture
def study(store):
    return store.studies.add("ties", "[study]\nname = 'ties'", {"a.png": "c0ffee"})


@pytest.fixture
def person(store, study):
    return store.people.enter(study, "open", None, "token 1")


@pytest.fixture
def other(store, study):
    return store.people.enter(study, "open", None, "token 2")


class TestStudies:
    def test_a_study_comes_back_as_it_was_added(self, store, study):
        assert store.studies.named("ties") == study == store.studies.all()[0]
        assert study.stimuli == {"a.png": "c0ffee"}
        assert (study.state, study.created) == ("open", 1e9)
        assert store.studies.named("eyes") is None

    def test_a_name_is_taken_once(self, store, study):
        with pytest.raises(ContentError, match="refuses"):
            store.studies.add("ties", "", {})
        assert len(store.studies.all()) == 1

    def test_changes_are_kept_and_audited(self, store, study):
        paused = store.studies.set_state(study, "paused", "researcher")
        changed = store.studies.set_settings(study, "other", "researcher")
        assert (paused.state, changed.settings) == ("paused", "other")
        assert store.studies.named("ties") == changed
        trail = [(event.who, event.what) for event in store.events.audit(study)]
        assert trail == [
            ("server", "study added"),
            ("researcher", "study paused"),
            ("researcher", "settings changed"),
        ]

    def test_settings_that_somebody_else_changed_are_not_overwritten(self, store, study):
        changed = store.studies.set_settings(study, "mine", "me", {"a": [1, 2]})
        with pytest.raises(ContentError, match="somebody else"):
            store.studies.set_settings(study, "theirs", "you", {"a": [1, 3]})
        assert store.studies.named("ties") == changed
        lines = [line.details for line in store.events.audit(study, "settings changed")]
        assert lines == [{"a": [1, 2]}]

    def test_stimuli_are_added_after_those_there_and_audited(self, store, study):
        store.studies.add_stimuli(study, {"z.png": "f00d", "b.png": "beef"}, "researcher")
        grown = store.studies.add_stimuli(study, {"0.png": "cafe"}, "researcher")
        assert store.studies.named("ties") == grown
        assert list(grown.stimuli) == ["a.png", "z.png", "b.png", "0.png"]
        assert grown.stimuli["b.png"] == "beef"
        told = [event.details["names"] for event in store.events.audit(study, "items added")]
        assert told == [["z.png", "b.png"], ["0.png"]]

    def test_a_stimulus_that_is_there_is_refused_with_all_others(self, store, study):
        with pytest.raises(ContentError, match=r"'a\.png' already"):
            store.studies.add_stimuli(study, {"b.png": "beef", "a.png": "beef"}, "researcher")
        assert store.studies.named("ties").stimuli == {"a.png": "c0ffee"}
        assert not store.events.audit(study, "items added")

    def test_an_unknown_state_is_refused_with_those_that_are_known(self, store, study):
        with pytest.raises(SettingError, match="unknown: give one of open, paused, closed"):
            store.studies.set_state(study, "shut", "researcher")

    def test_events_are_recorded(self, store, study, clock):
        store.events.record(study, "worker", "fit", {"answers": 12, "error": 0.25})
        clock.now += 5
        store.events.record(study, "worker", "fit", {"answers": 40, "error": 0.2})
        fits = store.events.audit(study, "fit")
        assert [(fit.at, fit.details["answers"]) for fit in fits] == [(1e9, 12), (1e9 + 5, 40)]


class TestParticipants:
    def test_pseudonyms_count(self, store, study):
        people = [store.people.enter(study, "open", None, f"token {i}") for i in range(3)]
        assert [person.code for person in people] == ["P0001", "P0002", "P0003"]
        assert store.people.all(study) == people
        assert store.people.named(study, "P0002") == people[1]
        assert store.people.named(study, "P0004") is None

    def test_who_comes_back_is_the_same_person_with_a_new_token(self, store, study):
        first = store.people.enter(study, "prolific", "5f3a", "old", {"width": 1280})
        again = store.people.enter(study, "prolific", "5f3a", "new", {"width": 390})
        assert (first.id, first.code) == (again.id, again.code)
        assert again.browser == {"width": 390}
        assert store.people.standing("new").participant == again
        assert store.people.standing("old") is None

    def test_the_same_id_elsewhere_is_somebody_else(self, store, study):
        eyes = store.studies.add("eyes", "", {})
        people = [
            store.people.enter(study, "prolific", "5f3a", "1"),
            store.people.enter(study, "mturk", "5f3a", "2"),
            store.people.enter(eyes, "prolific", "5f3a", "3"),
        ]
        assert len({person.id for person in people}) == 3

    def test_the_first_completion_stays(self, store, person, clock):
        clock.now += 60
        done = store.people.set_state(person, "finished", "CODE1")
        clock.now += 60
        again = store.people.set_state(person, "finished", "CODE2")
        assert done == again
        assert (done.finished, done.completion_code) == (1e9 + 60, "CODE1")

    def test_counts(self, store, study, person, other, clock):
        store.people.set_state(other, "finished", "CODE")
        clock.now += 86400
        store.people.enter(study, "open", None, "token 3")
        assert store.people.counts(study) == {"entered": 2, "finished": 1}

    def test_who_is_not_admitted_leaves_no_trace(self, store, study, person):
        class Full(Exception):
            pass

        def admit(count):
            if sum(count().values()) >= 1:
                raise Full

        with pytest.raises(Full):
            store.people.enter(study, "prolific", "5f3a", "token 9", admit=admit)
        assert store.people.all(study) == [person]

    def test_who_was_here_before_is_always_admitted(self, store, study):
        def nobody(count):
            raise AssertionError("asked about somebody who is known")

        first = store.people.enter(study, "prolific", "5f3a", "1")
        assert store.people.enter(study, "prolific", "5f3a", "2", admit=nobody).id == first.id

    def test_fifty_at_one_door_with_ten_seats(self, url, store, study):
        def admit(count):
            if sum(count().values()) >= 10:
                raise PermissionError

        def enter(i):
            try:
                return (
                    (store, second)[i % 2]
                    .people.enter(study, "open", None, f"{i}", admit=admit)
                    .code
                )
            except PermissionError:
                return None

        with Store.open(url) as second, ThreadPoolExecutor(50) as threads:
            codes = [code for code in threads.map(enter, range(50)) if code]
        assert sorted(codes) == [f"P{i:04d}" for i in range(1, 11)]

    def test_a_page_is_answered_once(self, store, study, person, other, clock):
        assert store.people.respond(person, "consent", {"agree": True})
        clock.now += 1
        assert not store.people.respond(person, "consent", {"agree": False})
        assert store.people.respond(other, "consent", {"agree": True})
        assert [page.code for page in store.people.responses(study)] == ["P0001", "P0002"]
        (mine,) = store.people.responses(study, person)
        assert (mine.page, mine.response, mine.received) == ("consent", {"agree": True}, 1e9)


class TestQuestions:
    def test_questions_have_places_and_ids_that_nobody_guesses(self, store, study, person):
        served = store.questions.serve(person, [*ask(2), *ask(1, purpose="gold")])
        served += store.questions.serve(person, ask(1))
        assert [question.place for question in served] == [0, 1, 2, 3]
        assert [question.purpose for question in served] == ["main", "main", "gold", "main"]
        assert len({question.id for question in served}) == 4
        assert min(len(question.id) for question in served) >= 22  # 128 random bits
        assert list(store.questions.all(study)) == store.questions.outstanding(person) == served
        assert store.questions.get(served[2].id) == served[2]
        assert store.questions.get("forged") is None

    def test_no_more_than_ahead_are_out(self, store, person):
        first = store.questions.serve(person, ask(3), ahead=3)
        assert store.questions.serve(person, ask(3), ahead=3) == []
        _, more = store.answers.take(person, [right(first[0])], ask(3), ahead=3)
        assert [question.place for question in more] == [3]

    def test_a_question_without_a_kind_is_refused(self, store, study, person):
        with pytest.raises(SettingError, match='give it a "kind"'):
            store.questions.serve(person, [Wanted({"head": 1})])
        with pytest.raises(SettingError, match='give it a "kind"'):
            store.pool.put(study, [{"kind": "triplet"}, {"head": 1}], round=0)
        assert store.pool.size(study) == 0

    def test_where_a_person_stands(self, store, person, other):
        assert store.people.standing("token 1") == Standing(
            person, (), Progress(0, 0, 0), "token 1"
        )
        store.questions.serve(other, ask(3))
        served = store.questions.serve(person, [*ask(3), *ask(3, purpose="practice")])
        skipped = AnswerIn(served[1].id, skipped=True)
        store.answers.take(person, [right(served[0]), skipped, right(served[4])])
        left = (served[2], served[3], served[5])
        assert store.people.standing("token 1") == Standing(
            person, left, Progress(6, 3, 1), "token 1"
        )

    def test_a_turn_goes_on_from_where_the_person_was_seen(self, store, person, other):
        store.questions.serve(person, ask(2))
        seen = store.people.standing("token 1")
        first, second = seen.out
        store.questions.serve(other, ask(1))  # is nothing to this person
        acknowledged, served = store.answers.take(person, [right(first)], ask(1), 2, seen)
        assert acknowledged[0].new
        assert len(served) == 1
        progress = seen.progress.after(["main"], 1)
        now = Standing(person, (second, *served), progress, "token 1")
        assert now == store.people.standing("token 1")
        assert store.answers.take(person, [right(second)], (), 2, now)[0][0].new

    @pytest.mark.parametrize(
        "change",
        [
            lambda store, study, who, out: store.answers.take(who, [right(out[0])]),
            lambda store, study, who, out: store.questions.serve(who, ask(1)),
            lambda store, study, who, out: store.questions.abandon(study, -1.0),
            lambda store, study, who, out: store.people.consent(who, None, {}),
            lambda store, study, who, out: store.people.set_state(who, "stopped"),
            lambda store, study, who, out: store.people.release(who, "desk"),
            lambda store, study, who, out: store.people.erase(who, "desk"),
        ],
        ids=["answered", "served", "given up", "consented", "stopped", "released", "erased"],
    )
    def test_a_turn_of_a_person_who_stands_elsewhere_is_refused(self, store, study, person, change):
        store.questions.serve(person, ask(2))
        seen = store.people.standing("token 1")
        change(store, study, person, seen.out)
        log, asked = store.answers.after(study), list(store.questions.all(study))
        with pytest.raises(StaleError):
            store.answers.take(person, [right(seen.out[1])], ask(2), 4, seen)
        assert (store.answers.after(study), list(store.questions.all(study))) == (log, asked)

    def test_a_late_answer_is_seen(self, store, study, person):
        late = store.questions.serve(person, ask(2))[0]
        store.questions.abandon(study, -1.0)
        seen = store.people.standing("token 1")
        store.answers.take(person, [right(late)])
        with pytest.raises(StaleError):
            store.answers.take(person, [], ask(1), 4, seen)


class TestPool:
    def test_the_pool_first_in_its_order_then_what_was_given(self, store, study, person):
        store.pool.put(study, [{"kind": "triplet", "pool": i} for i in range(2)], round=1)
        wanted = [*ask(1, pool=study.id), *ask(1), *ask(2, pool=study.id)]
        specs = [question.spec for question in store.questions.serve(person, wanted)]
        assert [spec.get("pool") for spec in specs] == [0, None, 1, None]
        assert specs[3] == {"kind": "triplet", "n": 1}
        assert store.pool.size(study) == 0

    def test_a_pool_belongs_to_its_study(self, store, study, person):
        eyes = store.studies.add("eyes", "", {})
        store.pool.put(eyes, [{"kind": "triplet"}], round=1)
        (question,) = store.questions.serve(person, ask(1, pool=study.id))
        assert question.pool_id is None
        assert (store.pool.size(study), store.pool.size(eyes)) == (0, 1)

    def test_what_is_old_is_served_last_and_can_be_withdrawn(self, store, study, person):
        store.pool.put(study, [{"kind": "triplet", "pool": i} for i in range(3)], round=1)
        store.pool.put(study, [{"kind": "triplet", "pool": i} for i in range(3, 5)], round=2)
        assert [spec["pool"] for spec in store.pool.waiting(study)] == [3, 4, 0, 1, 2]
        assert [spec["pool"] for spec in store.pool.waiting(study, 2)] == [3, 4]
        assert (store.pool.size(study), store.pool.size(study, 2)) == (5, 2)
        questions = store.questions.serve(person, ask(3, pool=study.id))
        assert [question.spec["pool"] for question in questions] == [3, 4, 0]
        gone = store.pool.withdraw(study, round_before=2)
        assert [spec["pool"] for spec in gone] == [1, 2]
        assert store.pool.size(study) == 0
        assert store.answers.take(person, [right(questions[2])])[0][0].new

    def test_no_more_wait_than_may(self, store, study):
        """Of two studies the rows of one go, those that would be served last."""
        eyes = store.studies.add("eyes", "", {})
        store.pool.put(eyes, [{"kind": "triplet"}] * 3, round=0)
        for round in (1, 2):
            specs = [{"kind": "triplet", "pool": 10 * round + i} for i in range(3)]
            store.pool.put(study, specs, round, most=4)
        assert [spec["pool"] for spec in store.pool.waiting(study)] == [20, 21, 22, 10]
        assert store.pool.size(eyes) == 3

    def test_what_was_given_up_is_free_again(self, store, study, person, other, clock):
        store.pool.put(study, [{"kind": "triplet", "pool": 0}], round=1)
        (question, _) = store.questions.serve(person, [*ask(1, pool=study.id), *ask(1)])
        clock.now += 100
        fresh = store.questions.serve(person, ask(1))
        assert store.questions.abandon(study, older_than=100) == 0
        assert store.questions.abandon(study, older_than=50) == 2
        assert store.questions.outstanding(person) == fresh
        (again,) = store.questions.serve(other, ask(1, pool=study.id))
        assert again.pool_id == question.pool_id
        assert again.id != question.id

    def test_a_late_answer_is_kept_and_its_question_leaves_the_pool(
        self, store, study, person, clock
    ):
        store.pool.put(study, [{"kind": "triplet", "pool": 0}], round=1)
        (question,) = store.questions.serve(person, ask(1, pool=study.id))
        clock.now += 100
        store.questions.abandon(study, older_than=50)
        assert store.pool.size(study) == 1
        assert store.answers.take(person, [right(question)])[0][0].new
        assert store.pool.size(study) == 0
        assert len(store.answers.after(study)) == 1

    def test_a_withdrawn_question_that_was_given_up_takes_its_late_answer(
        self, store, study, person, clock
    ):
        store.pool.put(study, [{"kind": "triplet", "pool": 0}], round=1)
        (question,) = store.questions.serve(person, ask(1, pool=study.id))
        clock.now += 100
        store.questions.abandon(study, older_than=50)
        assert len(store.pool.withdraw(study, round_before=2)) == 1
        assert store.answers.take(person, [right(question)])[0][0].new
        assert store.answers.after(study)[0].pool_id is None


class TestAnswers:
    def test_an_answer_comes_back_with_its_question_and_its_person(
        self, store, study, person, clock
    ):
        (question,) = store.questions.serve(person, ask(1, purpose="repeat"))
        clock.now += 2
        store.answers.take(person, [right(question, client={"focus": True})])
        (answer,) = store.answers.after(study)
        assert (answer.question, answer.participant, answer.code) == (
            question.id,
            person.id,
            "P0001",
        )
        assert (answer.spec, answer.kind) == (question.spec, "triplet")
        assert (answer.purpose, answer.place) == ("repeat", 0)
        assert (answer.response, answer.rt_ms, answer.client) == (
            {"chosen": 0},
            512.25,
            {"focus": True},
        )
        assert (answer.served, answer.received, answer.skipped) == (1e9, 1e9 + 2, False)

    def test_a_skip_is_recorded(self, store, study, person):
        (question,) = store.questions.serve(person, ask(1))
        store.answers.take(person, [AnswerIn(question.id, skipped=True)])
        (answer,) = store.answers.after(study)
        assert answer.skipped
        assert answer.response is None

    def test_a_repeated_answer_is_acknowledged_and_stored_once(self, store, study, person):
        (question,) = store.questions.serve(person, ask(1))
        first = store.answers.take(person, [right(question), right(question)])[0]
        second = store.answers.take(person, [AnswerIn(question.id, {"chosen": 1})])[0]
        assert [ack.new for ack in (*first, *second)] == [True, False, False]
        (answer,) = store.answers.after(study)
        assert answer.response == {"chosen": 0}

    @pytest.mark.parametrize("foreign", [False, True])
    def test_an_unknown_question_is_named_and_nothing_is_stored(
        self, store, study, person, other, foreign
    ):
        (question,) = store.questions.serve(person, ask(1))
        wrong = store.questions.serve(other, ask(1))[0].id if foreign else "forged"
        with pytest.raises(UnknownQuestionError, match=f"'{wrong}' was not served to .* P0001"):
            store.answers.take(person, [right(question), AnswerIn(wrong)], ask(1))
        assert store.answers.after(study) == []
        assert store.questions.outstanding(person) == [question]

    @pytest.mark.parametrize(
        "bad",
        [
            {"rt_ms": float("inf")},
            {"rt_ms": 10**400},
            {"response": float("nan")},
            {"response": {"a": object()}},
            {"question_id": "a\0b"},
            {"question_id": "\ud800"},
        ],
        ids=["endless", "huge", "not-a-number", "an-object", "null-byte", "half-a-pair"],
    )
    def test_what_no_database_can_hold_is_refused_alone(self, store, study, person, bad):
        first, second = store.questions.serve(person, ask(2))
        answer = AnswerIn(**{"question_id": first.id, "response": 1, **bad})
        with pytest.raises((ContentError, UnknownQuestionError)):
            store.answers.take(person, [right(second), answer])
        assert store.answers.after(study) == []
        assert store.answers.take(person, [right(first)])[0][0].new

    def test_too_many_answers_at_once_are_refused(self, store, study, person):
        (question,) = store.questions.serve(person, ask(1))
        with pytest.raises(ContentError, match="501 answers at once: send at most 500"):
            store.answers.take(person, [right(question)] * 501)
        assert store.answers.after(study) == []

    def test_the_log_is_read_in_pages(self, store, study, person):
        served = store.questions.serve(person, ask(7))
        for question in served:
            store.answers.take(person, [right(question)])
        log, last = [], 0
        while page := store.answers.after(study, last, limit=3):
            assert len(page) <= 3
            log += page
            last = page[-1].id
        assert [answer.question for answer in log] == [question.id for question in served]
        assert log == store.answers.of(person)

    def test_main_questions_are_read_by_place(self, store, study, person):
        store.questions.serve(person, ask(1, purpose="gold"))
        served = store.questions.serve(person, ask(3))
        store.answers.take(person, [right(question) for question in served[:2]])
        store.answers.take(person, [AnswerIn(served[2].id, None, rt_ms=512.25, skipped=True)])
        of_person = [one for one in store.answers.of(person) if one.purpose == "main"]
        main = {answer.place: (answer.spec, answer.response) for answer in of_person}
        assert store.answers.main(person) == main
        assert len(main) == 3

    def test_logs_of_studies_are_apart(self, store, study, person):
        eyes = store.studies.add("eyes", "", {})
        seeing = store.people.enter(eyes, "open", None, "3")
        for someone in (person, seeing):
            store.answers.take(someone, [right(store.questions.serve(someone, ask(1))[0])])
        assert [answer.participant for answer in store.answers.after(eyes)] == [seeing.id]


class TestExclusions:
    def test_the_last_word_counts(self, store, study, person, other):
        store.people.exclude(person, True, "4 of 10 gold questions right", "rules")
        store.people.exclude(other, True, "too fast", "rules")
        assert store.people.excluded(study) == {person.id, other.id}
        store.people.exclude(person, False, "a bug of the page", "researcher")
        assert store.people.excluded(study) == {other.id}
        assert store.events.audit(study)[-1].details == {
            "participant": "P0001",
            "reason": "a bug of the page",
        }

    def test_who_is_erased_is_forgotten(self, store, study, other):
        person = store.people.enter(study, "prolific", "5f3a", "secret", {"agent": "Firefox"})
        for someone in (other, person):
            store.answers.take(someone, [right(store.questions.serve(someone, ask(1))[0])], ask(1))
            store.people.respond(someone, "consent", {"agree": True})
        kept = store.answers.after(study)[0]
        store.people.erase(person, "researcher")
        assert store.answers.after(study) == [kept]
        assert {question.participant for question in store.questions.all(study)} == {other.id}
        assert [page.code for page in store.people.responses(study)] == [other.code]
        left = store.people.named(study, person.code)
        assert (left.external_id, left.browser, left.state) == (None, {}, "stopped")
        assert store.people.standing("secret") is None
        assert store.events.audit(study)[-1].what == "participant erased"
        assert store.people.enter(study, "open", None, "token 3").code == "P0003"

    def test_a_number_of_the_log_is_never_used_twice(self, store, study, person, other):
        store.answers.take(person, [right(store.questions.serve(person, ask(1))[0])])
        last = store.answers.after(study)[-1].id
        store.people.erase(person, "researcher")
        store.answers.take(other, [right(store.questions.serve(other, ask(1))[0])])
        assert [answer.id for answer in store.answers.after(study, last)] == [last + 1]


class TestLease:
    def test_one_works_on_a_study(self, url, store, study):
        eyes = store.studies.add("eyes", "", {})
        with Store.open(url) as second:
            with store.lease(study) as lease:
                assert lease.held()
                assert second.lease(study) is None
                with second.lease(eyes) as elsewhere:
                    assert elsewhere.held()
            assert not lease.held()
            with second.lease(study) as lease:
                assert lease.held()
                assert store.lease(study) is None


class TestCrowd:
    """Fifty at once, before two stores of one database, as two web processes have."""

    N, ROUNDS = 50, 2

    @pytest.fixture
    def crowd(self, url, store, study):
        people = [store.people.enter(study, "open", None, f"{i}") for i in range(self.N)]
        with Store.open(url) as second:
            yield [(person, (store, second)[i % 2]) for i, person in enumerate(people)]

    def test_each_answer_once_and_no_pool_row_twice(self, store, study, crowd):
        rows = self.N * self.ROUNDS // 2
        store.pool.put(study, [{"kind": "triplet", "pool": i} for i in range(rows)], round=1)
        acknowledged = Counter()

        def work(person, door):
            served = door.questions.serve(person, ask(1, pool=study.id), ahead=1)
            for _ in range(self.ROUNDS):
                given = [right(question) for question in served]
                acks, served = door.answers.take(person, given, ask(1, pool=study.id), ahead=1)
                repeated, nothing = door.answers.take(person, given, ask(1, pool=study.id), ahead=1)
                assert nothing == []
                assert not any(ack.new for ack in repeated)
                acknowledged.update(ack.question_id for ack in acks if ack.new)

        with ThreadPoolExecutor(self.N) as threads:
            list(threads.map(lambda pair: work(*pair), crowd))
        stored = Counter(answer.question for answer in store.answers.after(study))
        assert acknowledged == stored
        assert len(stored) == self.N * self.ROUNDS
        taken = [q.pool_id for q in store.questions.all(study) if q.pool_id is not None]
        assert len(taken) == len(set(taken)) == rows

    def test_the_same_answer_from_everywhere_is_new_once(self, store, study, crowd):
        person, _ = crowd[0]
        (question,) = store.questions.serve(person, ask(1))
        with ThreadPoolExecutor(self.N) as threads:
            acks = threads.map(
                lambda pair: pair[1].answers.take(person, [right(question)])[0][0], crowd
            )
        assert [ack.new for ack in acks].count(True) == 1
        assert len(store.answers.after(study)) == 1

    def test_one_person_at_every_door_gets_no_more_than_ahead(self, store, study, crowd):
        person, _ = crowd[0]
        with ThreadPoolExecutor(self.N) as threads:
            served = list(
                threads.map(lambda pair: pair[1].questions.serve(person, ask(2), 3), crowd)
            )
        assert sorted(question.place for some in served for question in some) == [0, 1, 2]

    def test_who_follows_the_log_misses_nothing(self, store, study, crowd):
        seen, last, done = [], 0, threading.Event()

        def follow():
            nonlocal last
            while True:
                ended = done.is_set()
                page = store.answers.after(study, last, limit=20)
                seen.extend(answer.id for answer in page)
                last = page[-1].id if page else last
                if ended and not page:
                    return

        def work(person, door):
            for question in door.questions.serve(person, ask(self.ROUNDS)):
                door.answers.take(person, [right(question)])

        with ThreadPoolExecutor(self.N + 1) as threads:
            reader = threads.submit(follow)
            list(threads.map(lambda pair: work(*pair), crowd))
            done.set()
            reader.result()
        assert len(seen) == len(set(seen)) == self.N * self.ROUNDS


class TestDoors:
    def test_a_closed_store_takes_nothing(self, url):
        store = Store.open(url)
        store.close()
        with pytest.raises(StoreError, match="closed"):
            store.studies.add("ties", "", {})
        store.close()

    def test_what_was_written_is_there_after_opening_again(self, url):
        with Store.open(url) as store:
            study = store.studies.add("ties", "", {})
        with Store.open(url) as store:
            assert store.studies.named("ties") == study

    def test_no_error_tells_what_was_sent(self, store, study, person):
        other = store.studies.add("other", "", {})
        with pytest.raises(ContentError) as caught:
            store.people.enter(other, "open", None, "token 1")  # somebody else's
        assert "token 1" not in str(caught.value)
        assert caught.value.__suppress_context__ or caught.value.__context__ is None
