"""The search page as visitors meet it: by click, by keyboard, on desks and phones."""

from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import pytest
from PIL import Image

import resemblance as rs
from browser.conftest import barriers, missing
from browser.participant import foreign
from browser.real_server import running
from resemblance.study.creation import create_study
from resemblance.study.live import open_folders, open_stores
from resemblance.web.accounts import Accounts
from resemblance.web.app import create_app
from resemblance.web.search.app import create_search_app
from resemblance.web.search.pictures import Pictures, find_pictures

pytestmark = pytest.mark.browser

DESKTOP = {"viewport": {"width": 1280, "height": 720}}
PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}
ROOT = Path(__file__).parents[2]
STATIC = ROOT / "src/resemblance/web/static"
X = 2 * np.random.default_rng(0).uniform(-1, 1, size=(120, 2))
NAMES = [f"dot {i:03d}" for i in range(len(X))]


@pytest.fixture(scope="module")
def dots(tmp_path_factory):
    """Draw a small world of coloured dots."""
    if not (STATIC / "search.html").is_file():
        missing("the built page (make frontend)")
    folder = tmp_path_factory.mktemp("dots")
    for number, (name, (x, y)) in enumerate(zip(NAMES, X, strict=True)):
        colour = int(128 + 60 * x), int(128 + 60 * y), number
        Image.new("RGB", (200, 150), colour).save(folder / f"{name}.png")
    return folder


@pytest.fixture(scope="module")
def model():
    return rs.CKL(2).set_positions(X, rs.Items(NAMES))


@pytest.fixture(scope="module")
def address(dots, model, tmp_path_factory):
    """Serve the dots; give their address, and the file of clicks."""
    clicks = tmp_path_factory.mktemp("search") / "clicks.jsonl"
    pictures = Pictures(find_pictures(dots, model.items_.names))
    with running(create_search_app(model, pictures, clicks=clicks)) as where:
        yield where, clicks


class Study:
    """A study of the dots that runs, with a public search page."""

    def __init__(self, items, folder):
        search = {"public": True, "keep_clicks": True}
        create_study(folder / "dots", "triplet", **items, settings={"search": search})
        (self.live,), _ = open_stores(open_folders([folder / "dots"]))
        self.app = create_app([self.live], Accounts(folder / "secret"))
        self.clicks = folder / "dots" / "clicks.jsonl"
        self.path, self.kept = "/s/dots/search", folder / "model.npz"

    def adopt(self, positions):
        """Let the worker have fitted these positions."""
        fit = rs.CKL(2).set_positions(positions, rs.Items(NAMES))
        space = (rs.save(fit, self.kept).read_bytes(), positions.tolist(), None, {})
        number = self.live.store.spaces.add(self.live.record, 100, *space)
        for search in self.app.state.shared.searches.values():
            search._looked = -1e9
        return number

    def shown(self, page):
        """Name the items of the tiles by their pictures: the page does not."""
        media = self.live.folder.media
        urls = page.locator(".choose-tile img").evaluate_all("all => all.map((one) => one.src)")
        return [NAMES.index(media[url.rpartition("/")[2].partition("?")[0]].name) for url in urls]


@pytest.fixture
def study(dots, tmp_path):
    made = Study({"images": dots}, tmp_path)
    with running(made.app) as made.address:
        yield made


@pytest.fixture
def visit(browser, address, request):
    """Open a page; afterwards it must have been quiet and have asked no other host."""
    if "study" in request.fixturenames:  # whose server is to end after the pages that ask it
        request.getfixturevalue("study")
    noise = []
    with ExitStack() as stack:

        def open_(device=DESKTOP, path="/", of=address[0], **settings):
            page = stack.enter_context(browser.page(**device, **settings))
            page.on("console", lambda message: noise.append(message.text))
            page.on("pageerror", lambda error: noise.append(str(error)))
            host = urlsplit(of).netloc
            page.on("request", lambda request: foreign(request.url, host, noise))
            page.goto(of + path)
            at(page, path.partition("clicks=")[2])
            return page

        yield open_
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


def seek(page, target, choose, shown=shown):
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
    boxes = [tile.bounding_box() for tile in page.locator(".tiles li").all()]
    width, height = (device["viewport"][side] for side in ("width", "height"))
    assert len(boxes) == 9
    assert min(box["x"] for box in boxes) >= 0
    assert max(box["x"] + box["width"] for box in boxes) <= width
    assert max(box["y"] + box["height"] for box in boxes) <= height
    assert min(box["width"] for box in boxes) >= 88
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
        before = clicks.read_text() if clicks.exists() else ""
        page = visit()
        seek(page, 50, click)
        if agree:
            page.get_by_label("keep which pictures").check()
            with page.expect_response("**/api/found"):
                page.get_by_role("button", name="This is it: dot 050").click()
        else:
            page.get_by_role("button", name="This is it: dot 050").click()
        page.get_by_role("heading", name="Found: dot 050").wait_for()
        assert (clicks.exists() and clicks.read_text() != before) is agree


@pytest.mark.parametrize("device", [DESKTOP, PHONE], ids=["desk", "phone"])
def test_more_like_the_one_found(visit, device):
    page = visit(device, "/?clicks=3")
    page.locator(".it").nth(1).click()
    page.get_by_role("button", name="More like this one").click()
    page.wait_for_selector(".choose-tile")
    found = int(page.url.partition("like=")[2])
    near = np.argsort(((X - X[found]) ** 2).sum(axis=1))[1:10]
    assert shown(page) == near.tolist()
    click(page, 4)
    at(page, "5")
    assert page.url.endswith(f"?like={found}&clicks=5")
    page.get_by_role("button", name="Back").click()
    at(page, "")
    assert shown(page) == near.tolist()
    page.get_by_role("button", name="Start over").click()
    page.wait_for_url("**/")


def test_no_barrier_that_axe_knows(visit, address):
    page = visit()
    for path in ("/", "/?clicks=3", "/?clicks=3&found=2", "/?like=12"):
        page.goto(address[0] + path)
        page.wait_for_selector("body[data-clicks]:not([data-busy])")
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            assert barriers(page) == [], (path, scheme)


class TestOfAStudy:
    def test_before_the_first_fit_it_says_so_and_then_it_searches(self, visit, study):
        page = visit(path=study.path, of=study.address)
        page.get_by_role("heading", name="Nothing can be found yet").wait_for()
        assert barriers(page) == []
        study.adopt(X)
        page.reload()
        page.wait_for_selector(".choose-tile")
        assert len(study.shown(page)) == 9
        page.wait_for_load_state("networkidle")

    def test_a_search_is_kept_and_tells_no_names(self, visit, study):
        number = study.adopt(X)
        page = visit(PHONE, study.path, study.address)
        place, clicks = seek(page, 50, click, study.shown)
        page.get_by_label("keep which pictures").check()
        with page.expect_response("**/api/studies/dots/found"):
            page.get_by_role("button", name=f"This is it: number {place + 1}").click()
        page.get_by_role("heading", name="Found", exact=True).wait_for()
        assert page.url.endswith(f"?space={number}&clicks={clicks}&found={place + 1}")
        choices = rs.read_choices(study.clicks, NAMES)
        assert set(choices.index[:, 0]) == {50}
        assert "dot 0" not in page.content()
        assert barriers(page) == []

    def test_the_page_of_the_item_found_is_a_link_away(self, browser, dots, tmp_path):
        table = tmp_path / "dots.csv"
        rows = [f"{name},{dots / name}.png,https://example.org/{name[-3:]}" for name in NAMES]
        table.write_text("\n".join(["name,file,url", *rows]) + "\n")
        study = Study({"items": table}, tmp_path)
        study.adopt(X)
        with running(study.app) as address, browser.page(**PHONE) as page:
            page.goto(f"{address}{study.path}?like=50&found=1")
            link = page.get_by_role("link", name="Open its page")
            nearest = np.argsort(((X - X[50]) ** 2).sum(axis=1))[1]
            assert link.get_attribute("href") == f"https://example.org/{NAMES[nearest][-3:]}"
            assert barriers(page) == []

    def test_a_search_in_a_map_that_is_gone_can_start_over(self, study, browser):
        study.adopt(X)
        with browser.page() as page:
            page.goto(f"{study.address}{study.path}?space=99&clicks=3")
            page.get_by_role("alert").get_by_text("The map has changed").wait_for()
            assert not page.get_by_role("button", name="Try again").is_visible()
            page.get_by_role("button", name="Start over").click()
            at(page, "")
