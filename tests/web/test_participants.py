"""A participant's browser, from entry to completion code."""

import asyncio

import pytest

from resemblance.study.entry import token_hash
from resemblance.study.kinds import KINDS
from resemblance.study.participation import Participation
from resemblance.study.protocol import Answer
from resemblance.study.questions import question_page
from resemblance.web.participants import Quick

PERSON, WORKER = "5f3a" * 6, "A1B2C3D4E5F6G7"  # as Prolific and MTurk name people


def test_the_whole_way(served):
    person = served.person()
    me = person.get().json()
    assert (me["state"], me["page"]["title"]) == ("consent", "Consent")
    assert person.post("pages/consent", {"agree": True})["state"] == "instructions"
    assert person.post("pages/instructions")["state"] == "practice"
    seen = person.answer_all()
    assert [question["place"] for question in seen] == list(range(12))
    assert [question["purpose"] for question in seen] == ["practice"] * 2 + ["main"] * 10
    me = person.get().json()
    assert (me["state"], me["progress"]) == ("debrief", {"done": 10, "total": 10})
    done = person.post("finish")
    assert len(done["code"]) == 8
    assert person.post("finish") == done
    assert person.get().json()["state"] == "finished"
    log = served.log()
    assert [answer.question for answer in log] == [question["id"] for question in seen]
    assert (
        sorted(answer.purpose for answer in log) == ["gold"] * 2 + ["main"] * 8 + ["practice"] * 2
    )


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_can_be_answered_whole(make_study, serve, kind):
    stimuli = {"items": "classes.csv"} if kind == "classify" else {}
    options = {"n_options": 4} if kind in ("one_of_n", "odd_one_out", "pick_k") else {}
    served = serve(make_study(study={"kind": kind, **options}, stimuli=stimuli))
    person = served.person()
    person.begin()
    seen = person.answer_all()
    assert len(seen) == 12
    assert person.post("finish")["code"]
    for answer in served.log():
        assert KINDS[kind].row(answer.spec, answer.response)


def test_media_of_a_question_are_there(served):
    person = served.person()
    person.begin()
    question = person.answer()["questions"][0]
    for item in (question["head"], *question["options"]):
        media = served.client.get(item["url"])
        assert media.status_code == 200
        assert media.headers["content-type"] == "image/png"
        assert "immutable" in media.headers["cache-control"]
        assert "sandbox" in media.headers["content-security-policy"]
        assert "default-src 'none'" in media.headers["content-security-policy"]
        assert "script-src" not in media.headers["content-security-policy"]


def test_noise_is_drawn_for_its_question_alone(make_study, serve):
    served = serve(make_study(study={"kind": "classify"}, stimuli={"items": "classes.csv"}))
    person = served.person()
    person.begin()
    (question,) = person.answer()["questions"]
    noise = served.client.get(question["head"]["url"])
    assert noise.headers["content-type"] == "image/png"
    assert served.client.get("/media/ties/drawn/unknown.png").status_code == 404


def test_the_staircase_waits_for_the_answer(make_study, serve):
    served = serve(
        make_study(
            study={"kind": "classify"},
            stimuli={"items": "classes.csv"},
            tasks={"practice": 0, "gold_share": 0.0, "feedback": True},
        )
    )
    person = served.person()
    assert person.begin()["ahead"] == 0
    standing, signals = person.answer(), []
    while standing["questions"]:
        (question,) = standing["questions"]
        spec = served.live.question(question["id"]).spec
        signals.append(spec["signal"])
        standing = person.answer(question, response={"chosen": spec["label"]})
        assert standing["feedback"] == [{"question": question["id"], "right": True}]
    assert signals == pytest.approx([1.0] * 3 + [0.8] * 3 + [0.64] * 3 + [0.512])


def test_nothing_of_gold_reaches_the_page(served):
    person = served.person()
    person.begin()
    person.answer_all()
    asked = list(served.store.questions.all(served.live.record))
    by_purpose = {one.purpose: question_page(served.live, one) for one in asked}
    gold, main = by_purpose["gold"], by_purpose["main"]
    assert {name: type(value) for name, value in gold.items()} == {
        name: type(value) for name, value in main.items()
    }
    assert gold["purpose"] == "main"
    assert gold["feedback"] == main["feedback"] is False


@pytest.mark.parametrize(("strategy", "held"), [("predictive", 2), ("random", 4)])
def test_a_page_holds_less_where_answers_choose_questions(make_study, serve, strategy, held):
    """What it holds knows nothing of later answers."""
    person = serve(make_study(asking={"strategy": strategy})).person()
    assert person.begin()["ahead"] == held - 1
    assert len(person.answer()["questions"]) == held


def test_what_is_not_plain_goes_the_long_way(served, monkeypatch):
    """The quick path leaves to the route what it does not take, and nothing is stored twice."""
    person = served.person()
    person.begin()
    reply = Quick._reply

    async def stored_but_not_told(self, scope, body):
        await reply(self, scope, body)
        raise ValueError

    monkeypatch.setattr(Quick, "_reply", stored_but_not_told)
    first = person.answer()["questions"][0]
    told = person.answer(first)
    assert told["acknowledged"] == [first["id"]]
    assert len(told["questions"]) == 4
    assert len(served.log()) == 1
    monkeypatch.undo()
    assert [one["place"] for one in person.answer_all()] == list(range(1, 12))


class TestRemembered:
    """Where a person stands is remembered between answers, and nothing goes wrong by it."""

    @pytest.fixture
    def reads(self, served, monkeypatch):
        """Count how often it is read where a person stands."""
        reads, people = [], type(served.store.people)
        standing = people.standing
        monkeypatch.setattr(
            people, "standing", lambda *given: reads.append(given) or standing(*given)
        )
        return reads

    def test_one_read_serves_all_answers(self, served, reads):
        person = served.person()
        person.begin()
        question = person.answer()["questions"][0]
        read = len(reads)
        for done in range(1, 12):
            told = person.answer(question)
            assert told["progress"]["done"] == max(0, done - 2)
            question = told["questions"][0]
        assert len(reads) == read
        person.answer(question)
        assert served.store.people.standing(reads[-1][1]).progress.done == 12

    def test_a_request_that_another_overtook_is_planned_anew(self, served):
        person = served.person()
        person.begin()
        first, second, *_ = person.answer()["questions"]
        token = person.headers["Authorization"].removeprefix("Bearer ")
        late = asyncio.run(Participation.find(served.live, token_hash(token), token))
        person.answer(first)
        answer = Answer(question=second["id"], response={"chosen": 0}, rt_ms=400)
        assert asyncio.run(late.answer([answer], 4))["acknowledged"] == [second["id"]]
        assert [one.question for one in served.log()] == [first["id"], second["id"]]


class TestResuming:
    def test_a_reload_finds_the_same_questions(self, served):
        person = served.person()
        person.begin()
        out = person.answer()["questions"]
        assert person.get().json()["questions"] == out
        assert person.answer()["questions"] == out


class TestRefusals:
    def test_a_response_that_no_option_has(self, served):
        person = served.person()
        person.begin()
        first, second, *_ = person.answer()["questions"]
        for response in ({"chosen": 2}, {"label": 0}, {"chosen": "item1"}):
            told = person.answer(first, response=response, status=422)
            assert told["error"]["code"] == "invalid_response"
        answers = [
            {"question": second["id"], "response": {"chosen": 0}, "rt_ms": 1},
            {"question": first["id"], "response": {"chosen": 7}, "rt_ms": 1},
        ]
        person.post("answers", {"answers": answers, "want": 0}, 422)
        assert served.log() == []

    def test_forged_and_foreign_questions(self, served):
        person, other = served.person(), served.person()
        person.begin()
        other.begin()
        theirs = other.answer()["questions"][0]
        for stranger in (theirs, {**theirs, "id": "forged"}):
            told = person.answer(stranger, status=409)
            assert told["error"]["code"] == "unknown_question"
            assert told["error"]["questions"] == [stranger["id"]]
        assert served.log() == []

    def test_unknown_tokens_and_studies(self, served):
        for token in ("", "x", "ties.x", "Bearer", "other.abc"):
            answer = served.client.get("/api/me", headers={"Authorization": f"Bearer {token}"})
            assert (answer.status_code, answer.json()["error"]["code"]) == (401, "unknown_token")
        answer = served.client.post("/api/studies/other/participants", json={"parameters": {}})
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "unknown_study")

    def test_no_answers_without_consent(self, served):
        person = served.person()
        assert person.answer(status=409)["error"]["code"] == "consent_required"
        assert person.post("pages/instructions", {}, 409)["error"]["code"] == "consent_required"
        assert person.post("pages/consent", {"agree": None}, 422)
        assert person.post("pages/consent", {"agree": False})["state"] == "stopped"
        assert person.answer()["questions"] == []

    def test_skips_are_recorded_unless_the_study_has_none(self, make_study, serve):
        served = serve(make_study(), make_study("strict", tasks={"skip": False}))
        person = served.person()
        person.begin()
        person.answer(person.answer()["questions"][0], skipped=True)
        assert [(one.skipped, one.response) for one in served.log()] == [(True, None)]
        strict = served.person("strict")
        strict.begin()
        told = strict.answer(strict.answer()["questions"][0], skipped=True, status=422)
        assert "skipped" in told["error"]["message"]

    def test_no_code_before_every_answer_is_held(self, served):
        person = served.person()
        person.begin()
        first = person.answer()["questions"][0]
        person.answer(first)
        told = person.post("finish", {}, 409)["error"]
        assert (told["code"], told["missing"]) == ("unfinished", 11)

    def test_questionnaires_come_before_the_code(self, make_study, serve):
        folder = make_study(pages={"questionnaire": ["pages/you.md"]}, tasks={"task_size": 2})
        form = '# You\n\n```form\n[age]\nlabel = "Age?"\ntype = "number"\nrequired = true\n```\n'
        (folder / "pages" / "you.md").write_text(form)
        served = serve(folder)
        person = served.person()
        person.begin()
        person.answer_all()
        assert person.get().json()["page"]["fields"][0]["name"] == "age"
        assert person.post("finish", {}, 409)["error"]["code"] == "unfinished"
        assert person.post("pages/questionnaire-1", {"values": {"age": "x"}}, 422)
        assert person.post("pages/gone", {}, 404)["error"]["code"] == "unknown_page"
        assert person.post("pages/questionnaire-1", {"values": {"age": 30}})["state"] == "debrief"
        (kept,) = [
            r
            for r in served.store.people.responses(served.live.record)
            if "age" in r.response["values"]
        ]
        assert kept.page == "questionnaire-1"


class TestRecruiting:
    def enter(self, served, status, code, study="ties", **parameters):
        answer = served.client.post(
            f"/api/studies/{study}/participants", json={"parameters": parameters}
        )
        assert answer.status_code == status, answer.text
        if code:
            assert answer.json()["error"]["code"] == code
        return answer.json()

    def test_ids_come_from_the_address_and_what_no_service_sends_takes_no_place(
        self, make_study, serve
    ):
        sources = ("prolific", "mturk", "sona", "open")
        served = serve(*(make_study(one, recruitment={"source": one}) for one in sources))
        for source, parameters in (
            ("prolific", {"PROLIFIC_PID": "p1"}),
            ("prolific", {"PROLIFIC_PID": "5F3A" * 6}),
            ("prolific", {"PROLIFIC_PID": "{{%PROLIFIC_PID%}}"}),
            ("mturk", {"workerId": "w"}),
            ("mturk", {}),
            ("sona", {"id": "7&x"}),
            ("sona", {"id": "%SURVEY_CODE%"}),
        ):
            self.enter(served, 403, "no_id", study=source, **parameters)
        preview = {"workerId": "w", "assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE"}
        self.enter(served, 403, "preview", study="mturk", **preview)
        for live, parameters, external_id in zip(
            served.lives,
            (
                {"PROLIFIC_PID": PERSON},
                {"workerId": WORKER, "assignmentId": "a"},
                {"survey_code": "7"},
                {"anything": "x"},
            ),
            (PERSON, WORKER, "7", None),
            strict=True,
        ):
            name = live.folder.name
            served.person(name, parameters).post("pages/consent", {"agree": True})
            (person,) = live.store.people.all(live.record)
            assert (person.source, person.external_id) == (name, external_id)

    def test_an_id_that_can_be_guessed_stays_in_its_browser(self, make_study, serve):
        served = serve(make_study(recruitment={"source": "sona"}))
        person = served.person(parameters={"id": "4711"})
        person.begin()
        before = served.store.people.all(served.live.record)
        for _ in range(3):
            self.enter(served, 403, "bound", id="4711")
        assert served.store.people.all(served.live.record) == before
        assert person.get().status_code == 200
        served.store.people.release(before[0], "researcher")
        assert person.get().status_code == 401
        served.store.people.exclude(before[0], True, "a test", "researcher")  # not erased
        served.store.people.release(before[0], "researcher")
        assert served.person(parameters={"id": "4711"}).code == person.code
        assert person.get().status_code == 401
        self.enter(served, 403, "bound", id="4711")

    def test_simulated_people_only_where_allowed(self, make_study, serve):
        served = serve(make_study(), make_study("crowd", recruitment={"simulated": "enter"}))
        self.enter(served, 403, "excluded", simulated="s1")  # it would count as a person
        self.enter(served, 200, None, study="crowd", simulated="s1")
        entered = [live.store.people.all(live.record) for live in served.lives]
        assert [[one.source for one in people] for people in entered] == [[], ["simulated"]]

    def test_closing_date_pause_and_close(self, make_study, serve):
        served = serve(make_study(), make_study("past"))
        from datetime import UTC, datetime

        past = served.lives[1].folder.settings
        late = past.recruitment.model_copy(update={"close": datetime(2020, 1, 1, tzinfo=UTC)})
        object.__setattr__(past, "recruitment", late)
        self.enter(served, 403, "closed", study="past")
        person = served.person()
        person.begin()
        out = person.answer()["questions"]
        served.store.studies.set_state(served.live.record, "paused", "test")
        served.live.reread()
        self.enter(served, 403, "paused")
        standing = person.answer(*out)
        assert len(standing["acknowledged"]) == 4
        assert standing["questions"] == []
        assert person.answer(status=403)["error"]["code"] == "paused"
        served.store.studies.set_state(served.live.record, "open", "test")
        served.live.reread()
        assert len(person.answer_all()) == 8

    def test_the_way_back(self, make_study, serve):
        prolific = {"source": "prolific", "completion_code": "C1"}
        sona = {"source": "sona", "redirect": "https://x.sona-systems.com/c?id={id}"}
        served = serve(
            make_study("one", recruitment=prolific, tasks={"task_size": 1}),
            make_study("two", recruitment=sona, tasks={"task_size": 1}),
            make_study("three", recruitment={"source": "mturk"}, tasks={"task_size": 1}),
        )
        turk = {
            "workerId": WORKER,
            "assignmentId": "a1",
            "turkSubmitTo": "https://workersandbox.mturk.com",
        }
        evil = {**turk, "workerId": "A0EVILEVIL", "turkSubmitTo": "https://evil.example"}
        found = []
        people = {"PROLIFIC_PID": PERSON}, {"id": "77"}, turk, evil
        for study, parameters in zip(("one", "two", "three", "three"), people, strict=True):
            person = served.person(study, parameters)
            person.begin()
            person.answer_all()
            found.append(person.post("finish"))
        assert found[0]["code"] == "C1"
        assert found[0]["redirect"]["url"] == "https://app.prolific.com/submissions/complete?cc=C1"
        assert found[1]["redirect"]["url"] == "https://x.sona-systems.com/c?id=77"
        assert found[2]["redirect"]["url"] == "https://workersandbox.mturk.com/mturk/externalSubmit"
        assert found[2]["redirect"]["fields"]["assignmentId"] == "a1"
        assert found[3]["redirect"] is None
