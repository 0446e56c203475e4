"""Entering a study, and entering again."""

import httpx
import pytest

from resemblance.web.desk.overview import Overview
from web.conftest import Client, Person

PID = "5f3a0cafe0123456789abcde"
PROLIFIC = {"source": "prolific", "completion_code": "C0DE"}


@pytest.fixture
def served(make_study, serve):
    return serve(make_study(recruitment=PROLIFIC, tasks={"practice": 0}))


def enter(served, pid, session, status=200):
    parameters = {"PROLIFIC_PID": pid, "SESSION_ID": session}
    body = {"parameters": parameters, "browser": {"agent": f"browser of {session}"}}
    reply = served.client.post("/api/studies/ties/participants", json=body)
    assert reply.status_code == status, reply.text
    return reply.json()


def test_a_refused_second_entry_changes_nothing(served):
    person = served.person(parameters={"PROLIFIC_PID": PID, "SESSION_ID": "first"})
    person.begin()
    person.answer_all()
    code = person.post("finish")["code"]
    before = served.store.people.all(served.live.record)
    assert enter(served, PID, "second", 409)["error"]["code"] == "second_entry"
    assert served.store.people.all(served.live.record) == before
    assert person.post("finish")["code"] == code


def test_0s_before_a_number_make_nobody_new(make_study, serve):
    """SONA gives numbers: who takes part twice cannot do so by writing one in another way."""
    folder = make_study(recruitment={"source": "sona", "exclude": "out.csv"})
    (folder / "out.csv").write_text("id\n0007\n")
    served = serve(folder)

    def code(number):
        body = {"parameters": {"id": number}, "browser": {}}
        reply = served.client.post("/api/studies/ties/participants", json=body)
        return reply.json()["error"]["code"]

    person = served.person(parameters={"id": "04711"})
    assert [code(number) for number in ("4711", "004711", "04711")] == ["bound"] * 3
    person.begin()
    assert code("4711") == "bound"
    person.answer_all()
    person.post("finish")
    assert code("4711") == "second_entry"
    assert code("7") == "excluded"
    (row,) = served.store.people.all(served.live.record)
    assert row.external_id == "04711"  # as the service wrote it: it gets it back


def test_two_whom_an_older_version_took_for_different_people_are_told_apart_no_more(
    make_study, serve
):
    """Whoever finished under one of the numbers has taken part; nothing fails at the other."""
    served = serve(make_study(recruitment={"source": "sona"}))
    people, record = served.store.people, served.live.record
    for number in ("4711", "04711"):
        people.enter(record, "sona", number, f"hash of {number}")
    people.set_state(people.all(record)[1], "finished", "C0DE")
    body = {"parameters": {"id": "4711"}, "browser": {}}
    reply = served.client.post("/api/studies/ties/participants", json=body)
    assert reply.json()["error"]["code"] == "second_entry"


def test_made_up_ids_hold_places_for_minutes_only(make_study, serve):
    """Where addresses are not signed, anybody can enter under any id; the desk tells it."""
    quota = PROLIFIC | {"max_participants": 5}
    served = serve(make_study(recruitment=quota, tasks={"practice": 0}))
    clock = [served.store.database.clock()]
    served.live.clock = served.store.database.clock = lambda: clock[0]

    def enter(n):
        return served.person(parameters={"PROLIFIC_PID": f"{n:024x}", "SESSION_ID": "s"})

    busy = enter(99)
    busy.begin()
    busy.answer(busy.answer()["questions"][0])
    made_up = [enter(n) for n in range(4)]
    for one in made_up[:2]:  # they agree, and are asked, and answer nothing
        one.begin()
        one.answer()
    body = {"parameters": {"PROLIFIC_PID": PID, "SESSION_ID": "s"}, "browser": {}}
    for seconds in (0, 599):  # of ten minutes
        clock[0] += seconds
        refused = served.client.post("/api/studies/ties/participants", json=body)
        assert refused.json()["error"]["code"] == "full"
    clock[0] += 2
    assert Overview(served.live).places == {"most": 5, "held": 1, "lapsed": 4}
    assert served.client.post("/api/studies/ties/participants", json=body).status_code == 200
    assert made_up[0].answer()["state"] == "tasks"  # who comes back goes on
    clock[0] += 110 * 60
    assert Overview(served.live).places["held"] == 0  # after two hours, as before


def test_one_network_holds_a_share_of_the_places_without_answers(make_study, serve):
    served = serve(make_study(recruitment={"max_participants": 60}))
    clock = [0.0]
    served.shared.newcomers.clock = lambda: clock[0]
    stranger, other = browser(served, "198.51.100.9"), browser(served, "203.0.113.4")
    people = [Person(stranger) for _ in range(15)]
    refused = stranger.post("/api/studies/ties/participants", json={"parameters": {}})
    assert (refused.status_code, refused.json()["error"]["code"]) == (429, "too_many")
    assert int(refused.headers["retry-after"]) > 0
    assert Person(other).get().status_code == 200
    people[0].begin()
    people[0].answer(people[0].answer()["questions"][0])
    again = Person(stranger)  # in the place of the one who answered
    clock[0] = 599.0
    assert stranger.post("/api/studies/ties/participants", json={"parameters": {}}).is_error
    clock[0] = 601.0
    assert Person(stranger).get().status_code == again.get().status_code == 200


def browser(served, address):
    client = Client(served.app, served.client.runner)
    transport = httpx.ASGITransport(served.app, client=(address, 9))
    client.http = httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000")
    return client
