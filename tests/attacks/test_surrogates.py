"""Half a character, which no file can hold, in any text that comes over HTTP."""

import json

import pytest

HALF = "\ud800"
QUESTIONS = '# About you\n\n```form\n[name]\ntype = "text"\nlabel = "Name"\n```\n'


def body(value):
    return {"content": json.dumps(value), "headers": {"Content-Type": "application/json"}}


ENTRIES = [
    {"parameters": {"PROLIFIC_PID": HALF}},
    {"parameters": {"PROLIFIC_PID": "5f3a0cafe0123456789abcde", "SESSION_ID": f"x{HALF}"}},
    {"parameters": {"PROLIFIC_PID": "5f3a0cafe0123456789abcde", HALF: "x"}},
    {"parameters": {"PROLIFIC_PID": "5f3a0cafe0123456789abcde"}, "browser": {"timezone": HALF}},
    {
        "parameters": {"PROLIFIC_PID": "5f3a0cafe0123456789abcde"},
        "browser": {"languages": ["en", HALF]},
    },
]


def test_entries_are_refused(make_study, serve):
    served = serve(make_study(recruitment={"source": "prolific"}))
    for entry in ENTRIES:
        reply = served.client.post("/api/studies/ties/participants", **body(entry))
        assert (reply.status_code, reply.json()["error"]["code"]) == (422, "invalid_request"), entry
    assert served.store.people.all(served.live.record) == []


@pytest.fixture
def asked(make_study, serve):
    folder = make_study(
        pages={"consent": "pages/consent.md", "questionnaire": ["pages/consent.md"]},
        tasks={"practice": 0},
    )
    (folder / "pages" / "consent.md").write_text(QUESTIONS)
    return serve(folder)


def send(served, person, path, value):
    sent = body(value)
    sent["headers"] |= person.headers
    return served.client.post(f"/api/me/{path}", **sent)


def test_pages_and_answers_are_refused_and_what_follows_is_taken(asked):
    person = asked.person()
    for values in ({"name": HALF}, {"name": [HALF]}, {HALF: "x"}):
        reply = send(asked, person, "pages/consent", {"agree": True, "values": values})
        assert (reply.status_code, reply.json()["error"]["code"][:7]) == (422, "invalid")
    (question, *_) = person.begin()["questions"] or person.answer()["questions"]
    answer = {"question": question["id"], "response": {"chosen": 0}, "rt_ms": 400}
    for bad in ({"response": {"chosen": HALF}}, {"client": {"input": HALF}}):
        reply = send(asked, person, "answers", {"answers": [answer | bad], "want": 1})
        assert reply.status_code == 422
    assert person.answer(question)["acknowledged"] == [question["id"]]
