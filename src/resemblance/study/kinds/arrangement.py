"""Arrangements of items in a circle, and piles of items that belong together."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations, permutations
from math import comb, dist, hypot, inf, sqrt, trunc
from random import Random
from statistics import StatisticsError, correlation
from types import MappingProxyType
from typing import Any

from resemblance.study.kinds.base import (
    JudgmentTable,
    Kind,
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

FEWEST = 3  # Fewest items: two items have only one distance, whose scale is arbitrary.
MOST = 30  # maximum number of items; more do not fit on the screen of a phone
DIGITS = 4  # decimal places of positions, in units of the radius
RIM = 0.98  # Items wait at the rim, beyond this share of the radius.
OUTSIDE = 1e-6  # largest distance of an item beyond the circle, relative to the radius
SLIP = 0.15  # size of the errors of simulated people, relative to distances
ALIKE = 0.5  # Two arrangements are the same answer if their distances correlate at least this much.
NEW_PILE = 1.5  # squared distance above which a simulated person is likely to begin a new pile
DIFFERENT, SAME = 1, 2  # ratings of pairs in different piles and in the same pile


class Arrangement(Kind):
    """Arrangements: people place items in a circle, similar items close together.

    A response, ``{"places": [[x, y], ...]}``, has the position of each option from the middle of
    the circle, in units of its radius: x to the right, y up.
    """

    name = "arrangement"
    about = "how alike several things are: people drag them into a circle"
    plugin = "arrangement"
    judgment = "Arrangements"
    command = "resemblance fit arrangements.{0} --kind arrangements --items items.{0}"
    options = Options(FEWEST, 8, MOST)
    can_agree = False  # People see different sets of items.
    sides_drawn = False
    no_gold = "no arrangement is right or wrong: leave tasks.gold out"
    ahead = 0  # No question can be prefetched: the next set depends on the answer.
    seconds = 60.0
    tasks = MappingProxyType(
        {"per_participant": 1, "task_size": 8, "gold_share": 0.0, "practice": 0}
    )
    adaptive = True

    def spec(self, material: Material, rng: Random, history: Sequence[Told] = ()) -> Spec:
        """Show all items first, if there are at most 30; else items seldom shown together."""
        names = material.names
        if not self.may_be_chosen(material, history):
            return self.new(None, rng.sample(names, len(names)))
        return self.new(None, seldom_together(names, _size(material), history, rng))

    def may_be_chosen(self, material: Material, history: Sequence[Told]) -> bool:
        return bool(history) or len(material.names) > MOST

    def practice(self, material: Material, rng: Random, history: Sequence[Told] = ()) -> Spec:
        return self.new(None, rng.sample(material.names, _size(material)))

    def page(self, spec: Spec, material: Material, question: str) -> dict[str, Any]:
        items = [material.for_page(name, 0) for name in spec["options"]]
        return {"head": None, "options": items, "timing": None, "extra": {}}

    def check(self, spec: Spec, response: Any) -> Response:
        sent = response.get("places") if isinstance(response, dict) else None
        n = len(spec["options"])
        if not isinstance(sent, list) or len(response) > 1:
            raise ResponseError(
                f"the response is {str(response)[:80]!r}: send {{'places': [[x, y], ...]}} of the "
                f"{n} items, in their order"
            )
        if len(sent) != n:
            item = f"item {len(sent) + 1} has no place" if len(sent) < n else "there are too many"
            raise ResponseError(f"{len(sent)} places of {n} items, {item}: send one of each")
        places = [_checked(number, place) for number, place in enumerate(sent, 1)]
        if len(set(map(tuple, places))) == 1:
            raise ResponseError(f"items 1 to {n} all lie in one place: send different places")
        return {"places": places}

    def imagined(
        self, question: Mapping[str, Any], seen: Sequence[Point], rng: Random, noise: float
    ) -> Response:
        """Place items at their first two coordinates, with errors relative to the mean distance."""
        flat = [(*point, 0.0)[:2] for point in seen]
        if noise == inf:
            flat = [(rng.gauss(0.0, 1.0), rng.gauss(0.0, 1.0)) for _ in seen]
            noise = 0.0
        square = sum(dist(a, b) ** 2 for a, b in combinations(flat, 2)) / comb(len(flat), 2)
        slip = SLIP * noise * sqrt(square / 2.0)  # A distance contains the errors of two positions.
        moved = [[x + rng.gauss(0.0, slip) for x in point] for point in flat]
        middle = [sum(axis) / len(moved) for axis in zip(*moved, strict=True)]
        centred = [[x - m for x, m in zip(point, middle, strict=True)] for point in moved]
        most = max(hypot(*point) for point in centred) or 1.0
        return {"places": [[0.95 * x / most for x in point] for point in centred]}

    def answered(self, spec: Spec, response: Response) -> str:
        placed = zip(spec["options"], response["places"], strict=True)
        return json.dumps(dict(placed), ensure_ascii=False)

    def alike(self, first: str, again: str) -> bool:
        """Return whether distances in the two arrangements have a correlation of 0.5 or more."""
        before, after = json.loads(first), json.loads(again)
        pairs = list(combinations(before, 2))
        try:
            r = correlation(*([dist(at[a], at[b]) for a, b in pairs] for at in (before, after)))
        except StatisticsError:  # All distances are equal, so the correlation is undefined.
            return False
        return r >= ALIKE

    def worked_on(self, response: Response) -> bool:
        """Return whether any item was moved; at first all items are at the rim."""
        return any(hypot(*place) < RIM for place in response["places"])

    def side(self, response: Response) -> int | None:
        return None

    def row(self, spec: Spec, response: Response) -> Row:
        x, y = (list(axis) for axis in zip(*response["places"], strict=True))
        return {"item": list(spec["options"]), "x": x, "y": y}

    def exported(self, spec: Spec, response: Response, number: int) -> list[Row]:
        placed = zip(spec["options"], response["places"], strict=True)
        return [{"trial": number, "item": name, "x": x, "y": y} for name, (x, y) in placed]

    @property
    def tables(self) -> tuple[JudgmentTable, ...]:
        columns = {
            "trial": "Number of the answer, the same in all rows of an arrangement.",
            "item": "An item.",
            "x": "Position to the right of the middle, in units of the circle's radius.",
            "y": "Position above the middle, in the same units.",
        }
        return (JudgmentTable("arrangements", "An item of an arrangement.", columns),)

    def fits(self, options: int) -> bool:
        return False

    def distances(self, options: int) -> int:
        return comb(options, 2)

    def measures(
        self, answers: Sequence[tuple[Spec, Response]], position: Mapping[str, int]
    ) -> dict[str, Any]:
        most = max(len(spec["options"]) for spec, _ in answers)
        index = [[position[name] for name in spec["options"]] for spec, _ in answers]
        gaps = [most - len(items) for items in index]
        placed = zip(answers, gaps, strict=True)
        return {
            "shown": [items + [-1] * gap for items, gap in zip(index, gaps, strict=True)],
            "places": [response["places"] + [[0, 0]] * gap for (_, response), gap in placed],
        }

    def n_places(self, options: int) -> int:
        return 1

    def n_items(self, options: int) -> int:
        return FEWEST


def _size(material: Material) -> int:
    return min(material.options, len(material.names))


def seldom_together(
    names: Sequence[str], size: int, history: Sequence[Told], rng: Random
) -> list[str]:
    """Choose items one by one, each time the item least often shown with the items so far."""
    done = [spec["options"] for spec, response in history if response is not None]
    times = Counter(name for options in done for name in options)
    together = Counter(pair for options in done for pair in permutations(options, 2))
    left = rng.sample(names, len(names))
    chosen = [min(left, key=lambda name: times[name])]
    while len(chosen) < size:
        left.remove(chosen[-1])
        chosen.append(min(left, key=lambda name: sum(together[name, other] for other in chosen)))
    return rng.sample(chosen, size)


def _checked(number: int, place: Any) -> list[float]:
    if not (
        isinstance(place, list) and len(place) == 2 and all(type(x) in (int, float) for x in place)
    ):
        raise ResponseError(f"item {number} has no place ({str(place)[:40]}): send its [x, y]")
    if not all(-2 <= x <= 2 for x in place) or hypot(*place) > 1 + OUTSIDE:
        raise ResponseError(
            f"item {number} lies outside the circle: send x and y within 1 of its middle"
        )
    rounded = [round(float(x), DIGITS) for x in place]
    if hypot(*rounded) <= 1:
        return rounded
    return [trunc(x * 10**DIGITS) / 10**DIGITS for x in place]


class Piles(Arrangement):
    """Piles: people put items that belong together into one pile.

    A pair within a pile has the rating 2 on a scale of 2 points, any other pair 1. A response,
    ``{"piles": [0, 0, 1]}``, has the number of the pile of each option. The model of
    :class:`resemblance.Ratings` treats the pairs of one answer as independent. Piles are
    transitive, so the model gives these pairs too much weight; the pairs share a ``response_id``.
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
        size = min(material.options, len(material.names))
        return self.new(None, seldom_together(material.names, size, history, rng))

    def check(self, spec: Spec, response: Any) -> Response:
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
        """Choose a pile with weight exp(-mean d^2 / T), or a new pile with weight exp(-1.5 / T)."""
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
        """Return whether pairs within piles are equal in both answers, or correlate (r >= 0.5)."""
        before, after = json.loads(first), json.loads(again)
        pairs = list(combinations(before, 2))
        together = [[at[a] == at[b] for a, b in pairs] for at in (before, after)]
        try:
            return together[0] == together[1] or correlation(*together) >= ALIKE
        except StatisticsError:  # All items are in one pile, or each item has its own pile.
            return False

    def worked_on(self, response: Response) -> bool:
        return 1 < len(set(response["piles"])) < len(response["piles"])

    def row(self, spec: Spec, response: Response) -> Row:
        return self.exported(spec, response, 0)[0]

    def exported(self, spec: Spec, response: Response, number: int) -> list[Row]:
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
            "rating": "2 if both are in one pile, else 1.",
            "points": "Points of the rating scale: 2.",
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
