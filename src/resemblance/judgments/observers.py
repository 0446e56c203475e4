"""The observers of rows."""

import numpy as np
from numpy.typing import NDArray

from resemblance.errors import JudgmentError
from resemblance.judgments.checks import are_missing, first_few, refuse
from resemblance.judgments.mixed import AnyJudgments, Joined, each_kind, one_kind
from resemblance.judgments.rows import Rows
from resemblance.judgments.stored import StoredJudgments

MACHINE = "machine"  # the kind of rows that a MachineParticipant answered


def _said(judgments: Rows, by: str) -> NDArray[np.str_]:
    """Return each row's observer as text, empty if missing."""
    if isinstance(judgments, Joined):
        one_kind(judgments)
    named = judgments.observer if by == "observer" else judgments.extra.get(by)
    if named is None and by == "observer":
        raise JudgmentError(
            "these judgments name no observers: give observer=, or name the column of the "
            "file that holds it"
        )
    if named is None:
        has = ", ".join(judgments.extra) or "none"
        raise JudgmentError(
            f"these judgments have no column {by!r} (further columns: {has}): give it as extra=, "
            "or in the file"
        )
    values = np.asarray(named)
    texts = values.astype(str)
    return texts if values.dtype.kind in "US" else np.where(are_missing(values), "", texts)


def people_of(judgments: Rows, by: str = "observer") -> tuple[NDArray[np.str_], NDArray[np.intp]]:
    """Return the sorted names of all people, or groups, and the number of each row's."""
    said = _said(judgments, by)
    refuse(said == "", lambda _: f"the {by} is missing: name one, or leave the row out")
    names, who = np.unique(said, return_inverse=True)
    return names, who


def refuse_machines_among_people(judgments: AnyJudgments) -> None:
    """Refuse answers of machines among people's, since a fit would not distinguish them."""
    of_machines = np.concatenate([_of_machines(part) for part in each_kind(judgments)])
    if of_machines.any() and not of_machines.all():
        raise JudgmentError(
            f"rows {first_few(np.flatnonzero(of_machines))} are answers of a machine (kind "
            f'"{MACHINE}"), and others are not: fit each by itself, or leave out the column "kind" '
            "to take them together"
        )


def refuse_machines_of_a_scan(rows: StoredJudgments) -> None:
    """Refuse answers of machines by their names, since a scan leaves the column "kind" out."""
    of_machines = _named_as_machines(rows.people)
    if "kind" in rows.left_out and of_machines.any() and not of_machines.all():
        raise JudgmentError(
            f"{rows.people[of_machines.argmax()]!r} is a machine, and others answered too: write "
            'each to a file of its own, or leave out the column "kind" to take them together'
        )


def _of_machines(judgments: Rows) -> NDArray[np.bool_]:
    """Mark rows that a MachineParticipant answered; files may use "kind" differently."""
    kind, observer = judgments.extra.get("kind"), judgments.observer
    if kind is None or observer is None:
        return np.zeros(len(judgments), dtype=bool)
    return np.asarray((np.asarray(kind).astype(str) == MACHINE) & _named_as_machines(observer))


def _named_as_machines(observer: NDArray[np.str_]) -> NDArray[np.bool_]:
    return np.char.startswith(np.asarray(observer).astype(str), f"{MACHINE}: ")


def raters_of(judgments: Rows) -> tuple[NDArray[np.str_], NDArray[np.int64]]:
    """Return the sorted names of people, and the number of each row's person.

    Numbers start at 1; 0 is a row without an observer.
    """
    if judgments.observer is None:
        return np.empty(0, dtype=np.str_), np.zeros(len(judgments), dtype=np.int64)
    names, who = np.unique(_said(judgments, "observer"), return_inverse=True)
    named = names != ""
    return names[named], np.where(named, np.cumsum(named), 0)[who]
