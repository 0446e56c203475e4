"""The figure of a fit for a paper: `fit --picture`."""

import warnings
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from resemblance.cli.problems import message_of
from resemblance.errors import FileError
from resemblance.files import FIGURE_WIDTH, FIGURES, whole

if TYPE_CHECKING:
    from resemblance.fitting import OrdinalEmbedding

WIDTH = 17.0  # centimetres
DPI = 300


@dataclass(frozen=True)
class Picture:
    """A picture file, and how to draw the map in it."""

    file: Path
    width: float = WIDTH

    @classmethod
    def asked(cls, file: Path | None, out: Path) -> "Picture | None":
        """Check the file, before anything is read; the folder `out` is made later."""
        if file is None:
            return None
        suffix = file.suffix.lower()
        if suffix not in FIGURES:
            raise FileError(
                f"{file}: --picture is written as .pdf, .svg or .png, not as "
                f"{suffix or 'nothing'!r}: name such a file",
                setting="picture",
            )
        if not file.parent.is_dir() and file.parent.absolute() != out.absolute():
            raise FileError(
                f"{file}: there is no folder {file.parent}; make it first (--picture)",
                setting="picture",
            )
        return cls(file, FIGURE_WIDTH.get() or WIDTH)

    def write(self, model: "OrdinalEmbedding") -> list[str]:
        from resemblance.plotting import save_map
        from resemblance.plotting.canvas import without_font

        with warnings.catch_warnings(record=True) as caught, whole(self.file) as part:
            warnings.simplefilter("always")
            save_map(
                model.embedding_,
                part,
                model.items_,
                flagged=model.unmentioned_,
                width=self.width,
                dpi=DPI,
            )
        missing = without_font(model.items_.titles or model.items_.names)
        notes = dict.fromkeys(message_of(warning.message) for warning in caught)
        return [note if note in missing else f"{self.file.name}: {note}" for note in notes]

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)
