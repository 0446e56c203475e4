"""The command `design`."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from resemblance.catalog import STIMULI
from resemblance.cli import options
from resemblance.cli.fit import read_report
from resemblance.cli.options import argument, option
from resemblance.errors import FileError, SettingError
from resemblance.files import need

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from resemblance.fitting import OrdinalEmbedding
    from resemblance.fitting.maps import PerceptualGrid

MODEL_FILE = "model.npz"


StimulusName = StrEnum("StimulusName", {name: name for name in STIMULI})  # type: ignore[misc]


def design(
    model: Annotated[
        Path, argument("The folder of a fit --model yada, or a saved model.", "MODEL")
    ],
    grid: Annotated[
        options.Shape | None,
        option("Nodes along each axis, such as 5x5.", "SHAPE", parser=options.Shape.of),
    ] = None,
    points: Annotated[
        Path | None, option("Or a file of points, with the columns x1 to xd.")
    ] = None,
    bounds: Annotated[
        dict[str, tuple[float, float]] | None,
        options.bounds_option("the fit's items"),
    ] = None,
    stimuli: Annotated[StimulusName | None, option("Also draw stimuli of this kind")] = None,
    out: Annotated[
        Path | None, option("Where the files go. Default: MODEL's name with -design.", "FOLDER")
    ] = None,
) -> None:
    """Find stimuli at given points of a space, such as a regular grid.

    Writes design.csv: the points, the features of the nearest possible stimulus, and the distance
    between stimulus and point. With --stimuli, it also writes the pictures, and their features in
    features.csv.
    """
    if (grid is None) == (points is None):
        raise SettingError("give either --grid or --points")
    need(model, tables=[points])
    from resemblance.cli.output import make_folder, write_csv

    fitted, names = read_model(model, stimuli)
    box = box_of(fitted, names, bounds)
    solved = fitted.perceptual_grid(grid, box) if grid else at_points(fitted, points, box)
    table = table_of(solved, names)
    folder = Path(f"{model.resolve().stem}-design") if out is None else out
    if stimuli is not None:
        table["image"] = draw(solved, names, stimuli, make_folder(folder))
    write_csv(make_folder(folder) / "design.csv", table)
    tell(solved, folder, grid is not None)


def read_model(path: Path, stimuli: StimulusName | None) -> tuple["OrdinalEmbedding", list[str]]:
    """Load a model that maps features, and the names of the features.

    The names are from the report in the same folder, from the kind of stimuli, or f1, f2, ...
    """
    from resemblance.saving import load

    file = path / MODEL_FILE if path.is_dir() else path
    model: Any = load(file)
    if not hasattr(model, "components_") or isinstance(model.items_.features, dict):
        raise FileError(f"{file} is not a map of features: fit one with --model yada")
    n = model.items_.features.shape[1]
    if file.name == MODEL_FILE and file.with_name("report.json").is_file():
        names = read_report(file.parent).get("features", [])
    else:
        names = [] if stimuli is None else list(STIMULI[stimuli].ranges)
    return model, names if len(names) == n else [f"f{k}" for k in range(1, n + 1)]


def box_of(
    model: "OrdinalEmbedding", names: list[str], bounds: dict[str, tuple[float, float]] | None
) -> "np.ndarray | None":
    if bounds is None:
        return None
    for name, (low, high) in bounds.items():
        if name not in names:
            raise SettingError(f"--bounds has no feature {name!r}: use one of {', '.join(names)}")
        if not low < high:
            raise SettingError(f"--bounds of {name} are {low:g}:{high:g}: give the lower one first")
    box = model.stimulus_range()
    for name, ends in bounds.items():
        box[names.index(name)] = ends
    return box


def at_points(
    model: "OrdinalEmbedding", path: Path | None, box: "np.ndarray | None"
) -> "PerceptualGrid":
    import numpy as np

    from resemblance.fitting.maps import PerceptualGrid
    from resemblance.judgments.tables import read_table

    assert path is not None
    axes = [f"x{d}" for d in range(1, model.embedding_.shape[1] + 1)]
    table = read_table(path)
    table.need(axes, "it: a coordinate of the space for each dimension")
    with table.located():
        points = np.column_stack([table.numbers(axis, axis) for axis in axes])
    solved = model.preimages(points, box)
    return PerceptualGrid(points, solved.features, solved.distance, solved.reachable, np.nan)


def table_of(solved: "PerceptualGrid", names: list[str]) -> "pd.DataFrame":
    import pandas as pd

    columns: dict[str, Any] = {f"x{d}": x for d, x in enumerate(solved.points.T, 1)}
    others = {*columns, "reachable", "distance", "image"}
    for name, values in zip(names, solved.features.T, strict=True):
        columns[f"feature_{name}" if name in others else name] = values
    return pd.DataFrame(columns | {"reachable": solved.reachable, "distance": solved.distance})


def draw(
    solved: "PerceptualGrid", names: list[str], stimuli: StimulusName, folder: Path
) -> list[str | None]:
    from resemblance.cli.output import write_csv

    kind, wanted = STIMULI[stimuli].load(), list(STIMULI[stimuli].ranges)
    if set(names) != set(wanted) and not (names[0] == "f1" and len(names) == len(wanted)):
        raise SettingError(
            f"{stimuli} have the features {', '.join(wanted)}, but the model has "
            f"{', '.join(names)}: give other --stimuli, or none"
        )
    order = [names.index(name) for name in wanted] if set(names) == set(wanted) else slice(None)
    images: list[str | None] = [None] * len(solved.points)
    rows = solved.reachable.nonzero()[0]
    if len(rows):
        drawn = kind(solved.features[rows][:, order])
        write_csv(folder / "features.csv", drawn.to_pandas())
        paths = drawn.save(folder / stimuli)
        for row, path in zip(rows, paths, strict=True):
            images[row] = path.relative_to(folder).as_posix()
    return images


def tell(solved: "PerceptualGrid", folder: Path, even: bool) -> None:
    reached, asked = int(solved.reachable.sum()), len(solved.points)
    apart = f", {solved.spacing:.3g} apart in the space" if even else ""
    typer.echo(f"{reached} of {asked} {'nodes' if even else 'points'} have a stimulus{apart}")
    if reached < asked:
        typer.echo("the others get the nearest stimulus; wider --bounds may help")
    typer.echo(f"written: {folder / 'design.csv'}")
