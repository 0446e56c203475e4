"""Simulated participants, who see, answer, hurry and leave in their own ways."""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import exp, inf
from random import Random
from typing import Any

from resemblance.study.kinds import KINDS
from resemblance.study.kinds.base import Point
from resemblance.study.stimuli import digest_of
from resemblance.web.visitors import Visitor

Json = dict[str, Any]
LAPSE, CHEATERS, LEAVING = 0.05, 0.1, 0.1  # lapses of honest people; shares of people
SPREAD = 0.3  # the deviation of the logarithms of noise, weights and pace
HASTE_S = 0.25  # seconds of an answer given without looking
DISHONEST = ("guesses", "first place")


@dataclass(frozen=True)
class Imagined:
    """A simulated participant."""

    kind: str  # honest people who leave are gone before the last question
    noise: float
    weights: tuple[float, ...]  # weights of the dimensions
    pace: float  # factor on the kind's usual time
    stays: float  # share of the questions before leaving
    seed: int

    @property
    def is_honest(self) -> bool:
        return self.kind not in DISHONEST

    def seconds(self, usual: float, rng: Random) -> float:
        return usual * self.pace * exp(rng.gauss(0.0, SPREAD)) if self.is_honest else HASTE_S

    def answer(self, question: Json, seen: Sequence[Point], rng: Random) -> Json:
        kind = KINDS[question["kind"]]
        places = [[w * x for w, x in zip(self.weights, at, strict=True)] for at in seen]
        lapses = self.kind == "guesses" or (self.is_honest and rng.random() < LAPSE)
        gold = question.get("facts", {}).get("gold")
        if gold is not None and self.is_honest and not lapses:
            return kind.giving(question, gold)
        response = kind.imagined(question, places, rng, inf if lapses else self.noise)
        return kind.at_first_places(question, response) if self.kind == "first place" else response


def crowd(n: int, dimensions: int, rng: Random, noise: float = 1.0) -> list[Imagined]:
    """Draw simulated people: nine of ten are honest, and one of ten leaves before the end.

    >>> sorted({one.kind for one in crowd(30, 2, Random(0))})
    ['first place', 'guesses', 'honest', 'leaves']
    """
    cheats, leave = round(CHEATERS * n), round(LEAVING * n)
    kinds = [DISHONEST[number % 2] for number in range(cheats)] + ["leaves"] * leave
    kinds += ["honest"] * (n - len(kinds))
    rng.shuffle(kinds)

    def spread() -> float:
        return exp(rng.gauss(0.0, SPREAD))

    return [
        Imagined(
            kind,
            noise * spread(),
            tuple(spread() for _ in range(dimensions)),
            spread(),
            rng.uniform(0.1, 0.9) if kind == "leaves" else 1.0,
            rng.getrandbits(32),
        )
        for kind in kinds
    ]


def visitor(
    person: Imagined,
    name: str,
    address: str,
    study: str,
    places: Mapping[str, Point],
    total: int,
    facts_of: Callable[[str], Json] = lambda _: {},
    **more: Any,
) -> Visitor:
    """Return a visitor that acts for a simulated person.

    ``places`` maps the digest of a stimulus to its position. ``facts_of`` returns, for a
    question's id, what the person knows: the right place (``gold``), or the ``label`` of a noisy
    image.
    """
    rng, stop, asked = Random(person.seed), threading.Event(), 0

    def choose(question: Json) -> Json:
        nonlocal asked
        asked += 1
        if asked > person.stays * total:
            stop.set()  # the answer is never sent
        names = filter(None, [question["head"], *question["options"]])
        question = question | {"facts": facts_of(question["id"])}
        return person.answer(question, [_place(name, places) for name in names], rng)

    took: Callable[[Json], float] = partial(_seconds, person, rng)
    return Visitor(address, study, name, choose, took=took, stop=stop, **more)


def _seconds(person: Imagined, rng: Random, question: Json) -> float:
    return person.seconds(KINDS[question["kind"]].seconds, rng)


def _place(item: Json, places: Mapping[str, Point]) -> Point:
    """Return the position of an item; unknown images have random ones."""
    key = item["digest"] or digest_of((item["text"] or "").encode())
    return places.get(key) or next(iter(places.values()))
