"""Odd one out: people pick the item that differs from the others."""

from collections.abc import Mapping, Sequence
from math import comb, dist, inf
from random import Random
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
    drawn_of,
)
from resemblance.study.sections import Section

MOST_FITTED = 12  # options whose pairs (66) a worker can weigh while people answer


class OddOneOut(Kind):
    name = "odd_one_out"
    about = "which one of three or more differs from the others"
    plugin = "odd-one-out"
    judgment = "OddOneOuts"
    command = "resemblance fit odd_one_outs.{0} --kind odd_one_outs --items items.{0}"
    adaptive = True
    options = Options(3, 3, 24)

    def spec(self, material: Material, rng: Random, history: Sequence[Told] = ()) -> Spec:
        return self.new(None, rng.sample(material.names, material.options))

    def gold(self, material: Material, rng: Random) -> Spec | None:
        """Return one of the researcher's questions, or copies of one item beside another item."""
        if material.gold:
            return super().gold(material, rng)
        same, odd = rng.sample(material.names, 2)
        place = rng.randrange(material.options)
        options = [same] * material.options
        options[place] = odd
        return self.new(None, options, place, strategy="gold")

    def row(self, spec: Spec, response: Response) -> Row:
        return {"odd": self.answered(spec, response), "options": spec["options"]}

    def imagined(
        self, question: Mapping[str, Any], seen: Sequence[Point], rng: Random, noise: float
    ) -> Response:
        r""":math:`P(k) \propto e^{-s_k / T}`, with s the mean squared distance of the rest."""
        squares = [[dist(a, b) ** 2 for b in seen] for a in seen]
        single = [place for place, row in enumerate(squares) if row.count(0.0) == 1]
        if noise < inf and len(single) == 1:  # the others are the same
            return {"chosen": single[0]}
        total, pairs = sum(map(sum, squares)) / 2, comb(len(seen) - 1, 2)
        left = [(total - sum(row)) / pairs for row in squares]
        return {"chosen": drawn_of([-square / noise for square in left], rng)}

    def fits(self, options: int) -> bool:
        """Return whether a question has few enough pairs for a worker."""
        return options <= MOST_FITTED

    def session(self, options: int, own: Section | None = None) -> dict[str, Any]:
        return {"n_options": options, "odd_one_out": True}

    @property
    def tables(self) -> tuple[JudgmentTable, ...]:
        columns = {
            "odd": "The item chosen as the odd one.",
            "options": "All items shown, in their order.",
        }
        return (JudgmentTable("odd_one_outs", "An odd one out.", columns, _differ),)


def _differ(spec: Spec) -> bool:
    return len(set(spec["options"])) == len(spec["options"])
