"""The map page as a reader meets it."""

import io
import json
import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

from browser.conftest import barriers
from map_page import (
    NAME_BOXES,
    PICTURE_BOXES,
    crowded,
    draw_squares,
    each_is_named,
    overlaps,
    settle,
)
from pairwise import pairwise
from resemblance.judgments import Items
from resemblance.plotting import save_map, show_map

pytestmark = pytest.mark.browser

NAMES = ["apple", "pear", "quince", "lemon", "lime", "orange", "plum", "cherry"]
LABELS = ["pome", "pome", "pome", "citrus", "citrus", "citrus", "stone", "stone"]
POINTS = np.array([[0, 0], [1, 0], [0, 1], [6, 0], [7, 0], [6, 1], [3, 5], [4, 5]], dtype=float)
EARLIER = [{"name": "100 answers", "points": POINTS[:6].tolist()}]
SVG = "{http://www.w3.org/2000/svg}"
NASTY = """</script><script>alert("1")</script> 'x' & <b>ü…"""


@pytest.fixture
def fruit(tmp_path):
    return save_map(POINTS, tmp_path / "map.html", Items(NAMES, labels=LABELS), title="Fruit")


def at(page, item):
    """Where an item stands in the window."""
    frame = page.locator(".map-ground").bounding_box()
    x, y = page.evaluate(f"similarityMap.at({item})")
    return frame["x"] + x, frame["y"] + y


def test_hover_shows_the_card_with_the_nearest_items(open_page, fruit):
    page = open_page(fruit)
    assert page.locator(".map-card").is_hidden()
    page.mouse.move(*at(page, 3))
    page.locator(".map-card h2", has_text="lemon").wait_for()
    assert "citrus" in page.locator(".map-card .class").inner_text()
    distances = np.linalg.norm(POINTS - POINTS[3], axis=1)
    nearest = [NAMES[i] for i in np.argsort(distances, kind="stable")[1:7]]
    assert page.locator(".map-card li b").all_inner_texts() == nearest
    page.mouse.move(5, 5)
    page.locator(".map-card").wait_for(state="hidden")


def test_click_pins_the_card_until_escape(open_page, fruit):
    page = open_page(fruit)
    page.mouse.click(*at(page, 0))
    page.locator(".map-card.pinned li button").first.wait_for()  # not the card of the mouse over it
    button = page.locator(".map-card.pinned li button", has_text="pear").element_handle()
    for place in (at(page, 6), at(page, 3), (5, 5)):
        page.mouse.move(*place)
        settle(page)
    assert button.evaluate("(node) => node.isConnected")
    assert page.locator(".map-card h2").inner_text() == "apple"
    page.locator(".map-card li button", has_text="pear").click()
    page.locator(".map-card h2", has_text="pear").wait_for()
    page.keyboard.press("Escape")
    page.locator(".map-card").wait_for(state="hidden")


def distance(page):
    return np.hypot(*np.subtract(at(page, 0), at(page, 4)))


def test_wheel_buttons_keys_and_drag_move_and_zoom(open_page, fruit):
    page = open_page(fruit)
    assert not page.get_by_label("uncertainty").is_visible()
    start, apart = at(page, 6), distance(page)
    page.mouse.move(*start)
    page.mouse.wheel(0, -400)
    settle(page)
    assert distance(page) > 1.5 * apart
    assert at(page, 6) == pytest.approx(start, abs=1)
    page.locator("[aria-label='Show everything']").click()
    page.locator("[aria-label='Zoom in']").click()
    assert distance(page) == pytest.approx(1.6 * apart)
    page.locator("[aria-label='Show everything']").click()
    page.locator(".map-ground").focus()
    page.keyboard.press("ArrowRight")
    assert at(page, 6) == pytest.approx((start[0] - 60, start[1]))
    page.keyboard.press("-")
    assert distance(page) == pytest.approx(apart / 1.4)
    page.keyboard.press("0")
    page.mouse.move(600, 500)
    page.mouse.down()
    page.mouse.move(640, 520, steps=4)
    page.mouse.up()
    assert np.subtract(at(page, 6), start) == pytest.approx([40, 20], abs=10)
    assert page.locator(".map-card").is_hidden()


def test_two_fingers_pinch(open_page, fruit):
    page = open_page(fruit, width=390, height=844, has_touch=True)
    apart = distance(page)
    session = page.context.new_cdp_session(page)
    for kind, reach in (("touchStart", 30), ("touchMove", 45), ("touchMove", 60)):
        fingers = [{"x": 195 + side * reach, "y": 500, "id": i} for i, side in enumerate((-1, 1))]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": fingers})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    assert distance(page) == pytest.approx(2 * apart, rel=0.05)


def test_search_keeps_the_matches_clear_and_enter_visits_them(open_page, fruit):
    page = open_page(fruit)
    page.locator(".map-finder input").fill("EA")
    settle(page)
    assert page.locator(".map-finder output").inner_text() == "1 of 8"
    assert page.evaluate("[0, 1].map((i) => similarityMap.faint(i))") == [True, False]
    page.keyboard.press("Enter")
    page.locator(".map-card h2", has_text="pear").wait_for()
    page.locator(".map-finder input").fill("")
    assert page.evaluate("similarityMap.faint(0)") is False


def test_legend_switches_a_class_off_and_on(open_page, fruit):
    page = open_page(fruit)
    assert page.locator(".map-legend button").all_inner_texts() == ["citrus", "pome", "stone"]
    citrus = page.locator(".map-legend button", has_text="citrus")
    citrus.click()
    settle(page)
    assert citrus.get_attribute("aria-pressed") == "false"
    page.mouse.move(*at(page, 3))
    settle(page)
    assert page.locator(".map-card").is_hidden()
    citrus.click()
    settle(page)
    page.mouse.move(*np.add(at(page, 3), 1).tolist())
    page.locator(".map-card h2", has_text="lemon").wait_for()


def test_names_never_overlap(open_page, tmp_path):
    points = np.random.default_rng(0).normal(size=(400, 2))
    page = open_page(save_map(points, tmp_path / "map.html"))
    boxes = page.evaluate(NAME_BOXES)
    assert len(boxes) > 20
    assert overlaps(boxes) == 0
    unnamed = page.locator(".map-unnamed")
    assert unnamed.inner_text().startswith(f"{400 - len(boxes)} of 400 names not shown")
    page.evaluate("similarityMap.zoom(4)")
    settle(page)
    named = page.evaluate("similarityMap.names.size")
    assert named > len(boxes)
    assert unnamed.inner_text().startswith(f"{400 - named} of 400 names not shown")


@pytest.fixture(scope="module")
def squares(tmp_path_factory):
    return draw_squares(tmp_path_factory.mktemp("squares"), 300)


@pytest.mark.parametrize(
    ("pictures", "n", "width"), pairwise([False, True], [40, 300], [390, 1280])
)
def test_of_few_items_none_hides_another_and_each_is_named_at_some_zoom(
    open_page, tmp_path, squares, pictures, n, width
):
    items = Items([f"item {i}" for i in range(n)], images=squares[:n] if pictures else None)
    page = open_page(save_map(crowded(n), tmp_path / "map.html", items), width=width)
    each_is_named(page, n, n if pictures else 0)
    settle(page)
    if page.evaluate("similarityMap.names.size") == n:
        assert page.locator(".map-unnamed").inner_text() == ""


@pytest.fixture(scope="module")
def reds(tmp_path_factory):
    paths = [tmp_path_factory.mktemp("reds") / f"{i}.png" for i in range(400)]
    for path in paths:
        Image.new("RGB", (90, 90), "red").save(path)
    return paths


PIXELS = """(spots) => {
    const { canvas } = similarityMap.painter.ground, { width, height } = canvas;
    const { data } = similarityMap.painter.ground.getImageData(0, 0, width, height);
    return spots.map(([x, y]) => 4 * (Math.round(y) * width + Math.round(x)))
        .map((at) => [...data.subarray(at, at + 3)]);
}"""


def within(points, boxes, rim):
    low, high = boxes[:, :2] - rim < points[:, None], boxes[:, 2:] + rim > points[:, None]
    return (low & high).all(axis=2).any(axis=1)


def test_a_line_leads_from_a_picture_to_a_dot_which_lies_in_no_picture(open_page, tmp_path, reds):
    items = Items([f"item {i}" for i in range(40)], images=reds[:40])
    page = open_page(save_map(crowded(40), tmp_path / "map.html", items), width=390)
    page.wait_for_function("() => similarityMap.painter.sprites.whole")
    settle(page)
    boxes = np.array(page.evaluate(PICTURE_BOXES))
    leads = page.evaluate("[...similarityMap.leads.keys()]")
    points = np.array(page.evaluate(f"{leads}.map((i) => similarityMap.at(i))"))
    deep = within(points, boxes, -4)
    assert deep.any()
    ink = np.array(page.evaluate(PIXELS, points.tolist()))
    assert (np.abs(ink[deep] - [255, 0, 0]) <= 4).all()
    dots = ElementTree.fromstring(saved(page, "SVG")).iter(f"{SVG}circle")
    assert sum(dot.find(f"{SVG}title") is not None for dot in dots) == len(leads)


def test_names_and_pictures_stay_near_their_points(open_page, tmp_path, reds):
    for images in (None, reds[:40]):
        items = Items([f"item {i}" for i in range(40)], images=images)
        page = open_page(save_map(crowded(40), tmp_path / "map.html", items))
        settle(page)
        lines = page.evaluate("[...similarityMap.leads.values()].map((end) => Math.hypot(...end))")
        assert lines
        assert max(lines) < 50


def test_many_pictures_have_their_names_where_there_is_room(open_page, tmp_path, reds):
    items = Items([f"item {i}" for i in range(400)], images=reds)
    points = np.random.default_rng(0).normal(size=(400, 2))
    page = open_page(save_map(points, tmp_path / "map.html", items))
    settle(page)
    shown = """similarityMap.scene().pictured.filter(
        (i) => similarityMap.level[i] <= similarityMap.scene().step
    )"""
    for _ in range(3):
        names = page.evaluate(NAME_BOXES)
        boxes = page.evaluate(PICTURE_BOXES.replace("similarityMap.scene().pictured", shown))
        assert set(page.evaluate("[...similarityMap.names.keys()]")) <= set(page.evaluate(shown))
        assert len(names) > 5
        assert overlaps(names) == 0
        assert overlaps(names + boxes) == overlaps(boxes)
        page.evaluate("similarityMap.zoom(2)")
        settle(page)


def test_a_map_fills_its_canvas_and_nothing_but_the_search_is_above_it(open_page, tmp_path):
    points = np.random.default_rng(3).normal(size=(30, 2)) * [1, 5]
    page = open_page(save_map(points, tmp_path / "map.html"), width=390)
    ys = page.evaluate("similarityMap.space.contents.names.map((_, i) => similarityMap.at(i)[1])")
    stage, tools = (page.locator(of).bounding_box() for of in (".map-stage", ".map-tools"))
    assert min(ys) == pytest.approx(32, abs=1)
    assert max(ys) == pytest.approx(stage["height"] - 32, abs=4)
    assert stage["y"] == pytest.approx(tools["y"] + tools["height"], abs=1)


def test_axes_of_many_dimensions_can_be_chosen(open_page, tmp_path):
    points = np.random.default_rng(1).normal(size=(20, 4)) * [1, 5, 2, 1]
    page = open_page(save_map(points, tmp_path / "map.html"))
    page.locator(".map-axes select >> nth=0").select_option(label="dimension 2")
    page.locator(".map-axes select >> nth=1").select_option(label="dimension 4")
    shown = page.evaluate("[[...similarityMap.xs], [...similarityMap.ys]]")
    np.testing.assert_allclose(np.transpose(shown), points[:, [1, 3]], rtol=1e-5)


@pytest.mark.parametrize(("dimensions", "width"), [(1, 360), (2, 390), (5, 1280)])
def test_no_sideways_scrolling(open_page, tmp_path, width, dimensions):
    points = np.random.default_rng(2).normal(size=(15, dimensions))
    labels = [f"a class with a rather long name {i}" for i in range(15)]
    path = save_map(points, tmp_path / "map.html", labels=labels, title="Word" * 40, flagged=[2])
    page = open_page(path, width=width, height=800)
    page.evaluate("similarityMap.visit(2)")
    page.locator(".map-card").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    card, stage = (page.locator(part).bounding_box() for part in (".map-card", ".map-stage"))
    assert card["x"] >= 0
    assert card["x"] + card["width"] <= width
    assert stage["y"] <= card["y"]
    assert stage["height"] > 150


def test_the_theme_follows_the_reader(open_page, fruit):
    page = open_page(fruit, color_scheme="dark")
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    before = page.locator(".map-legend i").first.evaluate(
        "(e) => getComputedStyle(e).backgroundColor"
    )
    page.emulate_media(color_scheme="light")
    settle(page)
    after = page.locator(".map-legend i").first.evaluate(
        "(e) => getComputedStyle(e).backgroundColor"
    )
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != dark
    assert before != after


def test_the_table_lists_every_item_and_visits_it(open_page, fruit):
    page = open_page(fruit)
    assert "8 items" in page.locator(".map-ground").get_attribute("aria-label")
    page.locator("summary").click()
    page.locator("tbody tr").nth(7).wait_for()
    assert page.locator("td button").all_inner_texts() == NAMES
    page.locator("td button", has_text="cherry").click()
    page.locator(".map-card h2", has_text="cherry").wait_for()


def test_words_of_others_stay_words(open_page, tmp_path):
    items = Items([NASTY, "b", "{{script}}"], labels=[NASTY, "$x$", "</style>"])
    path = save_map(np.eye(3), tmp_path / "map.html", items, title=NASTY, subtitle=NASTY)
    page = open_page(path)
    assert page.title() == NASTY
    assert page.locator("h1").inner_text() == NASTY
    page.evaluate("similarityMap.visit(0)")
    page.locator(".map-card h2").wait_for()
    assert page.locator(".map-card h2").inner_text() == NASTY
    assert page.evaluate("similarityMap.space.contents.names[2]") == "{{script}}"


def test_one_item_and_equal_places_are_drawn(open_page, tmp_path):
    for n in (1, 3):
        page = open_page(save_map(np.zeros((n, 2)), tmp_path / f"{n}.html"))
        assert np.isfinite(page.evaluate("similarityMap.at(0)")).all()


@pytest.mark.parametrize(("width", "theme"), [(390, "light"), (1280, "dark")])
def test_axe_finds_nothing(open_page, tmp_path, theme, width):
    points = np.random.default_rng(3).normal(size=(30, 3))
    labels = [f"class {i % 4}" for i in range(30)]
    frames = {"before": points + 0.1}
    path = save_map(points, tmp_path / "map.html", labels=labels, flagged=[1], frames=frames)
    page = open_page(path, width=width, color_scheme=theme, reduced_motion="reduce")
    page.locator("summary").click()
    page.evaluate("similarityMap.visit(2)")
    page.locator(".map-card").wait_for()
    assert barriers(page) == []


def test_the_item_chosen_is_told_to_those_who_listen(open_page, fruit):
    page = open_page(fruit)
    said = page.locator(".map-said")
    assert said.get_attribute("role") == "status"
    page.mouse.move(*at(page, 3))
    settle(page)
    assert said.inner_text() == ""
    page.locator(".map-finder input").fill("lemon")
    page.keyboard.press("Enter")
    page.locator(".map-card h2", has_text="lemon").wait_for()
    assert said.text_content().startswith("lemon, citrus. Nearest: lime, orange, ")


def test_earlier_maps_are_played(open_page, tmp_path):
    before = POINTS.copy()
    before[6] = [0.5, 0.5]
    path = save_map(POINTS, tmp_path / "map.html", Items(NAMES), frames={"100 answers": before})
    page = open_page(path, reduced_motion="reduce")
    slider = page.locator(".map-player input")
    assert slider.get_attribute("aria-valuetext") == "last"
    now = page.evaluate("similarityMap.xs[6]")
    slider.focus()
    page.keyboard.press("ArrowLeft")
    assert page.locator(".map-player output").inner_text() == "100 answers"
    assert page.evaluate("similarityMap.xs[6]") < now - 0.5
    page.locator(".map-player button").click()
    assert page.locator(".map-player output").inner_text() == "last"
    assert page.evaluate("similarityMap.xs[6]") == now


def inked(page):
    """How many pixels of the map are not paper."""
    return page.evaluate(
        "similarityMap.painter.raster.image.data.filter((v, p) => p % 4 == 0 && v < 230).length"
    )


def test_uncertainty_is_drawn_as_circles_when_asked_for(open_page, tmp_path):
    deviation = np.full(len(NAMES), 0.4)
    path = save_map(POINTS, tmp_path / "map.html", Items(NAMES), uncertainty=deviation)
    page = open_page(path)
    before = inked(page)
    toggle = page.get_by_label("uncertainty")
    assert not toggle.is_checked()
    toggle.check()
    settle(page)
    radius = page.evaluate("0.4 * similarityMap.view.scale")
    assert inked(page) - before == pytest.approx(8 * 2 * np.pi * radius, rel=0.5)
    root = ElementTree.fromstring(saved(page, "SVG"))
    circles = [c for c in root.iter(f"{SVG}circle") if c.get("fill") == "none"]
    assert [float(c.get("r")) for c in circles] == pytest.approx([radius] * 8, abs=0.06)
    toggle.uncheck()
    settle(page)
    assert inked(page) == before


def test_items_that_came_later_are_not_in_earlier_maps(open_page, tmp_path):
    path = save_map(POINTS, tmp_path / "map.html", Items(NAMES), uncertainty=np.ones(8))
    held = re.sub(r'"frames":\[\]', lambda _: f'"frames":{json.dumps(EARLIER)}', path.read_text())
    path.write_text(held)
    page = open_page(path, reduced_motion="reduce")
    page.evaluate("similarityMap.pin(7)")
    page.locator(".map-list summary").click()
    page.locator(".map-player input").focus()
    page.keyboard.press("Home")
    settle(page)
    assert page.locator(".map-card").is_hidden()
    assert page.locator(".map-table tbody tr").count() == 6
    assert page.get_by_label("uncertainty").is_disabled()
    assert page.evaluate("similarityMap.scene().dots.length") == 6
    page.evaluate("similarityMap.pin(0)")
    near = page.evaluate("similarityMap.space.nearest(0, 8).map((one) => one.item)")
    assert sorted(near) == [1, 2, 3, 4, 5]
    page.locator(".map-player input").focus()
    page.keyboard.press("End")
    settle(page)
    assert page.evaluate("similarityMap.scene().dots.length") == 8
    assert page.locator(".map-table tbody tr").count() == 8


def saved(page, kind):
    with page.expect_download() as download:
        page.locator(".map-saves button", has_text=kind).click()
    assert download.value.suggested_filename.endswith(f".{kind.lower()}")
    return Path(download.value.path()).read_bytes()


def test_what_is_seen_is_saved_as_svg_and_png(open_page, fruit):
    page = open_page(fruit)
    page.locator(".map-legend button", has_text="stone").click()
    settle(page)
    root = ElementTree.fromstring(saved(page, "SVG"))
    words = [text.text for text in root.iter(f"{SVG}text")]
    assert sorted(words) == sorted([*NAMES[:6], "citrus", "pome"])
    picture = Image.open(io.BytesIO(saved(page, "PNG"))).convert("RGB")
    width, height = (2 * int(float(root.get(side))) for side in ("width", "height"))
    assert picture.size == pytest.approx((width, height), abs=3)
    x, y = page.evaluate("similarityMap.at(3)")
    drawn = picture.getpixel((round(2 * x), round(2 * y)))
    assert "#{:02x}{:02x}{:02x}".format(*drawn) == page.evaluate("similarityMap.painter.colours[0]")


def test_a_cell_that_is_hidden_at_first_draws_its_map_when_it_is_shown(open_page, tmp_path):
    cell = show_map(POINTS, Items(NAMES), title="Fruit")._repr_html_()
    path = tmp_path / "notebook.html"
    path.write_text(f"<!doctype html><title>cells</title><div id=cell style='width:0'>{cell}</div>")
    page = open_page(path, ready="true")
    frame = page.frames[1]
    frame.wait_for_function("() => window.similarityMap", polling=50)  # nothing is drawn as yet
    page.evaluate("cell.style.width = '800px'")
    frame.wait_for_function("() => similarityMap.view.width === 800", polling=50)
    places = frame.evaluate("[0, 1, 2, 3, 4, 5, 6, 7].map((item) => similarityMap.at(item))")
    assert np.isfinite(places).all()
    assert len(np.unique(np.round(places), axis=0)) == len(NAMES)
