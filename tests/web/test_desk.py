"""The researcher's desk."""

import io
import zipfile

import pytest

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
    for tab in ("", "/people", "/map", "/questions", "/settings"):
        answer = served.client.get(f"/desk/ties{tab}")
        assert (answer.status_code, "Log in" in answer.text) == (401, True)
    for path in ("/desk/ties/export.csv", "/desk/ties/export.archive"):
        assert served.client.get(path).status_code == 401
    assert served.client.post("/desk/ties/state", data={"state": "closed"}).status_code == 401
    assert served.live.state == "open"


def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites(served):
    once = served.shared.accounts.invite()
    answer = served.client.post("/desk/login", data={"secret": once, "password": PASSWORD})
    cookie = answer.headers["set-cookie"]
    for word in ("HttpOnly", "SameSite=strict", "Path=/desk"):
        assert word in cookie


def test_log_in_with_the_password_and_out(desk):
    page = desk.client.get("/desk")
    assert "ties" in page.text
    assert desk.client.send_form("/desk/logout").status_code == 303
    desk.client.http.cookies.clear()
    wrong = desk.client.post("/desk/login", data={"password": "wrong"})
    assert (wrong.status_code, "Wrong name" in wrong.text) == (403, True)
    assert desk.client.post("/desk/login", data={"password": PASSWORD}).status_code == 303
    assert "ties" in desk.client.get("/desk").text


def test_short_passwords_are_refused(served):
    once = served.shared.accounts.invite()
    answer = served.client.post("/desk/login", data={"secret": once, "password": "short"})
    assert (answer.status_code, "10 characters" in answer.text) == (422, True)
    answer = served.client.post("/desk/login", data={"secret": once, "password": PASSWORD})
    assert answer.status_code == 303


FROM = [  # the headers of a form, and whether it is heard
    ({"Sec-Fetch-Site": "same-site"}, False),
    ({"Sec-Fetch-Site": "cross-site"}, False),
    ({"Origin": "https://evil.example.org"}, False),
    ({"Origin": "null"}, False),
    ({}, True),  # a program
    ({"Sec-Fetch-Site": "same-origin", "Origin": "null"}, True),
    ({"Sec-Fetch-Site": "none"}, True),
    ({"Origin": "http://127.0.0.1:8000"}, True),  # an older browser
]


def test_forms_on_pages_of_other_sites_change_nothing(desk):
    for headers, heard in FROM:
        before, state = desk.live.state, "paused" if desk.live.state == "open" else "open"
        answer = desk.client.post("/desk/ties/state", data={"state": state}, headers=headers)
        assert answer.status_code == (303 if heard else 403), headers
        assert desk.live.state == (state if heard else before)
        login = desk.client.post("/desk/login", data={"password": "x"}, headers=headers)
        assert heard or login.json()["error"]["code"] == "wrong_origin"


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


def test_answers_can_be_downloaded(desk):
    person = desk.person()
    person.begin()
    person.answer_all()
    answer = desk.client.get("/desk/ties/export.csv")
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
