"""People drag pictures into a circle by mouse, finger and keyboard: whole studies, and a fit."""

import math

import numpy as np
import pytest

from browser.conftest import barriers
from browser.fake_study import FakeStudy
from browser.participant import (
    DESKTOP,
    PHONE,
    SMALL,
    begin,
    no_scrolling,
    until,
)
from browser.real_server import HASTY, small_server

pytestmark = pytest.mark.browser

NAME, N_ITEMS, QUESTIONS, SIZE = "shapes", 10, 2, 5
SETTINGS = {
    **HASTY,
    "study": {"n_options": SIZE},
    "tasks": {"task_size": QUESTIONS, "practice": 1},
}
PLACES = """() => {
  const circle = document.querySelector(".circle").getBoundingClientRect();
  const [x, y] = [circle.left + circle.width / 2, circle.top + circle.height / 2];
  const pieces = [...document.querySelectorAll(".piece")].map((piece) => {
    const box = piece.getBoundingClientRect();
    return [box.left + box.width / 2 - x, box.top + box.height / 2 - y];
  });
  return { x, y, radius: circle.width / 2, pieces };
}"""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    study = {NAME: {"kind": "arrangement", "settings": SETTINGS}}
    with small_server(tmp_path_factory.mktemp("served"), N_ITEMS, **study) as server:
        yield server


PLAYED = """() => [...document.querySelectorAll(".piece audio")].map(
  ({ dataset, paused }) => [Number(dataset.plays ?? 0), !paused])"""


HEARD = "n => document.querySelectorAll('.piece audio')[n].dataset.heard"


def test_sounds_play_under_the_mouse_a_finger_or_the_focus_one_at_a_time(visit):
    for device in (DESKTOP, PHONE):
        study = FakeStudy("arrangement", media="audio", total=1)
        page = visit(study, device)
        begin(page)
        page.wait_for_selector("[data-open]")
        pieces = page.locator(".piece")
        assert pieces.first.get_attribute("aria-label")
        if device is DESKTOP:
            pieces.nth(1).hover()
        else:
            pieces.nth(1).tap()
        until(lambda page=page: page.evaluate(PLAYED)[1][0] == 1)
        assert sum(times for times, _ in page.evaluate(PLAYED)) == 1
        page.keyboard.press("Tab")  # from here on it is by keys
        for number in range(pieces.count()):
            pieces.nth(number).focus()
            page.keyboard.press("Enter")
            assert sum(on for _, on in page.evaluate(PLAYED)) <= 1
        until(lambda page=page: min(times for times, _ in page.evaluate(PLAYED)) >= 1)
        for number in range(pieces.count()):
            pieces.nth(number).focus()
            page.keyboard.press("Enter")
            page.wait_for_function(HEARD, arg=number)
        told = [times for times, _ in page.evaluate(PLAYED)]
        page.get_by_role("button", name="Done").click()
        until(lambda study=study: study.answers)
        assert study.answers["q000"]["client"]["plays"] == told


class Hand:
    """Somebody who arranges what is on the screen, each time in another way."""

    def __init__(self, page):
        self.page, self.last, self.put = page, None, []

    def wait(self):
        """Until the next arrangement is open; give how many pieces it has."""
        self.page.wait_for_function(
            "(last) => { const now = document.querySelector('[data-open]')?.dataset.open;"
            "return now && now !== last; }",
            arg=self.last,
        )
        self.last = self.page.locator("[data-open]").get_attribute("data-open")
        return self.page.locator(".piece").count()

    def target(self, n, of):
        """Give a place in the circle, in units of its radius."""
        turn = 2.4 * n + len(self.put)
        far = 0.9 * math.sqrt((n + 0.5) / of)
        return far * math.cos(turn), far * math.sin(turn)

    def drag(self, n, x, y):
        """Drag a piece to a place by mouse."""
        at = self.page.evaluate(PLACES)
        (left, top), mouse = at["pieces"][n], self.page.mouse
        mouse.move(at["x"] + left, at["y"] + top)
        mouse.down()
        for step in (0.4, 1.0):
            to = left + step * (x * at["radius"] - left), top + step * (y * at["radius"] - top)
            mouse.move(at["x"] + to[0], at["y"] + to[1])
        mouse.up()

    def touch(self, n, x, y):
        """Drag a piece to a place with a finger."""
        at = self.page.evaluate(PLACES)
        left, top = at["pieces"][n]
        session = self.page.context.new_cdp_session(self.page)

        def send(kind, *points):
            told = [{"x": at["x"] + x, "y": at["y"] + y} for x, y in points]
            session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": told})

        to = x * at["radius"], y * at["radius"]
        send("touchStart", (left, top))
        send("touchMove", ((left + to[0]) / 2, (top + to[1]) / 2))
        send("touchMove", to)
        send("touchEnd")
        session.detach()

    def arrange(self, drag):
        """Put all where they belong and press Done; remember where."""
        of = self.wait()
        places = [self.target(n, of) for n in range(of)]
        for n, place in enumerate(places):
            drag(n, *place)
        self.put.append(places)
        self.done.tap() if drag == self.touch else self.done.click()

    @property
    def done(self):
        return self.page.get_by_role("button", name="Done")

    @property
    def undo(self):
        return self.page.get_by_role("button", name="Undo")

    @property
    def said(self):
        return self.page.locator(".said").inner_text()


def finish(page):
    page.get_by_role("heading", name="A few last questions").wait_for()
    page.get_by_label("a touch screen").check()
    page.get_by_role("button", name="Continue").click()
    page.get_by_text("Your completion code").wait_for()


@pytest.mark.parametrize(("input", "device"), [("mouse", DESKTOP), ("touch", PHONE)])
def test_a_whole_study_is_kept_as_it_was_arranged(server, visit, input, device):
    page = visit(server.address(NAME), device)
    begin(page)
    hand = Hand(page)
    drag = hand.drag if input == "mouse" else hand.touch
    hand.arrange(drag)
    page.get_by_role("heading", name="That was the practice").wait_for()
    page.get_by_role("button", name="Continue").click()
    hand.arrange(drag)
    hand.arrange(drag)
    finish(page)
    assert [len(places) for places in hand.put] == [SIZE, N_ITEMS, SIZE]
    with server.newest(NAME) as (live, person):
        answers = live.store.answers.of(person)
        assert [one.purpose for one in answers] == ["practice", "main", "main"]
        assert {one.client["input"] for one in answers} == {input}
        for one, places in zip(answers, hand.put, strict=True):
            kept = np.array(one.response["places"])
            seen = np.array(places) * [1, -1]  # y goes up
            assert np.abs(kept - seen).max() < 0.02
            assert one.rt_ms > 100


def press(page, *keys):
    for key in keys:
        page.keyboard.press(key)


def test_a_whole_study_by_keyboard_alone(server, visit):
    page = visit(server.address(NAME), DESKTOP)
    press(page, "Tab")
    page.get_by_role("button", name="I agree").focus()
    press(page, "Enter")
    page.get_by_role("button", name="Continue").focus()
    press(page, "Enter")
    hand = Hand(page)
    for number in range(1 + QUESTIONS):
        of = hand.wait()
        page.locator("body").evaluate("() => document.activeElement.blur()")
        until(lambda: not tabbed(page, ".piece"))  # from the top of the page to the first picture
        for n in range(of):
            press(page, "Enter" if n % 2 else "Space")
            press(page, *["Shift+ArrowRight", "ArrowUp", "ArrowUp"][: 1 + (n + number) % 3])
            press(page, "Tab")
        until(lambda: not tabbed(page, ".primary", first=False))
        press(page, "Enter")
        if number == 0:
            page.get_by_role("heading", name="That was the practice").wait_for()
            page.get_by_role("button", name="Continue").focus()
            press(page, "Enter")
    finish(page)
    with server.newest(NAME) as (live, person):
        answers = live.store.answers.of(person)
        assert [one.client["input"] for one in answers] == ["keyboard"] * 3
        assert len(answers[1].response["places"]) == N_ITEMS


def tabbed(page, selector, first=True):
    """Say whether Tab has still to be pressed, and press it."""
    if page.evaluate(f"() => document.activeElement.matches('{selector}')"):
        return False
    press(page, "Tab")
    return True


def test_done_waits_until_all_are_inside_and_apart_and_undo_takes_back(visit):
    study = FakeStudy("arrangement", total=1, n=4)
    page = visit(study, DESKTOP)
    begin(page)
    hand = Hand(page)
    of = hand.wait()
    before = page.evaluate(PLACES)["pieces"]
    hand.drag(0, 0.9, 0.9)  # outside
    page.wait_for_timeout(300)
    assert page.evaluate(PLACES)["pieces"] == before
    assert "went back" in hand.said
    assert hand.undo.is_disabled()
    for n in range(of):
        assert hand.done.is_disabled()
        assert f"{of - n} left" in hand.done.inner_text()
        hand.drag(n, 0.2, 0.2)
    assert hand.done.is_disabled()  # all lie on one spot
    assert "one spot" in hand.done.inner_text()
    hand.drag(of - 1, -0.5, 0.5)
    assert hand.done.is_enabled()
    page.keyboard.press("Control+z")
    assert hand.done.is_disabled()
    hand.undo.click()
    assert "1 left" in hand.done.inner_text()
    page.wait_for_timeout(300)  # it glides back to where it was
    hand.drag(of - 1, -0.5, 0.5)
    hand.done.click()
    until(lambda: study.answers)
    (given,) = study.answers.values()
    assert len(given["response"]["places"]) == of
    assert not given["skipped"]


@pytest.mark.parametrize(("device", "scheme"), [(DESKTOP, "dark"), (PHONE, "light")])
def test_axe_finds_nothing_and_30_fit(visit, device, scheme):
    page = visit(FakeStudy("arrangement", total=1), device, color_scheme=scheme)
    begin(page)
    hand = Hand(page)
    assert hand.wait() == 30
    assert no_scrolling(page)
    assert_apart(page)
    for stage in ("outside", "inside"):
        if stage == "inside":
            page.locator(".piece").first.focus()
            press(page, "Enter", "ArrowUp")
        assert barriers(page) == [], stage


@pytest.mark.parametrize("language", ["en", "ar"])
def test_on_a_phone_30_are_large_and_wait_in_a_tray(visit, language):
    """With the bars of a browser a phone has some 600 of its 844 pixels left."""
    phone = {**PHONE, "viewport": {"width": 390, "height": 600}}
    study = FakeStudy("arrangement", total=1, languages=[language])
    page = visit(study, phone, reduced_motion="reduce")
    for _ in range(2):
        page.locator(".primary").click()
    hand = Hand(page)
    assert hand.wait() == 30
    boxes = [one.bounding_box() for one in page.locator(".piece").all()]
    assert min(min(one["width"], one["height"]) for one in boxes) >= 48
    last = page.locator(".piece").last
    assert not 0 <= last.bounding_box()["x"] <= 390
    assert barriers(page) == []
    at = page.evaluate(PLACES)
    forth = -1 if language == "en" else 1
    swipe = at["pieces"][3][0] + forth * 150, at["pieces"][3][1]
    hand.touch(3, swipe[0] / at["radius"], swipe[1] / at["radius"])  # along the tray, which moves
    moved = page.evaluate(PLACES)["pieces"]
    assert np.allclose(np.subtract(moved, at["pieces"]), [forth * 150, 0], atol=2)
    last.focus()
    press(page, "Shift+Tab", "Tab")
    assert 0 <= last.bounding_box()["x"] <= 390 - 48
    for n in range(26, 29):  # each is dragged out of the tray, where the others close the gap
        hand.touch(n, *hand.target(n, 30))
        at = page.evaluate(PLACES)
        put = np.array(at["pieces"][n]) / at["radius"]
        assert np.allclose(put, hand.target(n, 30), atol=0.03)


def assert_apart(page):
    """No piece that is still outside covers another, or the circle."""
    at = page.evaluate(PLACES)
    wide = page.locator(".piece").first.bounding_box()["width"]
    pieces = np.array(at["pieces"])
    gaps = np.abs(pieces[:, None] - pieces).max(axis=2) + 1e6 * np.eye(len(pieces))
    assert gaps.min() >= wide
    assert (np.hypot(*pieces.T) > at["radius"]).all()


def test_a_turned_phone_keeps_what_was_arranged(visit):
    page = visit(FakeStudy("arrangement", total=1, n=4), SMALL)
    begin(page)
    hand = Hand(page)
    hand.wait()
    hand.touch(0, 0.5, -0.25)
    page.wait_for_timeout(250)
    page.set_viewport_size({"width": 640, "height": 360})
    page.wait_for_timeout(250)
    at = page.evaluate(PLACES)
    assert np.allclose(np.array(at["pieces"][0]) / at["radius"], [0.5, -0.25], atol=0.03)
    stage = page.locator("#stage")
    assert stage.evaluate("(stage) => stage.scrollHeight - stage.clientHeight") <= 1


def test_what_is_held_or_has_the_focus_is_shown_larger(visit):
    page = visit(FakeStudy("arrangement", total=1, n=4), DESKTOP)
    begin(page)
    hand = Hand(page)
    hand.wait()
    at = page.evaluate(PLACES)
    left, top = at["pieces"][0]
    page.mouse.move(at["x"] + left, at["y"] + top)
    page.mouse.down()
    page.locator(".closer img").wait_for()
    small = page.locator(".piece").first.bounding_box()["width"]
    assert page.locator(".closer").bounding_box()["width"] > 1.5 * small
    page.mouse.move(at["x"], at["y"])
    page.locator(".closer img").wait_for(state="detached")
    page.mouse.up()
    page.locator(".piece").nth(1).focus()
    page.keyboard.press("Tab")
    page.locator(".closer img").wait_for()
