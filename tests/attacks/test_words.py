"""Words that puzzled new users, and pages that did not exist."""

import re

import pytest
from PIL import Image
from typer.testing import CliRunner

from resemblance.cli.app import app
from resemblance.study.folder import StudyFolder
from resemblance.study.languages import LANGUAGES
from resemblance.study.settings import About, Settings, Tasks
from resemblance.web.routes import desk

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


@pytest.mark.parametrize("path", ["/s/other", "/nowhere", "/desk/other", "/desk/-try/x/s/ties"])
def test_who_reads_gets_pages_and_programs_get_json(served, path):
    page = served.client.get(path, headers=HTML)
    assert (is_page(page), page.status_code >= 400) == (True, True)
    program = served.client.get(path, headers={"Accept": "application/json"})
    assert program.status_code == page.status_code
    assert set(program.json()["error"]) >= {"code", "message", "remedy"}


def test_a_failure_at_the_desk_is_a_page_too(served, monkeypatch, caplog):
    def fail(*_):
        raise RuntimeError("secret cause")

    monkeypatch.setattr(desk, "draw", fail)
    page = served.client.get("/desk", headers=HTML)
    assert (page.status_code, is_page(page)) == (500, True)
    assert "secret cause" not in page.text
    (number,) = re.findall(r"\((\w{8})\)", caplog.text)
    assert number in page.text
    refused = served.client.get("/desk", headers={**HTML, "Host": "evil.example"})
    assert (refused.status_code, is_page(refused)) == (421, True)


def run(*arguments):
    return CliRunner().invoke(app, [str(one) for one in arguments])


@pytest.fixture
def images(tmp_path):
    (tmp_path / "images").mkdir()
    for number in range(4):
        Image.new("L", (8, 8), 30 * number).save(tmp_path / "images" / f"{number}.png")
    return tmp_path / "images"


def test_check_warns_of_pages_that_are_still_to_be_written(images, tmp_path):
    study = tmp_path / "eyes"
    assert run("new", study, "--images", images).exit_code == 0
    told = run("check", study).output
    assert "fine" not in told
    assert "consent.md" in told
    consent = study / "pages" / "consent.md"
    consent.write_text(consent.read_text().partition("*Researcher")[0])
    assert f"{study}: fine" in run("check", study).output


@pytest.mark.parametrize(("tasks", "minutes"), [({"per_participant": 1}, 6), ({}, 11)])
def test_how_long_it_takes_follows_from_the_questions(tasks, minutes):
    settings = Settings(study=About(name="ties"), tasks=Tasks(**tasks))
    assert settings.minutes == minutes
    said = settings.recruitment.model_copy(update={"minutes": 25.0})
    assert settings.model_copy(update={"recruitment": said}).minutes == 25


def test_the_first_page_says_how_long_it_takes(images, tmp_path):
    run("new", tmp_path / "eyes", "--images", images)
    folder = StudyFolder.open(tmp_path / "eyes")
    assert "{duration}" in folder.pages["consent"].html  # which the page says by Intl


@pytest.mark.parametrize("pictures", [0, 1])
def test_a_folder_with_too_little_is_named_and_no_hidden_part(tmp_path, pictures):
    (tmp_path / "images").mkdir()
    if pictures:
        Image.new("L", (8, 8)).save(tmp_path / "images" / "one.png")
    told = run("new", tmp_path / "eyes", "--images", tmp_path / "images")
    assert told.exit_code == 1
    assert ".part" not in told.output
    assert str(tmp_path / ("eyes" if pictures else "images")) in told.output.replace("\n", "")
    assert not (tmp_path / "eyes").exists()


def test_an_unknown_language_is_refused_with_those_there_are(make_study):
    folder = make_study(study={"name": "ties", "language": "xx"})
    told = run("check", folder)
    assert told.exit_code == 1
    assert all(language in told.output for language in ("xx", *LANGUAGES))
    (folder / "words.json").write_text('{"skip": "Passer"}')
    with (folder / "study.toml").open("a") as file:
        file.write('[pages]\nstrings = "words.json"\n')
    assert run("check", folder).exit_code == 0
