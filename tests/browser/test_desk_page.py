"""The researcher's desk in a browser: log in, watch, steer, try; for everybody."""

import socket
import threading
from contextlib import ExitStack

import pytest
import uvicorn

from browser.conftest import MAP, barriers, missing
from desk_editor import with_lines
from map_page import PICTURE_BOXES, crowded, draw_squares
from resemblance.study.creation import create_study
from resemblance.study.live import open_folders, open_stores
from resemblance.study.thumbnails import Thumbnails
from resemblance.web.accounts import Accounts
from resemblance.web.app import create_app
from resemblance.web.routes import STATIC
from small_study import Hands, People, make_folder

pytestmark = pytest.mark.browser
PASSWORD = "a long password"
DESKTOP, PHONE = {"width": 1280, "height": 720}, {"width": 390, "height": 844}
FEW = 40
TABS = ["", "/dots", "/dots/people", "/dots/map", "/dots/questions"]
TABS += ["/dots/settings"]
PAGES = [*TABS, "/-/account", "/-/accounts"]
SETTINGS = """
[tasks]
per_participant = 2
task_size = 40
practice = 1
gold_share = 0.1
[asking]
start_per_head = 3
held_out = 0.2
[publication]
authors = ["Young, Ann"]
license = "CC0-1.0"
[recruitment]
pay = 2.0
[quality]
fast_ms = 0  # these people answer as fast as they can
[[quality.rules]]
measure = "side"
above = 0.9
after = 5
"""


class Desk:
    """A study with answers, a map and a desk, on a port of this machine."""

    def __init__(self, folder, answers):
        make_folder(folder / "dots", sections=SETTINGS)
        few = make_pictures(folder / f"few{FEW}", FEW)
        lives, _ = open_stores(open_folders([folder / "dots", few]))
        self.live, few = lives
        place(few, crowded(FEW))
        self.people = People(self.live, 4, guess={0: "first"}, sharp=4)
        self.hands = Hands(self.live)
        self.hands.begin()
        for _ in range(3):  # while the worker is there, so that answers are held out
            self.people.answer(answers // 3)
            self.hands.settle()
        self.tell()
        secrets = Accounts(folder / "secret")
        secrets.accept(secrets.invite(), PASSWORD)
        taken = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{taken.getsockname()[1]}"
        app = create_app(lives, secrets)
        config = uvicorn.Config(app, lifespan="off", log_level="error")
        self.server = uvicorn.Server(config)
        run = {"target": self.server.run, "args": ([taken],), "daemon": True}
        self.thread = threading.Thread(**run)
        self.thread.start()

    def tell(self):
        """Let the worker tell what it counted."""
        self.hands.work._told_at = 0.0
        self.hands.settle()

    def close(self):
        self.server.should_exit = True
        self.thread.join(10)
        self.hands.work.close()


def make_pictures(path, n):
    """Make the folder of a study of pictures."""
    images = path.with_name(f"images{n}")
    draw_squares(images, n)
    create_study(path, "triplet", images=images)
    return path


def place(live, points):
    """Let a worker have placed the items twice, and drawn them small."""
    Thumbnails(live.folder).make()
    for answers, X in ((100, points[:, ::-1]), (200, points)):
        scores = {"shown": [9] * len(X)}
        live.store.spaces.add(live.record, answers, b"", X.tolist(), [0.1] * len(X), scores)


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    if not (STATIC / "desk.html").is_file():
        missing("the built page (make frontend)")
    made = Desk(tmp_path_factory.mktemp("desk"), 200)
    yield made
    made.close()


@pytest.fixture(scope="module")
def cookies(desk, browser):
    with browser.page() as page:
        page.goto(f"{desk.address}/desk")
        page.get_by_label("Password").fill(PASSWORD)
        page.keyboard.press("Enter")
        page.get_by_role("heading", name="Studies").wait_for()
        return page.context.storage_state()


@pytest.fixture
def visit(desk, browser, cookies):
    """Open a page of the desk; afterwards it must have been quiet, and asked no other host."""
    noise = []
    with ExitStack() as stack:

        def open_(path, viewport=DESKTOP, **settings):
            known = {"viewport": viewport, "storage_state": cookies, **settings}
            page = stack.enter_context(browser.page(**known))
            page.on("console", lambda message: noise.append(message.text))
            page.on("pageerror", lambda error: noise.append(str(error)))
            page.on("request", lambda request: foreign(request.url, desk.address, noise))
            page.goto(f"{desk.address}/desk{path}")
            return page

        yield open_
    refused = "Failed to load resource"  # what a browser says of each answer that is an error
    assert [words for words in noise if refused not in words] == []


def foreign(url, address, noise):
    if not url.startswith((address, "data:")):
        noise.append(f"fetched {url}")


def test_charts_are_drawn_of_what_is_there(visit, desk):
    page = visit("/dots")
    assert page.locator("#recent svg .bar").count() >= 1
    assert page.locator("#errors svg path.line").count() == 1
    assert "answers in" in page.locator("#whole svg").get_attribute("aria-label")
    assert page.locator("#advice tbody tr").count() == 2
    page.locator("#errors summary").click()
    assert page.locator("#errors tbody tr").count() == page.locator("#errors circle").count()
    page.get_by_role("link", name="Map", exact=True).click()
    ground = page.locator("#map .map-ground")
    ground.wait_for()
    assert "map of 12 items" in ground.get_attribute("aria-label")
    assert page.locator("#certainty tbody tr").count() == 12


def test_the_page_follows_the_answers_without_a_reload(visit, desk):
    page = visit("/dots")
    page.evaluate("globalThis.here = true")
    page.locator("#whole summary").click()
    before = page.locator("#figures dd").first.inner_text()
    desk.people.answer(20)
    desk.tell()
    shown = page.locator("#figures dd").first
    page.wait_for_function(
        "(before) => figures.querySelector('dd').innerText !== before", arg=before
    )
    assert (
        int(shown.inner_text()) == desk.live.store.tallies.pulse(desk.live.record).told["answers"]
    )
    assert page.locator("#whole details").get_attribute("open") is not None
    assert page.locator("#whole svg .bar").count() >= 1
    assert page.evaluate("globalThis.here")


def test_the_map_is_looked_at_while_new_ones_come(visit, desk):
    desk.people.answer(24)
    desk.hands.settle()
    page = visit("/dots/map", reduced_motion="reduce")
    page.get_by_label("uncertainty").check()
    title = page.locator("#map-title").inner_text()
    desk.people.answer(24)
    desk.hands.settle()
    page.wait_for_function(
        "(was) => document.querySelector('#map-title').innerText != was", arg=title
    )
    page.wait_for_function("() => document.activeElement.type == 'checkbox'")
    assert page.get_by_label("uncertainty").is_checked()


@pytest.mark.parametrize("size", [DESKTOP, PHONE])
def test_the_map_is_tall_and_the_table_below_it_is_folded(visit, size):
    page = visit("/few40/map", size)
    page.wait_for_function(MAP)
    assert len(page.evaluate(PICTURE_BOXES)) == 40
    stage, table = page.locator("#map .map-stage"), page.locator("#certainty table")
    assert stage.bounding_box()["height"] > 0.5 * size["height"]
    assert not table.is_visible()
    page.locator("#certainty summary").click()
    assert table.is_visible()


def test_somebody_is_excluded_and_included_by_keyboard(visit, desk):
    page = visit("/dots/people?only=flagged")
    (row,) = page.locator("tbody tr").all()
    assert "side above 0.9" in row.inner_text()
    page.locator("#of-P0001 summary").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.type("always the first")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.get_by_text("left out by researcher: always the first").wait_for()
    assert desk.live.store.people.excluded(desk.live.record) == {desk.people.persons[0].id}
    assert "only=flagged" in page.url
    page.locator("#of-P0001 summary").click()
    page.get_by_label("Reason").fill("after all")
    page.get_by_role("button", name="Let the answers count again").click()
    page.wait_for_function("() => !document.querySelector('tr.excluded')")
    assert desk.live.store.people.excluded(desk.live.record) == set()


def test_pause_resume_and_change(visit, desk):
    page = visit("/dots/settings")
    page.get_by_role("button", name="Pause").click()
    page.locator(".state.paused").wait_for()
    assert desk.live.store.studies.named("dots").state == "paused"
    page.get_by_role("button", name="Resume").click()
    page.locator(".state.open").wait_for()
    editor = page.get_by_label("study.toml")
    before = editor.input_value()
    editor.fill(with_lines(before, "recruitment", "max_participants = 40"))
    page.get_by_role("button", name="Save").click()
    page.get_by_text("recruitment.max_participants: none → 40").wait_for()
    wrong = with_lines(editor.input_value(), "asking", "random_share = 1.5")
    editor.fill(wrong)
    page.get_by_role("button", name="Save").click()
    assert "less than 1" in page.get_by_role("alert").inner_text()
    assert editor.input_value() == wrong
    number, text = page.locator(".gutter .wrong"), page.locator(".editor textarea")
    assert "less than 1" in number.get_attribute("title")
    line = int(number.inner_text().split()[-1])
    assert wrong.splitlines()[line - 1] == "random_share = 1.5"
    top, height = number.bounding_box()["y"], number.bounding_box()["height"]
    at = text.bounding_box()["y"] + (line - 1) * height
    assert abs(top - at) < 12  # beside its line


def test_a_question_is_tried_and_nothing_is_stored(visit, desk):
    answers = desk.live.store.answers.after(desk.live.record)
    people = desk.live.store.people.counts(desk.live.record)
    page = visit("/dots/questions")
    with page.expect_popup() as opened:
        page.get_by_role("button", name="Try the study").click()
    trial = opened.value
    trial.get_by_role("button", name="I agree").click()
    trial.get_by_role("button", name="Continue").click()
    first = trial.wait_for_selector("[data-open]").get_attribute("data-open")
    trial.wait_for_timeout(200)
    trial.keyboard.press("1")
    trial.wait_for_selector(f'[data-open="{first}"]', state="detached")
    assert "Rehearsal" in trial.title()
    assert desk.live.store.answers.after(desk.live.record) == answers
    assert desk.live.store.people.counts(desk.live.record) == people


# What lies beyond the right edge of the window; empty where nothing has to be scrolled sideways.
BEYOND = """() => document.documentElement.scrollWidth <= innerWidth ? [] : [
  [document.documentElement.scrollWidth, document.readyState],
  ...[...document.querySelectorAll("main *")]
    .filter((part) => Math.max(part.getBoundingClientRect().right, part.scrollWidth) > innerWidth)
    .map(({ tagName, id, textContent }) => `${tagName} ${id}: ${textContent.slice(0, 80)}`),
]"""


@pytest.mark.parametrize(("size", "scheme"), [(DESKTOP, "light"), (PHONE, "dark")])
def test_everybody_can_use_every_page(visit, desk, browser, size, scheme):
    found = []
    with browser.page(viewport=size, color_scheme=scheme) as page:
        page.goto(f"{desk.address}/desk")  # to log in
        assert barriers(page) == []
    page = visit("", size, color_scheme=scheme)
    for path in PAGES:
        page.goto(page.url.partition("/desk")[0] + "/desk" + path)
        assert page.evaluate(BEYOND) == [], path
        found += [(path, *barrier) for barrier in barriers(page)]
    assert found == []


def test_every_step_of_the_keyboard_can_be_seen(visit):
    page = visit("/dots")
    steps = 0
    for _ in range(14):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement === document.body"):
            continue  # after the last step it is the browser's own turn
        style = page.evaluate(
            "(({ outlineStyle, outlineWidth }) => [outlineStyle, parseFloat(outlineWidth)])"
            "(getComputedStyle(document.activeElement))"
        )
        assert style[0] != "none"
        assert style[1] >= 2
        steps += 1
    assert steps >= 13
    page.keyboard.press("Home")


def test_without_scripts_everything_is_there(visit):
    page = visit("/dots", java_script_enabled=False)
    assert page.locator("#figures dd").first.inner_text() != ""
    page.locator("#errors summary").click()
    assert page.locator("#errors tbody tr").first.is_visible()


def test_neither_long_words_nor_long_numbers_widen_a_page(visit, desk):
    store, record = desk.live.store, desk.live.record
    space = store.spaces.latest(record)
    store.spaces.add(record, 10**9, b"", space.positions, [1e12] * 12, space.scores)
    store.events.record(record, "worker", "fit failed", {"reason": "OperationalError." * 9})
    page = visit("", PHONE)
    for path in TABS:
        page.goto(f"{desk.address}/desk{path}")
        assert page.evaluate(BEYOND) == [], path
    page.goto(f"{desk.address}/desk/dots/map")
    assert "OperationalError" in page.locator("#failure").inner_text()


def test_a_lost_server_is_told_and_forgotten(visit):
    page = visit("/dots/map")
    page.route("**/desk/dots/map", lambda route: route.fulfill(status=500))
    page.get_by_text("The server does not answer").wait_for()
    page.unroute("**/desk/dots/map")
    page.wait_for_function("() => connection.textContent === ''")
