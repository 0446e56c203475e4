"""The participant's page in every language: written from the left or the right, and changed."""

import pytest

from browser.conftest import barriers
from browser.fake_study import FakeStudy, page
from browser.participant import no_scrolling, until
from browser.real_server import SETTINGS, small_server
from resemblance.study.languages import LANGUAGES, find_language
from resemblance.study.live import open_stored
from resemblance.study.pages import read_page

pytestmark = pytest.mark.browser

RIGHT_TO_LEFT = [code for code in LANGUAGES if find_language(code).direction == "rtl"]
WIDTHS = {1280: 720, 390: 844}
INSIDE = """() => document.documentElement.scrollWidth <= innerWidth + 1 &&
  [...document.querySelectorAll("header *, main *, dialog *")].every((one) => {
    const { left, right, width } = one.getBoundingClientRect();
    return !width || one.matches(".unseen") || (left >= -1 && right <= innerWidth + 1);
  })"""

PAINTED = "new Promise((then) => requestAnimationFrame(() => requestAnimationFrame(then)))"


def written(code, path, kind="triplet", **settings):
    """A study whose pages are those of `new` in a language."""
    study, pages = FakeStudy(kind, languages=[code], **settings), {}
    for name, text in find_language(code).new_pages(kind).items():
        (path / f"{name}.md").write_text(text, encoding="utf-8")
        shown = read_page(path / f"{name}.md", name, name).for_browser()
        pages[name] = page(*(shown[one] for one in ("name", "kind", "title", "html", "fields")))
    study.pages = pages
    return study


def looks_well(page, check=lambda page: page.evaluate(INSIDE)):
    for width, height in WIDTHS.items():
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate(PAINTED)
        assert check(page), (page.url, width)


def go_on(page):
    page.locator(".primary").click()


def open_question(page, place):
    page.wait_for_selector(f'[data-open="q{place:03d}"]')
    page.wait_for_timeout(170)


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_language_fits(visit, code, tmp_path):
    page, language = visit(written(code, tmp_path, least_answered=0.5)), find_language(code)
    page.locator(".decline").wait_for()
    assert page.evaluate("[document.documentElement.lang, document.documentElement.dir]") == [
        code,
        language.direction,
    ]
    format = "{style: 'unit', unit: 'minute', unitDisplay: 'long'}"
    duration = page.evaluate(f"new Intl.NumberFormat('{code}', {format}).format(5)")
    assert duration in page.locator(".prose").inner_text()
    plurals = page.evaluate(f"new Intl.PluralRules('{code}').resolvedOptions().pluralCategories")
    assert sorted(plurals) == sorted(language.strings["break.text"])
    looks_well(page)
    consent = page.locator("h1").inner_text()
    go_on(page)
    until(lambda: page.locator("h1").all_inner_texts() not in ([], [consent]))
    go_on(page)
    open_question(page, 0)
    looks_well(page, lambda page: page.evaluate(INSIDE) and no_scrolling(page))


@pytest.mark.parametrize("code", RIGHT_TO_LEFT[:1])
def test_every_page_fits_from_right_to_left(visit, code, tmp_path):
    page = visit(written(code, tmp_path, total=2, break_at=1))
    for _ in range(2):
        page.locator(".page").wait_for()
        looks_well(page)
        go_on(page)
    open_question(page, 0)
    page.locator(".leave").click()
    looks_well(page)
    go_on(page)
    page.keyboard.press("1")
    page.get_by_role("heading", name=find_language(code).strings["break.title"]).wait_for()
    looks_well(page)
    go_on(page)
    open_question(page, 1)
    page.keyboard.press("2")
    page.locator("textarea").wait_for()
    looks_well(page)
    assert barriers(page) == []
    go_on(page)
    page.locator(".code").wait_for()
    looks_well(page)
    assert barriers(page) == []


@pytest.mark.parametrize("kind", ["one_of_n", "pair_rating", "piles", "arrangement", "classify"])
def test_other_kinds_fit_from_right_to_left(visit, kind, tmp_path):
    page = visit(written("ar", tmp_path, kind, total=1))
    go_on(page)
    go_on(page)
    open_question(page, 0)
    looks_well(page, lambda page: page.evaluate(INSIDE) and no_scrolling(page))


@pytest.mark.parametrize(
    ("at", "language"), [("studies/study/participants", "de"), ("me/pages/consent", "he")]
)
def test_who_finds_no_place_reads_why(visit, at, language, tmp_path):
    """All places are taken at the entry or by the consent to a quota group."""
    study, strings = written(language, tmp_path), find_language(language).strings
    study.refuse[f"/api/{at}"] = [(403, "full")]
    page = visit(study)
    if at.endswith("consent"):
        go_on(page)
    page.get_by_role("heading", name=strings["stopped.title"]).wait_for()
    page.get_by_text(strings["error.full"]).wait_for()
    assert page.get_by_role("button").count() == 0
    looks_well(page)
    assert barriers(page) == []


def test_an_arrow_chooses_what_is_seen_on_its_side(visit, tmp_path):
    study = written("he", tmp_path, "match_to_sample", total=2)
    page = visit(study)
    go_on(page)
    go_on(page)
    for place, arrow in enumerate(("ArrowLeft", "ArrowRight")):
        open_question(page, place)
        boxes = [one.bounding_box()["x"] for one in page.locator(".option").all()]
        seen = sorted(range(2), key=lambda option: boxes[option])
        page.keyboard.press(arrow)
        until(lambda place=place: len(study.answers) == place + 1)
        assert study.chosen(f"q{place:03d}") == seen[place]
        assert seen == [1, 0]


@pytest.fixture(scope="module")
def several(tmp_path_factory):
    settings = SETTINGS | {"tasks": SETTINGS["tasks"] | {"practice": 0, "task_size": 3}}
    words = {"languages": ["en", "ar"], "settings": settings}
    words["pages"] = {"consent": "# Taking part\n", "consent.ar": "# المشاركة\n"}
    with small_server(tmp_path_factory.mktemp("languages"), 6, several=words) as server:
        yield server


def test_a_language_is_chosen_and_changed_and_answers_are_kept(visit, several):
    page = visit(several.address("several"), locale="ar-EG")
    page.get_by_role("heading", name="المشاركة").wait_for()
    go_on(page)
    go_on(page)
    arabic, english = (find_language(code).kinds["triplet"]["wording"] for code in ("ar", "en"))
    page.get_by_role("heading", name=arabic).wait_for()
    page.wait_for_selector("[data-open]")
    page.wait_for_timeout(170)
    page.keyboard.press("1")
    page.locator("select").select_option("en")
    page.get_by_role("heading", name=english).wait_for()
    assert page.evaluate("document.documentElement.dir") == "ltr"
    page.wait_for_selector("[data-open]")
    looks_well(page, lambda page: page.evaluate(INSIDE) and no_scrolling(page))
    assert barriers(page) == []
    page.reload()
    page.get_by_role("heading", name=english).wait_for()
    for _ in range(2):
        page.wait_for_selector("[data-open]")
        page.wait_for_timeout(170)
        page.keyboard.press("2")
        page.wait_for_timeout(300)
    page.get_by_role("heading", name="A few last questions").wait_for()
    with open_stored(several.home / "several") as live:
        person = live.store.people.all(live.record)[-1]
        chosen = [one.response["chosen"] for one in live.store.answers.of(person)]
        assert chosen == [0, 1, 1]
        told = live.store.people.responses(live.record, person)
        assert [one.response["language"] for one in told] == ["ar", "ar"]


def test_one_language_offers_no_choice(visit):
    study = FakeStudy(languages=["de"])
    page = visit(study, locale="fr-FR")
    page.locator(".decline").wait_for()
    assert page.locator("select").count() == 0
    assert set(study.accepted) == {"de"}
