"""Overview of a study for the desk, from stored counts, with the data of its charts."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from math import floor, log10
from statistics import median
from typing import Any, ClassVar

from resemblance.catalog import MODELS
from resemblance.store import Pulse, Scored, Space
from resemblance.store.people import GONE
from resemblance.study.entry import UNANSWERED_MINUTES, held_places, holding
from resemblance.study.live import LiveStudy
from resemblance.study.stopping import LOOK, WHO
from resemblance.study.thumbnails import pictures

Json = dict[str, Any]
TOGETHER = "all answers"
LEAST = 20  # With fewer held-out answers, the error is too uncertain to show.
ALIVE_S = 45.0  # A worker is alive for this many seconds after a heartbeat.
EMPTY: Json = {
    "answers": 0,
    "people": 0,
    "purposes": {},
    "simulated": 0,
    "simulated_answers": 0,
    "left_out": 0,
    "whole": {"width": 60.0, "bins": []},
    "recent": {"width": 60.0, "bins": []},
    "not_drawn": {},
}
UNSURE = 20  # number of items in the list of the least certain positions
# significant digits of the largest coordinate; all coordinates have as many decimal places
DIGITS = 4


def activity(counts: Json, zone: str = "UTC") -> Json:
    width = counts["width"]
    bins = [[place * width, n.get("answers", 0), n.get("people", 0)] for place, n in counts["bins"]]
    return {"width": width, "bins": bins, "zone": zone}


def errors(spaces: Sequence[Scored]) -> Json:
    """Return the held-out error of each fit with its interval, for all answers and by strategy."""
    series: dict[str, list[list[float]]] = {TOGETHER: []}
    for space in spaces:
        _add(series[TOGETHER], space.scores["fitted"], space.scores)
        for name, scores in space.scores.get("strategies", {}).items():
            _add(series.setdefault(name, []), scores["answers"], scores)
    lines = [{"name": name, "points": points} for name, points in series.items() if points]
    ceiling = spaces[-1].scores.get("ceiling") if spaces else None
    return {"series": lines, "ceiling": ceiling}


def enough(scores: Json) -> bool:
    return scores.get("error") is not None and scores.get("held_out", 0) >= LEAST


def _add(points: list[list[float]], answers: int, scores: Json) -> None:
    if enough(scores) and (not points or answers > points[-1][0]):
        points.append([answers, scores["error"], scores["low"], scores["high"]])


@dataclass(frozen=True)
class Overview:
    live: LiveStudy
    unanswered_minutes: ClassVar[float] = UNANSWERED_MINUTES

    @cached_property
    def pulse(self) -> Pulse | None:
        return self.live.store.tallies.pulse(self.live.record)

    @property
    def counts(self) -> Json:
        return EMPTY | (self.pulse.told if self.pulse else {})

    @cached_property
    def states(self) -> dict[str, int]:
        return self.live.store.people.counts(self.live.record)

    @property
    def places(self) -> Json | None:
        most = self.live.settings.recruitment.max_participants
        if most is None:
            return None
        people = partial(self.live.store.people.counts, self.live.record)
        held = held_places(people(*holding(self.live)))
        lapsed = held_places(people()) - held
        return {"most": most, "held": held, "lapsed": lapsed}

    @cached_property
    def spaces(self) -> list[Scored]:
        return self.live.store.spaces.scored(self.live.record)

    @property
    def last(self) -> Scored | None:
        return self.spaces[-1] if self.spaces else None

    @property
    def failure(self) -> str | None:
        events = self.live.store.events
        failed = events.last(self.live.record, "fit failed")
        fitted = events.last(self.live.record, "fit")
        if failed is None or (fitted is not None and fitted.id > failed.id):
            return None
        return str(failed.details["reason"])

    @property
    def paused_by(self) -> str:
        looks = self.live.store.events.audit(self.live.record, LOOK)
        paused = [look for look in looks if look.details["paused_by"]]
        if not paused or self.live.record.state != "paused":
            return ""
        last = self.live.store.events.last(self.live.record, "study paused")
        if last is None or last.who != WHO:  # A person has paused the study after the rule did.
            return ""
        seen, rules = paused[-1].details["figures"], paused[-1].details["rules"]
        names = paused[-1].details["paused_by"]
        return "; ".join(f"{name} {seen[name]}, the bound is {rules[name]}" for name in names)

    @property
    def queued(self) -> int:
        return self.live.store.pool.size(self.live.record)

    @property
    def arms(self) -> list[Json]:
        counts = self.live.store.people.arms(self.live.record)
        kept = {name: Counter(counts.get(name, {})) for name in self.live.settings.conditions.arms}
        return [
            {
                "name": name,
                "under way": of["entered"] + of["consented"],
                "finished": of["finished"],
                "gone": sum(of[state] for state in GONE),
            }
            for name, of in kept.items()
        ]

    @property
    def is_at_work(self) -> bool:
        """Whether the worker's last heartbeat is recent, and not in the future."""
        return self.pulse is not None and abs(self.live.clock() - self.pulse.at) < ALIVE_S

    @property
    def first_fit(self) -> int:
        return self.live.settings.first_fit(len(self.live.first.stimuli))

    @property
    def verdict(self) -> Json | None:
        return self.last.scores.get("next") if self.last else None

    @property
    def spent(self) -> Json:
        """The total time (hours) and pay of people who are not simulated.

        People who have not finished are included with their share of answered questions.
        """
        settings, finished = self.live.settings, self.states.get("finished", 0)
        paid, whole = settings.recruitment, settings.total - settings.tasks.practice
        answers = self.counts["answers"] - self.counts["simulated_answers"]
        parts = finished + max(0, answers - finished * whole) / whole
        return {
            "hours": parts * settings.exact_minutes / 60.0,
            "cost": finished * paid.pay,
            "under_way": self.states.get("consented", 0),
            "to_come": self.states.get("consented", 0) * paid.pay,
            "currency": paid.currency,
        }

    @property
    def minutes(self) -> float | None:
        took = self.live.store.people.took(self.live.record)
        return median(took) / 60.0 if took else None

    @property
    def tested(self) -> Json | None:
        """The error on random questions as in `resemblance fit`, else on held-out questions."""
        scores = self.last.scores if self.last else {}
        return scores.get("random") or (scores if enough(scores) else None)

    @property
    def model(self) -> Json | None:
        model = self.last.scores.get("model") if self.last else None
        if not model or model["name"] not in MODELS:
            return None
        order = sorted(model["log_losses"].items(), key=lambda pair: pair[1])
        losses = [(MODELS[name].title, loss) for name, loss in order if name in MODELS]
        return {
            "title": MODELS[model["name"]].title,
            "has_odds": MODELS[model["name"]].has_odds,
            "losses": losses,
            "told": model["told"],
            "prior": (model.get("prior") or {}).get("words"),
        }

    @property
    def when_told(self) -> str:
        """Text such as " after 1,200 answers" if error and advice are from an earlier fit."""
        told_of = self.last.scores.get("told_of") if self.last else None
        late = self.last is not None and told_of is not None and told_of < self.last.answers
        return f" after {told_of:,} answers" if late else ""

    @property
    def uses(self) -> list[tuple[str, int]]:
        """Pairs (use, number of answers), such as gold; numbers add up to all answers."""
        purposes, scores = self.counts["purposes"], self.last.scores if self.last else {}
        fitted = "templates" if self.live.kind.has_templates else "map"
        used = {
            f"in the {fitted}": scores.get("fitted", 0),
            "held out to test it": scores.get("held_out", 0),
            "of people left out": self.counts["left_out"],
            "gold": purposes.get("gold", 0),
            "repeats": purposes.get("repeat", 0),
            "skipped": purposes.get("skipped", 0),
        }
        rest = self.counts["answers"] - sum(used.values())
        used["of people left out"] += min(rest, 0)
        late = "not in the last fit yet" if self.live.settings.maps else "for the fit afterwards"
        return [(words, n) for words, n in [*used.items(), (late, rest)] if n > 0]

    @cached_property
    def space(self) -> Space | None:
        return self.live.store.spaces.latest(self.live.record)

    def map(self) -> Json:
        assert self.space is not None
        # Later items were added after the fit and have no position.
        placed = len(self.space.positions)
        deviation = self.space.uncertainty
        return {
            "names": self.live.folder.names[:placed],
            "images": pictures(self.live.folder)[:placed],
            "points": short(self.space.positions),
            "uncertainty": deviation and [float(f"{x:.3g}") for x in deviation],
        }

    def items(self) -> list[Json]:
        """Return the name of each item, and the address of its small picture."""
        names, drawn = self.live.folder.names, pictures(self.live.folder)
        return [{"name": n, "picture": p} for n, p in zip(names, drawn, strict=True)]

    def least_certain(self) -> list[Json]:
        assert self.space is not None
        deviation, counts = self.space.uncertainty, self.space.scores["shown"]
        if deviation is None:
            return []
        most = max(deviation)
        drawn = pictures(self.live.folder)
        order = sorted(range(len(deviation)), key=lambda i: -deviation[i])[:UNSURE]
        names = self.live.folder.names
        return [
            {
                "name": names[i],
                "picture": drawn[i],
                "deviation": deviation[i],
                "share": deviation[i] / most if most else 0.0,
                "shown": counts[i],
            }
            for i in order
        ]


def short(positions: list[list[float]]) -> list[list[float]]:
    most = max(abs(x) for row in positions for x in row) or 1.0
    digits = DIGITS - 1 - floor(log10(most))
    return [[round(x, digits) + 0.0 for x in row] for row in positions]
