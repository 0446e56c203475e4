"""Piles: people sort items into groups."""

import json
from collections.abc import Mapping, Sequence
from itertools import combinations
from math import dist
from random import Random
from statistics import StatisticsError, correlation
from typing import Any

from resemblance.study.kinds.arrangement import ALIKE, FEWEST, Arrangement, seldom_together
from resemblance.study.kinds.base import (
    JudgmentTable,
    Material,
    Options,
    Point,
    Response,
    ResponseError,
    Row,
    Spec,
    Told,
    drawn_of,
)

NEW_PILE = 1.5  # squared distance from a pile at which somebody imagined begins another one
DIFFERENT, SAME = 1, 2  # a pair of items as a rating on two points


class Piles(Arrangement):
    r"""Which of these belong together? Pairs in one pile are rated 2 of 2, others 1.

    .. math:: P(\text{same pile}) = \sigma\Big( \log \frac{s(d)}{s(0)} - \theta_u \Big)

    is the model of :class:`resemblance.Ratings` with two points: person u begins another pile
    beyond the distance at the threshold. The model ignores that piles are transitive, so pairs of
    one answer count too much; they share its ``response_id``.

    A response has the pile of each option, in their order: ``{"piles": [0, 0, 1]}``.
    """

    name = "piles"
    about = "what belongs together: people sort things into piles"
    plugin = "piles"
    judgment = "Ratings"
    command = "resemblance fit ratings.{0} --items items.{0} --kind ratings"
    options = Options(FEWEST, 12, 24)
    seconds = 45.0
    section = None
    no_gold = "no sorting into piles is right or wrong: leave tasks.gold out"
    adaptive = False

    def spec(self, material: Material, rng: Random, history: Sequence[Told] = ()) -> Spec:
        """Draw items whose pairs were seldom sorted together."""
        size = min(material.options, len(material.names))
        return self.new(None, seldom_together(material.names, size, history, rng))

    def check(self, spec: Spec, response: Any) -> Response:
        """Return the pile of each option, numbered by first use."""
        sent = response.get("piles") if isinstance(response, dict) and len(response) == 1 else None
        n = len(spec["options"])
        piles = (
            [pile for pile in sent if type(pile) is int and 0 <= pile < n]
            if isinstance(sent, list)
            else []
        )
        if not len(piles) == len(sent or ()) == n:
            raise ResponseError(
                f"the response is {str(response)[:80]!r}: send {{'piles': [...]}}, the number of "
                f"the pile, from 0 to {n - 1}, of each of the {n} items"
            )
        order = list(dict.fromkeys(piles))
        return {"piles": [order.index(pile) for pile in piles]}

    def imagined(
        self, question: Mapping[str, Any], seen: Sequence[Point], rng: Random, noise: float
    ) -> Response:
        r"""Put items in turn on a pile, or begin a new one.

        .. math:: P(\text{pile}) \propto e^{-\overline{d^2} / T}, \qquad P(\text{another}) \propto
           e^{-1.5 / T}

        with the mean over the items of the pile.
        """
        piles: list[list[Point]] = []
        places = []
        for point in seen:
            far = [sum(dist(point, other) ** 2 for other in pile) / len(pile) for pile in piles]
            place = drawn_of([-apart / noise for apart in (*far, NEW_PILE)], rng)
            if place == len(piles):
                piles.append([])
            piles[place].append(point)
            places.append(place)
        return {"piles": places}

    def answered(self, spec: Spec, response: Response) -> str:
        placed = zip(spec["options"], response["piles"], strict=True)
        return json.dumps(dict(placed), ensure_ascii=False)

    def alike(self, first: str, again: str) -> bool:
        """Return whether both answers group similar pairs (r of 0.5 or more), or are equal."""
        before, after = json.loads(first), json.loads(again)
        pairs = list(combinations(before, 2))
        together = [[at[a] == at[b] for a, b in pairs] for at in (before, after)]
        try:
            return together[0] == together[1] or correlation(*together) >= ALIKE
        except StatisticsError:  # all in one pile, or none with another
            return False

    def worked_on(self, response: Response) -> bool:
        return 1 < len(set(response["piles"])) < len(response["piles"])

    def row(self, spec: Spec, response: Response) -> Row:
        return self.exported(spec, response, 0)[0]

    def exported(self, spec: Spec, response: Response, number: int) -> list[Row]:
        """Return a row for each pair, with the answer's number as the response."""
        placed = zip(spec["options"], response["piles"], strict=True)
        rated = [
            (a, b, SAME if p == q else DIFFERENT) for (a, p), (b, q) in combinations(placed, 2)
        ]
        more = {"points": SAME, "response_id": number}
        return [{"a": a, "b": b, "rating": rating} | more for a, b, rating in rated]

    @property
    def tables(self) -> tuple[JudgmentTable, ...]:
        columns = {
            "a": "An item.",
            "b": "Another one.",
            "rating": "2 where they are in one pile, 1 where they are not.",
            "points": "2.",
            "response_id": "Number of the answer, the same in all its pairs.",
        }
        return (JudgmentTable("ratings", "A pair of items that were sorted.", columns),)

    def measures(
        self, answers: Sequence[tuple[Spec, Response]], position: Mapping[str, int]
    ) -> dict[str, Any]:
        rows = [row for n, answer in enumerate(answers) for row in self.exported(*answer, n)]
        return {
            "pairs": [[position[row["a"]], position[row["b"]]] for row in rows],
            "rating": [row["rating"] for row in rows],
            "points": SAME,
            "response_id": [row["response_id"] for row in rows],
        }
