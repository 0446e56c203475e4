"""Read and write rows of judgments; leave out copied rows and rows marked as no answers."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path
from re import Pattern
from typing import Any, Literal, Self, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from resemblance.errors import FileError, JudgmentError, ResemblanceWarning
from resemblance.files import safe, suffix
from resemblance.judgments.checks import TableLike, is_table
from resemblance.judgments.column_names import (
    COUNTED,
    FILE,
    SURE_WEIGHTS,
    bare,
    column_of,
    is_latency,
    is_time,
)
from resemblance.judgments.items import Items
from resemblance.judgments.labels import (
    KEPT,
    Columns,
    Labels,
    Path_,
    check_columns,
    items_of,
    read_items,
    response_ids_of,
    texts_of,
    warn_of_joined,
)
from resemblance.judgments.rows import NOTES, Rows
from resemblance.judgments.tables import Table, numbers_of, read_table, write_table
from resemblance.optional import pd
from resemblance.ranges import check, one_of

# For columns by name (normalised by `bare`): pattern of the cells which show that a row is no
# answer.
MARKED = {
    "assignmentstatus": re.compile("rejected"),
    "distributionchannel": re.compile("preview"),
    "status": re.compile("surveypreview|surveytest|(possible)?spam|preview|rejected"),
}
# Columns that are true in rows to leave out.
MARKS = re.compile("(is)?(preview|rejected|excluded)")
PHASES = re.compile(  # columns that name a phase of the study
    "phase|part|stage|section|block|task|trialkind|trialtype|loop|procedure|purpose|display|sender"
)
PRACTICE = re.compile("(practi[cs]e|training|warmup|prac)(trial|block|round|phase|proc)?s?[0-9]*")
# columns that are true in practice trials
PRACTISED = re.compile("(is)?(practi[cs]e|training)(trial)?")
# counters of practice loops in PsychoPy
LOOP = re.compile(r"(practi[cs]e|training|prac)[a-z_]*\.this(Rep)?N", re.IGNORECASE)
YES = frozenset(("true", "1", "yes", "t"))
NO = frozenset(("false", "0", "no", "f", ""))
# Equal rows are copies only if at least this share of a person's rows has distinct times.
IDENTIFIED = 0.9
LEAST_COPIES = 3  # Fewer equal response times may be chance.


def without_copies(table: Table) -> Table:
    """Leave out rows that equal an earlier row in all columns, as when a file was saved twice.

    Equal rows are copies only if times distinguish the rows of each person. Otherwise people may
    have given the same answer again: a note reports such rows, and they are kept.
    """
    frame = table.frame.drop(columns=FILE, errors="ignore").rename(columns=str)
    times = [name for name in frame if is_time(name)]
    if table.path is None or not times:
        return table
    keys = _coded(frame[times])
    timed = frame[times].notna().any(axis=1)
    cells = _coded(frame[keys.duplicated(keep=False) & timed])
    copies = cells.index[cells.duplicated()]
    if not len(copies):
        return table
    first = table.where(int(copies[0]))
    who = column_of("observer", frame.columns)
    own = keys.assign(who=0 if who is None else texts_of(frame[who]))[timed].drop(index=copies)
    several = own[own.groupby("who")["who"].transform("size") > 1]
    told_apart = len(several) > 0 and len(several.drop_duplicates()) >= IDENTIFIED * len(several)
    by_latency = all(is_latency(name) for name in times)
    if not told_apart or (by_latency and len(copies) < LEAST_COPIES):
        note = (
            f"{len(copies):,} rows are equal to others in all columns, and are kept: if a file was "
            f"saved twice, remove one copy; the first: {first}"
        )
        return replace(table, notes=(*table.notes, note))
    note = f"{len(copies):,} rows that are equal to others in all columns, times among them, are"
    kept = table.take(~frame.index.isin(copies))
    return replace(kept, notes=(*table.notes, f"{note} left out as copies; the first: {first}"))


def _coded(frame: pd.DataFrame) -> pd.DataFrame:
    codes = {name: pd.factorize(texts_of(frame[name]))[0] for name in frame}
    return pd.DataFrame(codes, frame.index)


def without_marked(
    table: Table, who: str | None, marked: Mapping[str, Pattern[str]], used: Collection[str]
) -> tuple[Table, Counter[str]]:
    """Leave out rows marked as previews, rejected work or practice; count them by mark.

    ``used`` are the columns of questions, which mark nothing. If most people with practice rows
    have no other rows, the column names a condition, and the rows are kept.
    """
    frame, counts = table.frame, Counter[str]()
    left_out = np.zeros(len(frame), dtype=bool)
    notes = []
    people = None if who is None else pd.factorize(texts_of(frame[who]))[0]
    for name in frame.columns.difference(list(used), sort=False):
        marks, practice = _marks(frame[name], str(name), marked)
        if people is not None and practice.any() and not practice.all():
            share = np.bincount(people, practice) / np.bincount(people)
            if (share == 1).sum() > (share > 0).sum() / 2:
                notes.append(f"the column {name} tells people apart, so no row of it is practice")
                practice[:] = False
        marks = (marks | practice) & ~left_out
        counts.update(f"{name} {text}" for text in texts_of(frame[name])[marks])
        left_out |= marks
    if left_out.all():
        raise FileError(
            f"{table.name} holds only marked rows ({', '.join(counts)}): to read them "
            "anyway, keep_marked=True",
            setting="keep_marked",
        )
    kept = table.take(~left_out) if left_out.any() else table
    return replace(kept, notes=(*kept.notes, *notes)), counts


def _marks(
    column: pd.Series, name: str, marked: Mapping[str, Pattern[str]]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    none, short = np.zeros(len(column), dtype=bool), bare(name)
    if LOOP.fullmatch(name):
        return none, column.notna().to_numpy()
    words = [pattern for pattern in (MARKED.get(short), marked.get(short)) if pattern is not None]
    is_phase = bool(PHASES.search(short)) or short == "trial"
    says_marked, says_practice = MARKS.fullmatch(short), PRACTISED.fullmatch(short)
    if not (words or is_phase or says_marked or says_practice):
        return none, none
    codes, texts = pd.factorize(texts_of(column))
    values = [_mark(text) for text in texts]
    yes = np.array([value in YES for value in values]) & (set(values) <= YES | NO)
    of_words = np.array([any(word.fullmatch(value) for word in words) for value in values])
    of_phase = np.array([is_phase and bool(PRACTICE.fullmatch(value)) for value in values])
    marks, practice = of_words | (yes & bool(says_marked)), of_phase | (yes & bool(says_practice))
    return marks[codes], practice[codes]


def _mark(text: str) -> str:
    if text.startswith("{"):
        return "true"
    return re.sub(r"[^a-z0-9]", "", re.sub(r"\.[0-9]+$", "", text).lower())


Source: TypeAlias = "Path_ | TableLike"
FileItems: TypeAlias = "Items | Source | Iterable[Any] | None"
OnError: TypeAlias = Literal["raise", "skip"]
Kind = TypeVar("Kind", bound=Rows)


def read(
    kind: type[Kind],
    source: Source,
    items: FileItems,
    columns: Columns,
    on_error: OnError = "raise",
) -> Kind:
    check_columns((*kind.columns, *kind.measures, *NOTES, *KEPT), columns)
    table = without_copies(read_table(source, on_error, warn=False))
    table.warn()
    if table.is_log:
        raise FileError(f"{table.name} is the log of a session: read_experiment reads it")
    _warn_of_weights(table, kind, columns)
    given = known_items(items)
    readable, refused = without_refused(
        table, lambda part: rows_of(kind, part, given, columns), on_error
    )
    judgments = judgments_of(kind, readable, given, columns, on_error)
    return with_refused(judgments, refused, table) if len(refused) else judgments


def _warn_of_weights(table: Table, kind: type[Rows], columns: Columns) -> None:
    used = {"weight", *(columns or {}).values()}
    names = [n for n in table.frame if bare(n) in (*SURE_WEIGHTS, *COUNTED) and n not in used]
    if names and "weight" in kind.optional and "weight" not in table.frame:
        warnings.warn(
            f"the column {names[0]!r} of {table.name} is not used: columns={{'weight': "
            f"{names[0]!r}}} uses it as the weight of answers",
            ResemblanceWarning,
            stacklevel=4,
        )


def with_refused(judgments: Kind, refused: pd.DataFrame, table: Table) -> Kind:
    first = refused.iloc[0]
    warnings.warn(
        f"{len(refused):,} of {len(table.frame):,} rows were left out; the first: "
        f"{first['where']}: {first['problem']} (all of them: .refused)",
        ResemblanceWarning,
        stacklevel=4,
    )
    return judgments._with(refused=refused)


def without_refused(
    table: Table, make: Callable[[Table], Rows], on_error: OnError
) -> tuple[Table, pd.DataFrame]:
    """Find invalid rows by bisection and leave them out; on_error="raise" raises an error.

    Return the valid rows, and a table of the invalid rows: ``where`` and ``problem``.
    """
    check(on_error=(on_error, one_of("raise", "skip")))
    bad = dict(table.problems)
    every = np.arange(len(table.frame))
    parts = [np.setdiff1d(every, list(bad))] if on_error == "skip" else []
    while parts:
        rows = parts.pop()
        part = table.take(rows)
        try:
            with warnings.catch_warnings(action="ignore"):
                make(part)
        except JudgmentError as error:
            if len(rows) > 1:
                parts += [rows[len(rows) // 2 :], rows[: len(rows) // 2]]
                continue
            bad[int(rows[0])] = str(error).removeprefix(f"{table.name}, {part.where(0)}: ")
    if len(bad) == len(every):
        raise JudgmentError(
            f"{table.name}: none of its {len(every):,} rows is a judgment: check the columns; "
            f"the first: {bad[min(bad)]}"
        )
    kept = table.take(np.setdiff1d(every, list(bad))) if bad else table
    refused = [(table.where(row), bad[row]) for row in sorted(bad)]
    return kept, pd.DataFrame(refused, columns=["where", "problem"])


def known_items(items: FileItems | int) -> Items | None:
    if isinstance(items, str | PathLike) or is_table(items):
        return read_items(items)  # type: ignore[arg-type]
    return items if items is None or isinstance(items, Items) else Items(items)  # type: ignore[arg-type]


def judgments_of(
    kind: type[Kind],
    table: Table,
    items: FileItems = None,
    columns: Columns = None,
    on_error: OnError = "raise",
) -> Kind:
    judgments = rows_of(kind, table, items, columns)
    with table.located():
        return judgments._set_catches_apart() if on_error == "skip" else judgments._refuse_catches()


def rows_of(
    kind: type[Kind], table: Table, items: FileItems = None, columns: Columns = None
) -> Kind:
    given = known_items(items)
    if "odd" in kind.columns:
        table, columns = _kept_named(table, columns)
    table = kind._as_listed(table)
    column_of = table.find((*kind.columns, *kind.measures), kind.optional, columns)
    with table.located():
        labels = [Labels.of(table.frame[column_of[role]], role) for role in kind.columns]
        warn_of_joined(labels)
        index, named = _index(kind, labels, given)
        kind._check_beside(table.frame, labels)
        measures = {role: table.numbers(column_of[role], role) for role in kind.measures}
        return kind._filled(index, named, **measures, **notes_of(table, column_of))


def _kept_named(table: Table, columns: Columns) -> tuple[Table, Columns]:
    if columns is None or not {*KEPT} & {*columns}:
        return table, columns
    table.need([columns[role] for role in columns], "columns=", "columns")
    names = {columns[role]: role for role in (*KEPT, "odd") if role in columns}
    rest = {role: name for role, name in columns.items() if name not in names}
    return replace(table, frame=table.frame.rename(columns=names)), rest


def _index(
    kind: type[Kind], labels: list[Labels], given: Items | None
) -> tuple[NDArray[np.int32], Items]:
    items = items_of(labels) if given is None else given
    positions = [column.positions(items) for column in labels]
    if kind.columns[-1] == "options":
        positions[-1] = padded(positions[-1], labels[-1].rows)
    return kind._arranged(positions, name=lambda i: repr(items.names[i])), items


def padded(positions: NDArray[np.int32], rows: NDArray[np.intp]) -> NDArray[np.int32]:
    counts = np.bincount(rows)
    column = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    matrix = np.full((len(counts), counts.max()), -1, dtype=np.int32)
    matrix[rows, column] = positions
    return matrix


def notes_of(table: Table, column_of: dict[str, str]) -> dict[str, Any]:
    take = {
        "weight": lambda column: numbers_of(column, "weight", decimal=table.decimal),
        "response_id": response_ids_of,
        "observer": _people,
    }
    notes = {role: take[role](table.frame[column_of[role]]) for role in NOTES if role in column_of}
    return {**notes, "extra": table.further(column_of.values())}


def _people(column: pd.Series) -> NDArray[np.str_]:
    people = Labels.of(column, "observer").as_ids()
    warn_of_joined([people])
    return people.cells


class Filed(Rows):
    """Judgments that are read from and written to files.

    ``refused`` is a table of the rows that a reader left out (``where`` and ``problem``); slices do
    not have it.
    """

    refused: pd.DataFrame | None = None

    def _take(self, rows: Any) -> Self:
        return super()._take(rows)._with(refused=None)

    @classmethod
    def read(
        cls,
        path: Source,
        items: FileItems = None,
        columns: Columns = None,
        *,
        on_error: OnError = "raise",
    ) -> Self:
        r"""Read judgments of this kind from a CSV, Parquet or JSON lines file, or from a table.

        =================  ===========================================================
        kind               columns
        =================  ===========================================================
        ``Triplets``       ``head, near, far``; also Salmon's ``head, winner, loser``
                           and ``anchor, closer, farther``
        ``Quadruplets``    ``a, b, c, d``: a and b are more similar than c and d
        ``Choices``        ``head, chosen, options``
        ``OddOneOuts``     ``odd, options``, or of three items ``odd, kept_a, kept_b``
        ``Confusions``     ``a, b, errors, trials``; rows of one pair are summed, with
                           a warning; a matrix: :func:`read_confusion_matrix`
        ``Ratings``        ``a, b, rating, points``: a rating from 1 to ``points``
        ``SimilarPairs``   ``a, b, similar``: true and false, or 1 and 0
        =================  ===========================================================

        Options include the answer and are separated by bars (``jazz|rock|soul``); in JSON lines and
        Parquet they may also be lists. Optional columns are ``weight`` (not of confusions, whose
        trials are the weight), ``response_id`` (rows with the same id are one response; texts are
        numbered in order of appearance) and ``observer`` (or Salmon's ``puid``, ``participant``).
        All other columns are kept in ``extra``, as numbers if all of their cells are numbers.

        Cells hold labels, not positions: the items are the distinct labels in natural order (2
        before 10). A label that is a number must be whole and not negative; if all labels are whole
        numbers, "3.0" is 3, while "007" is not changed. Labels are normalised to Unicode's NFC;
        blanks and zero-width characters at their ends are removed. A warning lists labels that were
        written in several ways.

        Parameters
        ----------
        path : path or table
            A .csv, .parquet, .jsonl, .csv.gz or .jsonl.gz file; or a table with named columns: a
            pandas or polars DataFrame, an Arrow table, or any object with ``__arrow_c_stream__``.
            Tables of other libraries than pandas need pyarrow.
        items : Items, file or table of items, or sequence of names, optional
            All items, mentioned or not; labels are looked up among their names.
        columns : dict, optional
            Names of columns in the file, such as ``{"head": "anchor"}``.
        on_error : {"raise", "skip"}
            Raise an error on rows that cannot be judgments; or leave them out, warn of their
            number, and list them in ``.refused`` of the result. Catch trials (the head is also an
            option, or an item of odd ones out is shown twice) then go to ``.catches``.

        Raises
        ------
        FileError
            If the file is missing, empty, broken or of an unknown type, or lacks a column.
        JudgmentError
            If a row cannot be a judgment; the message names the line, where the header is line 1
            (in Parquet and tables, the row, from 0); or if a table lacks a column.
        UnavailableError
            If pyarrow is not installed and the file is Parquet, or the table is not of pandas.

        Examples
        --------
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> from resemblance import Choices, Triplets
        >>> with TemporaryDirectory() as folder:
        ...     path = Path(folder) / "answers.csv"
        ...     _ = path.write_text("head,winner,loser\n7,10,2\n2,7,10\n")
        ...     triplets = Triplets.read(path)
        >>> triplets.items.names
        ('2', '7', '10')
        >>> triplets.index
        array([[1, 2, 0],
               [0, 1, 2]], dtype=int32)
        >>> Triplets.read(triplets.to_pandas()).index.tolist() == triplets.index.tolist()
        True
        >>> Choices.read(pd.DataFrame({"head": ["a"], "chosen": ["b"], "options": ["b|c|d"]}))
        Choices(1 rows, 4 items)
        """
        return read(cls, path, items, columns, on_error=on_error)

    def write(self, path: str | PathLike[str]) -> None:
        """Write judgments to a CSV, Parquet or JSON lines file that ``read`` reads.

        Its columns are the names of items, then ``weight``, ``response_id`` and ``observer`` if
        present, then the extra columns. Options are a list; in CSV they are separated by bars. Rows
        of ``catches`` come last. Items that no row mentions are not written: save items separately.

        Raises
        ------
        FileError
            If the type of the file is unknown, or it cannot be written; if the name of an option
            contains a bar and the file is CSV.
        UnavailableError
            If the file is Parquet and pyarrow is not installed.

        Examples
        --------
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> from resemblance import OddOneOuts
        >>> with TemporaryDirectory() as folder:
        ...     path = Path(folder) / "answers.csv"
        ...     OddOneOuts([[0, 1, 2]], odd=[1]).write(path)
        ...     print(path.read_text())
        odd,options
        1,1|0|2
        """
        frame = self.all_rows()
        if suffix(Path(path)) == ".csv":
            for name in {*self.columns, "observer"} & {*frame}:
                frame[name] = frame[name].map(safe)
        write_table(frame, path)

    def all_rows(self) -> pd.DataFrame:
        """Return all rows to write, with catch trials last."""
        return self.to_pandas()
