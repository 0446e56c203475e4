"""The participant's page as people meet it, on desktop and phone, over good networks and bad."""

import re

import pytest

from browser.conftest import barriers
from browser.fake_study import FakeStudy
from browser.participant import (
    SMALL,
    begin,
    no_scrolling,
    until,
)
from resemblance.study.kinds import KINDS
from resemblance.study.languages import find_language
from resemblance.study.quality import no_hand

pytestmark = pytest.mark.browser

PROMPT = "Someone likes the first of these a lot. Which of the others would they like best?"
TIMING = {"fixation_ms": 100, "head_ms": 300, "gap_ms": 200, "gap": "mask", "options_ms": None}
OF_THEIR_OWN = ("arrangement", "pick_k", "piles", "ranking")  # which have tests of their own
CLICKED = [kind for kind in KINDS if kind not in OF_THEIR_OWN]


def wait(page, place):
    """Until the question takes answers: those of the first 150 ms are meant for the one before."""
    page.wait_for_selector(f'[data-open="q{place:03d}"]')
    page.wait_for_timeout(170)


def answer(page, place, option=1):
    wait(page, place)
    page.keyboard.press(str(option))


def click(page, place, option=1):
    wait(page, place)
    page.locator(".option").nth(option - 1).click()


def fill(page):
    page.get_by_label("How old are you?").fill("33")
    page.get_by_label("Sometimes").check()
    page.get_by_label("1, very easy").check()
    page.get_by_role("button", name="Continue").click()


def finish(page):
    fill(page)
    page.get_by_text("C0FFEE-42").wait_for()


def choices(study):
    return {id: study.chosen(id) for id in sorted(study.answers)}


@pytest.mark.parametrize("kind", CLICKED)
def test_whole_way_on_a_small_phone_that_need_not_scroll(visit, kind):
    timing = TIMING if kind == "match_to_sample" else None
    further = {"timing": timing, "feedback": kind == "classify", "prompt": PROMPT}
    study = FakeStudy(kind, total=3, practice=1, **further)
    page = visit(study, SMALL, search="?PROLIFIC_PID=abc&x=%C3%BC")
    begin(page)
    click(page, 0, 1)
    page.get_by_role("heading", name="That was the practice").wait_for()
    page.get_by_role("button", name="Continue").click()
    for place, option in ((1, 2), (2, 1), (3, 2)):
        wait(page, place)
        assert no_scrolling(page)
        click(page, place, option)
    finish(page)

    assert choices(study) == {"q000": 0, "q001": 1, "q002": 0, "q003": 1}
    assert study.entries[0]["parameters"] == {"PROLIFIC_PID": "abc", "x": "ü"}
    assert study.filled["about"] == {"age": 33, "sight": "Sometimes", "effort": 1, "remark": None}
    assert study.stored_twice == []
    assert study.finished == 1
    for given in study.answers.values():
        assert given["rt_ms"] >= 150
        assert given["client"]["screen"]["width"] == SMALL["viewport"]["width"]
        assert given["client"]["input"] in ("mouse", "touch")
        assert list(given["response"]) == ["chosen"]


@pytest.mark.parametrize(
    ("kind", "media"),
    [("triplet", "text"), ("one_of_n", "audio")],
)
def test_a_small_phone_need_not_scroll(visit, kind, media):
    page = visit(FakeStudy(kind, media, prompt=PROMPT, feedback=True), SMALL)
    begin(page)
    wait(page, 0)
    assert no_scrolling(page)


def test_reload_goes_on_where_it_was(visit):
    study = FakeStudy(total=4)
    study.media_delay = 0.5
    page = visit(study)
    begin(page)
    answer(page, 0, 2)
    answer(page, 1, 2)
    wait(page, 2)
    until(lambda: len(study.answers) == 2)
    page.reload()
    answer(page, 2, 1)
    answer(page, 3, 2)
    finish(page)
    assert choices(study) == {"q000": 1, "q001": 1, "q002": 0, "q003": 1}
    assert len(study.entries) == 1
    assert study.answers["q000"]["client"]["loading_ms"] > 400
    assert [study.answers[f"q00{n}"]["client"]["restarts"] for n in range(4)] == [0, 0, 1, 0]


def test_the_next_person_at_a_shared_computer_begins_anew(visit):
    study = FakeStudy(total=4)
    page = visit(study)
    begin(page)
    answer(page, 0, 2)
    until(lambda: len(study.answers) == 1)
    address = page.url
    page.goto(f"{address}?new&wave=2")
    until(lambda: len(study.entries) == 2)
    assert page.url == f"{address}?wave=2"
    page.wait_for_load_state("networkidle")
    page.reload()  # is for the same person
    page.wait_for_load_state("networkidle")
    assert len(study.entries) == 2
    page.goto(f"{address}?new")
    until(lambda: len(study.entries) == 3)


def test_unsent_answers_survive_a_reload_and_a_lost_reply_doubles_none(visit):
    study = FakeStudy(total=4)
    page = visit(study)
    begin(page)
    wait(page, 0)
    study.refuse["/api/me/answers"] = [(503, "busy")]
    answer(page, 0, 2)
    until(lambda: study.refuse["/api/me/answers"] == [])
    assert study.answers == {}
    page.reload()
    until(lambda: len(study.answers) == 1)  # it was kept in the browser
    wait(page, 1)
    study.lose_replies = 2
    for place in (1, 2, 3):
        answer(page, place)
    finish(page)
    assert choices(study) == {"q000": 1, "q001": 0, "q002": 0, "q003": 0}
    assert study.lose_replies == 0
    assert study.stored_twice == []


def test_broken_media_can_be_skipped(visit):
    study = FakeStudy(total=2, skip=False, least_answered=0.5)
    study.refuse["/media"] = [(404, "unknown_media")] * 12
    page = visit(study)
    begin(page)
    skip = page.get_by_role("button", name="Skip this question")
    skip.wait_for()
    assert find_language("en").strings["error.media.pay"] in page.locator("body").inner_text()
    skip.click()
    study.refuse.clear()
    answer(page, 1)
    finish(page)
    assert study.answers["q000"]["skipped"]
    assert study.answers["q000"]["response"] is None


def test_sample_gap_and_options_come_in_their_time(visit):
    study = FakeStudy("match_to_sample", total=2, timing=TIMING, feedback=True)
    page = visit(study)
    begin(page)
    wait(page, 0)
    page.keyboard.press("ArrowRight")
    page.get_by_text("Not right").wait_for()
    wait(page, 1)
    page.keyboard.press("ArrowLeft")
    page.get_by_text("Right", exact=True).wait_for()
    finish(page)
    assert page.evaluate("parts") == ["fixation", "head", "mask", "options"] * 2
    assert choices(study) == {"q000": 1, "q001": 0}
    for given in study.answers.values():
        timing = given["client"]["timing"]  # never shorter; longer where frames are late
        assert 280 <= timing["head_ms"] < 3000
        assert 180 <= timing["gap_ms"] < 3000


def test_keyboard_and_skip(visit):
    study = FakeStudy("one_of_n", total=4, n=8)
    page = visit(study)
    begin(page)
    wait(page, 0)
    for key in ("ArrowRight", "ArrowRight", "ArrowDown", "Enter"):  # first, second, below
        page.keyboard.press(key)
    answer(page, 1, 6)
    wait(page, 2)
    page.get_by_role("button", name="Skip").click()
    click(page, 3, 3)
    finish(page)
    assert choices(study) == {"q000": 5, "q001": 5, "q002": None, "q003": 2}
    inputs = [study.answers[f"q00{n}"]["client"]["input"] for n in range(4)]
    assert inputs == ["keyboard", "keyboard", "mouse", "mouse"]
    assert [study.answers[f"q00{n}"]["skipped"] for n in range(4)] == [False, False, True, False]


def test_skipping_takes_time_and_brings_no_code(visit):
    study = FakeStudy(total=1, least_answered=0.5, code=None)
    page = visit(study)
    assert "50%" in page.locator(".prose").inner_text()
    begin(page)
    wait(page, 0)
    skip = page.get_by_role("button", name="Skip")
    assert skip.is_disabled()
    skip.click()  # once it can be
    fill(page)
    page.locator(".held").first.wait_for()
    assert page.locator(".code").count() == 0
    (given,) = study.answers.values()
    assert given["skipped"]
    assert given["rt_ms"] >= 900


def test_one_click_answers_one_question(visit):
    study = FakeStudy(total=3)
    page = visit(study)
    begin(page)
    wait(page, 0)
    page.evaluate(
        """new MutationObserver(() => {
            if (globalThis.clicked || !document.querySelector('[data-open="q001"]')) return;
            globalThis.clicked = true;
            document.querySelector(".option").click();
        }).observe(document, { attributes: true, subtree: true })"""
    )
    page.locator(".option").first.dblclick()  # the second click, and one at the paint of the next
    wait(page, 1)
    assert page.evaluate("clicked")
    assert "q001" not in study.answers


def test_noise_of_few_pixels_is_not_blurred(visit):
    study = FakeStudy("classify", total=1)
    study.picture_size = 40
    page = visit(study)
    begin(page)
    wait(page, 0)
    rendering = "getComputedStyle(document.querySelector('.head img')).imageRendering"
    assert page.evaluate(rendering) == "pixelated"


@pytest.mark.parametrize("how", ["click", "key"])
def test_no_answer_is_taken_before_all_sounds_were_heard(visit, how):
    study = FakeStudy("triplet", "audio", total=1)
    page = visit(study)
    begin(page)
    wait(page, 0)
    choose = page.get_by_role("button", name="Option 1: stimulus 1", exact=True)

    def answer_it():
        page.wait_for_timeout(200)
        if how == "key":
            page.keyboard.press("1")
        else:
            choose.click()

    page.wait_for_function("() => document.querySelectorAll('.heard').length == 1")  # the head
    answer_it()
    page.get_by_text("Please listen to all of them").wait_for()
    assert page.locator(".unheard").count() == 2
    for n, option in enumerate(("Option 1", "Option 2"), 2):
        page.get_by_role("button", name=f"Play: {option}").click()
        page.wait_for_function("n => document.querySelectorAll('.heard').length == n", arg=n)
    assert page.get_by_role("button", name="Play: Option 1: stimulus 1 ✓").count() == 1
    assert page.locator(".unheard").count() == 0
    assert study.answers == {}
    page.get_by_role("button", name="Play: Option 2").click()
    answer_it()
    finish(page)
    assert study.answers["q000"]["response"] == {"chosen": 0}
    assert study.answers["q000"]["client"]["plays"] == [1, 1, 2]  # the head plays by itself


@pytest.mark.parametrize("kind", ["pick_k", "pair_rating", "arrangement"])
def test_a_question_of_sounds_can_be_skipped_unheard(visit, kind):
    study = FakeStudy(kind, "audio", total=1)
    page = visit(study)
    begin(page)
    wait(page, 0)
    page.wait_for_timeout(200)
    if kind == "pair_rating":
        page.keyboard.press("1")
        page.get_by_text("Please listen to all of them").wait_for()
    page.get_by_role("button", name="Skip").click()
    finish(page)
    assert study.answers["q000"]["skipped"]


@pytest.fixture(scope="module")
def film(browser):
    """A second of a grey square, recorded by the browser itself."""
    with browser.page() as page:
        recorded = page.evaluate(
            """async () => {
            const canvas = document.createElement("canvas");
            const context = canvas.getContext("2d");
            const recorder = new MediaRecorder(canvas.captureStream(20));
            const parts = [];
            recorder.ondataavailable = (event) => parts.push(event.data);
            const stopped = new Promise((done) => (recorder.onstop = done));
            recorder.start();
            for (let frame = 0; frame < 15; frame++) {
                context.fillStyle = `hsl(0 0% ${4 * frame}%)`;
                context.fillRect(0, 0, 300, 150);
                await new Promise((done) => setTimeout(done, 50));
            }
            recorder.stop();
            await stopped;
            return Array.from(new Uint8Array(await new Blob(parts).arrayBuffer()));
        }"""
        )
    return bytes(recorded)


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_films_play_by_themselves_unless_motion_is_unwelcome(visit, film, motion):
    study = FakeStudy("odd_one_out", "video", total=1)
    study.film = film
    page = visit(study, reduced_motion=motion)
    begin(page)
    wait(page, 0)
    assert page.evaluate("[...document.querySelectorAll('video')].every((v) => v.videoWidth > 0)")
    assert no_scrolling(page)
    if motion == "reduce":
        page.get_by_role("button", name="Play: Option 3").click()
    page.wait_for_timeout(200)
    page.get_by_role("button", name="Option 3: stimulus 3", exact=True).click()
    finish(page)
    plays = study.answers["q000"]["client"]["plays"]
    assert plays == ([0, 0, 1] if motion == "reduce" else [1, 1, 1])


def test_staircases_wait_for_the_server_and_breaks_are_offered(visit):
    study = FakeStudy("classify", total=3, ahead=0, break_at=2, feedback=True)
    page = visit(study)
    begin(page)
    for place in range(2):
        wait(page, place)
        assert len(study.questions) == place + 1  # nothing served ahead
        page.keyboard.press("ArrowLeft")
    page.get_by_text("You have answered 2 of 3 questions").wait_for()
    page.keyboard.press("Tab")
    page.get_by_role("button", name="Continue").press("Enter")
    answer(page, 2)
    finish(page)


def test_who_declines_sees_the_end(visit):
    study = FakeStudy()
    page = visit(study)
    page.get_by_role("button", name="I do not agree").click()
    page.get_by_role("heading", name="This study has ended for you").wait_for()
    assert page.get_by_role("button").count() == 0


def test_a_pause_is_waited_out_and_a_lost_token_comes_in_anew(visit):
    study = FakeStudy(total=3)
    page = visit(study)
    begin(page)
    wait(page, 0)
    study.refuse["/api/me/answers"] = [(403, "paused"), (401, "unknown_token")]
    answer(page, 0)
    page.get_by_role("heading", name="The study is paused").wait_for()
    page.get_by_role("button", name="Try again").click()
    page.get_by_text("could not be found again").wait_for()
    page.get_by_role("button", name="Try again").click()
    answer(page, 1)
    answer(page, 2)
    finish(page)
    assert sorted(study.answers) == ["q000", "q001", "q002"]
    assert len(study.entries) == 2


def test_simulated_people_do_the_whole_study(visit):
    study = FakeStudy("triplet", total=12, practice=2, simulate="data-only")
    page = visit(study)
    page.get_by_text("C0FFEE-42").wait_for()
    assert len(study.answers) == 14
    assert {given["client"]["input"] for given in study.answers.values()} == {"simulated"}


def test_the_way_back_is_a_post_where_the_service_wants_one(visit):
    fields = {"assignmentId": "A1"}
    study = FakeStudy(total=1, redirect={"url": "/back", "method": "POST", "fields": fields})
    page = visit(study)
    begin(page)
    answer(page, 0)
    finish(page)
    with page.expect_request("**/back") as sent:
        page.get_by_role("button", name="Finish and go back").click()
    page.get_by_text("taken").wait_for()
    assert sent.value.method == "POST"
    assert sent.value.post_data == "assignmentId=A1"


def test_no_barrier_that_axe_knows(visit):
    page = visit(FakeStudy("one_of_n", total=1, n=3))
    seen = []

    def look():
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            seen.extend(barriers(page))

    page.get_by_role("button", name="I agree").wait_for()
    look()
    begin(page)
    wait(page, 0)
    look()
    page.keyboard.press("1")
    page.get_by_label("How old are you?").wait_for()
    look()
    finish(page)
    look()
    assert seen == []


def test_screen_readers_hear_question_and_options(visit):
    page = visit(FakeStudy(total=2))
    begin(page)
    wait(page, 0)
    said = page.locator("[aria-live]").text_content()
    assert re.match(r"Question 1 of 2\. Which of the two", said)
    assert page.get_by_role("button", name="Option 2: stimulus 2").count() == 1
    assert page.get_by_role("img", name="To compare with: stimulus 0").count() == 1


def test_a_hand_is_told_from_a_program_where_the_study_asks(visit):
    """As people do it, and as a program that steers a browser does, which never went the way."""
    study = FakeStudy(total=4, hand=True)
    page = visit(study)
    assert find_language("en").strings["consent.hand"] in page.locator(".prose").inner_text()
    begin(page)
    told = []
    for place, steps in enumerate((12, 12, 1, None)):
        wait(page, place)
        box = page.locator(".option").nth(place % 2).bounding_box()
        if steps is None:
            page.keyboard.press("1")
        else:
            page.mouse.move(box["x"] + 40, box["y"] + 40, steps=steps)
            page.mouse.click(box["x"] + 40, box["y"] + 40)
        until(lambda n=place: len(study.answers) > n)
        told.append(study.answers[f"q{place:03d}"]["client"]["hand"])
    assert [one["synthetic"] for one in told] == [0] * 4
    _, by_hand, by_program, by_key = told
    driven = by_hand.pop("driven")
    assert not no_hand(by_hand | {"driven": False})
    assert no_hand(by_program | {"driven": False})
    assert by_key["way"] is None
    assert no_hand(by_key) == driven


def test_time_elsewhere_is_recorded(visit):
    study = FakeStudy(total=1)
    page = visit(study)
    begin(page)
    wait(page, 0)
    page.evaluate("dispatchEvent(new Event('blur'))")
    page.wait_for_timeout(300)
    page.evaluate("dispatchEvent(new Event('focus'))")
    answer(page, 0)
    finish(page)
    client = study.answers["q000"]["client"]
    assert client["focus_losses"] == 1
    assert 250 < client["unfocused_ms"] < 2000
