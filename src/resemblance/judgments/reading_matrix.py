"""Read confusion matrices from files."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from resemblance.errors import JudgmentError
from resemblance.judgments.confusions import Confusions
from resemblance.judgments.labelled import FileItems, known_items
from resemblance.judgments.labels import texts_of
from resemblance.judgments.reading_items import Path_
from resemblance.judgments.tables import Table, read_table


def read_confusion_matrix(
    path: Path_,
    items: FileItems = None,
    *,
    trials: Path_ | int | None = None,
    mirrored: bool | None = None,
) -> Confusions:
    r"""Read confusions from a square table with the items' names in its first row and column.

    Rows are the items shown, columns the answers, whatever their order. Without trials it counts
    the answers of an identification experiment; with them it counts errors of 2AFC: see
    :meth:`Confusions.from_matrix`, for ``mirrored`` too.

    Parameters
    ----------
    path : path
        A file whose name ends in .csv, .parquet or .jsonl; also .csv.gz and .jsonl.gz. In JSON
        lines and Parquet the first column holds the names of the rows.
    items : Items, path of a file of items, or sequence of names, optional
        All items, in the matrix or not; default: those of the rows, in their order.
    trials : path or int, optional
        A second such file with the trials of 2AFC, or the trials of every pair.
    mirrored : bool, optional
        With trials: whether one half of the matrices repeats the other.

    Returns
    -------
    Confusions
        One row for each pair that has trials.

    Raises
    ------
    FileError
        If a file is missing, empty, broken or of an unknown type.
    JudgmentError
        If the names of rows and columns differ or repeat, and as :meth:`Confusions.from_matrix`;
        the message names the line.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "faces.csv"
    ...     _ = path.write_text(",x,y,z\nx,8,2,0\ny,4,6,0\nz,1,0,9\n")
    ...     faces = read_confusion_matrix(path)
    >>> faces.items.names, faces.errors, faces.trials
    (('x', 'y', 'z'), array([6, 1, 0]), array([20, 18, 15]))
    """
    table, names, errors = _matrix(Path(path), None)
    asked = None
    if isinstance(trials, int):
        asked = np.full(errors.shape, trials) * (1 - np.eye(len(names), dtype=int))
    elif trials is not None:
        asked = _matrix(Path(trials), names)[2]
    with table.located():
        confusions = Confusions.from_matrix(errors, asked, names, mirrored=mirrored)
        every = known_items(items)
        if every is None:
            return confusions
        places = every.positions(confusions.items.names)
        return Confusions(places[confusions.index], confusions.errors, confusions.trials, every)


def _matrix(path: Path, order: list[str] | None) -> tuple[Table, list[str], NDArray[np.float64]]:
    table = read_table(path)
    first, *columns = table.frame.columns
    names = texts_of(table.frame[first]).tolist()
    with table.located():
        order = names if order is None else order
        for what, labels in (("rows", names), ("columns", columns)):
            if sorted(labels) != sorted(order) or len(set(labels)) < len(labels):
                odd = sorted(set(labels) ^ set(order)) or labels
                raise JudgmentError(
                    f"the {what} are {', '.join(labels)} and the items {', '.join(order)}: each "
                    f"item needs one row and one column of its name (see {odd[0]!r})"
                )
        cells = [table.numbers(name, f"the count in column {name!r}") for name in order]
    rows = [names.index(name) for name in order]
    return table, order, np.column_stack(cells)[rows]
