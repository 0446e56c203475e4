"""Judgments to files."""

from os import PathLike
from pathlib import Path

import pandas as pd

from resemblance.errors import FileError, JudgmentError
from resemblance.files import suffix
from resemblance.judgments.arrangements import Arrangements
from resemblance.judgments.catches import HeadJudgments
from resemblance.judgments.choices import Choices, OddOneOuts
from resemblance.judgments.confusions import Confusions
from resemblance.judgments.pairs import SimilarPairs
from resemblance.judgments.quadruplets import Quadruplets
from resemblance.judgments.ratings import Ratings
from resemblance.judgments.rows import Rows, frame_of
from resemblance.judgments.tables import write_table
from resemblance.judgments.triplets import Triplets


def write_triplets(triplets: Triplets, path: str | PathLike[str]) -> None:
    """Write triplets to a CSV, Parquet or JSON lines file that :func:`read_triplets` reads.

    The columns are ``head, near, far``, which hold names of items, then ``weight``, ``response_id``
    and ``observer`` where there are any, then the extra columns. Catch trials that the triplets
    carry come last. Items that no row mentions are not in the file: keep the items in one of their
    own.

    Parameters
    ----------
    triplets : Triplets
    path : path
        Its suffix says the format, as in :func:`read_triplets`.

    Raises
    ------
    FileError
        If the type of the file is unknown, or it cannot be written.
    UnavailableError
        If the file is Parquet and pyarrow is not installed.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "answers.csv"
    ...     write_triplets(Triplets([[0, 1, 2]], items=["jazz", "soul", "punk"]), path)
    ...     print(path.read_text())
    head,near,far
    jazz,soul,punk
    """
    _write(Triplets, triplets, path)


def write_quadruplets(quadruplets: Quadruplets, path: str | PathLike[str]) -> None:
    """Write quadruplets to a file that :func:`read_quadruplets` reads; see :func:`write_triplets`.

    Parameters
    ----------
    quadruplets : Quadruplets
    path : path

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "answers.jsonl"
    ...     write_quadruplets(Quadruplets([[0, 1, 2, 3]]), path)
    ...     print(path.read_text())
    {"a": "0", "b": "1", "c": "2", "d": "3"}
    """
    _write(Quadruplets, quadruplets, path)


def write_choices(choices: Choices, path: str | PathLike[str]) -> None:
    """Write choices to a file that :func:`read_choices` reads; see :func:`write_triplets`.

    The options are a list, in CSV separated by bars.

    Parameters
    ----------
    choices : Choices
    path : path

    Raises
    ------
    FileError
        Also if the file is CSV and a name holds a bar.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "answers.csv"
    ...     write_choices(Choices([0], [[1, 2, 3]], chosen=[2]), path)
    ...     print(path.read_text())
    head,chosen,options
    0,2,2|1|3
    """
    _write(Choices, choices, path)


def write_odd_one_outs(odd_one_outs: OddOneOuts, path: str | PathLike[str]) -> None:
    """Write odd ones out to a file for :func:`read_odd_one_outs`; see :func:`write_triplets`.

    Parameters
    ----------
    odd_one_outs : OddOneOuts
    path : path

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "answers.csv"
    ...     write_odd_one_outs(OddOneOuts([[0, 1, 2]], odd=[1]), path)
    ...     print(path.read_text())
    odd,options
    1,1|0|2
    """
    _write(OddOneOuts, odd_one_outs, path)


def write_confusions(confusions: Confusions, path: str | PathLike[str]) -> None:
    """Write confusions to a file that :func:`read_confusions` reads; see :func:`write_triplets`.

    Parameters
    ----------
    confusions : Confusions
    path : path

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "counts.csv"
    ...     write_confusions(Confusions([[0, 1], [1, 2]], errors=[9, 2], trials=50), path)
    ...     print(path.read_text())
    a,b,errors,trials
    0,1,9,50
    1,2,2,50
    """
    _write(Confusions, confusions, path)


def write_ratings(ratings: Ratings, path: str | PathLike[str]) -> None:
    """Write ratings to a file that :func:`read_ratings` reads; see :func:`write_triplets`.

    Parameters
    ----------
    ratings : Ratings
    path : path

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "answers.csv"
    ...     write_ratings(Ratings([[0, 1], [1, 2]], rating=[7, 2], points=7), path)
    ...     print(path.read_text())
    a,b,rating,points
    0,1,7,7
    1,2,2,7
    """
    _write(Ratings, ratings, path)


def write_similar_pairs(similar: SimilarPairs, path: str | PathLike[str]) -> None:
    """Write similar pairs to a file for :func:`read_similar_pairs`; see :func:`write_triplets`.

    Parameters
    ----------
    similar : SimilarPairs
    path : path

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "similar.csv"
    ...     write_similar_pairs(SimilarPairs([[0, 1], [1, 2]], [True, False]), path)
    ...     print(path.read_text())
    a,b,similar
    0,1,True
    1,2,False
    """
    _write(SimilarPairs, similar, path)


def write_arrangements(arrangements: Arrangements, path: str | PathLike[str]) -> None:
    """Write arrangements for :func:`read_arrangements`, a row for each item of each trial.

    See :func:`write_triplets`.

    Parameters
    ----------
    arrangements : Arrangements
    path : path

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "arranged.csv"
    ...     write_arrangements(Arrangements([[0, 2, 1]], [[[0, 0], [1, 0], [0, 1]]]), path)
    ...     print(path.read_text())
    trial,item,x,y
    1,0,0.0,0.0
    1,2,1.0,0.0
    1,1,0.0,1.0
    """
    _write(Arrangements, arrangements, path)


def _write(kind: type[Rows], rows: Rows, path: str | PathLike[str]) -> None:
    if not isinstance(rows, kind):
        raise JudgmentError(f"these are {type(rows).__name__}: give {kind.__name__}")
    catches = rows.catches if isinstance(rows, HeadJudgments) else None
    frame = rows.to_pandas()
    if catches is not None:
        last = frame_of(catches, kind.columns, kind.options_from)
        frame = pd.concat([frame, last], ignore_index=True)
    if "options" in kind.columns and suffix(Path(path)) == ".csv":
        frame["options"] = [_barred(options) for options in frame["options"]]
    write_table(frame, path)


def _barred(options: list[str]) -> str:
    for name in options:
        if "|" in name:
            raise FileError(
                f"the name {name!r} holds a bar, which separates options in CSV: "
                "write .jsonl or .parquet, or rename the item"
            )
    return "|".join(options)
