"""The files that a fit leaves: each appears whole or not at all."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from resemblance.errors import FileError
from resemblance.files import as_json

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from resemblance.fitting import DimensionCurve, OrdinalEmbedding


def make_folder(path: Path) -> Path:
    """Make a folder, and those above it, unless it is there."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"{path} cannot be made ({error}): name another folder") from error
    return path


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """Yield a temporary name in the same folder, which becomes the path once all is written."""
    part = path.with_name(f".part-{path.name}")
    try:
        yield part
        os.replace(part, path)
    except OSError as error:
        raise FileError(f"{path} cannot be written ({error}): check the folder") from error
    finally:
        part.unlink(missing_ok=True)


def write_embedding(path: Path, model: "OrdinalEmbedding") -> None:
    """Write the position of every item, what is known of it, and whether an answer mentions it."""
    import numpy as np
    import pandas as pd

    items = model.items_
    table: dict[str, Any] = {"item": items.names}
    if items.titles is not None:
        table["name"] = items.titles
    if items.labels is not None:
        table["label"] = items.labels
    table |= {f"x{d}": x for d, x in enumerate(model.embedding_.T, 1)}
    table["mentioned"] = ~np.isin(np.arange(len(items)), model.unmentioned_)
    with whole(path) as part:
        pd.DataFrame(table).to_csv(part, index=False)


def write_maps(
    folder: Path,
    model: "OrdinalEmbedding",
    title: str,
    subtitle: str,
    uncertainty: "NDArray[np.float64] | None" = None,
) -> None:
    """Write the map as a picture and as a page, which shows how sure positions are if told."""
    from resemblance.plotting import save_map

    for name in ("map.png", "map.html"):
        with whole(folder / name) as part:
            save_map(
                model.embedding_,
                part,
                model.items_,
                flagged=model.unmentioned_,
                uncertainty=uncertainty,
                title=title,
                subtitle=subtitle,
            )


def write_kernel_weights(path: Path, model: Any) -> None:
    """Write the picture of how much each kernel counts."""
    from resemblance.plotting import plot_kernel_weights

    figure = plot_kernel_weights(model)[0].get_figure(root=True)
    assert figure is not None
    with whole(path) as part:
        figure.savefig(part, format="png", dpi=150)


def write_curve(path: Path, curve: "DimensionCurve") -> None:
    """Write the picture of held-out error against the number of dimensions."""
    from matplotlib.figure import Figure

    from resemblance.plotting import plot_dimensions

    figure = plot_dimensions(curve).figure
    assert isinstance(figure, Figure)
    with whole(path) as part:
        figure.savefig(part, dpi=200)


def write_report(path: Path, report: Mapping[str, Any]) -> None:
    """Write a report as JSON; numbers that JSON does not have become null."""
    with whole(path) as part:
        part.write_text(as_json(report) + "\n", encoding="utf-8")
