"""People in real browsers take part in real studies: the store holds exactly what they answered."""

from itertools import chain
from urllib.parse import urlsplit

import pytest

from browser.conftest import need_pages
from browser.participant import (
    DESKTOP,
    PHONE,
    begin,
    no_scrolling,
    open_address,
)
from browser.real_server import (
    ACKNOWLEDGED,
    CONDITIONS,
    HASTY,
    PRACTICE,
    QUESTIONS,
    STRICT,
    AppServer,
    Participant,
    begin_studies,
    small_server,
)
from relay import FAULTS, PASSED_ON, Relay

pytestmark = pytest.mark.browser

SERVED = ["triplet", "match_to_sample", "classify", STRICT, CONDITIONS]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    need_pages()
    home = tmp_path_factory.mktemp("served")
    server = AppServer(home, begin_studies(home, SERVED))
    yield server
    server.stop()


def assert_all_kept(server, kind, participant):
    """The log holds what was answered, once each, in order; the code is that of the store."""
    assert len(participant.said) == PRACTICE + QUESTIONS
    assert server.given(kind) == participant.said
    with server.newest(kind) as (live, person):
        assert person.state == "finished"
        assert live.store.questions.outstanding(person) == []
        participant.page.get_by_text(person.completion_code).wait_for()
        purposes = [one.purpose for one in live.store.answers.of(person)]
        assert purposes.count("practice") == PRACTICE
        assert purposes.count("gold") == (kind != "match_to_sample")


@pytest.mark.parametrize(
    ("kind", "device"),
    [("match_to_sample", PHONE), ("classify", DESKTOP)],  # timed, and a staircase
    ids=lambda value: value if isinstance(value, str) else str(value["viewport"]["width"]),
)
def test_whole_way_with_a_reload_and_a_lost_network(server, visit, kind, device):
    page = visit(server.address(kind), device)
    begin(page)
    person = Participant(page)
    person.practise()
    person.click(1)
    assert no_scrolling(page)
    person.click(0)
    person.settle()
    page.reload()
    person.click(1)
    person.settle()
    page.context.set_offline(True)
    person.click(1)
    if kind != "classify":  # there the next image waits for the answer to the one before
        person.click(0)
    page.get_by_text("Your answers are kept on this device").wait_for()
    page.context.set_offline(False)
    while len(person.said) < PRACTICE + QUESTIONS:
        person.click(0)
    person.fill()
    person.thanks()
    assert_all_kept(server, kind, person)


def test_one_condition_after_the_other(server, visit):
    page = visit(server.address(CONDITIONS), PHONE)
    page.get_by_role("button", name="I agree").click()
    person, seen = Participant(page), []
    for _ in range(PRACTICE + 4):
        title = page.locator("h1").first
        title.wait_for()
        page.wait_for_selector(".option, button:has-text('Continue')")
        while not page.locator(".option").count():
            seen.append(title.inner_text())
            assert no_scrolling(page)
            page.get_by_role("button", name="Continue").click()
            page.wait_for_selector(".option, button:has-text('Continue')")
        seen.append(title.inner_text())
        person.click(0)
    page.get_by_role("heading", name="A few last questions").wait_for()
    page.wait_for_function(ACKNOWLEDGED)
    with server.newest(CONDITIONS) as (live, stored):
        first, second = stored.arm.split(">")
        assert len(live.store.answers.of(stored)) == len(person.said)
    assert seen == [
        *[f"Now {first}", f"{first}?", "That was the practice", f"{first}?", f"{first}?"],
        *[f"Now {second}", f"{second}?", f"{second}?"],
    ]


def test_a_network_that_drops_doubles_and_reorders_loses_nothing(server, visit):
    faults = sorted(FAULTS, key=lambda fault: fault != "502 afterwards")  # which the entry meets
    pauses = ([fault] if fault in PASSED_ON else [fault, ""] for fault in faults)
    with Relay(urlsplit(server.host).port, chain.from_iterable(pauses)) as relay:
        page = visit(f"{relay.address}/s/triplet")
        begin(page)
        person = Participant(page)
        person.practise()
        while len(person.said) < PRACTICE + QUESTIONS:
            person.click(1)
        person.fill()
        person.thanks()
    assert {fault for fault, _ in relay.met} == set(FAULTS)
    assert_all_kept(server, "triplet", person)
    with server.newest("triplet") as (live, _):
        people = [one.state for one in live.store.people.all(live.record)]
        assert people.count("entered") == 0


# What is on the screen: a question after the last one, a word about a picture that is lost, fields.
SHOWN = """
(last) => {
  if (document.querySelector("dialog[open] button")) return "lost";
  if (document.querySelector("fieldset, form .field-box")) return "fields";
  const open = document.querySelector("[data-open]")?.dataset.open;
  return open && open !== last ? "question" : null;
}
"""


def test_a_picture_that_cannot_be_had_holds_nobody_up_where_nothing_may_be_skipped(server, browser):
    with browser.page(**DESKTOP) as page:
        skipped = skip_what_is_lost(page, server)
    assert skipped
    with server.newest(STRICT) as (live, stored):
        answers = live.store.answers.of(stored)
        assert stored.state == "finished"
        assert len(answers) == PRACTICE + QUESTIONS
        assert sum(one.skipped for one in answers) == skipped
        assert all(one.client["unshown"] == one.skipped for one in answers)


def skip_what_is_lost(page, server):
    """Answer all questions but those with one picture, which never comes; count these."""
    open_address(page, server.address(STRICT), [])
    person, lost = Participant(page), []

    def lose(route):
        lost.append(lost[0] if lost else route.request.url)
        route.fulfill(status=404) if route.request.url == lost[0] else route.continue_()

    begin(page)
    person.practise()
    page.route("**/media/**", lose)
    skipped = 0
    while (shown := page.wait_for_function(SHOWN, arg=person.said[-1][0]).json_value()) != "fields":
        if shown == "question":
            person.click(0)
        else:
            page.get_by_role("button", name="Skip this question").click()
            page.locator("dialog[open]").wait_for(state="detached")
            skipped += 1
    person.fill()
    person.thanks()
    return skipped


@pytest.mark.parametrize("device", [DESKTOP, PHONE], ids=["1280", "390"])
def test_words_are_asked_after_an_answer_that_a_reload_keeps(visit, tmp_path, device):
    tasks = {"per_participant": 1, "task_size": 2, "gold_share": 0.0, "practice": 0}
    settings = {**HASTY, "tasks": {**tasks, "reason_share": 1.0}}
    study = {"kind": "odd_one_out", "settings": settings}
    with small_server(tmp_path, 6, asking=study) as server:
        page = visit(server.address("asking"), device)
        begin(page)
        page.locator("[data-open]").wait_for()
        page.wait_for_timeout(170)
        page.keyboard.press("2")
        page.get_by_label("In which way").fill("never sent")
        page.reload()
        field = page.get_by_label("In which way")
        field.wait_for()
        assert field.evaluate("field => field === document.activeElement && field.value === ''")
        assert no_scrolling(page)
        page.keyboard.type("<b>louder 1</b>")
        page.keyboard.press("Enter")
        page.locator("[data-open]").wait_for()
        page.wait_for_timeout(170)
        page.locator(".option .choose, button.option").first.focus()
        page.keyboard.press("Enter")
        page.keyboard.press("Enter")  # a second press skips nothing
        page.wait_for_timeout(600)
        page.get_by_role("button", name="Skip").click()
        page.wait_for_function(ACKNOWLEDGED)
        assert "given" not in page.evaluate("() => Object.keys(localStorage).join()")
        with server.newest("asking") as (live, person):
            first, second = live.store.answers.of(person)
        assert first.response == {"chosen": 1, "reason": "<b>louder 1</b>"}
        assert (first.client["restarts"], second.response["reason"]) == (1, "")
