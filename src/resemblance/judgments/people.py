"""Who answered each row."""

import numpy as np
from numpy.typing import NDArray

from resemblance.catalog import OWN
from resemblance.errors import JudgmentError
from resemblance.judgments.checks import first_few
from resemblance.judgments.rows import Rows


def people_of(judgments: Rows, by: str = "observer") -> tuple[NDArray[np.str_], NDArray[np.intp]]:
    """Return the names of all people, or groups, in order, and which of them answered each row.

    Parameters
    ----------
    judgments : Judgments
        The rows.
    by : str
        "observer", or the name of an extra column.

    Raises
    ------
    JudgmentError
        If the rows do not say it.
    """
    named = judgments.observer if by == "observer" else judgments.extra.get(by)
    if named is None and by == "observer":
        raise JudgmentError(
            "these judgments do not say who answered: give observer=, or name the column of the "
            "file that holds it"
        )
    if named is None:
        has = ", ".join(judgments.extra) or "none"
        raise JudgmentError(
            f"these judgments have no column {by!r} (further columns: {has}): give it as extra=, "
            "or in the file"
        )
    names, who = np.unique(np.asarray(named).astype(str), return_inverse=True)
    return names, who


def refuse_own_questions(judgments: Rows, seen: str) -> None:
    """Refuse answers to questions that were chosen for one person each, by an ObserverSession.

    People contradict one another there, whose answers are taken together.

    Parameters
    ----------
    judgments : Judgments
        The rows.
    seen : str
        What would be seen in such answers, and is not there.
    """
    own = np.flatnonzero(judgments.extra.get("strategy", np.empty(0)).astype(str) == OWN)
    if own.size:
        raise JudgmentError(
            f"rows {first_few(own)} answer questions that were chosen for one person each "
            f'(strategy "{OWN}"), in which {seen}: leave these rows out; fit_observers takes them.'
        )


def raters_of(judgments: Rows) -> tuple[NDArray[np.str_], NDArray[np.int64]]:
    """Return the names of the people that are told, in order, and who answered each row.

    These are numbered from 1; 0 is a row whose observer is not told, or empty.
    """
    if judgments.observer is None:
        return np.empty(0, dtype=np.str_), np.zeros(len(judgments), dtype=np.int64)
    names, who = people_of(judgments)
    named = names != ""
    return names[named], np.where(named, np.cumsum(named), 0)[who]
