"""The researcher's desk."""

import io
import zipfile

import pytest

from resemblance.web.routes import desk as desk_routes

PASSWORD = "a long password"


@pytest.fixture
def desk(served):
    """A researcher who has logged in by the one-time secret."""
    once = served.shared.accounts.invite()
    answer = served.client.post("/desk/login", data={"secret": once, "password": PASSWORD})
    assert answer.status_code == 303
    return served


def test_nothing_is_shown_before_login(served):
    assert "Log in" in served.client.get("/desk").text
    for path in ("/desk/ties", "/desk/ties/export.csv"):
        assert served.client.get(path).status_code in (401, 404)
    assert served.client.post("/desk/ties/state", data={"state": "closed"}).status_code == 401
    assert served.live.state == "open"


def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites(served):
    once = served.shared.accounts.invite()
    answer = served.client.post("/desk/login", data={"secret": once, "password": PASSWORD})
    cookie = answer.headers["set-cookie"]
    for word in ("HttpOnly", "SameSite=strict", "Path=/desk"):
        assert word in cookie


def test_the_one_time_secret_works_once(desk):
    accounts = desk.shared.accounts
    once = accounts.invite()
    assert accounts.accept(once, PASSWORD) == "researcher"
    assert accounts.accept(once, "another password") is None
    assert accounts.opens(PASSWORD) == "researcher"


def test_log_in_with_the_password_and_out(desk):
    page = desk.client.get("/desk")
    assert "ties" in page.text
    assert desk.client.send_form("/desk/logout").status_code == 303
    desk.client.http.cookies.clear()
    wrong = desk.client.post("/desk/login", data={"password": "wrong"})
    assert (wrong.status_code, "not right" in wrong.text) == (403, True)
    assert desk.client.post("/desk/login", data={"password": PASSWORD}).status_code == 303
    assert "ties" in desk.client.get("/desk").text


def test_short_passwords_are_refused(served):
    once = served.shared.accounts.invite()
    answer = served.client.post("/desk/login", data={"secret": once, "password": "short"})
    assert (answer.status_code, "10 characters" in answer.text) == (422, True)


def test_logins_are_limited(served, monkeypatch):
    monkeypatch.setattr(desk_routes, "HELD_S", 0.0)
    served.shared.logins.clock = lambda: 0.0
    tries = [served.client.post("/desk/login", data={"password": "x"}) for _ in range(7)]
    assert [one.status_code for one in tries] == [403] * 5 + [429] * 2
    assert int(tries[-1].headers["retry-after"]) >= 1


def test_pause_and_open(desk):
    for state in ("paused", "closed", "open"):
        answer = desk.client.post("/desk/ties/state", data={"state": state})
        assert answer.status_code == 303
        assert desk.live.state == state
    assert desk.client.post("/desk/ties/state", data={"state": "x"}).status_code == 422


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 303),  # a program
        ({"Sec-Fetch-Site": "same-origin", "Origin": "null"}, 303),
        ({"Sec-Fetch-Site": "none"}, 303),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Origin": "http://127.0.0.1:8000"}, 303),  # an older browser
        ({"Origin": "https://evil.example.org"}, 403),
        ({"Origin": "null"}, 403),
    ],
)
def test_forms_on_pages_of_other_sites_change_nothing(desk, headers, status):
    answer = desk.client.post("/desk/ties/state", data={"state": "closed"}, headers=headers)
    assert answer.status_code == status
    assert desk.live.state == ("closed" if status == 303 else "open")
    login = desk.client.post("/desk/login", data={"password": "x"}, headers=headers)
    assert (login.json()["error"]["code"] if status == 403 else "") in ("", "wrong_origin")


def test_exclude_and_take_it_back(desk):
    person = desk.person()
    where = f"/desk/ties/participants/{person.code}/exclude"
    for word, excluded in (("yes", 1), ("no", 0)):
        form = {"excluded": word, "reason": "<b>asleep</b>"}
        assert desk.client.post(where, data=form).status_code == 303
        assert len(desk.store.people.excluded(desk.live.record)) == excluded
    page = desk.client.get("/desk/ties/settings").text
    assert "participant excluded" in page
    assert "<b>asleep" not in page
    unknown = desk.client.post("/desk/ties/participants/P9/exclude", data={"excluded": "yes"})
    assert unknown.status_code == 404


@pytest.mark.parametrize("format", ["csv", "json"])
def test_answers_can_be_downloaded(desk, format):
    person = desk.person()
    person.begin()
    person.answer_all()
    answer = desk.client.get(f"/desk/ties/export.{format}")
    assert answer.headers["content-type"] == "application/zip", answer.text
    with zipfile.ZipFile(io.BytesIO(answer.content)) as packed:
        names = packed.namelist()
    assert any(name.startswith("ties/triplets.") for name in names)
    assert desk.client.get("/desk/ties/export.exe").status_code == 404


ABOUT = """
[publication]
authors = ["Young, Ann"]
license = "CC0-1.0"
"""


@pytest.fixture
def publishing(desk):
    """Say in study.toml, while the study is served, what others are told of it."""
    toml = desk.live.folder.path / "study.toml"
    toml.write_text(toml.read_text() + ABOUT)
    desk.person().begin()
    return desk


def test_what_others_get_can_be_downloaded(publishing):
    assert 'href="/desk/ties/export.archive"' in publishing.client.get("/desk/ties/settings").text
    answer = publishing.client.get("/desk/ties/export.archive")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/zip")
    with zipfile.ZipFile(io.BytesIO(answer.content)) as packed:
        names = packed.namelist()
        assert packed.testzip() is None
    assert "ties/data/study-ties_description-triplets_data.csv" in names
    assert not [name for name in names if "-events_" in name or "-pages_" in name]
    event = publishing.store.events.trail(publishing.live.record, 1)[0]
    assert (event.what, event.details) == ("exported", {"format": "archive"})


def test_what_is_missing_to_publish_is_told(desk):
    page = desk.client.get("/desk/ties/settings").text
    assert "export.archive" not in page
    answer = desk.client.get("/desk/ties/export.archive")
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (422, "invalid_request")
    for name in ("authors", "license"):
        assert f"publication.{name}" in page
        assert f"publication.{name}" in error["remedy"]
    events = desk.store.events.trail(desk.live.record, 20)
    assert "exported" not in {event.what for event in events}


def test_a_study_toml_that_is_broken_meanwhile_is_told(desk):
    (desk.live.folder.path / "study.toml").write_text("[publication")
    page = desk.client.get("/desk/ties/settings")
    assert (page.status_code, "export.archive" in page.text) == (200, False)
    assert desk.client.get("/desk/ties/export.archive").status_code == 422


def test_nothing_to_publish_leaves_without_a_log_in(publishing):
    publishing.client.http.cookies.clear()
    answer = publishing.client.get("/desk/ties/export.archive")
    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "login_required")
