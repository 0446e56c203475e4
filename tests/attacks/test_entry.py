"""Who enters, and comes in again."""

import pytest

PID = "5f3a0cafe0123456789abcde"
PROLIFIC = {"source": "prolific", "completion_code": "C0DE"}


@pytest.fixture
def served(make_study, serve, url):
    return serve(make_study(recruitment=PROLIFIC, tasks={"practice": 0}), database=url)


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
