"""Judgments from files and tables."""

from typing import Literal

from resemblance.judgments.choices import Choices, OddOneOuts
from resemblance.judgments.confusions import Confusions
from resemblance.judgments.labelled import FileItems, Source, read
from resemblance.judgments.pairs import SimilarPairs
from resemblance.judgments.quadruplets import Quadruplets
from resemblance.judgments.ratings import Ratings
from resemblance.judgments.reading_items import Columns
from resemblance.judgments.triplets import Triplets


def read_triplets(
    path: Source,
    items: FileItems = None,
    columns: Columns = None,
    *,
    catches: Literal["error", "keep"] = "error",
) -> Triplets:
    r"""Read triplets from a CSV, Parquet or JSON lines file, or from a table in memory.

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
    path : path or table
        A file whose name ends in .csv, .parquet or .jsonl; also .csv.gz and .jsonl.gz. Or a
        table, whose columns are found by their names: a pandas or polars DataFrame, an Arrow
        table, or anything else with ``__arrow_c_stream__``; all but pandas' take pyarrow.
    items : Items, file or table of items, or sequence of names, optional
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
        Parquet and tables, the row, from 0). If a table lacks a column.
    UnavailableError
        If the file is Parquet, or the table not of pandas, and pyarrow is not installed.

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
    >>> read_triplets(triplets.to_pandas()).index.tolist() == triplets.index.tolist()
    True
    """
    return read(Triplets, path, items, columns, catches)


def read_quadruplets(path: Source, items: FileItems = None, columns: Columns = None) -> Quadruplets:
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
    return read(Quadruplets, path, items, columns)


def read_choices(
    path: Source,
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
    return read(Choices, path, items, columns, catches)


def read_odd_one_outs(path: Source, items: FileItems = None, columns: Columns = None) -> OddOneOuts:
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
    return read(OddOneOuts, path, items, columns)


def read_confusions(path: Source, items: FileItems = None, columns: Columns = None) -> Confusions:
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
    return read(Confusions, path, items, columns)


def read_ratings(path: Source, items: FileItems = None, columns: Columns = None) -> Ratings:
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
    return read(Ratings, path, items, columns)


def read_similar_pairs(
    path: Source, items: FileItems = None, columns: Columns = None
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
    return read(SimilarPairs, path, items, columns)
