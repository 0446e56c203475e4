"""The command `fit`."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from resemblance.catalog import AUTO_MODEL, MODEL, OFFERED
from resemblance.cli import options
from resemblance.cli.models import SETTINGS, check_options, recipe_of, with_settings
from resemblance.cli.output import with_figures
from resemblance.cli.picture import Picture
from resemblance.cli.problems import with_fields
from resemblance.cli.source import CONFUSIONS, Source, need_answers
from resemblance.errors import SettingError
from resemblance.files import TABLES_READ, list_folder, need, rdm_suffix, suffix
from resemblance.recipe import Recipe

if TYPE_CHECKING:
    from resemblance.cli.fitting import Fit
    from resemblance.cli.stored import StoredFit


@with_figures
@with_settings
@with_fields(Source)
def fit(
    context: typer.Context,
    model: options.Model = None,
    dims: options.Dims = None,
    out: options.Out = None,
    neighbours: options.Neighbours = None,
    rdm: options.Rdm = None,
    picture: options.Figure = None,
    folds: options.Folds = None,
    by: options.ByOption = None,
    keep_gold: options.KeepGold = False,
    screen: options.Screen = False,
    seed: options.Seed = 0,
    **more: Any,
) -> None:
    """Fit a space to the answers in a file: a map, the positions and an honest report.

    With --model yada the file counts confusions (a, b, errors, trials), and the fit is a map from
    features to the space; so it is with poe and mkpoe, whose file holds comparisons. Ctrl-C keeps
    what is there: the best positions so far, and the folds that are finished.
    """
    views = more["features"] or []
    name = model.value if model else MODEL if is_stored(more["file"]) else AUTO_MODEL
    check_options(name, given_in(context), len(views))
    chosen = {name: more.pop(name) for name in SETTINGS}
    settings = {name: v for name, v in chosen.items() if v is not None and v is not False}
    informed = bool(views) and not OFFERED[name].features
    recipe = recipe_of(name, settings, dims, seed, informed)
    if recipe.described.kind == CONFUSIONS:
        more["kind"] = CONFUSIONS
    source = Source(**more)
    check_folds(folds)
    recipe.need_held_out(folds != 0)
    if neighbours is not None:
        suffix(neighbours)
    if rdm is not None:
        rdm_suffix(rdm)
    folder = folder_of(source.file, out)
    drawn = Picture.asked(picture, folder)
    if is_stored(source.file):
        refuse_checks(given_in(context))
        need(source.file, *views, tables=(source.items, source.clicks))
        from resemblance.cli.stored import StoredFit

        finish(StoredFit(source, recipe, folder))
        return
    need_answers(source.file)
    need(*views, tables=(source.items, source.clicks, source.design, source.people))
    files: dict[str, Any] = {"neighbours": neighbours, "rdm": rdm}
    files |= {"picture": drawn, "keep_gold": keep_gold, "screen": screen}
    fit_and_tell(source, recipe, out, folds=folds, by=by, **files)


def given_in(context: typer.Context) -> list[str]:
    sources = {name: context.get_parameter_source(name) for name in context.params}
    return [name for name, source in sources.items() if source and source.name == "COMMANDLINE"]


def is_stored(path: Path) -> bool:
    """Return whether answers stay on disk: an array, or a folder of .parquet."""
    if not path.is_dir():
        return path.suffix == ".npy"
    endings = {file.suffix.lower() for file in list_folder(path, deep=True)[0]}
    return ".parquet" in endings or not endings & {*TABLES_READ}


def refuse_checks(given: list[str]) -> None:
    raw = ("keep_gold", "screen", "answers", "only", "design", "people", "on_error")
    for name in ("folds", "by", "neighbours", "rdm", "picture", *raw):
        if name in given:
            name = name.replace("_", "-")
            raise SettingError(
                f"--{name} applies to answers in one file, not in a folder: leave it out"
            )


def check_folds(folds: int | None) -> None:
    if folds is not None and (folds < 0 or folds == 1):
        raise SettingError(f"--folds is {folds}; give at least 2, or 0 for none")


def fit_and_tell(
    source: Source,
    recipe: Recipe,
    out: Path | None = None,
    **settings: Any,
) -> None:
    from resemblance.cli.fitting import Fit

    finish(Fit(source, recipe, folder_of(source.file, out), **settings))


def folder_of(file: Path, out: Path | None) -> Path:
    if out is not None:
        return out
    file = file.resolve() if is_stored(file) else Path(file.name.removesuffix(".gz"))
    return Path(f"{file.stem}-map")


def finish(fit: "Fit | StoredFit") -> None:
    fit.run()
    fit.tell()
    if fit.status != "complete":
        raise typer.Exit(130)
