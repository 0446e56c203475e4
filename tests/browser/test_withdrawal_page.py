"""Participants stop on the page: by mouse and keys, on a phone, and over a bad network."""

import pytest

from browser.conftest import barriers, need_pages
from browser.fake_study import FakeStudy
from browser.participant import (
    DESKTOP,
    PHONE,
    begin,
    no_scrolling,
    until,
)
from browser.real_server import AppServer, Participant, begin_studies

pytestmark = pytest.mark.browser

STOP, BACK = "I want to stop", "Go on with the study"
KEEP, DELETE = "Stop, and let my answers be kept", "Stop, and delete my answers"
LEFT = "You have stopped taking part"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    need_pages()
    home = tmp_path_factory.mktemp("served")
    server = AppServer(home, begin_studies(home, ["triplet"]))
    yield server
    server.stop()


def press(page, name):
    page.get_by_role("button", name=name, exact=True).click()


def heading(page, name):
    page.get_by_role("heading", name=name).wait_for()


def focus(page, name):
    """Press Tab until a button has the focus."""
    for _ in range(10):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent") == name:
            return
    raise AssertionError(f"no way to {name}")


def open_question(page, place=0):
    page.wait_for_selector(f'[data-open="q{place:03d}"]')
    page.wait_for_timeout(170)


@pytest.mark.parametrize(("device", "keep"), [(DESKTOP, False), (PHONE, True)])
def test_the_real_server_does_as_people_say(server, visit, device, keep):
    page = visit(server.address("triplet"), device)
    page.get_by_role("button", name="I agree").wait_for()
    assert not page.get_by_role("button", name=STOP).is_visible()
    begin(page)
    person = Participant(page)
    person.practise()
    person.click(0)
    person.click(1)
    person.settle()
    page.locator("[data-open]").wait_for()
    assert no_scrolling(page)
    with server.newest("triplet") as (_, before):
        assert before.state == "consented"
    press(page, STOP)
    heading(page, "Do you want to stop")
    press(page, KEEP if keep else DELETE)
    heading(page, "Stop, and")
    press(page, "Stop taking part" if keep else "Delete and stop")
    heading(page, LEFT)
    with server.newest("triplet") as (live, after):
        assert after.code == before.code
        assert after.state == ("withdrawn" if keep else "stopped")
        given = live.store.answers.of(after)
        assert len(given) == (len(person.said) if keep else 0)
        assert live.store.questions.outstanding(after) == []
    assert page.get_by_text(before.code).count() == keep
    page.reload()
    heading(page, LEFT)
    assert not page.get_by_role("button", name=STOP).is_visible()


def test_the_last_page_offers_it_too(server, visit):
    page = visit(server.address("triplet"))
    begin(page)
    person = Participant(page)
    person.practise()
    for _ in range(6):
        person.click(0)
    person.fill()
    person.thanks()
    press(page, "Withdraw my answers")
    page.get_by_text("Note your completion code first").wait_for()
    press(page, DELETE)
    press(page, "Delete and stop")
    heading(page, LEFT)
    with server.newest("triplet") as (live, left):
        assert (left.state, left.completion_code) == ("stopped", None)
        assert live.store.answers.of(left) == []


def test_by_keys_alone_and_no_key_answers_meanwhile(visit):
    study = FakeStudy(total=3)
    page = visit(study)
    begin(page)
    open_question(page)
    focus(page, STOP)
    page.keyboard.press("Enter")
    heading(page, "Do you want to stop")
    assert page.evaluate("document.activeElement.textContent") == BACK
    for key in ("1", "2", "ArrowLeft", "ArrowRight"):
        page.keyboard.press(key)
    page.keyboard.press("Escape")
    page.locator("dialog").wait_for(state="detached")
    assert study.answers == {}
    page.keyboard.press("1")
    until(lambda: len(study.answers) == 1)
    (given,) = study.answers.values()
    assert given["client"]["focus_losses"] >= 1  # who read the dialog looked at no question
    assert given["client"]["unfocused_ms"] > 0
    open_question(page, 1)
    focus(page, STOP)
    page.keyboard.press("Enter")
    heading(page, "Do you want to stop")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    heading(page, "Stop, and let your answers be kept?")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    heading(page, LEFT)
    assert study.withdrawn == [True]


def test_people_are_told_to_return_their_submission(visit):
    page = visit(FakeStudy(service="prolific"))
    begin(page)
    open_question(page)
    press(page, STOP)
    press(page, KEEP)
    press(page, "Stop taking part")
    page.get_by_text("on Prolific").wait_for()
    page.get_by_text("write to lab@example.org").wait_for()


def test_a_reply_that_is_lost_is_asked_for_again(visit):
    study = FakeStudy()
    page = visit(study)
    begin(page)
    open_question(page)
    study.refuse["/api/me/withdraw"] = [(503, "unavailable"), (401, "unknown_token")]
    press(page, STOP)
    press(page, DELETE)
    press(page, "Delete and stop")
    heading(page, LEFT)
    assert study.withdrawn == []  # done by the first request, whose reply was lost
    page.get_by_text("is deleted").wait_for()


def test_nothing_is_left_on_the_device_but_that_somebody_stopped(visit):
    study = FakeStudy()
    page = visit(study)
    begin(page)
    open_question(page)
    study.refuse["/api/me/answers"] = [(503, "unavailable")] * 50
    page.keyboard.press("1")
    open_question(page, 1)
    press(page, STOP)
    press(page, DELETE)
    press(page, "Delete and stop")
    heading(page, LEFT)
    assert page.evaluate("Object.keys(localStorage)") == ["resemblance:study:left"]
    page.goto(page.url + "?new")
    page.get_by_role("button", name="I agree").or_(
        page.get_by_role("heading", name=LEFT)
    ).wait_for()
    assert len(study.entries) == 2


def test_no_barrier_that_axe_knows(visit):
    page, seen = visit(FakeStudy(), PHONE), []

    def look():
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            seen.extend(barriers(page))

    begin(page)
    open_question(page)
    look()
    press(page, STOP)
    look()
    press(page, DELETE)
    look()
    press(page, "Delete and stop")
    heading(page, LEFT)
    look()
    assert seen == []
    box = page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert box
