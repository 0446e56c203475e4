"""The command `templates`."""

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from resemblance.cli import options
from resemblance.cli.output import make_folder, whole, write_report
from resemblance.errors import FileError
from resemblance.files import need, plain

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.figure import Figure

    from resemblance.judgments import Classifications
    from resemblance.templates import DecisionTemplates, StrategyComparison


class CovarianceName(StrEnum):
    """What the matrix of a Gaussian prototype may be."""

    diagonal = "diagonal"
    shrunk = "shrunk"
    full = "full"


def threshold_of(text: str) -> Any:
    """Read an impurity; cv is kept as it is.

    Examples
    --------
    >>> threshold_of("0.3"), threshold_of("cv")
    (0.3, 'cv')
    """
    try:
        return text if text == "cv" else float(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is neither a number nor cv") from None


def templates(
    file: Annotated[
        Path,
        typer.Argument(
            help="The trials: a table with the columns image and label, or an archive (.npz).",
            metavar="FILE",
        ),
    ],
    images: Annotated[
        Path | None,
        typer.Option(
            help="The folder of the pictures, or a file of one array (.npy). Default: the folder "
            "of FILE.",
            metavar="PATH",
        ),
    ] = None,
    number: Annotated[
        int | None,
        typer.Option(
            "--templates", help="How many, of all classes. Default: chosen.", metavar="NUMBER"
        ),
    ] = None,
    regions: Annotated[
        Path | None,
        typer.Option(
            help="An array (.npy) with the region of each pixel, from 0: templates are smooth "
            "within regions, and averaged over them.",
            metavar="FILE",
        ),
    ] = None,
    threshold: Annotated[
        Any,
        typer.Option(
            help="The impurity that splits a Gaussian prototype, 0 to 0.5; cv: chosen.",
            metavar="SHARE",
            parser=threshold_of,
        ),
    ] = "0.25",
    covariance: Annotated[
        CovarianceName,
        typer.Option(help=f"Of a prototype: {', '.join(CovarianceName)}.", metavar="NAME"),
    ] = CovarianceName.diagonal,
    columns: options.Columns = None,
    folds: Annotated[
        int, typer.Option(help="Folds of the cross-validation.", metavar="NUMBER", min=2)
    ] = 5,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Where the files go. Default: FILE's name with -templates.", metavar="FOLDER"
        ),
    ] = None,
    seed: options.Seed = 0,
) -> None:
    """Find the templates behind classifications of images: pictures, a strategy, a report."""
    need(file, images, regions)
    from resemblance.cli.convert import warnings_told
    from resemblance.judgments import read_classifications
    from resemblance.templates import DecisionTemplates, TemplateClassifier

    trials = read_classifications(file, images, columns)
    places = None if regions is None else read_regions(regions)
    clusters = TemplateClassifier(threshold, covariance=covariance.value, random_state=seed)
    model = DecisionTemplates(
        number, regions=places, classifier=clusters, cv=folds, random_state=seed
    )
    with warnings_told():
        model.fit(trials)
    comparison = model.strategy_comparison(random_state=seed)
    folder = make_folder(Path(f"{file.stem}-templates") if out is None else out)
    draw(folder, model, places)
    report = report_on(file, trials, model, comparison)
    write_report(folder / "report.json", report)
    tell(report, comparison, folder)


def read_regions(path: Path) -> "np.ndarray":
    """Read the region of every pixel."""
    import numpy as np

    try:
        return np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise FileError(f"{path} cannot be read as an array ({error}): save a .npy file") from None


def draw(folder: Path, model: "DecisionTemplates", regions: "np.ndarray | None") -> None:
    """Draw the templates and the prototypes, each above its masks, and keep the numbers."""
    import numpy as np

    from resemblance.plotting import plot_templates

    pictures = {
        "templates.png": (model, "Templates behind the decisions"),
        "prototypes.png": (model.classifier_, "Gaussian prototypes"),
    }
    for name, (found, title) in pictures.items():
        with whole(folder / name) as part:
            figure = cast("Figure", plot_templates(found, regions=regions, title=title))
            figure.savefig(part, format="png", dpi=150)
    with whole(folder / "templates.npz") as part, part.open("wb") as file:
        shape = (-1, *model.image_shape_)
        np.savez(
            file,
            templates=model.templates_.reshape(shape),
            masks=model.masks_.reshape(shape),
            labels=model.labels_,
            mean=model.mean_.reshape(shape[1:]),
        )


def report_on(
    file: Path,
    trials: "Classifications",
    model: "DecisionTemplates",
    comparison: "StrategyComparison",
) -> dict[str, Any]:
    """Draw up the report as plain values."""
    from dataclasses import asdict

    from resemblance import __version__

    clusters = model.classifier_
    report = {
        "resemblance": __version__,
        "data": {
            "file": file,
            "trials": len(trials),
            "image_shape": trials.image_shape,
            "classes": trials.classes,
            "correct": None if trials.shown is None else trials.correct.mean(),
        },
        "templates": {
            "number": model.n_templates_,
            "labels": model.labels_,
            "biases": model.biases_,
            "lapse": model.lapse_,
            "smoothness": model.smoothness_,
            "penalty": model.penalty_,
            "start": model.start_,
            "converged": model.converged_,
            "held_out_log_likelihood": held_out_by_number(model),
            "region_averages": None if model.regions is None else model.region_averages(),
        },
        "strategy": asdict(comparison),
        "prototypes": {
            "number": len(clusters.labels_),
            "labels": clusters.labels_,
            "threshold": clusters.threshold_,
            "covariance": clusters.covariance,
            "impurity": clusters.impurity_,
            "error_rate": clusters.error_rate_,
            "mask_averages": region_averages(model),
        },
    }
    return plain(report)


def held_out_by_number(model: "DecisionTemplates") -> Mapping[int, float] | None:
    """Return the mean log-likelihood of held-out answers for each number of templates."""
    if model.held_out_ is None:
        return None
    means = model.held_out_.mean(axis=0)
    return {len(model.classes_) + k: value for k, value in enumerate(means)}


def region_averages(model: "DecisionTemplates") -> Any:
    """Average the masks of the prototypes over regions."""
    return None if model.regions is None else model.classifier_.region_averages(model.regions)


def tell(report: Mapping[str, Any], comparison: "StrategyComparison", folder: Path) -> None:
    """Print what was found."""
    from rich.console import Console

    from resemblance.cli.summary import print_lines

    found, clusters = report["templates"], report["prototypes"]
    classes = ", ".join(map(str, found["labels"]))
    lines = [
        ("trials", f"{report['data']['trials']:,}"),
        ("templates", f"{found['number']} ({classes})"),
        ("strategy", str(comparison)),
        ("prototypes", f"{clusters['number']}, error rate {clusters['error_rate']:.3f}"),
        ("written to", str(folder)),
    ]
    print_lines(Console(highlight=False), lines)
