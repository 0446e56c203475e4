"""Read odd-one-out answers in the formats of THINGS and related programs."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from resemblance.errors import FileError
from resemblance.files import lines_of, reading
from resemblance.judgments.checks import refuse, whole_numbers
from resemblance.judgments.choices import OddOneOuts
from resemblance.judgments.file_io import OnError
from resemblance.judgments.items import Items
from resemblance.judgments.labels import Labels, Path_
from resemblance.judgments.tables import Table, read_table
from resemblance.optional import pd
from resemblance.ranges import check, one_of

IMAGES = ["image1", "image2", "image3"]
COUNTED = "give the numbers of the stimuli"
Answers = tuple[Table, NDArray[np.int32]]


def text_of(path: Path) -> str:
    with reading(path, "name a UTF-8 text file"):
        return path.read_text(encoding="utf-8-sig")


def read_lines(path: Path) -> list[tuple[str, str]]:
    lines = enumerate(lines_of(text_of(path)), 1)
    return [(f"line {number}", line) for number, line in lines if line.strip()]


def read_json(path: Path) -> Any:
    try:
        return json.loads(text_of(path))
    except json.JSONDecodeError as error:
        raise FileError(
            f"{path}, line {error.lineno}: {error.msg}: check that the file is whole JSON"
        ) from None


def need(record: Any, keys: Sequence[str], where: str) -> list[Any]:
    """Return values of a JSON object; a key may list alternatives, separated by bars."""
    if not isinstance(record, dict):
        raise FileError(f"{where} is no JSON object: check that the file is of the right kind")
    values = []
    for key in keys:
        present = [name for name in key.split("|") if record.get(name) is not None]
        if not present:
            has = ", ".join(map(repr, record)) or "nothing"
            wanted = " or ".join(map(repr, key.split("|")))
            raise FileError(f"{where} has no {wanted}; it has {has}: add it or remove the record")
        values.append(record[present[0]])
    return values


def plain(record: dict[str, Any], without: Sequence[str]) -> dict[str, Any]:
    return {
        key: value
        for key, value in record.items()
        if key not in without and isinstance(value, str | int | float | bool)
    }


def read_things(
    path: Path_,
    stimuli: Path_ | None = None,
    *,
    on_error: OnError = "raise",
) -> OddOneOuts:
    r"""Read odd-one-out responses as THINGS publishes them.

    A text file has three numbers a line, counted from 0, of which the last was the odd one; so has
    an array of NumPy (``train_90.npy`` of SPoSE and VICE). A CSV file, its cells separated by tabs
    or commas, has the columns ``image1, image2, image3``, counted from 1, and ``choice``, which
    says whether the first, the second or the third was the odd one; ``subject_id`` is the
    observer, and further columns are kept in ``extra``.

    Models without a likelihood of three need triplets: see :func:`triplets_from_odd_one_out`.

    Parameters
    ----------
    path : path
        A file whose name ends in .txt, .npy, .csv or .tsv.
    stimuli : path, optional
        A text file with the name of a stimulus on each line, as ``unique_id.txt``. Otherwise the
        items that occur are called by their numbers, counted from 0 in every format.
    on_error : {"raise", "skip"}
        Raise on catch trials (a stimulus is shown twice), or set them apart as ``.catches``.

    Returns
    -------
    OddOneOuts

    Raises
    ------
    FileError
        If a file is missing or broken, of an unknown type, or lacks a column.
    JudgmentError
        If a line is no response, or a number is beyond the stimuli; the message names the line.

    References
    ----------
    Hebart, Zheng, Pereira, Baker (2020), Revealing the multidimensional mental representations of
    natural objects underlying human similarity judgements, Nature Human Behaviour. The order of the
    columns is told in the README of ``ViCCo-Group/SPoSE`` and of ``LukasMut/VICE``.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "trainset.txt"
    ...     _ = path.write_text("4 0 7\n0 7 9\n")
    ...     odd = read_things(path)
    >>> odd.items.names
    ('0', '4', '7', '9')
    >>> odd.index.tolist()  # the odd one first
    [[2, 0, 1], [3, 0, 2]]
    """
    check(on_error=(on_error, one_of("raise", "skip")))
    table, numbers = _read(Path(path))
    with table.located():
        index, items = _named(numbers, stimuli)
        people = table.frame.get("subject_id")
        observer = None if people is None else Labels.of(people, "subject_id").as_ids().cells
        extra = table.further(["subject_id"])
        make = OddOneOuts.split_catches if on_error == "skip" else OddOneOuts
        return make(index, index[:, 2], items, observer=observer, extra=extra)


def _read(path: Path) -> Answers:
    """Return other columns of the responses, and (i, j, odd) counted from 0."""
    readers = {".txt": _read_text, ".npy": _read_array, ".csv": _read_csv, ".tsv": _read_csv}
    if path.suffix not in readers:
        raise FileError(
            f"{path} is of an unknown type {path.suffix!r}: use .txt, .npy, .csv or .tsv"
        )
    with reading(path, "name a UTF-8 text file"):
        return readers[path.suffix](path)


def _read_text(path: Path) -> Answers:
    table = Table(path, pd.DataFrame(), lambda row: read_lines(path)[row][0])
    try:
        cells = pd.read_csv(path, sep=r"\s+", header=None).to_numpy(dtype=float)
    except (
        ValueError
    ):  # rows of different lengths, words, or an empty file; pandas' errors are among them
        cells = np.empty((0, 0))
    if cells.shape[1] != 3 or np.isnan(cells).any():
        raise FileError(f"{path}, {_bad_line(path)}: give three numbers a line, the odd one last")
    with table.located():
        return table, whole_numbers(cells, "stimuli", remedy=COUNTED)


def _bad_line(path: Path) -> str:
    three = re.compile(r"\s*(\d+(\.0*)?(e\+?\d+)?(\s+|$)){3}", re.IGNORECASE)
    return next((place for place, line in read_lines(path) if not three.fullmatch(line)), "line 1")


def _read_array(path: Path) -> Answers:
    with reading(path, "give an array of np.save"):
        array = np.load(path)
    if array.ndim != 2 or array.shape[1] != 3:
        raise FileError(f"{path} has shape {array.shape}: give three columns, the odd one last")
    table = Table(path, pd.DataFrame(), lambda row: f"row {row}")
    with table.located():
        return table, whole_numbers(array, "stimuli", remedy=COUNTED)


def _read_csv(path: Path) -> Answers:
    table = read_table(path)
    table.need([*IMAGES, "choice"], "the file: it holds no responses of THINGS")
    with table.located():
        images = np.column_stack([table.numbers(name, name) for name in IMAGES])
        choice = table.numbers("choice", "choice")
        refuse(
            ~np.isin(choice, (1, 2, 3)),
            lambda r: f"choice is {choice[r]:g}, but says which was odd: 1, 2 or 3",
        )
        counted = whole_numbers(images, "images", least=1, remedy=COUNTED) - 1
    # The two others keep their order; the odd one goes last.
    order = np.array([[1, 2, 0], [0, 2, 1], [0, 1, 2]])[choice.astype(int) - 1]
    further = table.frame.drop(columns=[*IMAGES, "choice"])
    return replace(table, frame=further), np.take_along_axis(counted, order, axis=1)


def _named(numbers: NDArray[np.int32], stimuli: Path_ | None) -> tuple[NDArray[np.int32], Items]:
    if stimuli is None:
        occur, positions = np.unique(numbers, return_inverse=True)
        return positions.reshape(numbers.shape).astype(np.int32), Items(occur)
    names = [line.strip() for _, line in read_lines(Path(stimuli))]
    refuse(
        (numbers >= len(names)).any(axis=1),
        lambda r: (
            f"there is no stimulus {numbers[r].max()} (from 0) among the {len(names)} of "
            f"{stimuli}: give the whole list"
        ),
    )
    return numbers, Items(names)
