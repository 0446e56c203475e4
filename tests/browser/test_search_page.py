"""The search page as visitors meet it: by click, by keyboard, on desks and phones."""

import threading
import time
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import pytest

from browser.conftest import missing

pytestmark = pytest.mark.browser

DESKTOP = {"viewport": {"width": 1280, "height": 720}}
PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}
ROOT = Path(__file__).parents[2]
AXE = ROOT / "frontend/node_modules/axe-core/axe.min.js"
STATIC = ROOT / "src/resemblance/web/static"
X = 2 * np.random.default_rng(0).uniform(-1, 1, size=(120, 2))
NAMES = [f"dot {i:03d}" for i in range(len(X))]


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """Serve a small world of coloured dots; give its address, and the file of clicks."""
    if not (STATIC / "search.html").is_file():
        missing("the built page (make frontend)")
    import uvicorn
    from PIL import Image

    import resemblance as rs
    from resemblance.cli.search import make_app

    folder = tmp_path_factory.mktemp("search")
    for name, (x, y) in zip(NAMES, X, strict=True):
        colour = int(128 + 60 * x), int(128 + 60 * y), 128
        Image.new("RGB", (200, 150), colour).save(folder / f"{name}.png")
    model = rs.CKL(2).set_positions(X, rs.Items(NAMES))
    clicks = folder / "clicks.jsonl"
    app = make_app(model, folder, clicks, title="Dots")
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.02)
    port = server.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}", clicks
    server.should_exit = True
    thread.join()


@pytest.fixture
def visit(browser, address):
    """Open the page; afterwards it must have been quiet and have asked no other host."""
    contexts, noise = [], []

    def open_(device=DESKTOP, path="/", **settings):
        context = browser.new_context(**device, **settings)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(15_000)
        page.on("console", lambda message: noise.append(message.text))
        page.on("pageerror", lambda error: noise.append(str(error)))
        host = urlsplit(address[0]).netloc
        page.on("request", lambda r: noise.append(r.url) if urlsplit(r.url).netloc != host else 0)
        page.goto(address[0] + path)
        at(page, path.partition("clicks=")[2])
        return page

    yield open_
    for context in contexts:
        context.close()
    assert noise == []


def at(page, clicks):
    page.wait_for_selector(f'body[data-clicks="{clicks}"]:not([data-busy])')


def shown(page):
    return [
        NAMES.index(alt)
        for alt in page.locator(".choose-tile img").evaluate_all(
            "images => images.map((image) => image.alt)"
        )
    ]


def seek(page, target, choose):
    """Choose the tile nearest to the target until it is there; give its place."""
    clicks = ""
    while target not in (tiles := shown(page)):
        assert len(clicks) < 15
        place = int(((X[tiles] - X[target]) ** 2).sum(axis=1).argmin())
        clicks += str(place + 1)
        choose(page, place)
        at(page, clicks)
    return tiles.index(target), clicks


def click(page, place):
    page.locator(".choose-tile").nth(place).click()


@pytest.mark.parametrize("device", [DESKTOP, PHONE], ids=["desk", "phone"])
def test_a_search_by_clicks(visit, device):
    page = visit(device)
    place, clicks = seek(page, 77, click)
    page.get_by_role("button", name="This is it: dot 077").click()
    page.get_by_role("heading", name="Found: dot 077").wait_for()
    assert page.url.endswith(f"?clicks={clicks}&found={place + 1}")
    page.get_by_role("button", name="Start over").click()
    at(page, "")
    assert len(shown(page)) == 9


def test_a_search_by_keyboard(visit):
    page = visit()
    place, _ = seek(page, 33, lambda page, place: page.keyboard.press(str(place + 1)))
    for _ in range(1 + place % 3):
        page.keyboard.press(
            "ArrowRight"
            if page.evaluate("document.activeElement.matches('button')")
            else "ArrowDown"
        )
    for _ in range(place // 3):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Found: dot 033").wait_for()


def test_back_and_reload(visit):
    page = visit()
    first = shown(page)
    click(page, 2)
    at(page, "3")
    second = shown(page)
    assert second != first
    click(page, 0)
    at(page, "31")
    page.get_by_role("button", name="Back").click()
    at(page, "3")
    assert shown(page) == second
    page.reload()
    at(page, "3")
    assert shown(page) == second
    page.go_back()
    at(page, "")
    assert shown(page) == first
    assert not page.get_by_role("button", name="Back").is_visible()


def test_clicks_are_kept_with_leave_alone(visit, address):
    clicks = address[1]
    for agree in (False, True):
        before = clicks.read_text()
        page = visit()
        seek(page, 50, click)
        if agree:
            page.get_by_label("keep which pictures").check()
            with page.expect_response("**/api/found"):
                page.get_by_role("button", name="This is it: dot 050").click()
        else:
            page.get_by_role("button", name="This is it: dot 050").click()
        page.get_by_role("heading", name="Found: dot 050").wait_for()
        assert (clicks.read_text() != before) is agree


@pytest.mark.parametrize("device", [DESKTOP, PHONE], ids=["desk", "phone"])
def test_nine_tiles_fit_the_window(visit, device):
    page = visit(device)
    boxes = [tile.bounding_box() for tile in page.locator(".tiles li").all()]
    width, height = (device["viewport"][side] for side in ("width", "height"))
    assert len(boxes) == 9
    for box in boxes:
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
        assert box["y"] + box["height"] <= height
    assert min(box["width"] for box in boxes) >= 88


def test_a_bad_address_offers_a_way_on(visit, address, browser):
    page = browser.new_page()
    page.goto(f"{address[0]}/?clicks=0x")
    page.get_by_role("alert").get_by_text("Try again").wait_for()
    page.get_by_role("button", name="Start over").click()
    at(page, "")
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_barrier_that_axe_knows(visit, scheme):
    if not AXE.is_file():
        missing("axe-core (make frontend)")
    page = visit(color_scheme=scheme)
    for path in ("/", "/?clicks=3", "/?clicks=3&found=2", "/docs"):
        page.goto("".join((page.url.split("/", 3)[0], "//", page.url.split("/")[2], path)))
        if path != "/docs":
            page.wait_for_selector("body[data-clicks]:not([data-busy])")
        page.evaluate(AXE.read_text(encoding="utf-8"))
        found = page.evaluate("axe.run().then((result) => result.violations)")
        assert [(rule["id"], n["html"]) for rule in found for n in rule["nodes"]] == []
