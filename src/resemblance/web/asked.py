"""What a person is asked next, and how the page gets to see it."""

from collections.abc import Sequence
from random import Random
from typing import Any

from resemblance.store import Participant, Served, Wanted
from resemblance.web.course import LAG, break_before, course
from resemblance.web.kinds.base import Spec, Told
from resemblance.web.live import LiveStudy
from resemblance.web.panel import panel_question
from resemblance.web.settings import RIGHT_KINDS, SESSION_KINDS


def wanted(live: LiveStudy, participant: Participant, asked: int, n: int) -> list[Wanted]:
    """Plan the next questions of a person who was asked so many before.

    Main questions come from the worker's pool where the study is adaptive, and are made at random
    where the pool is empty or there is none.
    """
    plan = course(live.settings, participant.code)
    places = range(asked, asked + n)
    purposes = [plan[place] if place < len(plan) else "main" for place in places]
    history = _history(live, participant, purposes)
    made = []
    for place, purpose in zip(places, purposes, strict=True):
        rng = Random(f"{live.settings.study.seed} {participant.code} {place}")
        gold = (
            panel_question(live, participant.code, plan, place, rng) if purpose == "gold" else None
        )
        made.append(gold or _one(live, purpose, rng, history))
    return made


def _one(live: LiveStudy, purpose: str, rng: Random, history: Sequence[Told]) -> Wanted:
    """Make one question; where there is no gold, or nothing to repeat, a main one."""
    kind = live.kind
    spec: Spec | None = None
    if purpose == "gold":
        spec = kind.gold(live.folder, rng)
    elif purpose == "repeat" and history:
        spec = kind.again(rng.choice(history[:-LAG] or history[:1])[0], rng)
    elif purpose == "practice":
        return Wanted(kind.spec(live.folder, rng, history), "practice")
    if spec is not None:
        return Wanted(spec, "gold" if purpose == "gold" else "repeat")
    return Wanted(kind.spec(live.folder, rng, history), "main", live.settings.adaptive)


def _history(live: LiveStudy, participant: Participant, purposes: Sequence[str]) -> list[Told]:
    """Read what a person answered to main questions, where that decides what is asked."""
    if live.settings.study.kind in SESSION_KINDS and "repeat" not in purposes:
        return []
    answers = live.store.answers_of(participant)
    return [(one.spec, one.response) for one in answers if one.purpose == "main"]


def shown(live: LiveStudy, question: Served) -> dict[str, Any]:
    """Give a question as the page gets it; gold and repeats look like all others."""
    return _page(live, question) | {
        "id": question.id,
        "kind": question.kind,
        "purpose": "practice" if question.purpose == "practice" else "main",
        "place": question.place,
        "prompt": live.settings.study.prompt,
        "feedback": has_feedback(live, question),
        "break_before": break_before(live.settings, question.place),
    }


def _page(live: LiveStudy, question: Served) -> dict[str, Any]:
    """Give what is shown; an item that was added a moment ago may not be known yet."""
    try:
        return live.kind.page(question.spec, live.folder, question.id)
    except KeyError:
        live.reread()
    return live.kind.page(question.spec, live.folder, question.id)


def has_feedback(live: LiveStudy, question: Served) -> bool:
    """Say whether the page tells if the answer was right."""
    settings = live.settings
    if question.kind not in RIGHT_KINDS:
        return False  # it would tell which questions are gold
    sounds = question.kind == "classify" and settings.staircase.sound
    return settings.tasks.feedback or sounds or question.purpose == "practice"
