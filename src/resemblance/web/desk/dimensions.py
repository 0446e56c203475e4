"""What the desk shows of the sparse dimensions of a study."""

import csv
import io
from functools import cached_property
from typing import Any

from resemblance.files import no_formula
from resemblance.store import Store
from resemblance.study.dimensions import MOST_LETTERS, Dimensions, dimensions_of, failure, next_fit
from resemblance.study.live import LiveStudy
from resemblance.study.thumbnails import pictures
from resemblance.web.desk.overview import Overview

Json = dict[str, Any]
TOP = 8  # items of each dimension


class ShownDimensions:
    """The dimensions of a study as they are now.

    Parameters
    ----------
    live : LiveStudy
        The study, or a condition of it that has dimensions of its own.
    """

    letters = MOST_LETTERS

    def __init__(self, live: LiveStudy) -> None:
        self.live = live

    @property
    def store(self) -> Store:
        """Where the study is kept."""
        return self.live.store

    @cached_property
    def last(self) -> Dimensions | None:
        """What the last fit found; None before the first."""
        return dimensions_of(self.store, self.live.record)

    @cached_property
    def failure(self) -> str | None:
        """Say why the fit after that failed, if it did."""
        return failure(self.store, self.live.record)

    @cached_property
    def counting(self) -> int:
        """Count the answers that a fit may take."""
        if self.live.whole is not self.live:  # as many as there were at its last map
            fits = self.store.spaces.scored(self.live.record)
            return fits[-1].answers if fits else 0
        counts = Overview(self.live).counts
        return max(0, int(counts["purposes"].get("main", 0)) - int(counts["left_out"]))

    @cached_property
    def next(self) -> int:
        """Count the answers at which the next fit begins."""
        per_item = self.live.settings.dimensions.answers_per_item
        return next_fit(self.store, self.live.record, per_item * len(self.live.first.names))

    @property
    def missing(self) -> int:
        """Count the answers that the next fit waits for."""
        return max(0, self.next - self.counting)

    def rows(self) -> list[Json]:
        """Return each dimension with the items that have most of it."""
        assert self.last is not None
        drawn = pictures(self.live.folder)
        return [self._row(number, drawn) for number in range(1, len(self.last.shares) + 1)]

    def _row(self, number: int, drawn: list[str | None]) -> Json:
        last = self.last
        assert last is not None
        names = self.live.folder.names
        return {
            "number": number,
            "name": last.name(number),
            "share": last.shares[number - 1],
            "seeds": last.seeds[number - 1],
            "found_again": last.found_again[number - 1],
            "splits": last.splits,
            "seldom": 2 * last.found_again[number - 1] <= last.splits,
            "items": [
                {"name": names[item], "picture": drawn[item], "loading": loading}
                for item, loading in last.top(number, TOP)
            ],
        }


def as_csv(dimensions: Dimensions, names: tuple[str, ...]) -> str:
    """Write a row for each item, and a column for each dimension: its number, and its name."""
    written = io.StringIO()
    rows = csv.writer(written, lineterminator="\n")
    heads = (f"{number} {name}".strip() for number, name in enumerate(dimensions.called, 1))
    rows.writerow(["item", *heads])
    named = zip(map(no_formula, names), dimensions.loadings, strict=False)
    rows.writerows([name, *row] for name, row in named)
    return written.getvalue()
