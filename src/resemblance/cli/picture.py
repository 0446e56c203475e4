"""The figure of a fit for a paper: `fit --picture`."""

import warnings
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from resemblance.cli.problems import message_of
from resemblance.errors import FileError, SettingError
from resemblance.files import FIGURE_WIDTH, FIGURES, UNITS, whole

if TYPE_CHECKING:
    from resemblance.fitting import OrdinalEmbedding

WIDTH = 17.0  # centimetres
DPI, DPIS = 300, (50, 1200)
MOST_PIXELS = 20_000  # across a picture


@dataclass(frozen=True)
class Picture:
    """A file, and how to draw the map in it."""

    file: Path
    title: str | None = None
    width: float = WIDTH
    dpi: int = DPI

    @classmethod
    def asked(
        cls, file: Path | None, title: str | None, dpi: int | None, out: Path
    ) -> "Picture | None":
        """Check the options, before anything is read; the folder `out` is made later."""
        given = {"title": title, "dpi": dpi}
        given = {name: value for name, value in given.items() if value is not None}
        if file is None:
            for name in given:
                raise SettingError(
                    f"--picture-{name} is of --picture FIGURE: give that too, or leave it out",
                    setting=f"picture_{name}",
                )
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
        if suffix != ".png" and dpi is not None:
            raise SettingError(
                f"--picture-dpi is of .png, and a {suffix} has no pixels: leave it out",
                setting="picture_dpi",
            )
        made = cls(file, width=FIGURE_WIDTH.get() or WIDTH, **given)  # type: ignore[arg-type]
        made._check()
        return made

    def _check(self) -> None:
        """Refuse sizes that no page has and no machine draws."""
        least, most = DPIS
        if not least <= self.dpi <= most:
            raise SettingError(
                f"--picture-dpi is {self.dpi}: give {least} to {most} dots per inch",
                setting="picture_dpi",
            )
        across = self.width / UNITS["in"] * self.dpi
        if self.file.suffix.lower() == ".png" and across > MOST_PIXELS:
            raise SettingError(
                f"--size {self.width:g}cm at --picture-dpi {self.dpi} is {across:,.0f} "
                f"pixels across: lower one, to {MOST_PIXELS:,} pixels at most",
                setting="picture_dpi",
            )

    def write(self, model: "OrdinalEmbedding") -> list[str]:
        """Draw the map of a model, and return what is to be told of it."""
        from resemblance.plotting import save_map
        from resemblance.plotting.canvas import without_font

        with warnings.catch_warnings(record=True) as caught, whole(self.file) as part:
            warnings.simplefilter("always")
            save_map(
                model.embedding_,
                part,
                model.items_,
                flagged=model.unmentioned_,
                title=self.title,
                width=self.width,
                dpi=self.dpi,
            )
        missing = without_font([self.title or "", *(model.items_.titles or model.items_.names)])
        notes = dict.fromkeys(message_of(warning.message) for warning in caught)
        return [note if note in missing else f"{self.file.name}: {note}" for note in notes]

    def as_dict(self) -> dict[str, Any]:
        """Repeat the options."""
        return asdict(self)
