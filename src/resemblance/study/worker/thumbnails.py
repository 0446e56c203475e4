"""Small pictures of a study's stimuli, made once, beside what the worker does."""

import logging
import os
import threading
import warnings
from pathlib import Path

from PIL import Image, ImageOps

from resemblance.study.folder import StudyFolder
from resemblance.study.stimuli import Stimulus
from resemblance.study.thumbnails import is_drawn, thumb_of

log = logging.getLogger("resemblance.worker")

SIDE = 96  # pixels
_drawing = threading.Lock()
MOST_PIXELS = 50_000_000  # of a picture; a JPEG is read at an eighth of its sides, if need be


class Thumbnails:
    """Makes what is missing in a thread of its own; it may be ended at any moment.

    Parameters
    ----------
    folder : StudyFolder
        The study.

    Attributes
    ----------
    failed : dict of str to str
        Why there is no small picture of an item.
    """

    def __init__(self, folder: StudyFolder) -> None:
        self.folder = folder
        self.failed: dict[str, str] = {}
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin, unless it was begun."""
        if self._thread is None:
            self._thread = threading.Thread(target=self.make, name="thumbnails", daemon=True)
            self._thread.start()

    def make(self) -> None:
        """Make every small picture that is not there, after those that are being made."""
        with _drawing:
            self._make()

    def _make(self) -> None:
        for stimulus in filter(is_drawn, self.folder.stimuli):
            target = thumb_of(self.folder.path, stimulus)
            if target.exists():
                continue
            try:
                target.parent.mkdir(exist_ok=True)
                make_thumb(stimulus, target)
            except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
                self.failed[stimulus.name] = str(error)[:200]
                log.warning("%s: no thumbnail: %s", stimulus.path, error)


def make_thumb(stimulus: Stimulus, target: Path) -> None:
    """Draw one, whole or not at all.

    Raises
    ------
    ValueError
        If the picture has more pixels than anybody needs: unpacked, it would fill the memory.
    """
    assert stimulus.path is not None
    part = target.with_name(f".{target.name}.{os.getpid()}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # the limit below is lower
        with Image.open(stimulus.path) as picture:
            picture.draft("RGB", (2 * SIDE, 2 * SIDE))
            if (pixels := picture.width * picture.height) > MOST_PIXELS:
                raise ValueError(f"{pixels} pixels are too many: scale the picture down")
            small = ImageOps.exif_transpose(picture)
            small.thumbnail((SIDE, SIDE))
            small.convert("RGBA").save(part, "WEBP", quality=80)
    part.replace(target)
