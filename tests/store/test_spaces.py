"""Spaces and tallies: kept, thinned, listed page by page."""

from itertools import pairwise

import pytest

from postgres import emptied
from resemblance.errors import SettingError
from resemblance.store import AnswerIn, Store, Tally, Wanted


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request, file_url):
    server = request.param == "postgresql"
    with Store.open(emptied(request.getfixturevalue("one_database")) if server else file_url) as it:
        yield it


@pytest.fixture
def study(store):
    return store.add_study("ties", "", {})


def add(store, study, answers):
    return store.add_space(study, answers, b"model %d" % answers, [[0.5]], [0.1], {"error": 0.25})


def test_a_space_comes_back_as_it_went_in(store, study):
    assert store.latest_space(study) is None
    number = add(store, study, 40)
    found = store.latest_space(study)
    assert (found.id, found.answers, found.model) == (number, 40, b"model 40")
    assert (found.positions, found.uncertainty, found.scores) == ([[0.5]], [0.1], {"error": 0.25})
    assert store.space(study, number) == found
    other = store.add_study("shoes", "", {})
    assert store.latest_space(other) is store.space(other, number) is None


def test_the_newest_stay_and_the_past_is_thinned_evenly_by_factors(store, study):
    for answers in range(100, 13100, 100):
        add(store, study, answers)
    kept = [space.answers for space in store.scored_spaces(study)]
    assert len(kept) == 50
    assert kept[0] == 100
    assert kept[-20:] == list(range(11100, 13100, 100))
    factors = [after / before for before, after in pairwise(kept[3:-20])]
    assert max(factors) < 1.6
    assert [space.answers for space in store.spaces(study, 2)] == [13000, 12900]


def enter(store, study, n):
    return [store.enter(study, "open", None, f"token {i}") for i in range(n)]


def test_people_page_by_page(store, study):
    people = enter(store, study, 7)
    store.set_participant_state(people[2], "finished")
    told = [Tally(people[i].id, 10 * i, i == 1, {"gold": i}) for i in range(4)]
    store.tell(study, {"answers": 60}, told)
    store.exclude(people[3], True, "asleep", "me")
    store.exclude(people[0], True, "asleep", "me")
    store.exclude(people[0], False, "awake", "me")

    def codes(**wanted):
        rows, total = store.people(study, **wanted)
        return [row.code for row in rows], total

    assert codes(limit=2, offset=1) == (["P0006", "P0005"], 7)
    assert codes(order="oldest", limit=1) == (["P0001"], 7)
    assert codes(order="answers", limit=2) == (["P0004", "P0003"], 7)
    assert codes(only="flagged") == (["P0002"], 1)
    assert codes(only="excluded") == (["P0004"], 1)
    assert codes(only="finished") == (["P0003"], 1)
    assert codes(only="under way")[1] == 6
    assert codes(code="p0007") == (["P0007"], 1)
    assert codes(code="%") == ([], 0)
    (row,), _ = store.people(study, code="P0001")
    assert (row.excluded, row.reason, row.figures) == (False, "awake", {"gold": 0})
    with pytest.raises(SettingError, match="is none of newest"):
        store.people(study, order="odd")


def test_what_is_told_again_replaces_what_was_told(store, study):
    (person,) = enter(store, study, 1)
    for answers in (3, 8):
        store.tell(study, {"answers": answers}, [Tally(person.id, answers, False, {})])
    assert store.pulse(study).told == {"answers": 8}
    assert [tally.answers for tally in store.tallies(study)] == [8]
    store.erase(person, "me")
    assert store.tallies(study) == []


def test_the_trail_leaves_the_fits_out(store, study):
    for number in range(5):
        store.record(study, "worker", "fit", {"number": number})
        store.record(study, "me", "wrote", {"number": number})
    lines = store.trail(study, 3)
    assert [line.details["number"] for line in lines] == [4, 3, 2]
    assert [line.details for line in store.trail(study, 1, before=lines[-1].id)] == [{"number": 1}]


# What the desk reads at each refresh, and the tables that must not be read for it.
READS = {
    "pulse": lambda store, study: store.pulse(study),
    "scores": lambda store, study: store.scored_spaces(study),
    "space": lambda store, study: store.latest_space(study),
    "people": lambda store, study: store.people(study, "answers", "flagged", "P0"),
    "trail": lambda store, study: store.trail(study, 50),
    "states": lambda store, study: store.counts(study),
}


def test_no_refresh_reads_answers_or_questions(tmp_path):
    with Store.open(f"sqlite:///{tmp_path}/study.sqlite") as store:
        study = store.add_study("ties", "", {})
        (person,) = enter(store, study, 1)
        (served,) = store.serve(person, [Wanted({"kind": "triplet"})])
        store.answer(person, [AnswerIn(served.id, 1)])
        for name, read in READS.items():
            statements = statements_of(store, lambda read=read: read(store, study))
            assert statements, name
            for plan in (plan_of(store, *statement) for statement in statements):
                words = " ".join(plan)
                assert "answers" not in words, (name, plan)
                assert "questions" not in words, (name, plan)
                assert "SCAN events" not in words, (name, plan)
                assert "SCAN spaces" not in words, (name, plan)


def statements_of(store, read):
    """The statements that a read sends, with their values."""
    from sqlalchemy import event

    sent = []

    def note(connection, cursor, statement, parameters, context, many):
        sent.append((statement, parameters))

    event.listen(store._readers, "before_cursor_execute", note)
    read()
    event.remove(store._readers, "before_cursor_execute", note)
    return sent


def plan_of(store, statement, parameters):
    with store._readers.connect() as connection:
        rows = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)
        return [row.detail for row in rows]
