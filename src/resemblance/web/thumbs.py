"""Where the small pictures of stimuli are: the worker makes them, the desk shows them."""

from functools import lru_cache
from pathlib import Path
from urllib.parse import quote

from resemblance.web.stimuli import Stimulus
from resemblance.web.study import StudyFolder

FOLDER = "thumbnails"


def is_drawn(stimulus: Stimulus) -> bool:
    """Say whether a small picture is made of a stimulus; an SVG is small as it is."""
    return stimulus.type == "image" and not stimulus.media.endswith(".svg")


def thumb_of(folder: Path, stimulus: Stimulus) -> Path:
    """Name the file of a small picture: by what the stimulus holds."""
    return folder / FOLDER / f"{stimulus.digest}.webp"


def pictures(study: StudyFolder) -> list[str | None]:
    """Give the address of each item's small picture; None where there is none, or not yet."""
    made = _made(study.path / FOLDER, _changed(study.path / FOLDER))
    return [_address(study.name, stimulus, made) for stimulus in study.stimuli]


def _address(study: str, stimulus: Stimulus, made: frozenset[str]) -> str | None:
    if stimulus.type != "image":
        return None
    if not is_drawn(stimulus):
        return f"/media/{quote(study)}/{stimulus.media}"
    name = f"{stimulus.digest}.webp"
    return f"/desk/{quote(study)}/thumbnails/{name}" if name in made else None


def _changed(folder: Path) -> int:
    return folder.stat().st_mtime_ns if folder.is_dir() else 0


@lru_cache(maxsize=16)
def _made(folder: Path, changed: int) -> frozenset[str]:
    return frozenset(path.name for path in folder.glob("*.webp")) if changed else frozenset()
