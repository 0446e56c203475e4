"""Where the answers come from: a file, what its columns are called, and a file of items."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from resemblance.cli.options import Catches, Kind

if TYPE_CHECKING:
    from resemblance.judgments import Items, Judgments


@dataclass(frozen=True)
class Source:
    """A file of answers and how to read it."""

    file: Path
    kind: Kind = Kind.triplets
    columns: Mapping[str, str] | None = None
    catches: Catches = Catches.error
    items: Path | None = None
    item_columns: Mapping[str, str] | None = None

    def read(self) -> "tuple[Judgments, Items]":
        """Read the judgments, and the items under the names that maps show."""
        if self.items is None:
            judgments = self.judgments(None)
            return judgments, judgments.items
        items, shown = read_shown_items(self.items, self.item_columns)
        return self.judgments(items), shown

    def judgments(self, items: "Items | None") -> "Judgments":
        """Read the judgments on given items, or on those that the file mentions."""
        from resemblance import judgments

        if self.kind is Kind.quadruplets:
            return judgments.read_quadruplets(self.file, items, self.columns)
        read = {Kind.triplets: judgments.read_triplets, Kind.choices: judgments.read_choices}
        return read[self.kind](self.file, items, self.columns, catches=self.catches.value)


def read_shown_items(path: Path, columns: Mapping[str, str] | None) -> "tuple[Items, Items]":
    """Read items twice: under what the answers call them, and under the names that maps show.

    Where the file has a column `item` or `id` beside the column `name`, the answers hold the
    former and maps show the latter; else both are the same.
    """
    from resemblance.judgments import Items, read_items
    from resemblance.judgments.labels import Labels
    from resemblance.judgments.tables import read_table

    roles = dict(columns or {})
    table = read_table(path, ["name", *roles.values()])
    name = roles.pop("name", None)
    table.need([] if name is None else [name], "--item-columns")
    name = name or "name"
    key = next((column for column in ("item", "id") if column in table.frame), name)
    items = read_items(path, {"item": key, **roles} if key in table.frame else roles)
    if name not in table.frame or roles.get("item", key) == name:
        return items, items
    with table.located():
        names = Labels.of(table.frame[name], "name").cells.tolist()
        return items, Items(names, labels=items.labels, images=items.images)
