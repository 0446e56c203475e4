"""Nobody is paid for nothing: the completion code and approval need a least share of answers."""

import pytest

from resemblance.study.participation import HELD
from resemblance.study.quality import Quality
from resemblance.study.recruit import Submission, decide
from web.conftest import reply_to

ID = "5f3a5f3a5f3a5f3a5f3a5f3a"
CODE = "TIES42"
SKIPPED = {"skipped": True, "rt_ms": 2000}
UNSHOWN = SKIPPED | {"client": {"unshown": True}}


def rim(question):
    return {"response": {"places": [[1.0, 0.0], *[[0.0, 1.0]] * (len(question["options"]) - 1)]}}


@pytest.fixture
def begin(make_study, serve):
    def begin_(**sections):
        recruitment = {"source": "prolific", "completion_code": CODE}
        quality = {"fast_ms": 0} | sections.pop("quality", {})
        folder = make_study(recruitment=recruitment, quality=quality, **sections)
        return serve(folder)

    return begin_


def taken_part(served, sends):
    """Somebody who sends of each question what is given for its number."""
    person = served.person(parameters={"PROLIFIC_PID": ID})
    person.begin()
    standing, number = person.answer(), 0
    while standing["questions"]:
        question = standing["questions"][0]
        reply = reply_to(question) | sends(question, number)
        reply["response"] = None if reply.get("skipped") else reply["response"]
        standing = person.post("answers", {"answers": [reply], "want": 4})
        number += 1
    return person


def approval(served):
    (decision,) = decide(served.live, "prolific", [Submission("s1", ID, waiting=True)])
    return decision


NOTHING = {
    "skips everything": ({}, lambda question, number: SKIPPED),
    "says that nothing was shown": ({"tasks": {"skip": False}}, lambda question, number: UNSHOWN),
    "is quicker than anybody looks": (
        {"quality": {"fast_ms": 300}},
        lambda question, number: {"rt_ms": 20},
    ),
    "says that it took long": (
        {"quality": {"fast_ms": 300}},
        lambda question, number: {"rt_ms": 2000},
    ),
    "moves nothing": (
        {"study": {"name": "ties", "kind": "arrangement", "n_options": 4}},
        lambda question, number: rim(question),
    ),
    "answers two in five": ({}, lambda question, number: SKIPPED if number % 5 > 1 else {}),
}


@pytest.mark.parametrize(("sections", "sends"), NOTHING.values(), ids=NOTHING)
def test_who_answers_too_little_gets_no_code_and_waits_for_the_researcher(begin, sections, sends):
    served = begin(**sections)
    person = taken_part(served, sends)
    for _ in range(2):
        assert person.post("finish") == {"code": None, "redirect": None}
    assert person.get().json()["state"] == "finished"
    decision = approval(served)
    assert (decision.code, decision.approved) == (person.code, False)
    assert decision.reason.startswith("answered ")
    (verdict,) = Quality.of(served.live).verdicts()
    assert (verdict.code, verdict.rule.action) == (person.code, "hold")
    (held,) = served.store.events.audit(served.live.record, HELD)
    assert held.details["participant"] == person.code


@pytest.mark.parametrize(
    ("quality", "sends"),
    [
        ({}, lambda question, number: {}),
        ({}, lambda question, number: SKIPPED if number % 3 == 0 else {}),
        ({"rules": []}, lambda question, number: SKIPPED),
    ],
    ids=["answers", "skips a third", "may skip all"],
)
def test_who_answers_gets_the_code(begin, quality, sends):
    served = begin(quality=quality)
    person = taken_part(served, sends)
    done = person.post("finish")
    assert done["code"] == CODE
    assert CODE in done["redirect"]["url"]
    assert approval(served).approved


@pytest.mark.parametrize("least", [0.4, 0.0])
def test_the_page_knows_the_share_before_consent_and_so_does_the_desk(begin, least):
    rule = {"measure": "answered", "below": least, "action": "hold"}
    served = begin(quality={"rules": [rule] if least else []})
    person = served.person(parameters={"PROLIFIC_PID": ID})
    me = person.get().json()
    assert (me["state"], me["least_answered"]) == ("consent", least)
    link = {"secret": served.shared.accounts.invite(), "password": "a long password"}
    served.client.post("/desk/login", data=link)
    assert ("40\u00a0%" in served.client.get("/desk/ties/people").text) is bool(least)
