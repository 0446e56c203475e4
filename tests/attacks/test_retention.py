"""Ids are gone when they should be, whoever comes back meanwhile; answers stay."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import select

from attacks.test_erasure import POSTGRESQL
from resemblance.store import retention, schema
from resemblance.study import privacy
from resemblance.study.export import Export
from resemblance.study.privacy import DAY_S, DIGEST, Forgetting, forget_ids, is_forgotten
from resemblance.study.recruit import Submission, decide
from resemblance.study.worker.loop import StudyWork

ID, OTHER = "5f3a0cafe0123456789abcde", "5f3a0cafe0123456789abcdf"
SESSION, AGENT, ZONE = "session0cafe", "Firefox 0cafe", "Antarctica/0cafe"
TRACES = (ID, OTHER, SESSION, AGENT, ZONE)
BROWSER = {"agent": AGENT, "languages": ["tlh"], "timezone": ZONE}
DAYS = 30


@pytest.fixture
def begin(make_study, serve, monkeypatch):
    """Serve a study whose clock the test moves, and which is believed."""
    monkeypatch.setattr(privacy, "STEADY_S", 0.0)

    def begin_(privacy=None, url=None, **more):
        sections = {"recruitment": {"source": "prolific"}, "tasks": {"practice": 0}} | more
        kept = {"forget_ids_after_days": DAYS} if privacy is None else privacy
        served = serve(make_study(privacy=kept, **sections), database=url)
        clock = [served.store.database.clock()]
        served.live.clock = served.store.database.clock = lambda: clock[0]
        served.clock = clock
        return served

    return begin_


@pytest.fixture
def served(begin):
    return begin()


@pytest.fixture
def on_each(begin, url):
    """A study on each of the two databases."""
    return begin(url=url)


def enter(served, pid=ID, **more):
    parameters = {"PROLIFIC_PID": pid, "SESSION_ID": SESSION}
    return served.person(parameters=parameters, browser=BROWSER, **more)


def finished(served, pid=ID):
    person = enter(served, pid)
    person.begin()
    person.answer_all()
    person.post("finish")
    return person


def pass_days(served, days):
    served.clock[0] += DAY_S * days


def everybody(served):
    return served.store.people.all(served.live.record)


def stored(served):
    """Return all that the database holds, as text."""
    with served.store.database.readers.connect() as connection:
        return "\n".join(
            str(row)
            for table in schema.metadata.sorted_tables
            for row in connection.execute(select(table))
        )


def traces(text):
    return [one for one in (*TRACES, "tlh") if one in text]


def test_ids_and_browser_are_forgotten_and_answers_stay(on_each, monkeypatch):
    monkeypatch.setattr(retention, "AT_ONCE", 1)
    served = on_each
    finished(served)
    enter(served, OTHER).begin()
    answers = served.log()
    pass_days(served, DAYS - 1)
    assert forget_ids(served.live, "me") == 0
    assert traces(stored(served)) == [ID, OTHER, SESSION, ZONE, "tlh"]  # and no user agent
    pass_days(served, 2)
    assert forget_ids(served.live, "me") == 2
    assert traces(stored(served)) == []
    row, _ = everybody(served)
    assert row.external_id.startswith(DIGEST)
    assert (row.browser, row.state) == ({}, "finished")
    assert served.log() == answers
    assert len(answers) == 10
    (line,) = served.store.events.audit(served.live.record, "ids forgotten")
    assert (line.who, line.details) == ("me", {"people": 2})
    assert forget_ids(served.live, "me") == 0
    assert len(served.store.events.audit(served.live.record, "ids forgotten")) == 1


def test_whoever_left_declined_or_never_consented_is_forgotten_as_well(served):
    left = enter(served)
    left.begin()
    enter(served, OTHER)
    enter(served, "a" * 24).post("pages/consent", {"agree": False})
    pass_days(served, DAYS + 1)
    assert forget_ids(served.live, "me") == 2
    assert traces(stored(served)) == []
    assert "sealed" not in stored(served)


@pytest.mark.parametrize("last", ["served", "answer", "page", "again"])
def test_whoever_was_here_lately_is_not(served, last):
    person = enter(served)
    if last == "page":
        pass_days(served, DAYS)
    person.begin()
    if last == "answer":
        question = person.answer()["questions"][0]
    pass_days(served, 0 if last == "page" else DAYS)
    if last == "served":
        person.answer()
    if last == "answer":
        person.answer(question)
    if last == "again":
        person = enter(served)
    pass_days(served, 1)
    assert forget_ids(served.live, "me") == 0
    pass_days(served, DAYS)
    assert forget_ids(served.live, "me") == 1


def test_a_second_entry_is_recognised_afterwards(served):
    first = finished(served)
    left = enter(served, OTHER)
    left.begin()
    pass_days(served, DAYS + 1)
    assert forget_ids(served.live, "me") == 2
    body = {"parameters": {"PROLIFIC_PID": ID}, "browser": BROWSER}
    again = served.client.post("/api/studies/ties/participants", json=body)
    assert again.json()["error"]["code"] == "second_entry"
    back = enter(served, OTHER)
    assert back.code == left.code
    assert {one.code for one in everybody(served)} == {first.code, left.code}
    assert [one.external_id for one in everybody(served) if one.code == back.code] == [OTHER]
    back.answer_all()
    assert back.post("finish")["code"]


def test_who_comes_back_before_consent_can_still_go_on(served):
    person = enter(served)
    pass_days(served, DAYS + 1)
    assert forget_ids(served.live, "me") == 1
    person.begin()
    assert person.answer_all()
    assert enter(served, OTHER).code != person.code
    (row, _) = everybody(served)
    assert row.external_id.startswith(DIGEST)


def test_work_is_paid_afterwards(served):
    person = finished(served)
    pass_days(served, DAYS + 1)
    forget_ids(served.live, "me")
    handed_in = [Submission("s1", ID, True), Submission("s2", OTHER, True)]
    found = decide(served.live, "prolific", handed_in)
    assert [(one.code, one.approved) for one in found] == [(person.code, True), ("", False)]
    paid = [Submission("s0", ID, False, paid=True), *handed_in]
    assert [one.approved for one in decide(served.live, "prolific", paid)] == [False, False]


def test_exports_and_the_end_cope_without_ids(begin):
    back = {"source": "prolific", "redirect": "https://example.org/?id={id}&c={code}"}
    served = begin(recruitment=back)
    person = finished(served)
    assert ID in person.post("finish")["redirect"]["url"]
    pass_days(served, DAYS + 1)
    forget_ids(served.live, "me")
    assert "?id=&c=" in person.post("finish")["redirect"]["url"]
    tables = {one.name: one for one in Export(served.live, identified=True).tables()}
    (row,) = tables["participants"].rows()
    assert (row["external_id"], row["browser"], row["answers"]) == (None, "{}", 10)


def test_without_the_setting_nothing_is_forgotten(begin):
    served = begin(privacy={})
    finished(served)
    pass_days(served, 10_000)
    Forgetting(served.live).step()
    assert ID in stored(served)


def test_the_worker_does_it_also_after_the_server_was_off(served):
    finished(served)
    pass_days(served, DAYS + 1)
    work = StudyWork(served.live)
    with ThreadPoolExecutor(1) as threads:
        work.step(threads)
        assert traces(stored(served)) == []
        enter(served, OTHER)
        pass_days(served, DAYS + 1)
        work._watched = 0.0
        work.step(threads)
        assert all(map(is_forgotten, everybody(served)))
        work.close()
    assert len(served.store.events.audit(served.live.record, "ids forgotten")) == 2


def test_a_log_that_cannot_be_emptied_holds_the_worker_up_no_more_than_once_an_hour(
    served, monkeypatch
):
    from resemblance.store import StoreError

    finished(served)
    pass_days(served, DAYS + 1)
    tried = []

    def busy(*_):
        tried.append(1)
        raise StoreError("busy")

    monkeypatch.setattr(served.store.retention, "clean", busy)
    forgetting = Forgetting(served.live)
    for _ in range(5):
        forgetting.step()
    assert len(tried) == 1
    pass_days(served, 1)
    forgetting.step()
    assert len(tried) == 2  # what was left over is tried again


@POSTGRESQL
def test_nobody_who_comes_back_meanwhile_is_forgotten(on_each):
    """People come back while their ids are forgotten: each is whole, or forgotten before."""
    served = on_each
    ids = [f"{number:024x}" for number in range(12)]
    for one in ids:
        enter(served, one).begin()
    pass_days(served, DAYS + 1)
    ended = threading.Event()

    def forget():
        while not ended.is_set():
            forget_ids(served.live, "me")

    with ThreadPoolExecutor(1) as threads:
        under_way = threads.submit(forget)
        for one in ids:
            enter(served, one)
        ended.set()
        under_way.result(60)
    assert [one.external_id for one in everybody(served)] == ids
    assert {one.browser["parameters"]["SESSION_ID"] for one in everybody(served)} == {SESSION}


def test_of_a_browser_is_stored_what_the_guide_says_and_no_more(begin):
    """The table and the text for ethics forms in docs/guide/run-for-a-lab.md change with this."""
    served = begin(privacy={})
    enter(served).begin()
    (row,) = everybody(served)
    told = {"languages", "timezone", "screen", "touch", "reduced_motion", "dark", "page"}
    assert set(row.browser) == told | {"parameters"}
    assert set(row.browser["parameters"]) == {"SESSION_ID"}
