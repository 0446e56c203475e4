"""Ratings: people rate the similarity of two items on a scale."""

from collections.abc import Mapping, Sequence
from math import dist, exp, inf
from random import Random
from types import MappingProxyType
from typing import Any

from resemblance.study.kinds.base import (
    JudgmentTable,
    Kind,
    Material,
    Options,
    Point,
    Response,
    Row,
    Spec,
    Told,
)
from resemblance.study.sections import Section, setting


class Scale(Section):
    """The texts at the ends of the rating scale."""

    low: str = setting("", "Label of the first point; default: a text of the language.")
    high: str = setting("", "Label of the last point; default: a text of the language.")


class PairRating(Kind):
    """Ratings: people rate the similarity of two items. The options are points of the scale."""

    name = "pair_rating"
    about = "how similar two things are, on a scale of n_options points"
    plugin = "rating"
    judgment = "Ratings"
    command = "resemblance fit ratings.{0} --kind ratings --items items.{0}"
    options = Options(2, 7, 11)
    sides_drawn = False  # The points of the scale have a fixed order.
    section = ("scale", Scale)
    adaptive = True
    of_pairs = True
    no_gold = "only an item rated with itself has a right answer: remove tasks.gold"
    asking = MappingProxyType({"start_per_head": 3})

    def of_items(self, items: Sequence[str], material: Material, rng: Random) -> Spec:
        return self._spec(material.options, rng.sample(items, 2))

    def spec(self, material: Material, rng: Random, history: Sequence[Told] = ()) -> Spec:
        pair, strategy = material.pair(rng)
        return self._spec(material.options, pair) | {"strategy": strategy}

    def gold(self, material: Material, rng: Random) -> Spec | None:
        """Return a question that shows one item twice; the highest rating is right."""
        pair = [rng.choice(material.names)] * 2
        return self._spec(material.options, pair) | {
            "strategy": "gold",
            "gold": material.options - 1,
        }

    def _spec(self, n_points: int, pair: Sequence[str]) -> Spec:
        points = [str(point) for point in range(1, n_points + 1)]
        return self.new(None, points, pair=list(pair))

    def again(self, spec: Spec, rng: Random) -> Spec:
        pair = rng.sample(spec["pair"], 2)
        return spec | {"pair": pair, "session": None, "strategy": "repeat"}

    def identity(self, spec: Spec) -> tuple[Any, ...]:
        return tuple(sorted(spec["pair"]))

    def page(self, spec: Spec, material: Material, question: str) -> dict[str, Any]:
        scale = material.own
        assert isinstance(scale, Scale)
        return {
            "head": None,
            "options": [material.for_page(name, place) for place, name in enumerate(spec["pair"])],
            "timing": None,
            "extra": {"labels": spec["options"], "low": scale.low, "high": scale.high},
        }

    def imagined(
        self, question: Mapping[str, Any], seen: Sequence[Point], rng: Random, noise: float
    ) -> Response:
        """Rate at the share :math:`e^{-d^2 / 2}` of the scale, with normal errors of SD T / 10."""
        points = len(question["extra"]["labels"])
        if noise == inf:
            return {"chosen": rng.randrange(points)}
        square = dist(*seen) ** 2
        error = rng.gauss(0.0, 0.1 * noise) if square else 0.0
        return {"chosen": round((points - 1) * min(1.0, max(0.0, exp(-square / 2) + error)))}

    def row(self, spec: Spec, response: Response) -> Row:
        a, b = spec["pair"]
        return {"a": a, "b": b, "rating": response["chosen"] + 1, "points": len(spec["options"])}

    @property
    def tables(self) -> tuple[JudgmentTable, ...]:
        """The ratings, without catch trials, which show one item twice."""
        columns = {
            "a": "The item on the left.",
            "b": "The item on the right.",
            "rating": "Similarity, from 1 (lowest) to the number of points.",
            "points": "Number of points of the scale.",
        }
        return (JudgmentTable("ratings", "A rated pair.", columns, _differ),)

    def fits(self, options: int) -> bool:
        return False

    def distances(self, options: int) -> int:
        return 1

    def measures(
        self, answers: Sequence[tuple[Spec, Response]], position: Mapping[str, int]
    ) -> dict[str, Any]:
        return {
            "pairs": [[position[name] for name in spec["pair"]] for spec, _ in answers],
            "rating": [response["chosen"] + 1 for _, response in answers],
            "points": [len(spec["options"]) for spec, _ in answers],
        }

    def items_shown(self, spec: Spec) -> list[str]:
        return list(spec["pair"])

    def n_items(self, options: int) -> int:
        return 2


def _differ(spec: Spec) -> bool:
    return len(set(spec["pair"])) == 2
