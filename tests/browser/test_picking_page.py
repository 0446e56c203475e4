"""People rank options, or pick several of them, by mouse, finger and keyboard: whole studies."""

import pytest

from browser.conftest import barriers, need_pages
from browser.fake_study import FakeStudy, picture
from browser.participant import DESKTOP, PHONE, SMALL, begin, no_scrolling, until
from browser.real_server import CONSENT, HASTY, OPEN, AppServer
from resemblance.study.creation import create_study

pytestmark = pytest.mark.browser

SETTINGS = {
    **HASTY,
    "study": {"n_options": 4},
    "tasks": {"task_size": 3, "per_participant": 1, "practice": 0, "gold_share": 0.0},
}
KINDS = {"ranking": [2, 0, 3, 1], "pick_k": [0, 2, 3]}  # the places that are picked, in order


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    need_pages()
    home = tmp_path_factory.mktemp("served")
    (home / "pictures").mkdir()
    for number in range(8):
        (home / "pictures" / f"shape{number:02d}.png").write_bytes(picture(str(number), 200))
    for kind in KINDS:
        create_study(home / kind, kind, images=home / "pictures", settings=SETTINGS, pages=CONSENT)
    server = AppServer(home, list(KINDS))
    yield server
    server.stop()


def wait(page, last=None):
    """Until the next question is open, and takes answers; say which it is."""
    page.wait_for_function(OPEN, arg=last)
    page.wait_for_timeout(170)
    return page.locator("[data-open]").get_attribute("data-open")


def done(page):
    return page.get_by_role("button", name="Done")


def pick(page, places, how):
    """Pick some options: by click, by touch, or by arrows and Enter."""
    for place in places:
        option = page.locator(".option").nth(place)
        if how == "keyboard":
            option.focus()
            page.keyboard.press("Enter")
        else:
            option.tap() if how == "touch" else option.click()
    give = {"keyboard": lambda: done(page).press("Enter"), "touch": done(page).tap}
    give.get(how, done(page).click)()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("device", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_a_study_by_every_input_is_kept_as_it_was_picked(server, visit, kind, device):
    picked = KINDS[kind]
    page = visit(server.address(kind), device)
    begin(page)
    opened = None
    for how in ("touch" if device is PHONE else "mouse", "keyboard", "mouse"):
        opened = wait(page, opened)
        assert no_scrolling(page)
        pick(page, picked[: 3 if kind == "ranking" else None], how)
    page.get_by_role("heading", name="A few last questions").wait_for()
    with server.newest(kind) as (live, person):
        answers = live.store.answers.of(person)
        assert [one.response for one in answers] == [{"picked": picked}] * 3
        inputs = [one.client["input"] for one in answers]
        assert inputs[1] == "keyboard"
        assert inputs[0] == ("touch" if device is PHONE else "mouse")


@pytest.mark.parametrize("kind", KINDS)
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
    for place in KINDS[kind][:3] if kind == "ranking" else [0, 2]:
        options.nth(place).click()
    done(page).click()
    until(lambda: len(study.answers) == 1)
    assert len(study.answers["q000"]["response"]["picked"]) == len(KINDS[kind])


@pytest.mark.parametrize("kind", KINDS)
def test_a_skip_picks_nothing(visit, kind):
    study = FakeStudy(kind, total=1, n=4)
    page = visit(study, DESKTOP)
    begin(page)
    wait(page)
    page.locator(".option").first.click()
    page.get_by_role("button", name="Skip").click()
    until(lambda: len(study.answers) == 1)
    assert study.answers["q000"]["response"] is None
