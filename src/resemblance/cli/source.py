"""Where the answers come from: a file, what its columns are called, and a file of items."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from resemblance.cli.options import Catches, Kind
from resemblance.errors import ResemblanceError

if TYPE_CHECKING:
    from resemblance.judgments import Choices, Items, Judgments

HEADED = (Kind.triplets, Kind.choices)  # whose head may be among the options, to catch people


@dataclass(frozen=True)
class Source:
    """A file of answers and how to read it."""

    file: Path
    kind: Kind = Kind.triplets
    columns: Mapping[str, str] | None = None
    catches: Catches = Catches.error
    items: Path | None = None
    item_columns: Mapping[str, str] | None = None
    clicks: Path | None = None

    def read(self) -> "Judgments":
        """Read the judgments, on the items of their own file where there is one."""
        items = None if self.items is None else items_of_file(self.items, self.item_columns)
        return self.judgments(items)

    def read_clicks(self, items: "Items") -> "Choices | None":
        """Read the clicks that are fitted besides, on the items of the answers."""
        from resemblance.judgments import read_choices

        return None if self.clicks is None else read_choices(self.clicks, items)

    def judgments(self, items: "Items | None") -> "Judgments":
        """Read the judgments on given items, or on those that the file mentions."""
        from resemblance import judgments

        read = getattr(judgments, f"read_{self.kind}")
        settings = {"catches": self.catches.value} if self.kind in HEADED else {}
        found: Judgments = read(self.file, items, self.columns, **settings)
        return found


def items_of_file(
    path: Path, columns: Mapping[str, str] | None, features: Sequence[str] | None = None
) -> "Items":
    """Read items; what is wrong with their columns is mended with --item-columns."""
    from resemblance.judgments import read_items

    try:
        return read_items(path, columns, features=features)
    except ResemblanceError as error:
        message = str(error).replace("--columns", "--item-columns")
        raise type(error)(message) from None
