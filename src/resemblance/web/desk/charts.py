"""Data of the desk's charts."""

from collections.abc import Sequence
from typing import Any

from resemblance.store import Scored

Json = dict[str, Any]
TOGETHER = "all answers"
LEAST = 20  # held-out answers below which an error says nothing: it may be 0 of 2


def activity(counts: Json, zone: str = "UTC") -> Json:
    width = counts["width"]
    bins = [[place * width, n.get("answers", 0), n.get("people", 0)] for place, n in counts["bins"]]
    return {"width": width, "bins": bins, "zone": zone}


def errors(spaces: Sequence[Scored]) -> Json:
    """Return the held-out error of each fit with its interval, for each strategy.

    First all answers; then what the answers to each strategy's questions teach by themselves. Fits
    with fewer than 20 test answers are left out.
    """
    series: dict[str, list[list[float]]] = {TOGETHER: []}
    for space in spaces:
        _add(series[TOGETHER], space.scores["fitted"], space.scores)
        for name, scores in space.scores.get("strategies", {}).items():
            _add(series.setdefault(name, []), scores["answers"], scores)
    lines = [{"name": name, "points": points} for name, points in series.items() if points]
    ceiling = spaces[-1].scores.get("ceiling") if spaces else None
    return {"series": lines, "ceiling": ceiling}


def enough(scores: Json) -> bool:
    """Return whether an error is based on enough answers to be shown.

    >>> enough({"error": 0.0, "held_out": 2}), enough({"error": 0.2, "held_out": 20})
    (False, True)
    """
    return scores.get("error") is not None and scores.get("held_out", 0) >= LEAST


def _add(points: list[list[float]], answers: int, scores: Json) -> None:
    """Add a fit, unless it has too few test answers or repeats the last one."""
    if enough(scores) and (not points or answers > points[-1][0]):
        points.append([answers, scores["error"], scores["low"], scores["high"]])
