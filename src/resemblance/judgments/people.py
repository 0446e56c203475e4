"""Who answered each row."""

import numpy as np
from numpy.typing import NDArray

from resemblance.errors import JudgmentError
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


def raters_of(judgments: Rows) -> tuple[NDArray[np.str_], NDArray[np.int64]]:
    """Return the names of the people that are told, in order, and who answered each row.

    These are numbered from 1; 0 is a row whose observer is not told, or empty.
    """
    if judgments.observer is None:
        return np.empty(0, dtype=np.str_), np.zeros(len(judgments), dtype=np.int64)
    names, who = people_of(judgments)
    named = names != ""
    return names[named], np.where(named, np.cumsum(named), 0)[who]
