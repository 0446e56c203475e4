"""The page of a study's dimensions that holds all it needs, made by a process of its own."""

import tempfile
from pathlib import Path
from typing import Any

from resemblance.errors import SettingError
from resemblance.study.dimensions import Dimensions, dimensions_of
from resemblance.study.export.apart import made_apart, write_apart
from resemblance.study.live import LiveStudy
from resemblance.study.stimuli import Stimulus
from resemblance.study.thumbnails import is_drawn, thumb_of


def dimensions_page(study: Path, database: str | None, condition: str = "") -> bytes:
    """Return the page of the last fit, of a condition where each has its own, in one file.

    Raises
    ------
    UnavailableError
        With what the process said, if it failed.
    """
    return made_apart(
        "resemblance.study.export.dimensions_page", study, database, condition=condition
    )


def page_of(live: LiveStudy, condition: str = "") -> bytes:
    """Write the page.

    Raises
    ------
    SettingError
        If nothing was fitted yet, or there are too many items for a page.
    """
    import numpy as np

    from resemblance.embeddings import Reproducibility
    from resemblance.plotting import save_loadings

    live = live.part(condition)
    dimensions = dimensions_of(live.store, live.record)
    if dimensions is None:
        raise SettingError("no dimensions were fitted yet: wait for the first fit")
    again = Reproducibility(
        np.array(dimensions.seeds),
        np.array(dimensions.halves),
        np.array(dimensions.found_again),
        dimensions.starts,
        dimensions.splits,
    )
    title = f"{live.settings.study.title} {dimensions.answers:,} answers"
    with tempfile.TemporaryDirectory() as home:
        path = Path(home) / "dimensions.html"
        save_loadings(
            np.array(dimensions.loadings),
            path,
            _items(live, dimensions),
            names=dimensions.called,
            reproducibility=again,
            title=title,
        )
        return path.read_bytes()


def _items(live: LiveStudy, dimensions: Dimensions) -> Any:
    """Return the items of a fit, with their pictures where each has one."""
    from resemblance.judgments import Items

    stimuli = live.folder.stimuli[: len(dimensions.loadings)]
    images = [_picture(live, s) for s in stimuli if is_drawn(s)]
    return Items([s.name for s in stimuli], images=images if len(images) == len(stimuli) else None)


def _picture(live: LiveStudy, stimulus: Stimulus) -> Path:
    """Return the small picture of a stimulus, or the picture where there is none yet."""
    assert stimulus.path is not None
    small = thumb_of(live.folder.path, stimulus)
    return small if small.exists() else stimulus.path


if __name__ == "__main__":
    write_apart(page_of)
