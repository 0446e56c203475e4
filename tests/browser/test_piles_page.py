"""People sort pictures into piles by mouse, finger and keyboard: a whole study."""

import pytest

from browser.conftest import barriers, need_pages
from browser.fake_study import FakeStudy, picture
from browser.participant import DESKTOP, PHONE, SMALL, begin, no_scrolling, until
from browser.real_server import CONSENT, HASTY, OPEN, AppServer
from resemblance.study.creation import create_study

pytestmark = pytest.mark.browser

SETTINGS = {
    **HASTY,
    "study": {"n_options": 5},
    "tasks": {"task_size": 3, "per_participant": 1, "practice": 0},
}
PILES = [0, 1, 0, 2, 1]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    need_pages()
    home = tmp_path_factory.mktemp("served")
    (home / "pictures").mkdir()
    for number in range(8):
        (home / "pictures" / f"shape{number:02d}.png").write_bytes(picture(str(number), 200))
    create_study(
        home / "piles", "piles", images=home / "pictures", settings=SETTINGS, pages=CONSENT
    )
    server = AppServer(home, ["piles"])
    yield server
    server.stop()


def wait(page, last=None):
    page.wait_for_function(OPEN, arg=last)
    page.wait_for_timeout(170)
    return page.locator("[data-open]").get_attribute("data-open")


def sort(page, how):
    """Put all into the piles wanted, each where the page has it, by drag, press or number."""
    things = page.locator(".option").element_handles()
    for thing, pile in zip(things, PILES, strict=True):
        target = page.locator(f"[data-pile='{pile}']")
        if how == "drag":
            box, to = thing.bounding_box(), target.bounding_box()
            page.mouse.move(box["x"] + 20, box["y"] + 20)
            page.mouse.down()
            for share in (0.5, 1.0):
                x, y = to["x"] + to["width"] / 2, to["y"] + to["height"] / 2
                page.mouse.move(
                    box["x"] + 20 + share * (x - box["x"] - 20),
                    box["y"] + 20 + share * (y - box["y"] - 20),
                )
            page.mouse.up()
        elif how == "keyboard":
            thing.focus()
            page.keyboard.press(str(pile + 1))
        else:
            thing.tap() if how == "touch" else thing.click()
            name = target.locator(".pile-name")
            name.tap() if how == "touch" else name.click()
    done = page.get_by_role("button", name="Done")
    give = {"keyboard": lambda: done.press("Enter"), "touch": done.tap}
    give.get(how, done.click)()


@pytest.mark.parametrize("device", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_a_study_by_every_input_is_kept_as_it_was_sorted(server, visit, device):
    page = visit(server.address("piles"), device)
    begin(page)
    opened = None
    ways = ("touch", "keyboard", "touch") if device is PHONE else ("drag", "keyboard", "press")
    for how in ways:
        opened = wait(page, opened)
        assert no_scrolling(page)
        sort(page, how)
    page.get_by_role("heading", name="A few last questions").wait_for()
    with server.newest("piles") as (live, person):
        answers = live.store.answers.of(person)
        assert [one.response for one in answers] == [{"piles": PILES}] * 3
        assert [one.client["input"] for one in answers][1] == "keyboard"


def test_what_was_sorted_is_said_and_an_empty_pile_goes(visit):
    study = FakeStudy("piles", total=1, n=5)
    page = visit(study, SMALL)
    begin(page)
    wait(page)
    assert page.get_by_role("button", name="Done").is_disabled()
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
