"""The command `templates`."""

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from resemblance.cli import options
from resemblance.cli.options import argument, option
from resemblance.cli.output import (
    make_folder,
    print_lines,
    with_figures,
    write_figure,
    write_report,
)
from resemblance.cli.source import read_array
from resemblance.files import need, plain, whole

if TYPE_CHECKING:
    import numpy as np

    from resemblance.judgments import Classifications
    from resemblance.templates import DecisionTemplates, StrategyComparison

LEARNED = ("labels", "biases", "lapse", "smoothness", "penalty", "start", "converged")


class CovarianceName(StrEnum):
    diagonal = "diagonal"
    shrunk = "shrunk"
    full = "full"


def threshold_of(text: str) -> Any:
    """Parse an impurity, or cv.

    >>> threshold_of("0.3"), threshold_of("cv")
    (0.3, 'cv')
    """
    try:
        return text if text == "cv" else float(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is neither a number nor cv") from None


@with_figures
def templates(
    file: Annotated[
        Path,
        argument(
            "The trials: a table with the columns image and label, or an archive (.npz).", "FILE"
        ),
    ],
    images: Annotated[
        Path | None,
        option(
            "The folder of the pictures, or a file of one array (.npy). Default: the folder "
            "of FILE.",
            "PATH",
        ),
    ] = None,
    number: Annotated[
        int | None, option("How many, of all classes. Default: chosen.", name="--templates")
    ] = None,
    regions: Annotated[
        Path | None,
        option(
            "An array (.npy) with the region of each pixel, from 0: templates are smooth "
            "within regions, and averaged over them."
        ),
    ] = None,
    threshold: Annotated[
        Any,
        option(
            "The impurity that splits a Gaussian prototype, 0 to 0.5; cv: chosen.",
            "SHARE",
            parser=threshold_of,
        ),
    ] = "0.25",
    covariance: Annotated[CovarianceName, option("Of a prototype")] = CovarianceName.diagonal,
    columns: options.Columns = None,
    folds: Annotated[int, option("Folds of the cross-validation.", min=2)] = 5,
    out: Annotated[
        Path | None, option("Where the files go. Default: FILE's name with -templates.", "FOLDER")
    ] = None,
    seed: options.Seed = 0,
) -> None:
    """Find the templates behind classifications of images: pictures, a strategy, a report."""
    need(file, images, regions)
    from resemblance.cli.output import Work
    from resemblance.cli.problems import warnings_told
    from resemblance.judgments import read_classifications
    from resemblance.templates import DecisionTemplates, TemplateClassifier

    trials = read_classifications(file, images, columns)
    places = None if regions is None else read_array(regions)
    clusters = TemplateClassifier(threshold, covariance=covariance.value, random_state=seed)
    settings: dict[str, Any] = {"regions": places, "classifier": clusters, "cv": folds}
    with Work() as work, warnings_told():
        advance = work.steps("finding templates")
        model = DecisionTemplates(number, **settings, random_state=seed, callback=advance)
        model.fit(trials)
    comparison = model.strategy_comparison(random_state=seed)
    folder = make_folder(Path(f"{file.stem}-templates") if out is None else out)
    draw(folder, model, places)
    report = report_on(file, trials, model, comparison)
    write_report(folder / "report.json", report)
    tell(report, comparison, folder)


def draw(folder: Path, model: "DecisionTemplates", regions: "np.ndarray | None") -> None:
    import numpy as np

    from resemblance.plotting import plot_templates

    pictures = {
        "templates.png": (model, "Templates behind the decisions"),
        "prototypes.png": (model.classifier_, "Gaussian prototypes"),
    }
    for name, (images, title) in pictures.items():
        write_figure(folder / name, plot_templates(images, regions=regions, title=title), dpi=150)
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
    from dataclasses import asdict

    from resemblance import __version__

    clusters, places = model.classifier_, model.regions
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
            **{name: getattr(model, f"{name}_") for name in LEARNED},
            "held_out_log_likelihood": held_out_by_number(model),
            "region_averages": None if places is None else model.region_averages(),
        },
        "strategy": asdict(comparison),
        "prototypes": {
            "number": len(clusters.labels_),
            "labels": clusters.labels_,
            "threshold": clusters.threshold_,
            "covariance": clusters.covariance,
            "impurity": clusters.impurity_,
            "error_rate": clusters.error_rate_,
            "mask_averages": None if places is None else clusters.region_averages(places),
        },
    }
    return plain(report)


def held_out_by_number(model: "DecisionTemplates") -> Mapping[int, float] | None:
    if model.held_out_ is None:
        return None
    means = model.held_out_.mean(axis=0)
    return {len(model.classes_) + k: value for k, value in enumerate(means)}


def tell(report: Mapping[str, Any], comparison: "StrategyComparison", folder: Path) -> None:
    decided, clusters = report["templates"], report["prototypes"]
    classes = ", ".join(map(str, decided["labels"]))
    lines = [
        ("trials", f"{report['data']['trials']:,}"),
        ("templates", f"{decided['number']} ({classes})"),
        ("strategy", str(comparison)),
        ("prototypes", f"{clusters['number']}, error rate {clusters['error_rate']:.3f}"),
        ("written to", str(folder)),
    ]
    print_lines(lines)
