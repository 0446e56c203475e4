"""The table of nearest items that `fit --neighbours` writes."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from resemblance.errors import SettingError
from resemblance.files import suffix

if TYPE_CHECKING:
    from resemblance.fitting import OrdinalEmbedding

MOST = 10


@dataclass(frozen=True)
class Neighbours:
    """Where the nearest items of every item go, and how many; None is ten, or all there are."""

    file: Path
    k: int | None = None

    def check(self, n_items: int) -> None:
        """Refuse to look for more neighbours than there are."""
        if self.k is not None and self.k >= n_items:
            raise SettingError(
                f"--k is {self.k}, and an item has {n_items - 1} neighbours: lower it"
            )

    def write(self, model: "OrdinalEmbedding") -> None:
        """Write a row for each neighbour: item, rank, neighbour, distance."""
        from resemblance.judgments.tables import write_table
        from resemblance.scores import nearest_items

        k = min(MOST, len(model.items_) - 1) if self.k is None else self.k
        write_table(nearest_items(model, k).table(), self.file)


def wanted_neighbours(file: Path | None, k: int | None) -> Neighbours | None:
    """Take the two options together."""
    if file is None and k is not None:
        raise SettingError("--k counts the neighbours of --neighbours FILE: give that file too")
    if file is None:
        return None
    suffix(file)
    return Neighbours(file, k)
