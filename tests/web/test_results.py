"""Results for programs: by a token of one study, page after page, without ids, read only."""

import re
from urllib.parse import urlsplit

import pytest

from resemblance.client import StudyClient
from resemblance.failures import Failure
from web.test_desk_study import csrf_of, fitted, log_in

PATHS = ("answers", "people", "space", "analysis")
ID = "5a9d64f5f6dfdd0001eaa73d"


@pytest.fixture
def served(make_study, serve):
    return log_in(serve(make_study(recruitment={"source": "prolific"})))


def token_of(served, days=30):
    page = served.client.get("/desk/ties/settings")
    form = {"csrf": csrf_of(page), "days": days}
    return served.client.post("/desk/ties/tokens", data=form)


@pytest.fixture
def token(served):
    return re.search(r'<code id="token">([^<]+)</code>', token_of(served).text)[1]


def read(served, path, token, **more):
    headers = {"Authorization": f"Bearer {token}", **more}
    return served.client.get(f"/api/results/ties/{path}", headers=headers)


def take_part(served, number=0):
    person = served.person(parameters={"PROLIFIC_PID": ID[:-1] + str(number)})
    person.begin()
    person.answer_all()
    return person


@pytest.fixture
def client(served, token, monkeypatch):
    """A client whose requests go to the application."""

    def call(self, request, needs):
        url = urlsplit(request.full_url)
        reply = served.client.get(f"{url.path}?{url.query}", headers=dict(request.header_items()))
        if reply.status_code != 200:
            raise Failure(reply.json()["error"]["code"])
        return reply.json()

    monkeypatch.setattr(StudyClient, "_call", call)
    return StudyClient("http://127.0.0.1:8000", "ties", token)


@pytest.mark.parametrize("path", PATHS)
def test_no_token_of_this_study_no_results(served, token, path):
    for wrong in ("", "x" * 24, token[:-1], served.shared.accounts.session("researcher")):
        refused = read(served, path, wrong)
        assert (refused.status_code, refused.json()["error"]["code"]) == (401, "unknown_key")
    other = served.shared.accounts.token("researcher", "eyes", 5)
    assert read(served, path, other).status_code == 401
    assert served.client.get(f"/api/results/ties/{path}").status_code == 401


def test_answers_come_page_after_page_as_an_export_has_them(served, token, client):
    take_part(served)
    first = read(served, "answers?limit=5", token).json()
    assert len(first["answers"]) == 5
    rest = read(served, f"answers?after={first['next']}", token).json()
    assert rest["next"] is None
    every = first["answers"] + rest["answers"]
    assert [one["answer"] for one in every] == [one.id for one in served.log()]
    assert list(client.answers()) == every
    assert {"head", "options", "chosen", "observer", "purpose"} <= every[0].keys()


def test_people_are_told_by_pseudonym_alone(served, token, client):
    people = [take_part(served, number) for number in range(3)]
    told = list(client.people())
    assert [one["observer"] for one in told] == [person.code for person in people]
    page = read(served, "people?limit=2", token).json()
    assert (len(page["people"]), page["total"], page["next"]) == (2, 3, 2)
    for path in ("answers", "people"):
        assert ID[:-1] not in read(served, path, token).text


def test_the_map_and_what_is_known_of_it(served, token, client):
    for path in ("space", "analysis"):
        assert read(served, path, token).status_code == 404
    fitted(served)
    assert len(client.space()["items"]) == len(client.space()["positions"]) == 6
    assert client.analysis()["error"] == 0.2
    code = read(served, "space?condition=other", token).json()["error"]["code"]
    assert code == "unknown_condition"


def test_what_has_not_changed_is_not_sent_again(served, token):
    take_part(served)
    before = read(served, "answers", token)
    tag = {"If-None-Match": before.headers["etag"]}
    assert read(served, "answers", token, **tag).status_code == 304
    take_part(served, 1)
    assert read(served, "answers", token, **tag).status_code == 200


def test_a_token_ends_with_its_days_and_with_its_makers_rights(served, token, monkeypatch):
    accounts = served.shared.accounts
    accounts.invite("ann", {"ties": "reader"})
    anns = accounts.token("ann", "ties", 2)
    assert read(served, "people", anns).status_code == 200
    accounts.allow("ann", "ties", None)
    assert read(served, "people", anns).status_code == 401
    now = accounts._clock()
    monkeypatch.setattr(accounts, "_clock", lambda: now + 31 * 86400)
    assert read(served, "people", token).status_code == 401
    monkeypatch.setattr(accounts, "_clock", lambda: now)
    accounts.set_password("researcher", "another password")
    assert read(served, "people", token).status_code == 401


def test_making_one_is_written_down_and_the_token_is_not(served, token):
    (event,) = served.store.events.audit(served.live.record, "token made")
    assert (event.who, event.details) == ("researcher", {"days": 30})
    assert token not in served.shared.accounts.path.read_text()
    assert token not in served.client.get("/desk/ties/settings").text


@pytest.mark.parametrize("days", ["0", "367", "ten", ""])
def test_days_out_of_range_make_no_token(served, days):
    assert token_of(served, days).status_code == 422


def test_a_token_changes_nothing(served, token):
    headers = {"Authorization": f"Bearer {token}"}
    for method in ("POST", "PUT", "DELETE"):
        reply = served.client.request(method, "/api/results/ties/answers", headers=headers, json={})
        assert reply.status_code == 405
    assert served.client.get("/api/me", headers=headers).status_code == 401
