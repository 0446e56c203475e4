"""Words that puzzled new users, and pages that did not exist."""

import re

import pytest

from resemblance.study.settings import About, Settings, Tasks
from resemblance.web.desk import login

HTML = {"Accept": "text/html,*/*;q=0.8"}


@pytest.fixture
def served(make_study, serve):
    return serve(make_study(study={"name": "ties", "contact": "lab@example.org"}))


def is_page(reply):
    return reply.headers["content-type"].startswith("text/html")


def test_the_root_is_a_page_that_lists_nothing_secret(served):
    page = served.client.get("/", headers=HTML)
    assert (page.status_code, is_page(page)) == (200, True)
    assert "lab@example.org" in page.text
    assert "ties" not in page.text
    assert 'href="/desk' not in page.text
    assert served.client.get("/").json()["error"]["code"] == "unknown_address"


def test_who_reads_gets_pages_and_programs_get_json(served):
    for path in ("/s/<b>", "/nowhere", "/desk/other", "/desk/-try/x/s/ties"):
        page = served.client.get(path, headers=HTML)
        assert (is_page(page), page.status_code >= 400) == (True, True), path
        assert "<b>" not in page.text
        program = served.client.get(path, headers={"Accept": "application/json"})
        assert program.status_code == page.status_code
        assert set(program.json()["error"]) >= {"code", "message", "remedy"}


def test_a_failure_at_the_desk_is_a_page_too(served, monkeypatch, caplog):
    def fail(*_):
        raise RuntimeError("secret cause")

    monkeypatch.setattr(login, "draw", fail)
    page = served.client.get("/desk", headers=HTML)
    assert (page.status_code, is_page(page)) == (500, True)
    assert "secret cause" not in page.text
    (number,) = re.findall(r"\((\w{8})\)", caplog.text)
    assert number in page.text
    refused = served.client.get("/desk", headers={**HTML, "Host": "evil.example"})
    assert (refused.status_code, is_page(refused)) == (421, True)


@pytest.mark.parametrize(("tasks", "minutes"), [({"per_participant": 1}, 6), ({}, 11)])
def test_how_long_it_takes_follows_from_the_questions(tasks, minutes):
    settings = Settings(study=About(name="ties"), tasks=Tasks(**tasks))
    assert settings.minutes == minutes
    said = settings.recruitment.model_copy(update={"minutes": 25.0})
    assert settings.model_copy(update={"recruitment": said}).minutes == 25
