"""Which rows ask the same question."""

import numpy as np
from numpy.typing import NDArray

from resemblance.errors import JudgmentError
from resemblance.judgments import Items
from resemblance.observers.observer import Asked


def question_numbers(*several: Asked) -> list[NDArray[np.intp]]:
    """Number the questions of some judgments: equal for the same head and options, in any order."""
    width = max(judgments.shape[1] for judgments in several)
    keys = np.vstack([_keys(judgments, width) for judgments in several])
    numbers = np.unique(keys, axis=0, return_inverse=True)[1].ravel()
    return np.split(numbers, np.cumsum([len(j) for j in several])[:-1])


def _keys(judgments: Asked, width: int) -> NDArray[np.int32]:
    """Sort the options of each row, and fill it up with -1."""
    heads, options = np.hsplit(judgments.index, [judgments.options_from])
    rows = np.column_stack([heads, np.sort(options, axis=1)[:, ::-1]])
    return np.pad(rows, ((0, 0), (0, width - judgments.shape[1])), constant_values=-1)


def refuse_other_items(what: str, given: Items, judged: Items) -> None:
    """Refuse what is about other items than the judgments."""
    if given.names != judged.names:
        raise JudgmentError(
            f"{what} has {len(given)} items and the judgments {len(judged)}, or they have other "
            "names: read both with the same items"
        )
