"""The command `fit`."""

from pathlib import Path

import typer

from resemblance.cli import options
from resemblance.cli.models import ChoiceName, FormName, KernelName, ModelName, Recipe
from resemblance.cli.neighbours import Neighbours, wanted_neighbours
from resemblance.cli.options import Catches, Kind, Missing
from resemblance.cli.problems import told
from resemblance.cli.source import Source
from resemblance.cli.validation import Validation, need_held_out
from resemblance.cli.views import POES, PoeRecipe, ViewSource, check_feature_options
from resemblance.cli.yada import CountSource, YadaRecipe
from resemblance.files import need


def fit(
    context: typer.Context,
    file: options.File,
    model: options.Model = ModelName.tste,
    dims: options.Dims = 2,
    form: options.Form = FormName.coordinates,
    penalty: options.Penalty = None,
    mu: options.Mu = None,
    alpha: options.Alpha = None,
    margin: options.Margin = None,
    features: options.Features = None,
    feature_columns: options.FeatureColumns = None,
    kernel: options.Kernel = KernelName.rbf,
    kernels: options.Kernels = None,
    beta: options.Beta = None,
    diagonal: options.Diagonal = False,
    missing: options.MissingOption = Missing.error,
    bandwidth: options.Bandwidth = None,
    choice: options.Choice = ChoiceName.gaussian,
    lapse: options.Lapse = 0.0,
    monotone: options.Monotone = None,
    one_to_one: options.OneToOne = False,
    out: options.Out = None,
    neighbours: options.Neighbours = None,
    k: options.K = None,
    kind: options.KindOption = Kind.triplets,
    columns: options.Columns = None,
    catches: options.CatchesOption = Catches.error,
    clicks: options.Clicks = None,
    items: options.Items = None,
    item_columns: options.ItemColumns = None,
    folds: options.Folds = None,
    by: options.ByOption = None,
    n_init: options.Starts = None,
    max_iter: options.Iterations = 1000,
    seed: options.Seed = 0,
    progress: options.Progress = False,
    debug: options.Debug = False,
) -> None:
    """Fit a space to the answers in a file: a map, the positions and an honest report.

    With --model yada the file counts confusions (a, b, errors, trials), and the fit is a map from
    features to the space; so it is with poe and mkpoe, whose file holds comparisons. Ctrl-C keeps
    what is there: the best positions so far, and the folds that are finished.
    """
    views, given = tuple(features or ()), given_in(context)
    with told(debug, file, clicks, items, *views, out):
        source: Source | CountSource
        recipe: Recipe | YadaRecipe | PoeRecipe
        check_feature_options(model, given, views)
        if model in POES:
            reading = file, kind, columns, catches, items, item_columns
            source = ViewSource(*reading, None, views, feature_columns, missing)
            steps = max_iter if "max_iter" in given else PoeRecipe.max_iter
            map_settings = kernel, kernels, bandwidth, beta, diagonal, margin
            recipe = PoeRecipe(model, *map_settings, steps, seed)
            dims = dims if "dims" in given else 0
        elif not views:
            source = Source(file, kind, columns, catches, items, item_columns, clicks)
            recipe = Recipe(model, form, penalty, mu, alpha, margin, n_init or 1, max_iter, seed)
        else:
            source = CountSource(file, views[0], feature_columns, columns, item_columns)
            shape = tuple(monotone or ()), one_to_one
            recipe = YadaRecipe(
                mu, bandwidth, kernel, choice, lapse, *shape, n_init, max_iter, seed
            )
        wanted = wanted_neighbours(neighbours, k)
        validation = Validation(folds, by)
        need_held_out(dims, folds != 0)
        need(*views, tables=(file, items, clicks))
        fit_and_tell(source, recipe, validation, dims, out, progress, wanted)


def given_in(context: typer.Context) -> list[str]:
    """Name the options that were given, not left at their defaults."""
    sources = {name: context.get_parameter_source(name) for name in context.params}
    return [name for name, source in sources.items() if source and source.name == "COMMANDLINE"]


def fit_and_tell(
    source: Source | CountSource,
    recipe: Recipe | YadaRecipe | PoeRecipe,
    validation: Validation,
    dims: int | None = 2,
    out: Path | None = None,
    visible: bool = False,
    neighbours: Neighbours | None = None,
) -> None:
    """Fit, print the summary, and exit with 130 if Ctrl-C ended it early."""
    from resemblance.cli.counts import CountStudy
    from resemblance.cli.poe import PoeStudy
    from resemblance.cli.study import Study, run_study
    from resemblance.cli.summary import print_fit

    stem = Path(source.file.name.removesuffix(".gz")).stem
    folder = Path(f"{stem}-map") if out is None else out
    kinds = {CountSource: CountStudy, ViewSource: PoeStudy, Source: Study}
    kind: type[Study] = kinds[type(source)]
    work = folder, visible
    report = run_study(source, recipe, validation, dims, *work, kind, neighbours)
    print_fit(report, folder)
    if report["status"] != "complete":
        raise typer.Exit(130)
