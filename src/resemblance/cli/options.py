"""The options that several commands share, and the values that they may have."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from resemblance.cli.models import FormName, ModelName


class Kind(StrEnum):
    """What a row of a file is."""

    triplets = "triplets"
    quadruplets = "quadruplets"
    choices = "choices"


class Catches(StrEnum):
    """What to do about rows whose head is also among its options."""

    error = "error"
    keep = "keep"


class By(StrEnum):
    """Which rows stay together when some are held out or drawn."""

    group = "group"
    observer = "observer"


def columns_of(text: str | None) -> dict[str, str] | None:
    """Read `head=anchor,near=closer` as the column of each role.

    Examples
    --------
    >>> columns_of("head=anchor, near=closer")
    {'head': 'anchor', 'near': 'closer'}
    """
    if text is None:
        return None
    columns = {}
    for part in text.split(","):
        role, equals, column = (piece.strip() for piece in part.partition("="))
        if not (role and equals and column):
            raise typer.BadParameter(f"{part!r} is not of the form role=column, as head=anchor")
        if role in columns:
            raise typer.BadParameter(f"{role!r} is named twice: name one column for it")
        columns[role] = column
    return columns


File = Annotated[
    Path,
    typer.Argument(help="The answers: .csv, .parquet or .jsonl, also gzipped.", metavar="FILE"),
]
Model = Annotated[ModelName, typer.Option(help="How distances become answers.")]
Dims = Annotated[
    str,
    typer.Option(help="The number of dimensions; auto: from 1 to 10, the one-standard-error rule."),
]
Form = Annotated[FormName, typer.Option(help="What is fitted: positions or their inner products.")]
Penalty = Annotated[
    float | None,
    typer.Option(help="The factor of the trace. Default: 0, with a Gram matrix 1."),
]
Mu = Annotated[float | None, typer.Option(help="Regularisation of ckl. Default: 0.05.")]
Alpha = Annotated[
    float | None,
    typer.Option(help="Degrees of freedom of tste. Default: dimensions - 1, at least 1."),
]
Margin = Annotated[float | None, typer.Option(help="Margin of gnmds and soe. Default: 1.")]
Out = Annotated[
    Path | None,
    typer.Option(help="Where the files go. Default: NAME-map, here.", metavar="FOLDER"),
]
Folds = Annotated[
    int | None,
    typer.Option(
        help="Folds of the cross-validation; 0 for none. Default: 10, or as many as there are."
    ),
]
Starts = Annotated[
    int, typer.Option("--n-init", help="Descents from different starts; the best one is kept.")
]
Iterations = Annotated[int, typer.Option("--max-iter", help="Iterations of a descent at most.")]
Progress = Annotated[
    bool, typer.Option("--progress", help="Show the bar even where stderr is no terminal.")
]
KindOption = Annotated[Kind, typer.Option("--kind", help="What a row of the file is.")]
Columns = Annotated[
    str | None,
    typer.Option(
        help="Columns of other names, as head=anchor,near=closer,far=farther.",
        metavar="ROLE=COLUMN",
    ),
]
CatchesOption = Annotated[
    Catches,
    typer.Option(
        "--catches",
        help="Catch trials, whose head is also among its options: an error, or kept apart from the "
        "fit and counted.",
    ),
]
Items = Annotated[
    Path | None,
    typer.Option(
        help="A file of the items. Column item (or id): what the answers call it; name, label, "
        "image: what maps show.",
        metavar="FILE",
    ),
]
ItemColumns = Annotated[
    str | None,
    typer.Option(
        help="Columns of other names in the file of items, as item=index,label=genre.",
        metavar="ROLE=COLUMN",
    ),
]
ByOption = Annotated[
    By | None,
    typer.Option(
        "--by",
        help="What stays whole: responses or people. Default: group where the file has groups, "
        "else every row is by itself.",
    ),
]
Seed = Annotated[int, typer.Option(help="One seed gives one result.", min=0, max=2**32 - 1)]
Debug = Annotated[bool, typer.Option("--debug", help="Show the whole traceback of an error.")]
