"""People rank options, pick several or sort them into piles by mouse, finger and keyboard."""

import pytest

from browser.conftest import barriers
from browser.fake_study import FakeStudy
from browser.participant import DESKTOP, PHONE, SMALL, begin, no_scrolling, until
from browser.real_server import HASTY, OPEN, small_server

pytestmark = pytest.mark.browser

# What is given to each kind: the places that are picked, in order, or the pile of each option.
GIVEN = {"ranking": [2, 0, 3, 1], "pick_k": [0, 2, 3], "piles": [0, 1, 0, 2]}
TASKS = {"task_size": 3, "per_participant": 1, "practice": 0, "gold_share": 0.0}
SETTINGS = {**HASTY, "study": {"n_options": 4}, "tasks": TASKS}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    studies = {kind: {"kind": kind, "settings": SETTINGS} for kind in GIVEN}
    with small_server(tmp_path_factory.mktemp("served"), 8, **studies) as server:
        yield server


def wait(page, last=None):
    """Until the next question is open, and takes answers; say which it is."""
    page.wait_for_function(OPEN, arg=last)
    page.wait_for_timeout(170)
    return page.locator("[data-open]").get_attribute("data-open")


def done(page):
    return page.get_by_role("button", name="Done")


def give(page, kind, how):
    """Answer by click, drag, touch or keys, and say that it is done."""
    if kind == "piles":
        sort(page, how)
    else:
        pick(page, GIVEN[kind][:3], how)
    ways = {"keyboard": lambda: done(page).press("Enter"), "touch": done(page).tap}
    ways.get(how, done(page).click)()


def pick(page, places, how):
    """Pick some options, one after the other."""
    for place in places:
        option = page.locator(".option").nth(place)
        if how == "keyboard":
            option.focus()
            page.keyboard.press("Enter")
        else:
            option.tap() if how == "touch" else option.click()


def sort(page, how):
    """Put all into the piles wanted, each where the page has it: by drag, press or number."""
    things = page.locator(".option").element_handles()
    for thing, pile in zip(things, GIVEN["piles"], strict=True):
        target = page.locator(f"[data-pile='{pile}']")
        if how == "drag":
            box, to = thing.bounding_box(), target.bounding_box()
            page.mouse.move(box["x"] + 20, box["y"] + 20)
            page.mouse.down()
            page.mouse.move(to["x"] + to["width"] / 2, to["y"] + to["height"] / 2, steps=2)
            page.mouse.up()
        elif how == "keyboard":
            thing.focus()
            page.keyboard.press(str(pile + 1))
        else:
            thing.tap() if how == "touch" else thing.click()
            name = target.locator(".pile-name")
            name.tap() if how == "touch" else name.click()


@pytest.mark.parametrize(
    ("kind", "device", "ways"),
    [
        ("ranking", PHONE, ("touch", "keyboard", "mouse")),
        ("pick_k", DESKTOP, ("mouse", "keyboard", "mouse")),
        ("piles", DESKTOP, ("drag", "keyboard", "press")),
        ("piles", PHONE, ("touch", "keyboard", "touch")),
    ],
)
def test_a_study_by_every_input_is_kept_as_it_was_given(server, visit, kind, device, ways):
    page = visit(server.address(kind), device)
    begin(page)
    opened = None
    for how in ways:
        opened = wait(page, opened)
        assert no_scrolling(page)
        give(page, kind, how)
    page.get_by_role("heading", name="A few last questions").wait_for()
    with server.newest(kind) as (live, person):
        answers = live.store.answers.of(person)
        name = "piles" if kind == "piles" else "picked"
        assert [one.response for one in answers] == [{name: GIVEN[kind]}] * 3
        inputs = [one.client["input"] for one in answers]
        assert inputs[1] == "keyboard"
        assert (inputs[0] == "touch") == (device is PHONE)


@pytest.mark.parametrize("kind", ["ranking", "pick_k"])
def test_what_was_picked_is_said_and_may_be_changed(visit, kind):
    study = FakeStudy(kind, total=1, n=4)
    page = visit(study, SMALL)
    begin(page)
    wait(page)
    options = page.locator(".option")
    assert no_scrolling(page)
    assert done(page).is_disabled()
    for place in (3, 1):
        options.nth(place).click()
    pressed = [options.nth(n).get_attribute("aria-pressed") for n in range(4)]
    assert pressed == ["false", "true", "false", "true"]
    assert "stimulus 2" in page.locator(".said").inner_text()
    options.nth(3).click()  # and, of a ranking, those after it
    assert options.nth(1).get_attribute("aria-pressed") == str(kind != "ranking").lower()
    assert done(page).is_disabled()
    assert barriers(page) == []
    for place in GIVEN[kind][:3] if kind == "ranking" else [0, 2]:
        options.nth(place).click()
    done(page).click()
    until(lambda: len(study.answers) == 1)
    assert len(study.answers["q000"]["response"]["picked"]) == len(GIVEN[kind])


def test_what_was_sorted_is_said_and_an_empty_pile_goes(visit):
    study = FakeStudy("piles", total=1, n=5)
    page = visit(study, SMALL)
    begin(page)
    wait(page)
    assert done(page).is_disabled()
    assert page.locator(".pile").count() == 1
    things = page.locator(".option").element_handles()
    for thing, pile in zip(things, (1, 2, 3), strict=False):
        thing.focus()
        page.keyboard.press(str(pile))
    assert page.locator(".pile").count() == 4
    assert "stimulus 3" in page.locator(".said").inner_text()
    assert barriers(page) == []
    things[0].focus()
    page.keyboard.press("3")
    assert page.locator(".pile .option").count() == 3
    assert page.locator(".pile").count() == 3
    assert no_scrolling(page)
    page.get_by_role("button", name="Skip").click()
    until(lambda: len(study.answers) == 1)
    assert study.answers["q000"]["response"] is None
