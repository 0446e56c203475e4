"""Files of rankings, which become triplets."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from resemblance.judgments import Triplets

ROLES = ("head", "ranking")


def triplets_of_ranks(
    path: Path, columns: Mapping[str, str] | None
) -> "tuple[Triplets, list[str]]":
    """Read the columns `head` and `ranking`; give the triplets, and the columns left out."""
    from resemblance.judgments import reading, triplets_from_ranks
    from resemblance.judgments.choices import choice_index
    from resemblance.judgments.labels import Labels, items_of
    from resemblance.judgments.rows import NOTES
    from resemblance.judgments.tables import read_table

    table = read_table(path, reading.label_columns((*ROLES, "observer"), columns))
    found = table.find(ROLES, NOTES, columns)
    with table.located():
        head = Labels.of(table.frame[found["head"]], "head")
        listed = Labels.of(table.frame[found["ranking"]], "options")
        items = items_of([head, listed])
        ranks = reading.padded(listed.positions(items), listed.rows)
        positions = head.positions(items)
        choice_index(positions, ranks, ranks[:, 0], name=lambda one: repr(items.names[one]))
        notes = reading.notes_of(table, found)
        left_out = list(notes.pop("extra"))
        return triplets_from_ranks(positions, ranks, items, **notes), left_out
