"""Options of several commands, and parsers of their values."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from resemblance.catalog import MODELS, OFFERED

Likelihood = StrEnum("Likelihood", {name: name for name, m in MODELS.items() if m.has_odds})  # type: ignore[misc]
ModelName = StrEnum("ModelName", {name: name for name in OFFERED})  # type: ignore[misc]


class Kind(StrEnum):
    triplets = "triplets"
    quadruplets = "quadruplets"
    choices = "choices"
    odd_one_outs = "odd_one_outs"
    ratings = "ratings"
    confusions = "confusions"
    arrangements = "arrangements"


class OnError(StrEnum):
    fail = "raise"
    skip = "skip"


class Missing(StrEnum):
    error = "error"
    mean = "mean"


class By(StrEnum):
    question = "question"
    response_id = "response_id"
    observer = "observer"


def columns_of(text: str) -> dict[str, str]:
    """Parse `head=anchor,near=closer` into a dict from role to column name.

    >>> columns_of("head=anchor, near=closer")
    {'head': 'anchor', 'near': 'closer'}
    """
    return _named(text, "role=column, such as head=anchor")


def answers_of(text: str) -> dict[str, str]:
    """Parse `f=left,j=right` into a dict from response code to meaning.

    >>> answers_of("f=left,j=right,neither=")
    {'f': 'left', 'j': 'right', 'neither': ''}
    """
    return _named(text, "code=meaning, such as f=left,j=right", may_be_empty=True)


def kernels_of(text: str) -> dict[str, str]:
    """Parse `tags=tfidf,sound=rbf` into a dict from view to kernel.

    >>> kernels_of("tags=tfidf,sound=rbf")
    {'tags': 'tfidf', 'sound': 'rbf'}
    """
    return _named(text, "view=kernel, such as tags=tfidf")


class Names(tuple[str, ...]):
    @classmethod
    def of(cls, text: str) -> "Names":
        names = cls(name.strip() for name in text.split(","))
        if not all(names) or len(set(names)) < len(names):
            raise typer.BadParameter(f"{text!r} is not a list of distinct names like length,angle")
        return names


class Shape(tuple[int, ...]):
    """The numbers of nodes along the axes of a grid."""

    @classmethod
    def of(cls, text: str) -> "Shape":
        try:
            return cls(int(n) for n in text.split("x"))
        except ValueError:
            raise typer.BadParameter(
                f"{text!r} is not of the form 5x5, or 5 in one dimension"
            ) from None


def bounds_of(text: str) -> dict[str, tuple[float, float]]:
    """Parse `length=200:488` into a dict from feature to range.

    >>> bounds_of("length=200:488")
    {'length': (200.0, 488.0)}
    """
    form = "feature=low:high, such as length=200:488"
    bounds = {}
    for name, ends in _named(text, form).items():
        low, _, high = ends.partition(":")
        try:
            bounds[name] = float(low), float(high)
        except ValueError:
            raise typer.BadParameter(f"{name}={ends} is not of the form {form}") from None
    return bounds


def _named(text: str, form: str, may_be_empty: bool = False) -> dict[str, str]:
    """Parse `name=value,name=value`, or raise an error that shows the expected ``form``."""
    values: dict[str, str] = {}
    for part in text.split(","):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not (name and equals and (value or may_be_empty)):
            raise typer.BadParameter(f"{part!r} is not of the form {form}")
        if name in values:
            raise typer.BadParameter(f"{name!r} is given twice: give it once")
        values[name] = value
    return values


def dims_of(text: str) -> int | str:
    try:
        return text if text == "auto" else int(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is neither a whole number nor auto") from None


MODEL, READING, CHECKING = "The model", "How the file is read", "Checking the fit"
FIGURE = "A figure of the map"
FEATURES = "Features"


def option(
    help: str, metavar: str | None = None, name: str = "", panel: str | None = None, **settings: Any
) -> Any:
    names = [name] if name else []
    return typer.Option(*names, help=help, metavar=metavar, rich_help_panel=panel, **settings)


def bounds_option(default: str, panel: str | None = None) -> Any:
    text = f"Ranges of features, such as length=200:488,angle=0:90. Default: those of {default}."
    return option(text, "BOUNDS", panel=panel, parser=bounds_of)


def argument(help: str, metavar: str | None = None) -> Any:
    return typer.Argument(help=help, metavar=metavar)


ANSWERS = (
    "The answers: a table, or a file of jsPsych, JATOS, PsychoPy, Gorilla, Qualtrics, lab.js, "
    "Labvanced or oTree (.csv, .tsv, .txt, .json, .jsonl, .xlsx, .parquet, .zip), or a folder of "
    "such files"
)
LARGE = "for more answers than fit into memory, a folder of .parquet"
File = Annotated[Path, argument(f"{ANSWERS}.", "FILE")]
FileOrFolder = Annotated[Path, argument(f"{ANSWERS}; {LARGE}.", "FILE")]
Model = Annotated[
    ModelName | None,
    option(
        "How distances become answers. Default: auto (for a folder tste), the one of ste, tste and "
        "ckl that predicts held-out answers best; for ratings and arrangements ste. "
        "ste (stochastic triplet embedding), tste (the same with "
        "heavy tails), ckl (crowd kernel), gnmds and soe (no probabilities); yada (confusions: a, "
        "b, errors, trials; a map of features with --features); poe, mkpoe (maps of one or several "
        "kernels of --features); spose (dimensions that people can name). See "
        "docs/guide/models.md.",
        panel=MODEL,
    ),
]
Dims = Annotated[
    Any,
    option(
        "The number of dimensions; auto: 1 to 10, by the one-standard-error rule. Default: 2; for "
        "poe and mkpoe all; for spose 60, of which unneeded ones are removed.",
        "NUMBER",
        panel=MODEL,
        parser=dims_of,
    ),
]
Features = Annotated[
    list[Path] | None,
    option(
        "A file of the items with a column for each feature. They place items that nobody judged: "
        "with yada, poe and mkpoe they are the map, otherwise they count as far as they help to "
        "predict answers. Column item (or id) has the names used in the answers. For mkpoe several "
        "files, each a view named after its file. Also .npy, an array in the order of the items.",
        "FILE",
        panel=FEATURES,
    ),
]
FeatureColumns = Annotated[
    Names | None,
    option(
        "The columns with features, such as length,angle. Default: all but item, id, name, label, "
        "class and image.",
        "COLUMNS",
        panel=FEATURES,
        parser=Names.of,
    ),
]
MissingOption = Annotated[
    Missing,
    option(
        "For mkpoe and benchmark: how to handle items without features in a view: error, or use "
        "the mean.",
        panel=FEATURES,
    ),
]
KindOption = Annotated[Kind, option("The kind of the rows", panel=READING)]
AnyKind = Annotated[
    Kind | None,
    option("The kind of the rows. Default: recognised by the columns", panel=READING),
]
Answers = Annotated[
    dict[str, str] | None,
    option(
        "The option that each key or response code stands for, such as f=left,j=right; neither= "
        "for an answer without a choice.",
        "ANSWERS",
        panel=READING,
        parser=answers_of,
    ),
]
Only = Annotated[
    dict[str, str] | None,
    option(
        "Read only rows with this value, such as 'Zone Type=response_button'.",
        "COLUMN=VALUE",
        panel=READING,
        parser=answers_of,
    ),
]
Design = Annotated[
    Path | None,
    option(
        "A file of the questions, if the answers only have their numbers; joined by the columns "
        "in both files.",
        panel=READING,
    ),
]
People = Annotated[
    Path | None,
    option(
        "A file of the participants, such as Prolific's demographics; joined by their ids.",
        panel=READING,
    ),
]
OnErrorOption = Annotated[
    OnError,
    option(
        "For unreadable rows, in catch trials too: raise an error, or skip and count them.",
        panel=READING,
    ),
]
Reversed = Annotated[
    bool,
    option("High ratings mean that two items are different.", panel=READING),
]
KeepMarked = Annotated[
    bool,
    option(
        "Also read copies, and rows that the tool marks (practice, previews, spam, rejected work, "
        "excluded people).",
        panel=READING,
    ),
]
Clicks = Annotated[
    Path | None,
    option(
        "Kept clicks of a search page (clicks.jsonl), fitted together with the answers.",
        panel=READING,
    ),
]
Machine = Annotated[
    Path | None,
    option(
        "A machine's answers about the same items, fitted with the weight that best predicts "
        "people's held-out answers. Also writes distances.csv, for at most 100 items.",
        panel=READING,
    ),
]
Columns = Annotated[
    dict[str, str] | None,
    option(
        "Other names of columns, such as head=target,near=chosen,far=other, or "
        "head=target,left=a,right=b,chosen=key.",
        "COLUMNS",
        panel=READING,
        parser=columns_of,
    ),
]
Items = Annotated[
    Path | None,
    option(
        "A file of the items. Column item (or id) has the names used in the answers; maps show "
        "name, label and image.",
        panel=READING,
    ),
]
ItemColumns = Annotated[
    dict[str, str] | None,
    option(
        "Other names of columns in that file, such as item=index,label=genre.",
        "COLUMNS",
        panel=READING,
        parser=columns_of,
    ),
]
Folds = Annotated[
    int | None,
    option(
        "Folds of the cross-validation; 0: none. Default: 10, or as many as possible.",
        panel=CHECKING,
    ),
]
ByOption = Annotated[
    By | None,
    option(
        "What is held out as a whole: question (with all answers to it), response_id, or observer "
        "(people). Default: question.",
        panel=CHECKING,
    ),
]
KeepGold = Annotated[
    bool,
    option(
        "Also fit answers to gold questions (strategy is gold), which are left out by default, "
        "like in a study's own fits.",
        panel=CHECKING,
    ),
]
Screen = Annotated[
    bool,
    option("Leave out people who seem to guess; the report names them.", panel=CHECKING),
]
SecondMap = Annotated[
    bool,
    option(
        "Also test whether some items have two places, in two maps; takes minutes for 100 items.",
        panel=CHECKING,
    ),
]
Out = Annotated[
    Path | None, option("Where the files go. Default: FILE's name with -map.", "FOLDER")
]
Neighbours = Annotated[
    Path | None, option("Also write the ten nearest items of every item, as a table.")
]
Rdm = Annotated[
    Path | None,
    option(
        "Also write the distances of all pairs of items: .csv (square), .jsonl, .parquet, or .h5 "
        "for rsatoolbox."
    ),
]
Figure = Annotated[
    Path | None,
    option("Also draw the map for a paper: .pdf, .svg or .png.", "FIGURE", panel=FIGURE),
]
FigureSize = Annotated[
    str | None,
    option("Width of drawn figures, such as 85mm, 8.5cm or 3.35in; text keeps its size.", "LENGTH"),
]
Seed = Annotated[int, option("Seed of random numbers.", min=0)]
Link = Annotated[bool, option("Link to the stimuli instead of copying them.")]
StudyPath = Annotated[Path, argument("The folder of the study.", "STUDY")]
