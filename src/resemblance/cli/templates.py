"""The command `templates`."""

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from resemblance.catalog import CHOSEN_NOISE
from resemblance.cli import options
from resemblance.cli.options import By, argument, columns_of, option
from resemblance.cli.output import (
    make_folder,
    print_lines,
    with_figures,
    write_csv,
    write_figure,
    write_report,
)
from resemblance.cli.source import read_array
from resemblance.errors import JudgmentError, SettingError, count
from resemblance.files import need, plain, whole

if TYPE_CHECKING:
    import numpy as np

    from resemblance.judgments import Classifications
    from resemblance.templates import (
        ClassificationImage,
        DecisionTemplates,
        PeopleTemplates,
        StrategyComparison,
    )

MOST_DRAWN = 60  # maximum number of people in a picture
LEARNED = ("labels", "biases", "lapse", "smoothness", "penalty", "start", "converged")


class CovarianceName(StrEnum):
    diagonal = "diagonal"
    shrunk = "shrunk"
    full = "full"


def threshold_of(text: str) -> Any:
    """Parse a threshold: an impurity, or "cv".

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
        argument("The trials: a table with columns image and label, or an archive (.npz).", "FILE"),
    ],
    images: Annotated[
        Path | None,
        option(
            "The folder of the pictures, or an array (.npy). Default: the folder of FILE.",
            "PATH",
        ),
    ] = None,
    number: Annotated[
        int | None, option("Number, over all classes. Default: chosen.", name="--templates")
    ] = None,
    regions: Annotated[
        Path | None,
        option(
            "An array (.npy) with the region of each pixel, from 0; templates are smoothed within "
            "regions, and averaged over them."
        ),
    ] = None,
    threshold: Annotated[
        Any,
        option(
            "Impurity above which a Gaussian prototype is split, 0 to 0.5; cv: chosen.",
            "SHARE",
            parser=threshold_of,
        ),
    ] = "0.25",
    covariance: Annotated[
        CovarianceName, option("Covariance of a prototype")
    ] = CovarianceName.diagonal,
    by: Annotated[
        By | None,
        option("observer: also the templates and strategy of each person.", metavar="observer"),
    ] = None,
    columns: Annotated[
        dict[str, str] | None,
        option(
            "Other names of columns, such as image=file,label=response,observer=subject.",
            "COLUMNS",
            parser=columns_of,
        ),
    ] = None,
    folds: Annotated[int, option("Folds of the cross-validation.", min=2)] = 5,
    out: Annotated[
        Path | None, option("Where the files go. Default: FILE's name with -templates.", "FOLDER")
    ] = None,
    seed: options.Seed = 0,
) -> None:
    """Find the templates behind classifications of noisy images; write pictures and a report."""
    need(file, images, regions)
    if by not in (None, By.observer):
        raise SettingError(f"--by is {by}: give observer, or leave it out")
    from resemblance.cli.output import Work
    from resemblance.cli.problems import warnings_told
    from resemblance.judgments import read_classifications
    from resemblance.templates import (
        DecisionTemplates,
        TemplateClassifier,
        classification_image,
        templates_by_observer,
    )

    trials = read_classifications(file, images, columns)
    if by is not None and trials.observer is None:
        raise SettingError(
            f"{file} has no column observer: name it with --columns observer=..., or leave --by out"
        )
    places = None if regions is None else read_array(regions)
    clusters = TemplateClassifier(threshold, covariance=covariance.value, random_state=seed)
    settings: dict[str, Any] = {"regions": places, "classifier": clusters, "cv": folds}
    with Work() as work, warnings_told():
        advance = work.steps("finding templates")
        model = DecisionTemplates(number, **settings, random_state=seed, callback=advance)
        model.fit(trials)
        try:
            image = classification_image(at_random(trials), random_state=seed)
        except JudgmentError as error:  # a person gave the same answer to all images of a class
            image = None
            typer.echo(f"note: no classification image: {error}", err=True)
        people = None
        if by is not None:
            own = DecisionTemplates(number, **settings, random_state=seed)
            advance = work.steps("finding the templates of each person")
            people = templates_by_observer(trials, own, random_state=seed, callback=advance)
    comparison = model.strategy_comparison(random_state=seed)
    folder = make_folder(Path(f"{file.stem}-templates") if out is None else out)
    draw(folder, model, image, places)
    report = report_on(file, trials, model, comparison, image)
    if people is not None:
        draw_people(folder, people)
        write_csv(folder / "people.csv", people.to_pandas())
        report["people"] = plain(people.to_pandas().to_dict("records"))
    write_report(folder / "report.json", report)
    tell(report, comparison, people, folder)


def draw(
    folder: Path,
    model: "DecisionTemplates",
    image: "ClassificationImage | None",
    regions: "np.ndarray | None",
) -> None:
    import numpy as np

    from resemblance.plotting import plot_templates

    pictures = {
        "templates.png": (model, "Templates behind the decisions"),
        "prototypes.png": (model.classifier_, "Gaussian prototypes"),
    }
    for name, (images, title) in pictures.items():
        write_figure(folder / name, plot_templates(images, regions=regions, title=title), dpi=150)
    shape = (-1, *model.image_shape_)
    maps: dict[str, Any] = (
        {} if image is None else draw_classification_image(folder, image, shape[1:])
    )
    with whole(folder / "templates.npz") as part, part.open("wb") as file:
        np.savez(
            file,
            templates=model.templates_.reshape(shape),
            masks=model.masks_.reshape(shape),
            labels=model.labels_,
            mean=model.mean_.reshape(shape[1:]),
            **maps,
        )


def at_random(trials: "Classifications") -> "Classifications":
    """Return the trials of which the noise was not chosen by a study."""
    strategy = trials.extra.get("strategy")
    return trials if strategy is None else trials[strategy != CHOSEN_NOISE]


def draw_classification_image(
    folder: Path, image: "ClassificationImage", shape: tuple[int, ...]
) -> dict[str, Any]:
    import numpy as np

    from resemblance.plotting import plot_templates
    from resemblance.templates.classification_image import LEVEL

    assert image.p_value is not None
    both = np.stack([image.z, np.where(image.p_value < LEVEL, image.z, 0.0)])
    title = f"Classification image, towards {image.towards}"
    labels = ["all pixels", "p < .05"]
    picture = plot_templates(both, image_shape=shape, name="z", labels=labels, title=title)
    write_figure(folder / "classification_image.png", picture, dpi=150)
    maps = {"classification_image": image.image, "z": image.z, "p_value": image.p_value}
    return {name: values.reshape(shape) for name, values in maps.items()}


def draw_people(folder: Path, people: "PeopleTemplates") -> None:
    from resemblance.plotting import plot_templates
    from resemblance.plotting.canvas import new_figure

    models = [(person, person.model) for person in people.people if person.model is not None]
    drawn = models[:MOST_DRAWN]
    if not drawn:
        return
    widest = max(model.n_templates_ for _, model in drawn)
    figure = new_figure((max(6.5, 1.6 * widest), 2.0 * len(drawn)))
    rows = figure.subfigures(len(drawn), 1, squeeze=False)[:, 0]
    for (person, model), row in zip(drawn, rows, strict=True):
        pictures = model.templates_.reshape(-1, *model.image_shape_)
        title = f"{person.observer}: {person.verdict}"
        plot_templates(pictures, labels=model.labels_, title=title, figure=row)
    write_figure(folder / "people.png", figure, dpi=110)


def report_on(
    file: Path,
    trials: "Classifications",
    model: "DecisionTemplates",
    comparison: "StrategyComparison",
    image: "ClassificationImage | None",
) -> dict[str, Any]:
    from dataclasses import asdict

    import numpy as np

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
        "strategy": {**asdict(comparison), "n_needed": comparison.n_needed},
        "classification_image": image
        and {
            "towards": image.towards,
            "significant_pixels": image.n_significant,
            "largest_z": np.abs(image.z).max(),
        },
        "prototypes": {
            "number": len(clusters.labels_),
            "labels": clusters.labels_,
            "threshold": clusters.threshold_,
            "covariance": clusters.covariance,
            "impurity": clusters.impurity_,
            "error_rate": clusters.error_rate_,
            "stalled": clusters.n_stalled_,
            "mask_averages": None if places is None else clusters.region_averages(places),
        },
    }
    return plain(report)


def held_out_by_number(model: "DecisionTemplates") -> Mapping[int, float] | None:
    if model.held_out_ is None:
        return None
    means = model.held_out_.mean(axis=0)
    return {len(model.classes_) + k: value for k, value in enumerate(means)}


def tell(
    report: Mapping[str, Any],
    comparison: "StrategyComparison",
    people: "PeopleTemplates | None",
    folder: Path,
) -> None:
    decided, clusters = report["templates"], report["prototypes"]
    classes = ", ".join(map(str, decided["labels"]))
    stalled = ""
    if clusters["stalled"]:
        stalled = f"; {clusters['stalled']} stay above an impurity of {clusters['threshold']:g}"
    image = report["classification_image"]
    pixels = count(image["significant_pixels"], "pixel") if image else "no pixel"
    lines = [
        ("trials", f"{report['data']['trials']:,}"),
        ("templates", f"{decided['number']} ({classes})"),
        ("strategy", str(comparison)),
        ("classification image", f"{pixels} with p < .05, for all pixels together"),
        ("prototypes", f"{clusters['number']}, error rate {clusters['error_rate']:.3f}{stalled}"),
    ]
    everybody = () if people is None else people.people
    print_lines([*lines, *((person.observer, str(person)) for person in everybody)])
    if len(everybody) > MOST_DRAWN:
        print_lines([("people.png", f"shows the first {MOST_DRAWN} people; people.csv has all")])
    print_lines([("written to", str(folder))])
