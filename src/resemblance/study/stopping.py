"""Pause a study when a fit fulfils one of the stopping rules."""

from collections.abc import Callable, Sequence
from operator import ge, le, lt
from typing import Any

from resemblance.store import Scored
from resemblance.study.live import LiveStudy

Json = dict[str, Any]
LOOK = "stopping rules"  # name of an event in the audit trail
WHO = "stopping rule"  # name of stopping rules as actors in the audit trail
REACHED: dict[str, Callable[[Any, Any], bool]] = {
    "answers": ge,
    "error": lt,
    "gain": lt,
    "spacing": le,
}


def figures(live: LiveStudy) -> Json:
    """Return the numbers that stopping rules compare, from the last fit; None if unknown."""
    scored = live.store.spaces.scored(live.record)
    scores = scored[-1].scores if scored else {}
    gains = scores.get("advice")
    return {
        "answers": scored[-1].answers if scored else 0,
        "told_of": scores.get("told_of"),
        "error": (scores.get("random") or {}).get("high"),
        "gain": gains[0]["high"] if gains else None,
        "spacing": _spacing(scored[-2:]),
    }


def _spacing(last_two: Sequence[Scored]) -> float | None:
    """Return how even designed stimuli are in both fits, because one may look even by chance."""
    designs = [design for space in last_two if (design := space.scores.get("design"))]
    if len(designs) < 2 or designs[0]["rounds"] != designs[1]["rounds"]:
        return None
    return float(max(design["accuracy"] for design in designs))


def reached(rules: Json, seen: Json) -> list[str]:
    return [
        name
        for name, bound in rules.items()
        if seen[name] is not None and REACHED[name](seen[name], bound)
    ]


def look(live: LiveStudy) -> bool:
    """Apply the stopping rules, record this, and return whether the study was paused.

    A rule pauses the study once for each limit; if somebody resumes the study, it does not pause
    again.
    """
    rules = live.settings.rules
    if not rules:
        return False
    store, record, seen = live.store, live.record, figures(live)
    due = reached(rules, seen)
    new = [name for name in due if (name, rules[name]) not in acted(live)]
    pauses = new if live.ordered == "open" else []
    details = {"rules": rules, "figures": seen, "reached": due, "paused_by": pauses}
    # The study is paused before this is recorded, because the worker may be killed in between.
    if pauses:
        store.studies.set_state(record, "paused", WHO)
        live.reread()
    store.events.record(record, WHO, LOOK, details)
    return bool(pauses)


def acted(live: LiveStudy) -> set[tuple[str, Any]]:
    looks = [event.details for event in live.store.events.audit(live.record, LOOK)]
    return {(name, look["rules"][name]) for look in looks for name in look["paused_by"]}
