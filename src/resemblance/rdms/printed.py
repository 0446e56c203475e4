"""RDMs as R prints a dist, or writes a matrix with write.table."""

from __future__ import annotations

import shlex
from pathlib import Path

import numpy as np

from resemblance.arrays import Floats
from resemblance.errors import FileError, RDMError
from resemblance.rdms.rdms import RDMs

REMEDY = "write it with write.csv(as.matrix(d), 'rdm.csv')"


def read_printed(path: Path) -> RDMs:
    """Read a printed dist, its lower triangle or all of it: see :func:`resemblance.read_rdms`.

    R breaks a wide one into blocks of columns; each begins with a line of names, whose first cell
    is blank.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except ValueError as error:
        raise FileError(f"{path} is no text in UTF-8: {REMEDY}") from error
    cells: dict[tuple[str, str], float] = {}
    columns: list[str] = []
    names: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        words = _words(line, path, number)
        if not words:
            continue
        if not columns or line[0].isspace():
            columns = words
            names |= dict.fromkeys(words, number)
            continue
        row, *values = words
        names.setdefault(row, number)
        for column, value in zip(columns, _values(values, columns, path, number), strict=False):
            cells[row, column] = value
    if len(names) < 2:
        raise FileError(f"{path} is empty: it needs a line of names, and a line for each item")
    ordered = _ordered(cells, list(names))
    return RDMs.from_squares(_filled(cells, ordered, path), ordered, [path.stem])


def _words(line: str, path: Path, number: int) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError as error:
        raise FileError(f"{path}, line {number}: {error}; {REMEDY}") from None


def _values(texts: list[str], columns: list[str], path: Path, number: int) -> list[float]:
    """Read the numbers of a line."""
    if len(texts) > len(columns):
        raise FileError(
            f"{path}, line {number} has {len(texts)} values for {len(columns)} names: names with "
            f"spaces cannot be told apart in a printed dist; {REMEDY}"
        )
    values = []
    for text, column in zip(texts, columns, strict=False):
        try:
            values.append(np.nan if text == "NA" else float(text))
        except ValueError:
            raise FileError(
                f"{path}, line {number}, column {column!r}: {text!r} is no number; names with "
                f"spaces cannot be told apart in a printed dist: {REMEDY}"
            ) from None
    return values


def _ordered(cells: dict[tuple[str, str], float], names: list[str]) -> list[str]:
    """Bring the names into R's order: the first column, then the rows as they come."""
    rows = list(dict.fromkeys(row for row, _ in cells))
    return [*(name for name in names if name not in rows), *rows]


def _filled(cells: dict[tuple[str, str], float], names: list[str], path: Path) -> Floats:
    """Make the whole matrix; what stands on one side counts for both."""
    square = np.full((len(names), len(names)), np.nan)
    place = {name: i for i, name in enumerate(names)}
    for (row, column), value in cells.items():
        square[place[row], place[column]] = value
    one_sided = np.isnan(square) & ~np.isnan(square.T)
    square[one_sided] = square.T[one_sided]
    given = set(cells) | {(b, a) for a, b in cells}
    for i, a in enumerate(names):
        for b in names[i + 1 :]:
            if (a, b) not in given:
                raise RDMError(f"{path} has no value of {a!r} and {b!r}: give one for each pair")
    return square
