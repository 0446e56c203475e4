"""Files of responses that become triplets: choices, odd ones out, rankings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from resemblance.judgments import Items, Triplets
    from resemblance.judgments.tables import Table

Columns = Mapping[str, str] | None


class Response(StrEnum):
    """What a row of a file holds that is to become triplets."""

    choices = "choices"
    odd_one_out = "odd-one-out"
    ranks = "ranks"


@dataclass(frozen=True)
class Lists:
    """Rows of one item and a list of items, with what else the file says of them."""

    table: "Table"
    items: "Items"
    item: "NDArray[Any]"
    listed: "NDArray[Any]"
    notes: dict[str, Any]

    @classmethod
    def read(cls, path: Path, roles: Sequence[str], columns: Columns) -> "Lists":
        """Read the column of the item and that of the list, as `roles` name them."""
        from resemblance.judgments import reading
        from resemblance.judgments.labels import Labels, items_of
        from resemblance.judgments.rows import NOTES
        from resemblance.judgments.tables import read_table

        table = read_table(path, reading.label_columns((*roles, "observer"), columns))
        found = table.find(roles, NOTES, columns)
        with table.located():
            single = Labels.of(table.frame[found[roles[0]]], roles[0])
            listed = Labels.of(table.frame[found[roles[1]]], "options")
            items = items_of([single, listed])
            shown = reading.padded(listed.positions(items), listed.rows)
            notes = reading.notes_of(table, found)
            return cls(table, items, single.positions(items), shown, notes)

    def name(self, position: int) -> str:
        """Quote the name of an item."""
        return repr(self.items.names[position])


def triplets_of_odd_ones(path: Path, columns: Columns) -> "tuple[Triplets, list[str]]":
    """Read the columns `odd` and `options`; give the triplets, and the columns left out."""
    from resemblance.judgments import triplets_from_odd_one_out
    from resemblance.judgments.choices import chosen_first

    rows = Lists.read(path, ("odd", "options"), columns)
    with rows.table.located():
        chosen_first(rows.listed, rows.item, what="odd", fewest=3, name=rows.name)
        left_out = list(rows.notes.pop("extra"))
        triplets = triplets_from_odd_one_out(rows.listed, rows.item, rows.items, **rows.notes)
        return triplets, left_out


def triplets_of_ranks(path: Path, columns: Columns) -> "tuple[Triplets, list[str]]":
    """Read the columns `head` and `ranking`; give the triplets, and the columns left out."""
    from resemblance.judgments import triplets_from_ranks
    from resemblance.judgments.choices import choice_index

    rows = Lists.read(path, ("head", "ranking"), columns)
    with rows.table.located():
        choice_index(rows.item, rows.listed, rows.listed[:, 0], name=rows.name)
        left_out = list(rows.notes.pop("extra"))
        return triplets_from_ranks(rows.item, rows.listed, rows.items, **rows.notes), left_out


READERS = {Response.odd_one_out: triplets_of_odd_ones, Response.ranks: triplets_of_ranks}
