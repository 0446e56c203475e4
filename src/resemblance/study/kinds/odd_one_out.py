"""Odd one out: which of three or more differs from the others?

An answer implies triplets: each pair of the others was judged more similar than either of the two
is to the odd one. All of that unfolding is here, in ``comparisons``, ``per_answer`` and ``tables``;
the worker reads it back in :mod:`resemblance.study.worker.comparisons`.
"""

from collections.abc import Iterator, Sequence
from random import Random

from resemblance.study.kinds.base import (
    Comparison,
    JudgmentTable,
    Kind,
    Material,
    Options,
    Response,
    Row,
    Spec,
    Told,
)

MOST_FITTED = 6  # options of which one answer implies as many comparisons as a worker may keep


class OddOneOut(Kind):
    """Which one is the odd one out?"""

    name = "odd_one_out"
    about = "which one of three or more differs from the others"
    wording = "Which one is the odd one out?"
    instructions = """\
# What to do

You see a few things side by side. Choose the one that fits least with the others: click it, touch
it, or press its number.

There is no right or wrong. Go by your first impression. If you cannot say, guess.
"""
    plugin = "odd-one-out"
    judgment = "Triplets"
    command = "resemblance fit triplets.{0} --items items.{0}"
    options = Options(3, 3, 24)
    prediction = "An odd one out is predicted where it is farthest from the others."
    no_advice = (
        "There is no advice for odd ones out: one answer implies several comparisons, and what "
        "they tell together is not known well enough to foretell a gain."
    )

    def spec(self, material: Material, rng: Random, history: Sequence[Told] = ()) -> Spec:
        """Draw the items shown."""
        return self.new(None, rng.sample(material.names, material.options))

    def gold(self, material: Material, rng: Random) -> Spec | None:
        """Take one of the researcher's, or show one item several times and another once."""
        if material.gold:
            return super().gold(material, rng)
        same, odd = rng.sample(material.names, 2)
        place = rng.randrange(material.options)
        options = [same] * material.options
        options[place] = odd
        return self.new(None, options, place, strategy="gold")

    def row(self, spec: Spec, response: Response) -> Row:
        """Return the odd one, and all options (in the order shown)."""
        return {"odd": self.answered(spec, response), "options": spec["options"]}

    def fits(self, options: int) -> bool:
        """Say whether the comparisons of each answer are few enough for a worker."""
        return options <= MOST_FITTED

    def per_answer(self, options: int) -> int:
        """Count the triplets that one answer implies."""
        return (options - 1) * (options - 2)

    def comparisons(self, spec: Spec, place: int | None) -> list[Comparison]:
        """Return (i, j, odd) for all i, j that are not the odd one; a skip has as many."""
        names = list(spec["options"])
        odd = names.pop(place or 0)
        return [
            (spec | {"head": i, "options": [j, odd]}, None if place is None else j)
            for i in names
            for j in names
            if j != i
        ]

    @property
    def tables(self) -> tuple[JudgmentTable, ...]:
        """The triplets that the answers imply."""
        columns = {
            "head": "An item that was not the odd one.",
            "near": "Another item that was not the odd one.",
            "far": "The odd one.",
            "group": "Number of the answer that the rows came from.",
        }
        about = "A triplet that an odd one out implies."
        return (JudgmentTable("triplets", about, columns, self._triplets),)

    def _triplets(self, spec: Spec, response: Response, number: int) -> Iterator[Row]:
        """Return the triplets of one answer; none of copies of one item."""
        for question, near in self.comparisons(spec, response["chosen"]):
            row = {"head": question["head"], "near": near, "far": question["options"][1]}
            if len(set(row.values())) == 3:
                yield row | {"group": number}
