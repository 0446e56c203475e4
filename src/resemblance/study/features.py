"""Features of a study's items, and the stimuli to design from them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from math import isfinite, prod
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, model_validator

from resemblance.catalog import STIMULI, find
from resemblance.errors import FileError
from resemblance.study.files import Row, read_rows
from resemblance.study.sections import Section, one_of, setting

ITEM = "item"
MOST_STIMULI = 400  # maximum number of stimuli of a grid
if TYPE_CHECKING:
    StimulusName = str
else:
    StimulusName = one_of(STIMULI, partial(find, STIMULI, "stimuli"))


class Features(Section):
    """Features of the items; the answers determine how much weight the features get."""

    file: str | None = setting(None, "CSV file: item, and a column of numbers for each feature.")
    columns: list[str] | dict[str, Annotated[list[str], Field(min_length=1)]] = setting(
        [], "The columns with features, or a table of those of each view; default: all but item."
    )

    @property
    def used(self) -> list[str]:
        named = self.columns
        return list(dict.fromkeys(chain(*named.values()))) if isinstance(named, dict) else named

    def of(self, features: "ItemFeatures", names: Iterable[str]) -> Any:
        rows, place = features.of(names), features.columns.index
        if not isinstance(self.columns, dict):
            return rows
        places = {view: [place(column) for column in own] for view, own in self.columns.items()}
        return {view: [[row[k] for k in own] for row in rows] for view, own in places.items()}


class Design(Section):
    """Stimuli that the server draws while the study runs, evenly spaced in its map."""

    stimuli: StimulusName | None = setting(None, f"{', '.join(STIMULI)}.")
    grid: list[Annotated[int, Field(ge=2)]] = setting(
        [], "Stimuli along each dimension of the map, such as [4, 4]. Default: none are drawn."
    )
    within: float = setting(
        0.25,
        "Pause when distances of neighbours are equal, and known, to within this share.",
        gt=0.0,
        lt=1.0,
    )

    @model_validator(mode="after")
    def _kind_of_stimuli(self) -> "Design":
        if prod(self.grid) > MOST_STIMULI:
            raise ValueError(
                f"a grid of {prod(self.grid)} stimuli has too many pairs to ask about: give at "
                f"most {MOST_STIMULI}"
            )
        if self.grid and self.stimuli is None:
            raise ValueError(
                f"a grid needs the kind of its stimuli: set stimuli to {', '.join(STIMULI)}"
            )
        return self

    @property
    def rules(self) -> dict[str, Any]:
        return {"spacing": self.within} if self.grid else {}


@dataclass(frozen=True)
class ItemFeatures:
    columns: tuple[str, ...]
    rows: dict[str, tuple[float, ...]]

    def of(self, names: Iterable[str]) -> list[tuple[float, ...]]:
        return [self.rows[name] for name in names]

    @classmethod
    def read(
        cls, path: Path, columns: Sequence[str], names: Iterable[str], varied: bool = True
    ) -> "ItemFeatures":
        values: dict[str, tuple[float, ...]] = {}
        used = tuple(columns)
        for row in read_rows(path, [ITEM, *columns]):
            used = used or tuple(name for name in row.cells if name != ITEM)
            if row[ITEM] in values:
                raise row.error(f"the item {row[ITEM]!r} has two rows: remove one")
            values[row[ITEM]] = tuple(_number(row, name) for name in used)
        features = cls(used, values)
        features._check(path, list(names), varied)
        return features

    def _check(self, path: Path, names: list[str], varied: bool) -> None:
        if not self.columns:
            raise FileError(f"{path} has no features: add a column of numbers for each")
        if lacking := [name for name in names if name not in self.rows]:
            more = f" and {len(lacking) - 1} others" if len(lacking) > 1 else ""
            ended = next((name for name in self.rows if Path(name).stem == lacking[0]), None)
            mend = f"remove the suffix of {ended!r}" if ended else "add its features"
            raise FileError(f"{path}: no row for the item {lacking[0]!r}{more}: {mend}")
        for name, values in zip(self.columns, zip(*self.of(names), strict=True), strict=False):
            if varied and len(set(values)) == 1:
                raise FileError(
                    f"{path}: {name!r} is the same for all items and tells nothing about them: "
                    "remove it"
                )


def _number(row: Row, column: str) -> float:
    try:
        number = float(row[column])
    except ValueError:
        number = float("nan")
    if not isfinite(number):
        raise row.error(f"{column} is {row[column]!r}: give a finite number")
    return number
