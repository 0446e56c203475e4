"""[display] in the browser: colours, smallest window, sizes of pictures, what is measured."""

import math

import numpy as np
import pytest
from PIL import Image

from browser.conftest import barriers, need_pages
from browser.fake_study import PAGES, FakeStudy, page as text_page
from browser.participant import DESKTOP, PHONE, begin, throttle, until
from browser.real_server import CONSENT, AppServer
from browser.test_languages_page import INSIDE, PAINTED, WIDTHS
from resemblance.study import protocol as say
from resemblance.study.creation import create_study
from resemblance.study.display import LIMITS, Display
from resemblance.study.languages import find_language

pytestmark = pytest.mark.browser

COLOURS = """() => ["body", ".tile.option"].map(
  (one) => getComputedStyle(document.querySelector(one)).backgroundColor)"""
# Tones are short here, and what each is to be heard like is written down.
SHORT = """
globalThis.loud = [];
globalThis.right = [];
const ramp = AudioParam.prototype.linearRampToValueAtTime;
AudioParam.prototype.linearRampToValueAtTime = function (value, time) {
  if (value > 0) loud.push(value);
  return ramp.call(this, value, time);
};
const Gain = GainNode;
globalThis.GainNode = class extends Gain {
  constructor(context, options) {
    super(context, options);
    if (options.gain !== 0) right.push(options.gain);
  }
};
const stop = OscillatorNode.prototype.stop;
OscillatorNode.prototype.stop = function () { stop.call(this, 0.02); };
"""


def photograph():
    """Detail at every scale, as photographs have; as a JPEG of this quality it has some 2.8 MB."""
    rng, whole = np.random.default_rng(0), np.full((1500, 2000), 128.0, np.float32)
    for octave in range(2, 11):
        grain = rng.normal(0, 30, (3 * 2**octave // 4, 2**octave)).astype(np.float32)
        whole += np.asarray(Image.fromarray(grain).resize((2000, 1500)))
    whole = whole[..., None] + rng.normal(0, 12, (1500, 2000, 3)).astype(np.float32)
    return Image.fromarray(whole.clip(0, 255).astype(np.uint8))


@pytest.fixture(scope="module")
def photographs(tmp_path_factory):
    need_pages()
    home = tmp_path_factory.mktemp("photographs")
    (home / "pictures").mkdir()
    taken = photograph()
    for turn in (Image.Transpose.ROTATE_180, *list(Image.Transpose)[:2]):
        file = home / "pictures" / f"{turn.name}.jpg"
        taken.transpose(turn).save(file, quality=97)
        assert 2.4e6 < file.stat().st_size < 3.2e6
    tasks = {"practice": 0, "per_participant": 1, "task_size": 1, "gold_share": 0.0}
    settings = {"tasks": tasks, "asking": {"strategy": "random"}}
    create_study(home / "photos", images=home / "pictures", settings=settings, pages=CONSENT)
    server = AppServer(home, ["photos"])
    yield server
    server.stop()


LOADED = """() => performance.getEntriesByType("resource")
  .filter(({ name }) => name.includes("/media/"))
  .map((one) => [one.name.split("=")[1], one.encodedBodySize])"""


@pytest.mark.parametrize(
    ("device", "slow", "side"),
    [
        (DESKTOP, False, "320"),
        ({**PHONE, "device_scale_factor": 3}, True, "240"),
    ],
)
def test_three_photographs_are_as_small_as_a_slow_network_takes(
    browser, visit, photographs, device, slow, side
):
    """3 s at 50 kB/s are 150 kB. (The page itself takes some seconds on that network.)"""
    page = visit(photographs.address("photos"), device)
    if slow:
        throttle(page, anew=True)
        page.reload()
    begin(page)
    page.wait_for_selector("[data-open]")
    loaded = page.evaluate(LOADED)
    assert {one for one, _ in loaded} == {side}
    assert sum(size for _, size in loaded) < 150_000


def measuring(language="en", **display):
    """A study that measures before its questions."""
    of = Display(**display)
    look = {"measures": of.measures, "needs_headphones": of.headphones == "refuse"}
    study = FakeStudy(total=1, languages=[language], display=look)
    study.pages = dict(PAGES)
    for name, measures in of.pages.items():
        fields = [
            say.NumberField(
                type="number", name=one, label=one, min=LIMITS[one][0], max=LIMITS[one][1]
            )
            for one in measures
        ]
        study.pages[name] = text_page(name, "measure", "", "", fields)
        study.order.insert(study.order.index("instructions"), name)
    return study


@pytest.mark.parametrize(
    ("look", "device", "colours"),
    [
        ({"scheme": "light"}, "dark", ("rgb(245, 244, 240)", "rgb(255, 255, 255)")),
        ({"surround": "#0a1a2a"}, "light", ("rgb(10, 26, 42)",) * 2),
    ],
)
def test_all_people_see_the_same_colours(visit, look, device, colours):
    page = visit(FakeStudy(total=1, display=look), color_scheme=device)
    page.get_by_role("button", name="I agree").wait_for()
    assert barriers(page) == []
    begin(page)
    page.wait_for_selector("[data-open]")
    assert tuple(page.evaluate(COLOURS)) == colours
    assert barriers(page) == []


def test_a_window_that_is_too_small_can_be_enlarged(visit):
    study = FakeStudy(total=1, display={"min_width": 900, "min_height": 600})
    page = visit(study, {"viewport": {"width": 700, "height": 620}, "screen": DESKTOP["viewport"]})
    told = page.get_by_role("status").filter(has_text="900 × 600")
    told.wait_for()
    assert "700 × 620" in told.inner_text()
    assert not page.get_by_text("larger screen").is_visible()
    assert barriers(page) == []
    assert study.entries == []
    page.set_viewport_size({"width": 900, "height": 620})
    page.get_by_role("button", name="I agree").wait_for()
    assert len(study.entries) == 1


def test_who_has_no_larger_screen_is_told(visit):
    page = visit(FakeStudy(display={"min_width": 900}), PHONE)
    page.get_by_text("larger screen").wait_for()


def test_screen_and_distance_are_measured_by_keyboard_alone(visit):
    page = visit(study := measuring(measure="distance"))
    told = page.locator(".prose").inner_text()
    assert find_language("en").strings["consent.distance_cm"] in told
    page.get_by_role("button", name="I agree").click()
    page.get_by_role("slider").wait_for()
    assert page.get_by_role("button", name="It fits now").is_disabled()
    for _ in range(20):
        page.keyboard.press("ArrowLeft")
    card = page.locator(".bank-card").bounding_box()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    ways = []
    for n in range(5):
        page.get_by_role("button", name="Start the dot").wait_for()
        page.keyboard.press("Space")
        page.wait_for_timeout(150 + 100 * (n % 2))
        cross, dot = (page.locator(f".sweep .{one}").bounding_box() for one in ("fixation", "dot"))
        page.keyboard.press("Space")
        ways.append(cross["x"] - dot["x"])
    until(lambda: "screen" in study.filled)
    found = study.filled["screen"]
    assert found["pixels_per_cm"] == pytest.approx(card["width"] / 8.56, rel=0.01)
    assert card["width"] / card["height"] == pytest.approx(85.60 / 53.98, rel=0.01)
    assert found["pixels_per_cm"] == pytest.approx(96 / 2.54 - 2, abs=0.1)
    seen = sorted(ways)[2] / found["pixels_per_cm"] / math.tan(math.radians(13.5))
    assert found["distance_cm"] == pytest.approx(seen, rel=0.15)


def hear(page, wrong=0):
    """Answer the check of headphones, so many times not with the quieter tone."""
    page.get_by_role("button", name="I agree").click()
    for n in range(6):
        page.get_by_role("button", name="Play the tones").click()
        page.wait_for_function("() => !document.querySelector('[disabled].secondary')")
        loud = page.evaluate("loud")[-3:]
        quiet = loud.index(min(loud))
        assert 20 * math.log10(min(loud) / max(loud)) == pytest.approx(-6, abs=0.01)
        right = page.evaluate("right")[-3:]
        assert sorted(right) == [-1, 1, 1]
        assert right[quiet] == 1
        chosen = (quiet + (n < wrong)) % 3 + 1
        page.get_by_role("button", name=f"Tone {chosen}").click()


@pytest.mark.parametrize(("needed", "wrong"), [("tell", 1), ("refuse", 2)])
def test_headphones_are_heard(browser, visit, needed, wrong):
    page = visit(study := measuring(headphones=needed))
    page.add_init_script(SHORT)
    page.reload()
    hear(page, wrong)
    if wrong > 1:
        page.get_by_text(find_language("en").strings["headphones.refused"]).wait_for()
        page.get_by_role("button", name="Continue").click()
    until(lambda: "headphones" in study.filled)
    assert study.filled["headphones"] == {"headphones_right": 6 - wrong}


def test_who_cannot_measure_goes_on(visit):
    page = visit(study := measuring(measure="distance", headphones="tell"), PHONE)
    page.get_by_role("button", name="I agree").tap()
    for _ in range(2):
        page.get_by_role("button", name="I cannot do this").tap()
    page.get_by_role("button", name="Continue").tap()
    page.get_by_role("heading", name="What to do").wait_for()
    assert study.filled["screen"] == {"pixels_per_cm": None, "distance_cm": None}
    assert study.filled["headphones"] == {"headphones_right": None}


@pytest.mark.parametrize("code", ["ar", "de"])
def test_pages_of_measures_fit(visit, code):
    page = visit(measuring(code, measure="distance", headphones="refuse"))
    page.locator(".primary").click()
    for shown in (".bank-card", ".sweep", "[role=status]", None):
        if shown:
            page.locator(f".page {shown}").first.wait_for()
        for width, height in WIDTHS.items():
            page.set_viewport_size({"width": width, "height": height})
            page.evaluate(PAINTED)
            assert page.evaluate(INSIDE), (shown, width)
        if code == "ar":
            assert barriers(page) == [], shown
        if shown == ".bank-card":
            page.get_by_role("slider").press("ArrowUp")
            page.locator(".primary").click()
        elif shown:
            page.locator(".secondary").last.click()
