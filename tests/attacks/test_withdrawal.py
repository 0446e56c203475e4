"""Withdrawn people stay away: nothing under way comes back, or comes twice."""

from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from attacks.test_erasure import POSTGRESQL, rows_about, served_to
from resemblance.errors import UnknownQuestionError
from resemblance.store import AnswerIn, Store, Wanted, WithdrawnError

N = 24
WRITES = {
    "finish": lambda store, person: store.people.set_state(person, "finished", "C0DE"),
    "stop": lambda store, person: store.people.set_state(person, "stopped"),
    "consent": lambda store, person: store.people.consent(person, "5f3a", {"agent": "Firefox"}),
    "decline": lambda store, person: store.people.decline(person),
    "respond": lambda store, person: store.people.respond(person, "age", {"values": {"age": 40}}),
}


@pytest.fixture
def store(url):
    with Store.open(url) as store:
        yield store


@pytest.fixture
def study(store):
    return store.studies.add("ties", "", {})


def test_no_write_of_a_page_brings_a_person_back(store, study):
    person = store.people.enter(study, "prolific", "5f3a", "token", {"agent": "Firefox"})
    store.people.withdraw(person, "digest:1")
    for write in WRITES.values():
        with pytest.raises(WithdrawnError, match=person.code):
            write(store, person)
    left = store.people.named(study, person.code)
    assert (left.state, left.external_id, left.browser) == ("withdrawn", "digest:1", {})
    assert rows_about(store, person) == {}


def test_answers_under_way_are_not_stored_though_their_questions_were_given_up(store, study):
    for late in (False, True):
        person = store.people.enter(study, "open", None, f"token {late}")
        out = served_to(store, person, 3)
        store.answers.take(person, [AnswerIn(out[0].id, {"chosen": 0})])
        if late:
            store.questions.abandon(study, -1.0)
        store.people.withdraw(person, None)
        answers = [AnswerIn(one.id, {"chosen": 1}) for one in out[1:]]
        with pytest.raises(UnknownQuestionError):
            store.answers.take(person, answers, [Wanted({"kind": "triplet"})])
        assert rows_about(store, person) == {"answers": 1, "questions": 1}


def test_questions_of_the_pool_wait_again(store, study):
    specs = [{"kind": "triplet", "number": number} for number in range(4)]
    store.pool.put(study, specs, 1)
    person = store.people.enter(study, "open", None, "token")
    wanted = [Wanted({"kind": "triplet"}, pool=study.id)] * 3
    out = store.questions.serve(person, wanted)
    store.answers.take(person, [AnswerIn(out[0].id, {"chosen": 0})])
    assert store.pool.size(study) == 1
    store.people.withdraw(person, None)
    assert store.pool.size(study) == 3


@pytest.mark.parametrize(("path", "body"), [("pages/consent", {"agree": True}), ("finish", {})])
def test_a_page_under_way_is_refused_over_http(served, path, body):
    person = served.person()
    if path == "finish":
        person.begin()
        person.answer_all()
    standing = served.store.people.standing
    record = served.store.people.named(served.live.record, person.code)

    def withdrawn_meanwhile(token_hash):
        found = standing(token_hash)
        served.store.people.withdraw(record, None)
        return found

    served.store.people.standing = withdrawn_meanwhile
    assert person.post(path, body, status=410)["error"]["code"] == "withdrawn"
    served.store.people.standing = standing
    assert served.store.people.named(served.live.record, person.code).state == "withdrawn"
    assert person.get().json()["state"] == "withdrawn"


@POSTGRESQL
def test_twice_at_once_ends_as_the_stronger_word(served, listen):
    address = f"http://127.0.0.1:{listen(served)}/api/me/withdraw"
    people = [served.person() for _ in range(6)]
    for person in people:
        person.begin()
        person.answer(*person.answer()["questions"][:2])

    def leave(person, keep):
        return httpx.post(address, headers=person.headers, json={"keep": keep}, timeout=30)

    with ThreadPoolExecutor(12) as threads:
        sent = [threads.submit(leave, one, keep) for one in people for keep in (True, False) * 2]
        statuses = {one.result().status_code for one in sent}
    assert statuses <= {200, 401, 410}
    for person in people:
        left = served.store.people.named(served.live.record, person.code)
        assert (left.state, rows_about(served.store, left)) == ("stopped", {})
        assert person.get().status_code == 401
