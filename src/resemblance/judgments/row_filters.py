"""Leave out rows that repeat other rows, or that a tool marked as void."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import replace
from re import Pattern

import numpy as np
from numpy.typing import NDArray

from resemblance.errors import FileError
from resemblance.judgments.column_names import FILE, bare, column_of, is_latency, is_time
from resemblance.judgments.labels import texts_of
from resemblance.judgments.tables import Table
from resemblance.optional import pd

# Cells that mark a row as no answer of the study: both as `bare` writes them.
MARKED = {
    "assignmentstatus": re.compile("rejected"),
    "distributionchannel": re.compile("preview"),
    "status": re.compile("surveypreview|surveytest|(possible)?spam|preview|rejected"),
}
MARKS = re.compile("(is)?(preview|rejected|excluded)")  # columns that say yes of such a row
PHASES = re.compile(  # columns that say which part of the study a row is of
    "phase|part|stage|section|block|task|trialkind|trialtype|loop|procedure|purpose|display|sender"
)
PRACTICE = re.compile("(practi[cs]e|training|warmup|prac)(trial|block|round|phase|proc)?s?[0-9]*")
PRACTISED = re.compile("(is)?(practi[cs]e|training)(trial)?")  # columns that say yes of practice
LOOP = re.compile(r"(practi[cs]e|training|prac)[a-z_]*\.this(Rep)?N", re.IGNORECASE)  # PsychoPy
YES = frozenset(("true", "1", "yes", "t"))
NO = frozenset(("false", "0", "no", "f", ""))
IDENTIFIED = 0.9  # share of people's rows that times must distinguish
LEAST_COPIES = 3  # fewer equal latencies may be chance


def without_copies(table: Table) -> Table:
    """Leave out rows that equal others in all columns, as in a file that was saved twice.

    Only if times distinguish the rows of each person are equal rows copies; otherwise people may
    have answered again, and such rows are reported and kept.
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
            f"{len(copies):,} rows are equal to others in all columns, and count: where a file was "
            f"saved twice, remove one of the two; the first: {first}"
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
    """Leave out, and count, marked rows: previews, rejected work, practice.

    ``used`` are the columns of questions, whatever their names. Words of practice in all rows of
    most people who have them are a condition, and are kept.
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
    """Normalise a cell for the search of marks; in a JSON object, true values count."""
    if text.startswith("{"):
        return "true"
    return re.sub(r"[^a-z0-9]", "", re.sub(r"\.[0-9]+$", "", text).lower())
