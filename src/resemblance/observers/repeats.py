"""Which rows ask the same question."""

import numpy as np
from numpy.typing import NDArray

from resemblance.errors import JudgmentError
from resemblance.judgments import Choices, Items, Triplets


def question_numbers(*several: Triplets | Choices) -> list[NDArray[np.intp]]:
    """Number the questions of some judgments: equal for the same head and options, in any order."""
    width = max(judgments.shape[1] for judgments in several)
    rows = [
        np.pad(
            np.sort(j.index[:, 1:], axis=1)[:, ::-1],
            ((0, 0), (0, width - j.shape[1])),
            constant_values=-1,
        )
        for j in several
    ]
    keys = np.column_stack([np.concatenate([j.index[:, 0] for j in several]), np.vstack(rows)])
    numbers = np.unique(keys, axis=0, return_inverse=True)[1].ravel()
    return np.split(numbers, np.cumsum([len(j) for j in several])[:-1])


def refuse_other_items(what: str, given: Items, judged: Items) -> None:
    """Refuse what is about other items than the judgments."""
    if given.names != judged.names:
        raise JudgmentError(
            f"{what} has {len(given)} items and the judgments {len(judged)}, or they have other "
            "names: read both with the same items"
        )
