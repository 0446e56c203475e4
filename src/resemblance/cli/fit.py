"""The command `fit`."""

from pathlib import Path

import typer

from resemblance.cli import options
from resemblance.cli.models import FormName, ModelName, Recipe
from resemblance.cli.options import Catches, Kind
from resemblance.cli.problems import told
from resemblance.cli.source import Source
from resemblance.cli.validation import Validation


def fit(
    file: options.File,
    model: options.Model = ModelName.tste,
    dims: options.Dims = 2,
    form: options.Form = FormName.coordinates,
    penalty: options.Penalty = None,
    mu: options.Mu = None,
    alpha: options.Alpha = None,
    margin: options.Margin = None,
    out: options.Out = None,
    kind: options.KindOption = Kind.triplets,
    columns: options.Columns = None,
    catches: options.CatchesOption = Catches.error,
    items: options.Items = None,
    item_columns: options.ItemColumns = None,
    folds: options.Folds = None,
    by: options.ByOption = None,
    n_init: options.Starts = 1,
    max_iter: options.Iterations = 1000,
    seed: options.Seed = 0,
    progress: options.Progress = False,
    debug: options.Debug = False,
) -> None:
    """Fit a space to the answers in a file: a map, the positions and an honest report.

    Ctrl-C keeps what is there: the best positions so far, and the folds that are finished.
    """
    with told(debug, file, items, out):
        source = Source(file, kind, columns, catches, items, item_columns)
        recipe = Recipe(model, form, penalty, mu, alpha, margin, n_init, max_iter, seed)
        fit_and_tell(source, recipe, Validation(folds, by), dims, out, progress)


def fit_and_tell(
    source: Source,
    recipe: Recipe,
    validation: Validation,
    dims: int | None = 2,
    out: Path | None = None,
    visible: bool = False,
) -> None:
    """Fit, print the summary, and exit with 130 if Ctrl-C ended it early."""
    from resemblance.cli.study import run_study
    from resemblance.cli.summary import print_fit

    stem = Path(source.file.name.removesuffix(".gz")).stem
    folder = Path(f"{stem}-map") if out is None else out
    report = run_study(source, recipe, validation, dims, folder, visible)
    print_fit(report, folder)
    if report["status"] != "complete":
        raise typer.Exit(130)
