"""The commands `fit` and `score`, and the options of models."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from inspect import signature
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from resemblance.catalog import ALL_MODELS, AUTO_MODEL, MODEL as DEFAULT, OFFERED
from resemblance.cli import options
from resemblance.cli.options import (
    FEATURES,
    MODEL,
    By,
    Kind,
    Names,
    OnError,
    argument,
    kernels_of,
    option,
)
from resemblance.cli.output import Picture, print_lines, with_figures
from resemblance.cli.problems import with_fields, with_options
from resemblance.cli.source import CONFUSIONS, Source, need_answers
from resemblance.errors import FileError, SettingError
from resemblance.files import (
    TABLES_READ,
    as_json as as_json_text,
    list_folder,
    need,
    rdm_suffix,
    suffix,
)
from resemblance.recipe import Recipe

if TYPE_CHECKING:
    from resemblance.cli.fitting import Fit, StoredFit

Range = tuple[Callable[[float], bool], str]
POSITIVE: Range = (lambda x: 0 < x < inf), "a positive number"
NOT_NEGATIVE: Range = (lambda x: 0 <= x < inf), "0 or a positive number"
SHARE: Range = (lambda x: 0 <= x < 1), "a share from 0 to below 1"
THREADS: Range = (lambda x: x >= 1 or x == -1), "1 or more, or -1 for all cores"
MIX: Range = (lambda x: 0 <= x <= 1), "a share from 0 to 1"
KERNELS = (*("rbf", "linear", "polynomial", "cosine", "tfidf", "chi2", "histogram", "precomputed"),)
OF_FEATURES = ("feature_columns", "kernel", "bandwidth", "monotone", "one_to_one")
KEYS = ("settings", "model")  # keys that all reports of fits have


@dataclass(frozen=True)
class Setting:
    help: str
    kind: Any = float
    panel: str = MODEL
    range: Range | None = None
    among: tuple[str, ...] = ()
    parser: Callable[[str], Any] | None = None
    metavar: str = "NUMBER"

    def annotation(self, name: str) -> Any:
        models = ", ".join(model for model, entry in ALL_MODELS.items() if name in entry.options)
        among = f": {', '.join(self.among)}" if self.among else ""
        if self.kind is bool:
            return Annotated[bool, option(f"{self.help} ({models}).", panel=self.panel)]
        parser = one_of(self.among) if self.among else self.parser
        settings: dict[str, Any] = {"panel": self.panel, "parser": parser, "metavar": self.metavar}
        return Annotated[self.kind | None, option(f"{self.help}{among} ({models}).", **settings)]

    def check(self, name: str, value: Any) -> None:
        if self.range is not None and not self.range[0](value):
            flag = name.replace("_", "-")
            raise SettingError(f"--{flag} is {value:g}: give {self.range[1]}", setting=name)


def one_of(names: Iterable[str]) -> Callable[[str], str]:
    def name(text: str) -> str:
        if text not in names:
            raise typer.BadParameter(f"{text!r} is unknown: choose {', '.join(names)}")
        return text

    return name


SETTINGS = {
    "form": Setting("Parameters to fit", str, among=("coordinates", "gram"), metavar="NAME"),
    "penalty": Setting(
        "Strength of the penalty, which pulls positions together. Default: chosen on held-out "
        "answers; for gnmds and soe 0, for a Gram matrix 1",
        range=NOT_NEGATIVE,
    ),
    "l1_ratio": Setting(
        "Share of the L1 norm in the penalty, the rest being L2; more of it leaves fewer "
        "dimensions. Default: 0.25",
        range=MIX,
        metavar="SHARE",
    ),
    "alpha": Setting(
        "Degrees of freedom of Student's t: fewer give heavier tails. Default: dimensions - 1, at "
        "least 1",
        range=POSITIVE,
    ),
    "mu": Setting("Constant added to squared distances. Default: 0.05", range=POSITIVE),
    "margin": Setting(
        "How much longer the far distance must be than the near one to cost nothing. Default: 1",
        range=POSITIVE,
    ),
    "n_init": Setting("Number of starts, of which the best fit is kept", int),
    "max_iter": Setting("Maximum number of iterations per start", int),
    "n_jobs": Setting(
        "Threads, which change no result; -1 is all cores. Default: 1",
        *(int, MODEL),
        range=THREADS,
    ),
    "device": Setting(
        "cuda, or cuda:1: an NVIDIA GPU, for a million answers or more. Default: cpu",
        *(str, MODEL),
        metavar="NAME",
    ),
    "kernel": Setting("Kernel of the features", str, FEATURES, among=KERNELS, metavar="NAME"),
    "kernels": Setting(
        "A kernel for each view, such as tags=tfidf,sound=rbf. Default: --kernel for all",
        *(dict[str, str], FEATURES),
        parser=kernels_of,
        metavar="VIEW=NAME,...",
    ),
    "bandwidth": Setting(
        "Bandwidth of the rbf kernel, in units of the features. Default: for yada chosen from 1/4 "
        "to 8 standard deviations of the features; else the median distance of items",
        panel=FEATURES,
        range=POSITIVE,
    ),
    "beta": Setting(
        "Weight of the answers relative to the penalty. Default: chosen from 0.01 to 10,000,000",
        panel=FEATURES,
        range=POSITIVE,
    ),
    "diagonal": Setting("Separate weights for the items of each kernel", bool, FEATURES),
    "choice": Setting(
        "Psychometric function of distance and errors",
        *(str, FEATURES),
        among=("gaussian", "exponential"),
        metavar="NAME",
    ),
    "lapse": Setting("Share of random answers", float, FEATURES, SHARE, metavar="SHARE"),
    "monotone": Setting(
        "Features that must increase with coordinates 1, 2, ..., such as length,angle",
        *(Names, FEATURES),
        parser=Names.of,
        metavar="COLUMNS",
    ),
    "one_to_one": Setting("Keep different stimuli at different positions", bool, FEATURES),
}


def with_settings(command: Callable[..., None]) -> Callable[..., None]:
    defaults = {name: False if s.kind is bool else None for name, s in SETTINGS.items()}
    options = {name: (s.annotation(name), defaults[name]) for name, s in SETTINGS.items()}
    return with_options(command, options, signature(command))


def check_options(name: str, given: Iterable[str], n_features: int) -> None:
    model = OFFERED[name]
    offered = {option for other in ALL_MODELS.values() for option in other.options}
    for wrong in (o for o in given if o in offered and o not in model.options):
        takers = [taker for taker, other in ALL_MODELS.items() if wrong in other.options]
        raise SettingError(
            f"--{wrong.replace('_', '-')} does not apply to {name}: leave it out, or use --model "
            f"{' or '.join(takers)}",
            setting=wrong,
        )
    of_features = [option for option in OF_FEATURES if option in given]
    if model.features and not n_features and (model.kind != CONFUSIONS or of_features):
        what = f"--{of_features[0].replace('_', '-')}" if of_features else name
        raise SettingError(f"{what} needs features: give them with --features FILE")
    if n_features > max(model.features, 1) and not model.believes:
        several = " or ".join(n for n, m in OFFERED.items() if m.features > 1 or m.believes)
        raise SettingError(
            f"{name} takes one file of --features: use --model {several} for several"
        )


def recipe_of(
    model: str,
    settings: Mapping[str, Any],
    dims: int | str | None,
    seed: int,
    informed: bool = False,
) -> Recipe:
    for name, value in settings.items():
        SETTINGS[name].check(name, value)
    for view, kernel in settings.get("kernels", {}).items():
        if kernel not in KERNELS:
            problem = f"--kernels has {kernel} for {view}: choose {', '.join(KERNELS)}"
            raise SettingError(problem, setting="kernels")
    recipe = Recipe(model, settings, dims, seed, informed=informed)
    if "bandwidth" in settings and recipe.described.kind == "confusions":
        kernel = settings.get("kernel", "rbf")
        if kernel != "rbf":
            raise SettingError(f"--bandwidth applies to --kernel rbf, not {kernel}: leave it out")
    return recipe


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
    second_map: options.SecondMap = False,
    seed: options.Seed = 0,
    **more: Any,
) -> None:
    """Fit a map to the answers in a file, and report how well it predicts held-out answers.

    The file has a row for each answer, with columns such as head, near and far; files of other
    programs are recognised. Often FILE is all that is needed. An option that names models in
    brackets is for these models alone. After Ctrl-C, the best positions and the finished folds are
    written.
    """
    views = more["features"] or []
    name = model.value if model else DEFAULT if is_stored(more["file"]) else AUTO_MODEL
    check_options(name, given_in(context), len(views))
    chosen = {name: more.pop(name) for name in SETTINGS}
    settings = {name: v for name, v in chosen.items() if v is not None and v is not False}
    informed = bool(views) and not OFFERED[name].features
    recipe = recipe_of(name, settings, dims, seed, informed)
    if recipe.described.kind == CONFUSIONS:
        more["kind"] = CONFUSIONS
    source = Source(**more)
    if folds is not None and (folds < 0 or folds == 1):
        raise SettingError(f"--folds is {folds}; give at least 2, or 0 for none")
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
        from resemblance.cli.fitting import StoredFit

        finish(StoredFit(source, recipe, folder))
        return
    need_answers(source.file)
    tables = source.items, source.clicks, source.machine, source.design, source.people
    need(*views, tables=tables)
    files: dict[str, Any] = {"neighbours": neighbours, "rdm": rdm}
    files |= {"picture": drawn, "keep_gold": keep_gold, "screen": screen}
    files["second_map"] = second_map
    fit_and_tell(source, recipe, out, folds=folds, by=by, **files)


def given_in(context: typer.Context) -> list[str]:
    sources = {name: context.get_parameter_source(name) for name in context.params}
    return [name for name, source in sources.items() if source and source.name == "COMMANDLINE"]


def is_stored(path: Path) -> bool:
    """Return whether rows stay on disk: an array, or a folder of .parquet files."""
    if not path.is_dir():
        return path.suffix == ".npy"
    endings = {file.suffix.lower() for file in list_folder(path, deep=True)[0]}
    return ".parquet" in endings or not endings & {*TABLES_READ}


def refuse_checks(given: list[str]) -> None:
    raw = ("keep_gold", "screen", "answers", "only", "design", "people", "on_error")
    for name in ("folds", "by", "machine", "neighbours", "rdm", "picture", "second_map", *raw):
        if name in given:
            name = name.replace("_", "-")
            raise SettingError(
                f"--{name} applies only to answers in one file, not in a folder: leave it out"
            )


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


def score(
    folder: Annotated[Path, argument("The folder of a fit.", "FOLDER")],
    file: options.File,
    kind: Annotated[
        Kind | None, option("The kind of rows in the file. Default: that of the fit.")
    ] = None,
    columns: options.Columns = None,
    on_error: options.OnErrorOption = OnError.fail,
    by: Annotated[
        By | None,
        option(
            "What the error's interval takes as a whole: question (with all answers to it), "
            "response_id, or observer (people). Default: question."
        ),
    ] = None,
    as_json: Annotated[bool, option("Print JSON.", name="--json")] = False,
) -> None:
    """Score a fitted map on the answers in another file.

    Rows that were fitted are not scored, and their number is reported. If all rows were fitted, the
    report of the fit is shown, with its error on held-out answers.
    """
    report = read_report(folder)
    fitted_to = report["settings"]["kind"]
    if fitted_to == CONFUSIONS and kind is not None:
        raise SettingError(
            "--kind applies to comparisons, but this is a fit to confusions: leave it out"
        )
    need_answers(file)
    from resemblance.analysis.wording import lines_of
    from resemblance.analysis.workflow import scored
    from resemblance.fitting import OrdinalEmbedding
    from resemblance.saving import load

    model = load(folder / "model.npz", OrdinalEmbedding)
    answers = Source(file, kind or fitted_to, columns, on_error=on_error).judgments(model.items_)
    scores = scored(model, answers, report, by=by)
    if as_json:
        typer.echo(as_json_text({"folder": folder, "file": file, **scores}))
    else:
        print_lines(lines_of(scores))


def read_report(folder: Path) -> Mapping[str, Any]:
    path = folder / "report.json"
    try:
        report = json.loads(path.read_text(encoding="utf-8"))
    except OSError:
        raise FileError(f"{path} is not there: give a folder that fit has written") from None
    except ValueError as error:
        raise FileError(f"{path} is not JSON ({error}): fit again") from None
    if not (isinstance(report, dict) and all(isinstance(report.get(key), dict) for key in KEYS)):
        raise FileError(f"{path} is not a report of a fit: give a folder that fit has written")
    return report
