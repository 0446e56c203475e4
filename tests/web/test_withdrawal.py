"""Participants withdraw on the page, and say what becomes of their answers."""

import pytest
from sqlalchemy import func, select

from resemblance.store import schema
from resemblance.study.export import Export
from resemblance.study.quality import Quality, Rules
from resemblance.study.recruit import _reason

IDS = {"PROLIFIC_PID": "5f3a" * 6, "SESSION_ID": "a" * 24}


def rows_about(store, person):
    found = {}
    for table in (schema.answers, schema.questions, schema.pages, schema.tallies):
        wanted = select(func.count()).where(table.c.participant == person.id)
        found[table.name] = store.database.rows(wanted)[0][0]
    return found


def half_way(served, parameters=None, n=4):
    """Somebody who has answered some questions, and has others before them."""
    person = served.person(parameters=parameters, browser={"agent": "Firefox"})
    person.begin()
    standing = person.answer()
    for _ in range(n):
        standing = person.answer(standing["questions"][0])
    person.out = standing["questions"]
    return person


def record_of(served, person):
    return served.store.people.named(served.live.record, person.code)


def trail(served):
    return [(one.who, one.what) for one in served.store.events.audit(served.live.record)]


def code_of(answer):
    return answer.status_code, answer.json()["error"]["code"]


@pytest.fixture
def prolific(make_study, serve):
    return serve(make_study(recruitment={"source": "prolific", "completion_code": "C0DE"}))


def test_what_was_answered_is_kept_and_who_it_was_is_not(prolific):
    person = half_way(prolific, IDS)
    assert person.post("withdraw", {"keep": True}) == {"kept": True, "service": "prolific"}
    left = record_of(prolific, person)
    assert (left.state, left.browser) == ("withdrawn", {})
    assert left.external_id.startswith("digest:")
    assert IDS["PROLIFIC_PID"] not in str(left)
    about = rows_about(prolific.store, left)
    assert (about["answers"], about["questions"], about["pages"]) == (4, 4, 2)
    assert trail(prolific)[-1] == ("participant", "participant withdrew")


def test_whatever_comes_later_is_told_that_the_person_has_withdrawn(prolific):
    person = half_way(prolific, IDS)
    person.post("withdraw", {"keep": True})
    here = person.get().json()
    assert (here["state"], here["page"], here["questions"]) == ("withdrawn", None, [])
    assert here["withdraw"] is False
    for path, body in (
        ("pages/consent", {"agree": True}),
        ("pages/instructions", {}),
        ("answers", {"answers": [], "want": 4}),
        ("finish", {}),
    ):
        assert person.post(path, body, status=410)["error"]["code"] == "withdrawn"
    assert person.answer(*person.out, status=410)["error"]["code"] == "withdrawn"
    assert rows_about(prolific.store, record_of(prolific, person))["answers"] == 4


def test_a_study_may_want_to_be_written_to_instead(make_study, serve):
    served = serve(make_study(recruitment={"withdraw": False}))
    person = half_way(served)
    assert person.get().json()["withdraw"] is False
    refused = person.post("withdraw", {"keep": False}, status=403)
    assert refused["error"]["code"] == "no_withdrawal"
    assert rows_about(served.store, record_of(served, person))["answers"] == 4


def test_it_is_offered_to_whom_something_is_stored_of(served):
    person = served.person()
    assert person.get().json()["withdraw"] is False
    assert person.begin()["withdraw"] is True
    person.answer_all()
    person.post("finish")
    assert person.get().json()["withdraw"] is True
    declined = served.person()
    declined.post("pages/consent", {"agree": False})
    assert declined.get().json()["withdraw"] is False
    stopped = half_way(served)
    served.store.people.set_state(record_of(served, stopped), "stopped")
    assert stopped.get().json()["withdraw"] is True


def test_who_has_finished_returns_nothing_and_is_still_paid(prolific):
    person = prolific.person(parameters=IDS)
    person.begin()
    person.answer_all()
    person.post("finish")
    assert person.post("withdraw", {"keep": True}) == {"kept": True, "service": None}
    left, quality = record_of(prolific, person), Quality.of(prolific.live)
    assert (left.state, left.completion_code) == ("withdrawn", "C0DE")
    assert _reason(left, set(), quality) == ""
    other = half_way(prolific, {**IDS, "PROLIFIC_PID": "6" * 24})
    other.post("withdraw", {"keep": True})
    assert "withdrawn" in _reason(record_of(prolific, other), set(), quality)


def test_no_rule_stops_who_has_withdrawn(make_study, serve):
    folder = make_study()
    with (folder / "study.toml").open("a") as file:
        file.write('[[quality.rules]]\nmeasure = "side"\nabove = 0.9\nafter = 3\naction = "stop"\n')
    served = serve(folder)
    person = half_way(served, n=6)
    person.post("withdraw", {"keep": True})
    Rules(Quality.of(served.live)).act()
    assert record_of(served, person).state == "withdrawn"


def test_exports_and_the_desk_say_who_withdrew(prolific):
    person, other = half_way(prolific, IDS), prolific.person(parameters={"PROLIFIC_PID": "6" * 24})
    person.post("withdraw", {"keep": True})
    tables = {one.name: one for one in Export(prolific.live, identified=True).tables()}
    states = {one["observer"]: one["state"] for one in tables["participants"].rows()}
    ids = {one["observer"]: one["external_id"] for one in tables["participants"].rows()}
    assert states == {person.code: "withdrawn", other.code: "entered"}
    assert ids[person.code] is None
    assert "withdrawn" in tables["participants"].columns["state"]
    assert {one["observer"] for one in tables["answers"].rows()} == {person.code}
    found, count = prolific.store.tallies.people(prolific.live.record, only="withdrawn")
    assert ([one.code for one in found], count) == ([person.code], 1)


@pytest.mark.parametrize("keep", [True, False])
def test_a_place_of_the_quota_is_given_back(make_study, serve, keep):
    served = serve(make_study(recruitment={"max_participants": 1}))
    person = half_way(served)
    refused = served.client.post("/api/studies/ties/participants", json={})
    assert code_of(refused) == (403, "full")
    person.post("withdraw", {"keep": keep})
    assert served.person().code != person.code
    refused = served.client.post("/api/studies/ties/participants", json={})
    assert code_of(refused) == (403, "full")
