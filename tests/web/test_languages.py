"""A study in several languages over HTTP, and one that is not ready for people."""

import csv

import pytest

from resemblance.study.creation import create_study
from resemblance.study.export import Export, write_export
from resemblance.study.languages import find_language
from resemblance.web.desk.rehearsal import rehearsed

READY = {"consent": "# Einwilligung\n", "consent.fr": "# Consentement\n"}
TASKS = {"per_participant": 1, "task_size": 4, "practice": 0, "gold_share": 0.0}


def words(language):
    return find_language(language).kinds["triplet"]["wording"]


def read_in(person, language):
    person.headers["Accept-Language"] = language
    return person


@pytest.fixture
def make(tmp_path):
    def make_(languages=("de", "fr"), pages=READY, **settings):
        (tmp_path / "items.csv").write_text(
            "item,text\n" + "".join(f"i{n},tie {n}\n" for n in range(9))
        )
        told = {
            "tasks": TASKS,
            "recruitment": {"simulated": "enter"},
            "asking": {"strategy": "random"},
        }
        given = {"items": tmp_path / "items.csv", "settings": told | settings, "pages": pages}
        return create_study(tmp_path / "ties", "triplet", languages=languages, **given).path

    return make_


def test_each_request_is_answered_in_the_language_that_it_names(make, serve, tmp_path):
    served = serve(make())
    person = read_in(served.person(), "fr")
    assert person.get().json()["page"]["title"] == "Consentement"
    assert read_in(person, "de").get().json()["page"]["title"] == "Einwilligung"
    read_in(person, "fr").begin()
    asked = person.answer()["questions"]
    assert {one["prompt"] for one in asked} == {words("fr")}
    read_in(person, "de-AT")
    assert {one["prompt"] for one in person.get().json()["questions"]} == {words("de")}
    for _ in range(4):
        standing = person.answer(person.get().json()["questions"][0])
    assert standing["state"] == "questionnaire"
    page = read_in(person, "fr").get().json()["page"]
    device = page["fields"][0]["options"]
    german = served.live.folder.pages["questionnaire-1"].fields["device"].options
    person.post("pages/questionnaire-1", {"values": {"device": german[1]}}, 422)
    person.post("pages/questionnaire-1", {"values": {"device": device[1]}})
    write_export(Export(served.live), tmp_path / "out", "csv")
    with (tmp_path / "out/participants.csv").open() as file:
        assert [row["language"] for row in csv.DictReader(file)] == ["fr"]
    with (tmp_path / "out/pages.csv").open() as file:  # one option has one name in the data
        given = {row["field"]: row["value"] for row in csv.DictReader(file)}
    assert given["device"] == german[1]


def test_the_page_comes_in_the_language_of_the_browser(make, serve):
    served = serve(make(("ar", "fr"), {"consent": "# ع\n", "consent.fr": "# Consentement\n"}))
    arabic = served.client.get("/s/ties").text
    assert '<html lang="ar" dir="rtl">' in arabic
    assert find_language("ar").strings["noscript"] in arabic
    french = served.client.get("/s/ties", headers={"Accept-Language": "fr-CA,en"}).text
    assert '<html lang="fr" dir="ltr">' in french


@pytest.mark.parametrize("language", ["en", "ja"])
def test_nobody_is_let_in_while_a_page_is_still_to_be_written(make, serve, language):
    path = make([language], pages={})
    served = serve(path)

    def enter(**parameters):
        body = {"parameters": parameters}
        return served.client.post("/api/studies/ties/participants", json=body)

    refused = enter()
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "not_ready")
    assert enter(simulated="one").status_code == 200
    assert rehearsed(served.live).unready == ()


def test_a_page_of_a_further_language_is_to_be_written_too(make, serve):
    path = make(["en", "fr"], pages={"consent": "# Consent\n"})
    served = serve(path)
    assert served.live.folder.unready == ("pages/consent.fr.md",)
    body = {"parameters": {}}
    refused = served.client.post("/api/studies/ties/participants", json=body)
    assert refused.json()["error"]["code"] == "not_ready"
