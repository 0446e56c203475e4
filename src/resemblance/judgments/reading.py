"""Judgments and items from files."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from resemblance.errors import SettingError
from resemblance.judgments.catches import HeadJudgments
from resemblance.judgments.checks import RowError
from resemblance.judgments.choices import Choices, OddOneOuts
from resemblance.judgments.confusions import Confusions
from resemblance.judgments.items import Items
from resemblance.judgments.labels import Labels, items_of, numbers_of, response_ids_of
from resemblance.judgments.pairs import SimilarPairs
from resemblance.judgments.quadruplets import Quadruplets
from resemblance.judgments.ratings import Ratings
from resemblance.judgments.rows import NOTES, Rows
from resemblance.judgments.tables import Table, names_of, read_table
from resemblance.judgments.triplets import Triplets

Path_: TypeAlias = str | PathLike[str]
FileItems: TypeAlias = Items | Path_ | Iterable[Any] | None
Columns: TypeAlias = Mapping[str, str] | None
Kind = TypeVar("Kind", bound=Rows)

KEPT = ("kept_a", "kept_b")  # of three items, those that are not the odd one


def read_triplets(
    path: Path_,
    items: FileItems = None,
    columns: Columns = None,
    *,
    catches: Literal["error", "keep"] = "error",
) -> Triplets:
    r"""Read triplets from a CSV, Parquet or JSON lines file.

    The columns are ``head, near, far``; Salmon's ``head, winner, loser`` and
    ``anchor, closer, farther`` are read as they are. Optional columns are ``weight``,
    ``response_id`` (rows with the same one are one response; what is no number is numbered as it
    first appears) and ``observer`` (or Salmon's ``puid``, ``participant``). All
    others are kept in ``extra``.

    What the columns hold are labels, not positions: the items are the distinct labels in natural
    order (2 before 10), so gaps make no items. A label that is a number must be whole and not
    negative; "3.0" is read as 3, "007" stays as it is. Space around labels is ignored.

    Parameters
    ----------
    path : path
        A file whose name ends in .csv, .parquet or .jsonl; also .csv.gz and .jsonl.gz.
    items : Items, path of a file of items, or sequence of names, optional
        All items, mentioned or not; labels are looked up among their names.
    columns : dict, optional
        Names of columns in the file, such as ``{"head": "anchor"}``.
    catches : {"error", "keep"}
        Raise on catch trials (the head is also near or far), or set them apart as ``.catches``
        of the result.

    Returns
    -------
    Triplets

    Raises
    ------
    FileError
        If the file is missing, empty, broken or of an unknown type, or lacks a column.
    JudgmentError
        If a row cannot be a judgment; the message names the line, the header being line 1 (in
        Parquet, the row, from 0).
    UnavailableError
        If the file is Parquet and pyarrow is not installed.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "answers.csv"
    ...     _ = path.write_text("head,winner,loser\n7,10,2\n2,7,10\n")
    ...     triplets = read_triplets(path)
    >>> triplets.items.names
    ('2', '7', '10')
    >>> triplets.index
    array([[1, 2, 0],
           [0, 1, 2]], dtype=int32)
    """
    return _read(Triplets, path, items, columns, catches)


def read_quadruplets(path: Path_, items: FileItems = None, columns: Columns = None) -> Quadruplets:
    r"""Read quadruplets from a file with the columns ``a, b, c, d``.

    Parameters, errors and everything else are those of :func:`read_triplets`.

    Returns
    -------
    Quadruplets

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "answers.csv"
    ...     _ = path.write_text("a,b,c,d\n1,2,3,4\n")
    ...     read_quadruplets(path)
    Quadruplets(1 rows, 4 items)
    """
    return _read(Quadruplets, path, items, columns)


def read_choices(
    path: Path_,
    items: FileItems = None,
    columns: Columns = None,
    *,
    catches: Literal["error", "keep"] = "error",
) -> Choices:
    r"""Read choices from a file with the columns ``head, chosen, options``.

    The options, the chosen one among them, are separated by bars (``jazz|rock|soul``); in JSON
    lines and Parquet they may also be lists. Errors are those of :func:`read_triplets`.

    Parameters
    ----------
    path, items, columns, catches
        As in :func:`read_triplets`.

    Returns
    -------
    Choices

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "answers.csv"
    ...     _ = path.write_text("head,chosen,options\njazz,soul,rock|soul|punk\n")
    ...     read_choices(path)
    Choices(1 rows, 4 items)
    """
    return _read(Choices, path, items, columns, catches)


def read_odd_one_outs(path: Path_, items: FileItems = None, columns: Columns = None) -> OddOneOuts:
    r"""Read odd ones out from a file with the columns ``odd, options``, or ``odd, kept_a, kept_b``.

    The options are all items shown, the odd one among them, separated by bars as in
    :func:`read_choices`. Of three items the two that are left may stand in columns of their own,
    ``kept_a`` and ``kept_b``. Errors are those of :func:`read_triplets`.

    Parameters
    ----------
    path, items, columns
        As in :func:`read_triplets`.

    Returns
    -------
    OddOneOuts

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "answers.csv"
    ...     _ = path.write_text("odd,options\npunk,soul|jazz|punk\n")
    ...     read_odd_one_outs(path)
    OddOneOuts(1 rows, 3 items)
    """
    return _read(OddOneOuts, path, items, columns)


def with_options(kind: type[Rows], table: Table) -> Table:
    """List the items of odd ones out where the pair that was kept has columns of its own."""
    frame = table.frame
    has = {*KEPT, "odd"} <= {*frame.columns} and "options" not in frame.columns
    if kind is not OddOneOuts or not has:
        return table
    shown = [frame[name] for name in (*KEPT, "odd")]
    with table.located():
        for column in shown:
            Labels.of(column, str(column.name))
    options = pd.Series(zip(*shown, strict=True), frame.index).map(list)
    return replace(table, frame=frame.drop(columns=[*KEPT]).assign(options=options))


def read_confusions(path: Path_, items: FileItems = None, columns: Columns = None) -> Confusions:
    r"""Read confusions from a file with the columns ``a, b, errors, trials``.

    A confusion matrix is no such file: see :func:`read_confusion_matrix`. Rows that repeat a
    pair are summed with a warning, as in :class:`Confusions`. Everything else is as in
    :func:`read_triplets`, but a column ``weight`` is refused: the trials are the weight.

    Parameters
    ----------
    path, items, columns
        As in :func:`read_triplets`.

    Returns
    -------
    Confusions

    Raises
    ------
    FileError
        As :func:`read_triplets`.
    JudgmentError
        As :class:`Confusions`; the message names the line.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "counts.csv"
    ...     _ = path.write_text("a,b,errors,trials\n200,218,30,76\n200,236,19,76\n")
    ...     confusions = read_confusions(path)
    >>> confusions.ratio
    array([0.39473684, 0.25      ])
    """
    return _read(Confusions, path, items, columns)


def read_ratings(path: Path_, items: FileItems = None, columns: Columns = None) -> Ratings:
    r"""Read ratings from a file with the columns ``a, b, rating, points``.

    ``points`` is how many points the scale has. Everything else is as in :func:`read_triplets`.

    Parameters
    ----------
    path, items, columns
        As in :func:`read_triplets`.

    Returns
    -------
    Ratings

    Raises
    ------
    FileError
        As :func:`read_triplets`.
    JudgmentError
        As :class:`Ratings`; the message names the line.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "answers.csv"
    ...     _ = path.write_text("a,b,rating,points\njazz,soul,6,7\njazz,punk,2,7\n")
    ...     read_ratings(path).rating
    array([6, 2])
    """
    return _read(Ratings, path, items, columns)


def read_similar_pairs(
    path: Path_, items: FileItems = None, columns: Columns = None
) -> SimilarPairs:
    r"""Read similar pairs from a file with the columns ``a, b, similar``.

    ``similar`` holds true and false, or 1 and 0. Everything else is as in :func:`read_triplets`.

    Parameters
    ----------
    path, items, columns
        As in :func:`read_triplets`.

    Returns
    -------
    SimilarPairs

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "similar.csv"
    ...     _ = path.write_text("a,b,similar\njazz,soul,1\njazz,punk,0\n")
    ...     read_similar_pairs(path).similar
    array([ True, False])
    """
    return _read(SimilarPairs, path, items, columns)


def read_items(
    path: Path_, columns: Columns = None, *, features: Sequence[str] | None = None
) -> Items:
    r"""Read items from a CSV, Parquet or JSON lines file.

    What judgments call the items is in the column ``item`` (or ``id``, ``name``: the first of the
    three that is there); beside it, ``name`` holds their titles, which maps show instead. Classes
    are in ``label`` (or ``class``; an empty cell is an unknown class), the paths of pictures,
    relative to the file, in ``image``. Other columns are read only if they are named as features.

    Parameters
    ----------
    path : path
        As in :func:`read_triplets`.
    columns : dict, optional
        Names of columns in the file, such as ``{"item": "index", "name": "artist"}``.
    features : sequence of str, optional
        Columns of numbers that describe each item.

    Returns
    -------
    Items

    Raises
    ------
    FileError
        If the file is missing, empty, broken or of an unknown type, or lacks a column.
    JudgmentError
        If a name is missing or repeated, a feature is no finite number, or a picture is not there.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "items.csv"
    ...     _ = path.write_text("item,class,year\njazz,soft,1915\npunk,loud,1974\n")
    ...     items = read_items(path, features=["year"])
    >>> items.names, items.labels.tolist()
    (('jazz', 'punk'), ['soft', 'loud'])
    """
    roles = ("item", "name", "label", "image")
    table = read_table(path, label_columns(roles, columns))
    given = dict(columns or {})
    if "name" in given and not {"item", "id"} & set(table.frame.columns):
        given.setdefault("item", given["name"])
    found = table.find(roles[:1], roles[1:], given)
    wanted = list(features or [])
    table.need(wanted, "features=", "features")
    with table.located():
        cells = {role: table.frame[found[role]] for role in found}
        texts = {
            role: Labels.of(cells[role], role).cells.tolist() for role in cells if role != "label"
        }
        numbers = [numbers_of(table.frame[name], name, "features") for name in wanted]
        return Items(
            texts["item"],
            np.column_stack(numbers) if numbers else None,
            labels=_classes(cells["label"]) if "label" in cells else None,
            images=_images(table.path.parent, texts["image"]) if "image" in texts else None,
            titles=texts["name"] if found.get("name", found["item"]) != found["item"] else None,
            feature_names=wanted or None,
        )


def _classes(column: pd.Series) -> NDArray[Any]:
    """Take the classes of a column; an empty cell is an unknown class, None."""
    texts = [None if pd.isna(cell) else str(cell).strip() or None for cell in column]
    return np.array(texts, dtype=object if None in texts else str)


def _images(folder: Path, names: list[str]) -> list[Path]:
    paths = [folder / name for name in names]
    for row, image in enumerate(paths):
        if not image.is_file():
            raise RowError(row, f"the image {image} is not there: correct its path")
    return paths


def _read(
    kind: type[Kind], path: Path_, items: FileItems, columns: Columns, catches: str = "error"
) -> Kind:
    table = read_table(path, label_columns((*kind.columns, "observer", *KEPT), columns))
    return judgments_of(kind, table, items, columns, catches)


def judgments_of(
    kind: type[Kind],
    table: Table,
    items: FileItems = None,
    columns: Columns = None,
    catches: str = "error",
) -> Kind:
    """Make judgments of the rows of a table, on given items or on those that it mentions."""
    if catches not in ("error", "keep"):
        raise SettingError(f'catches is {catches!r}: it may be "error" or "keep"')
    known = read_items(items) if isinstance(items, str | PathLike) else items
    table = with_options(kind, table)
    found = table.find((*kind.columns, *kind.measures), kind.optional, columns)
    with table.located():
        labels = [Labels.of(table.frame[found[role]], role) for role in kind.columns]
        index, named = _index(kind, labels, known)
        measures = {role: numbers_of(table.frame[found[role]], role) for role in kind.measures}
        judgments = kind._filled(index, named, **measures, **notes_of(table, found))
        if not isinstance(judgments, HeadJudgments):
            return judgments
        return judgments._set_catches_apart() if catches == "keep" else judgments._refuse_catches()


def label_columns(roles: Sequence[str], columns: Columns) -> list[str]:
    """Name the columns that may hold the labels of some roles."""
    given = [column for role, column in (columns or {}).items() if role in roles]
    return [*given, *(name for role in roles for name in names_of(role))]


def _index(
    kind: type[Kind], labels: list[Labels], known: Items | Iterable[Any] | None
) -> tuple[NDArray[np.int32], Items]:
    """Turn the labels of a row into positions among the items."""
    if known is None:
        items = items_of(labels)
    else:
        items = known if isinstance(known, Items) else Items(known)
    positions = [column.positions(items) for column in labels]
    if kind.columns[-1] == "options":
        positions[-1] = padded(positions[-1], labels[-1].rows)
    return kind._arranged(positions, name=lambda i: repr(items.names[i])), items


def padded(positions: NDArray[np.int32], rows: NDArray[np.intp]) -> NDArray[np.int32]:
    """Lay the options of each row out in a matrix, -1 where it has fewer than others."""
    counts = np.bincount(rows)
    column = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    matrix = np.full((len(counts), counts.max()), -1, dtype=np.int32)
    matrix[rows, column] = positions
    return matrix


def notes_of(table: Table, found: dict[str, str]) -> dict[str, Any]:
    """Take weight, response_id and observer where the file has them, and all further columns."""
    take = {
        "weight": lambda column: numbers_of(column, "weight"),
        "response_id": response_ids_of,
        "observer": lambda column: Labels.of(column, "observer").cells,
    }
    notes = {role: take[role](table.frame[found[role]]) for role in NOTES if role in found}
    further = table.frame.drop(columns=list(found.values()))
    extra = {str(name): further[name].to_numpy() for name in further}
    return {**notes, "extra": extra}
