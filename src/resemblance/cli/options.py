"""Options that several commands share, and their values."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from resemblance.catalog import ALL_MODELS, MODELS, OFFERED

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
    """Parse `head=anchor,near=closer` into the column of each role.

    >>> columns_of("head=anchor, near=closer")
    {'head': 'anchor', 'near': 'closer'}
    """
    return _named(text, "role=column, as head=anchor")


def answers_of(text: str) -> dict[str, str]:
    """Parse `f=left,j=right` into the meaning of each word.

    >>> answers_of("f=left,j=right,neither=")
    {'f': 'left', 'j': 'right', 'neither': ''}
    """
    return _named(text, "word=meaning, as f=left,j=right", may_be_empty=True)


def kernels_of(text: str) -> dict[str, str]:
    """Parse `tags=tfidf,sound=rbf` into the kernel of each view.

    >>> kernels_of("tags=tfidf,sound=rbf")
    {'tags': 'tfidf', 'sound': 'rbf'}
    """
    return _named(text, "view=kernel, as tags=tfidf")


class Names(tuple[str, ...]):
    """Distinct names, in order."""

    @classmethod
    def of(cls, text: str) -> "Names":
        names = cls(name.strip() for name in text.split(","))
        if not all(names) or len(set(names)) < len(names):
            raise typer.BadParameter(f"{text!r} is no list of different names, as length,angle")
        return names


class Shape(tuple[int, ...]):
    """Number of nodes along each axis of a grid."""

    @classmethod
    def of(cls, text: str) -> "Shape":
        try:
            return cls(int(n) for n in text.split("x"))
        except ValueError:
            raise typer.BadParameter(
                f"{text!r} is not of the form 5x5, or 5 in one dimension"
            ) from None


def bounds_of(text: str) -> dict[str, tuple[float, float]]:
    """Parse `length=200:488` into the range of each feature.

    >>> bounds_of("length=200:488")
    {'length': (200.0, 488.0)}
    """
    form = "feature=low:high, as length=200:488"
    bounds = {}
    for name, ends in _named(text, form).items():
        low, _, high = ends.partition(":")
        try:
            bounds[name] = float(low), float(high)
        except ValueError:
            raise typer.BadParameter(f"{name}={ends} is not of the form {form}") from None
    return bounds


def _named(text: str, form: str, may_be_empty: bool = False) -> dict[str, str]:
    """Parse `name=value,name=value`; the error describes the form."""
    values: dict[str, str] = {}
    for part in text.split(","):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not (name and equals and (value or may_be_empty)):
            raise typer.BadParameter(f"{part!r} is not of the form {form}")
        if name in values:
            raise typer.BadParameter(f"{name!r} is named twice: name it once")
        values[name] = value
    return values


def dims_of(text: str) -> int | str:
    try:
        return text if text == "auto" else int(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is neither a whole number nor auto") from None


MODEL, READING, CHECKING = "The model", "How the file is read", "Checking the fit"
FIGURE = "A figure of the map"
FEATURES = f"Features (--model {', '.join(n for n, m in ALL_MODELS.items() if m.features)})"


def option(
    help: str, metavar: str | None = None, name: str = "", panel: str | None = None, **settings: Any
) -> Any:
    names = [name] if name else []
    return typer.Option(*names, help=help, metavar=metavar, rich_help_panel=panel, **settings)


def argument(help: str, metavar: str | None = None) -> Any:
    return typer.Argument(help=help, metavar=metavar)


ANSWERS = (
    "The answers, as a table or as jsPsych, JATOS, PsychoPy, Gorilla, Qualtrics, lab.js, "
    "Labvanced or oTree wrote them: .csv, .tsv, .txt, .json, .jsonl, .xlsx, .parquet, .zip, "
    "or a folder of these"
)
LARGE = "where they are too many for memory, a folder of .parquet"
File = Annotated[Path, argument(f"{ANSWERS}.", "FILE")]
FileOrFolder = Annotated[Path, argument(f"{ANSWERS}; {LARGE}.", "FILE")]
Model = Annotated[
    ModelName | None,
    option(
        "How distances become answers; auto takes of tste, ste and ckl the one under which answers "
        "held out are most likely (of ratings and arrangements ste). Default: auto, of a folder "
        "tste. One of",
        panel=MODEL,
    ),
]
Dims = Annotated[
    Any,
    option(
        "The number of dimensions; auto: of 1 to 10 by the one-standard-error rule. Default: "
        "2; of poe and mkpoe all; of spose 60, without those that it does not need.",
        "NUMBER",
        panel=MODEL,
        parser=dims_of,
    ),
]
Features = Annotated[
    list[Path] | None,
    option(
        "A file of the items with a column for each feature. Its column item (or id) holds "
        "what the answers call it; name, label and image are what maps show. For mkpoe several, "
        "each a view called as its file; .npy for an array in the order of the items.",
        "FILE",
        panel=FEATURES,
    ),
]
FeatureColumns = Annotated[
    Names | None,
    option(
        "The columns that are features, as length,angle. Default: all but item, id, name, "
        "label, class and image.",
        "COLUMNS",
        panel=FEATURES,
        parser=Names.of,
    ),
]
MissingOption = Annotated[
    Missing,
    option(
        "Of mkpoe: what to do about items without features in a view: error, or mean.",
        panel=FEATURES,
    ),
]
KindOption = Annotated[Kind, option("What a row of the file is", panel=READING)]
AnyKind = Annotated[
    Kind | None,
    option("What a row of the file is. Default: what its columns say", panel=READING),
]
Answers = Annotated[
    dict[str, str] | None,
    option(
        "Which option was meant by what was pressed or coded, as f=left,j=right; an answer "
        "that means none of them: neither=",
        "ANSWERS",
        panel=READING,
        parser=answers_of,
    ),
]
Only = Annotated[
    dict[str, str] | None,
    option(
        "What a column holds in rows with an answer, as 'Zone Type=response_button'.",
        "COLUMN=VALUE",
        panel=READING,
        parser=answers_of,
    ),
]
Design = Annotated[
    Path | None,
    option(
        "A file of what was asked, where the answers only have its number: joined by the columns "
        "that both have.",
        panel=READING,
    ),
]
People = Annotated[
    Path | None,
    option(
        "A file of the participants, as Prolific's demographics: joined by their ids.",
        panel=READING,
    ),
]
OnErrorOption = Annotated[
    OnError,
    option(
        "Rows that cannot be answers, catch trials among them: raise, or skip, which leaves them "
        "out and counts them.",
        panel=READING,
    ),
]
Reversed = Annotated[
    bool,
    option("Ratings say how different two items are: the highest is the lowest.", panel=READING),
]
KeepMarked = Annotated[
    bool,
    option(
        "Read rows too that the tool marks (practice, previews, spam, rejected work, people whom a "
        "study excluded), and copies.",
        panel=READING,
    ),
]
Clicks = Annotated[
    Path | None,
    option(
        "Searches whose clicks people let us keep (clicks.jsonl): fitted with the answers.",
        panel=READING,
    ),
]
Columns = Annotated[
    dict[str, str] | None,
    option(
        "Columns of other names, as head=anchor,near=closer,far=farther.",
        "COLUMNS",
        panel=READING,
        parser=columns_of,
    ),
]
Items = Annotated[
    Path | None,
    option(
        "A file of the items. Its column item (or id) holds what the answers call it; name, "
        "label and image are what maps show.",
        panel=READING,
    ),
]
ItemColumns = Annotated[
    dict[str, str] | None,
    option(
        "Columns of other names in that file, as item=index,label=genre.",
        "COLUMNS",
        panel=READING,
        parser=columns_of,
    ),
]
Folds = Annotated[
    int | None,
    option(
        "Folds of the cross-validation, 0 for none. Default: 10, or as many as there can be.",
        panel=CHECKING,
    ),
]
ByOption = Annotated[
    By | None,
    option(
        "What stays whole: question (all answers to it, with their responses), response_id or "
        "observer (people). Default: question.",
        panel=CHECKING,
    ),
]
KeepGold = Annotated[
    bool,
    option(
        "Also fit answers to gold questions, whose column strategy says gold. Default: they are "
        "left out, as a study's own fits leave them out.",
        panel=CHECKING,
    ),
]
Screen = Annotated[
    bool,
    option("Leave out people who answer like guesses; the report names them.", panel=CHECKING),
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
    option("The width of all pictures, as 85mm, 8.5cm or 3.35in; letters stay as large.", "LENGTH"),
]
Seed = Annotated[int, option("One seed gives one result.", min=0)]
Link = Annotated[bool, option("Link to the stimuli instead of copying them.")]
StudyPath = Annotated[Path, argument("The folder of the study.", "STUDY")]
