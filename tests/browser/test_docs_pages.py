"""The documentation as a reader meets it, where `make docs` has built it."""

import inspect
from pathlib import Path

import pytest

import resemblance as rs
from browser.conftest import missing

pytestmark = [pytest.mark.browser, pytest.mark.docs]

BUILT = Path(__file__).parents[2] / "docs/_build/html"
WAYS = ["guide/first-study", "guide/first-map", "guide/rdms", "guide/run-for-a-lab"]
WAYS += ["guide/search-engine"]


@pytest.fixture
def docs(browser):
    if not (BUILT / "index.html").is_file():
        missing("docs/_build/html (make docs)")
    with browser.page(viewport={"width": 1280, "height": 720}) as page:
        yield page


def test_the_first_screen_has_a_picture_commands_and_five_ways_on(docs):
    docs.goto((BUILT / "index.html").as_uri())
    box = docs.locator(".front img").bounding_box()
    assert box["width"] > 200
    assert docs.evaluate("document.querySelector('.front img').naturalWidth") > 500
    assert docs.locator(".front pre").inner_text().count("$ ") == 2
    ways = docs.locator(".ways tr td:last-child a:first-child")
    targets = [way.get_attribute("href") for way in ways.all()]
    assert targets == [f"{way}.html" for way in WAYS]
    end = ways.last.bounding_box()
    assert end["y"] + end["height"] < 720
    docs.set_viewport_size({"width": 390, "height": 844})
    assert docs.evaluate("document.documentElement.scrollWidth") == 390


def test_the_reference_shows_the_methods_of_every_public_class():
    if not BUILT.is_dir():
        missing("docs/_build/html (make docs)")
    absent = []
    for name in rs.__all__:
        kind = getattr(rs, name)
        if not inspect.isclass(kind):
            continue
        page = (BUILT / f"api/generated/resemblance.{name}.html").read_text(encoding="utf-8")
        methods = [name for name, value in vars(kind).items() if inspect.isfunction(value)]
        for method in methods:
            documented = method[0] != "_" and getattr(kind, method).__doc__
            if documented and f'id="resemblance.{name}.{method}"' not in page:
                absent.append(f"{name}.{method}")
    assert not absent


def test_search_finds_words_even_where_pages_are_opened_as_files(docs):
    docs.goto((BUILT / "index.html").as_uri())
    docs.locator(".sidebar-search").fill("noise ceiling")
    docs.keyboard.press("Enter")
    hits = docs.locator("#search-results li a")
    hits.first.wait_for()
    assert "resemblance.noise_ceiling" in hits.all_inner_texts()
    assert "Honest scores" in hits.all_inner_texts()
