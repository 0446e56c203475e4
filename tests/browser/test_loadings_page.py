"""The page of dimensions as a reader meets it."""

import numpy as np
import pytest
from PIL import Image

import resemblance as rs
from browser.conftest import barriers
from resemblance.embeddings import LoadingSpread, Reproducibility
from resemblance.plotting.dimensions import dimensions_of

pytestmark = pytest.mark.browser

NAMES = ["dog", "cat", "oak", "fern", "catkin", "saw"]
LOADINGS = np.array([[0, 2.0], [0, 1.5], [3, 0], [2.5, 0.5], [1.0, 0.25], [0, 0]])
AGAIN = Reproducibility(np.array([0.9, 0.8]), np.array([0.7, 0.6]), np.array([4, 2]), 3, 5)
SPREAD = LoadingSpread(LOADINGS, LOADINGS, LOADINGS * 0.5, LOADINGS * 1.2, 30)
NASTY = """</script><script>alert("1")</script> 'x' & <b>ü…"""
DRAWN = "() => document.querySelector('section li button')"


@pytest.fixture
def visit(open_page, tmp_path):
    """Write a page of the dimensions, and open it."""

    def visit_(items=None, width=1280, scheme="light", **words):
        shown = rs.Items(NAMES) if items is None else items
        words = {"reproducibility": AGAIN, "spread": SPREAD} | words
        path = rs.save_loadings(LOADINGS, tmp_path / "d.html", shown, **words)
        return open_page(path, width=width, ready=DRAWN, color_scheme=scheme)

    return visit_


def test_every_dimension_has_its_items_most_first(visit):
    page = visit(top=2)
    assert page.locator("section").count() == 2
    assert page.locator("#dimension-1 li b").all_inner_texts() == ["oak", "fern"]
    assert page.locator("#dimension-1 li small").first.inner_text() == "3.00 (1.50 to 3.60)"
    page.locator("#dimension-1 .more").click()
    assert page.locator("#dimension-1 li b").all_inner_texts() == ["oak", "fern", "catkin"]
    assert page.locator("#dimension-1 .more").is_hidden()


def test_a_search_shows_the_dimensions_of_an_item_as_bars(visit):
    page = visit(names=["plant", None])
    page.get_by_label("Find an item").fill("CAT")
    assert page.locator(".matches button").all_inner_texts() == ["cat", "catkin"]
    page.locator(".matches button", has_text="catkin").click()
    assert page.locator(".card h2").inner_text() == "catkin"
    assert page.locator(".card li b").all_inner_texts() == ["plant", "Dimension 2"]
    bars = page.locator(".card .bar")
    lengths = [bars.nth(k).evaluate("(e) => parseFloat(e.style.getPropertyValue('--loading'))")
               for k in range(2)]  # fmt: skip
    assert lengths == pytest.approx([100 / 3.6, 25 / 3.6])
    page.keyboard.press("Escape")
    assert page.locator(".card").is_hidden()
    assert page.evaluate("document.activeElement.id") == "finder"


def test_keys_alone_find_an_item_and_reach_its_dimension(visit):
    page = visit()
    page.get_by_label("Find an item").focus()
    page.keyboard.type("dog")
    page.keyboard.press("Enter")
    assert page.locator(".card h2").inner_text() == "dog"
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "dimension-2"


def test_names_are_kept_and_downloaded_as_a_table(visit, tmp_path):
    page = visit(names={1: "green"})
    assert page.get_by_label("Name of dimension 1").input_value() == "green"
    page.get_by_label("Name of dimension 2").fill(' a, "b" ü ')
    assert page.locator(".count").inner_text() == "2 of 2 named"
    page.reload()
    page.wait_for_function(DRAWN)
    assert page.get_by_label("Name of dimension 2").input_value() == ' a, "b" ü '
    with page.expect_download() as download:
        page.get_by_role("button", name="Download names").click()
    download.value.save_as(tmp_path / "names.csv")
    assert dimensions_of(LOADINGS, names=tmp_path / "names.csv").names == ["green", 'a, "b" ü']


def test_words_of_others_stay_words(visit):
    page = visit(rs.Items([NASTY, *NAMES[1:]]), names=[NASTY, NASTY], title=NASTY)
    assert page.title() == NASTY
    assert page.locator("#dimension-2 li b").first.inner_text() == NASTY
    page.locator("#dimension-2 li button").first.click()
    assert page.locator(".card h2").inner_text() == NASTY
    assert page.locator(".card li b").inner_text() == NASTY


def test_pictures_are_drawn(visit, tmp_path):
    paths = [tmp_path / f"{i}.png" for i in range(6)]
    for path in paths:
        Image.new("RGB", (60, 40), "lime").save(path)
    page = visit(rs.Items(NAMES, images=paths))
    page.wait_for_selector("section canvas")
    assert page.locator("section canvas").count() == page.locator("section li").count()
    pixel = page.locator("section canvas").first.evaluate(
        "(e) => [...e.getContext('2d').getImageData(20, 20, 1, 1).data]"
    )
    assert pixel == pytest.approx([0, 255, 0, 255], abs=3)


@pytest.mark.parametrize(("width", "theme"), [(390, "dark"), (1280, "light")])
def test_axe_finds_nothing_and_nothing_scrolls_sideways(visit, theme, width):
    long = rs.Items([f"{name}_{'word' * 20}" for name in NAMES])
    page = visit(long, width, theme, title="Word" * 40)
    page.get_by_label("Find an item").fill("cat")
    page.keyboard.press("Enter")
    page.get_by_label("Find an item").fill("c")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert barriers(page) == []
