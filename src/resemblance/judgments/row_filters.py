"""Leave out rows that are no further answers: copies of other rows, and rows that a tool marked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np

from resemblance.errors import FileError
from resemblance.judgments.column_names import FILE, bare, column_of, is_counter, is_time
from resemblance.judgments.labels import hashable, texts_of
from resemblance.judgments.tables import Table
from resemblance.optional import pd

TRAINING = frozenset(("practice", "practise", "training", "practicetrial", "practicetrials"))
# Cells that mark a row as no answer of the study: both as `bare` writes them.
MARKED = {
    "assignmentstatus": frozenset(("rejected",)),
    "distributionchannel": frozenset(("preview",)),
    "status": frozenset(
        ("surveypreview", "surveytest", "spam", "possiblespam", "preview", "rejected")
    ),
    **dict.fromkeys(
        (
            *("phase", "part", "testpart", "stage", "section", "block", "blockname", "blocktype"),
            *("task", "trialphase", "trialkind", "display", "loop", "procedure", "purpose"),
        ),
        TRAINING,
    ),
}
FLAGS = ("practice", "ispractice", "training", "istraining", "preview", "ispreview", "rejected")
YES = frozenset(("true", "1", "yes", "t"))
NO = frozenset(("false", "0", "no", "f", ""))
IDENTIFIED = 0.9  # of the rows, which times and numbers of trials tell apart


def without_copies(table: Table) -> Table:
    """Leave out rows that are equal to another in all columns, as of a file that was saved twice.

    Rows are copies only where times, or numbers of trials, tell rows apart: elsewhere somebody may
    have answered a question alike again.
    """
    frame = table.frame.drop(columns=FILE, errors="ignore").rename(columns=str)
    telling = [name for name in frame if is_time(name) or is_counter(name)]
    if table.path is None or not telling:
        return table
    keys = _coded(frame[telling])
    numbered = frame[telling].notna().any(axis=1)
    alike = keys.duplicated(keep=False) & numbered
    cells = _coded(frame[alike])
    copies = cells.index[cells.duplicated()]
    if not len(copies):
        return table
    who = column_of("observer", frame.columns)
    own = keys if who is None else keys.assign(who=texts_of(frame[who]))
    once = own[numbered].drop(index=copies)
    if len(once.drop_duplicates()) < IDENTIFIED * len(once):
        return table
    note = (
        f"{len(copies):,} rows that are equal to others in all columns are left out as copies; the "
        f"first: {table.where(int(copies[0]))}"
    )
    kept = table.take(~frame.index.isin(copies))
    return replace(kept, notes=(*table.notes, note))


def _coded(frame: pd.DataFrame) -> pd.DataFrame:
    """Number the different cells of each column."""
    codes = {name: pd.factorize(hashable(frame[name]))[0] for name in frame}
    return pd.DataFrame(codes, frame.index)


def without_marked(
    table: Table, marked: Mapping[str, frozenset[str]], used: Collection[str]
) -> tuple[Table, Counter[str]]:
    """Leave out, and count, the rows that are marked: previews, rejected work, practice.

    ``used`` are columns that hold what was asked, whatever they are called.
    """
    frame, counts = table.frame, Counter[str]()
    left_out = np.zeros(len(frame), dtype=bool)
    for name in frame.columns.difference(list(used), sort=False):
        words = MARKED.get(bare(name), frozenset()) | marked.get(bare(name), frozenset())
        if not words and bare(name) not in FLAGS:
            continue
        cells = texts_of(frame[name])
        values = {text: _mark(text) for text in cells.unique()}
        if bare(name) in FLAGS and set(values.values()) <= YES | NO:
            words |= YES
        marks = cells.map(values).isin(words).to_numpy() & ~left_out
        counts.update(f"{name} {text}" for text in cells[marks])
        left_out |= marks
    if left_out.all():
        raise FileError(
            f"{table.name} holds only rows that are marked ({', '.join(counts)}): to read them "
            "all the same, keep_marked=True",
            setting="keep_marked",
        )
    return (table.take(~left_out) if left_out.any() else table), counts


def _mark(text: str) -> str:
    """Write a cell as marks are looked up; an object of JSON says that something is so."""
    return "true" if text.startswith("{") else bare(text) if text else ""
