"""The classes that colour a map: at most twelve of their own, then one for the others."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from resemblance.plotting.palette import LIGHT, OTHER, UNLABELLED


@dataclass(frozen=True)
class Classes:
    """The classes of a map in the order of its legend.

    Attributes
    ----------
    names : tuple of str
        What the legend says.
    styles : tuple of int
        Style of each class: a position in the lists of the palette.
    index : ndarray of shape (n_items,)
        Class of each item.
    """

    names: tuple[str, ...]
    styles: tuple[int, ...]
    index: NDArray[np.int64]


def classes_of(labels: Sequence[Any] | NDArray[Any]) -> Classes:
    """Sort the labels into classes: the twelve most frequent, "other", and "no label".

    Parameters
    ----------
    labels : sequence of n_items labels
        Strings, numbers or booleans; None, NaN and "" mean that an item has no label.

    Returns
    -------
    Classes

    Examples
    --------
    >>> classes_of(["10", "9", None, "9"]).names
    ('9', '10', 'no label')
    """
    texts = [_text(label) for label in labels]
    counts = Counter(text for text in texts if text)
    own = sorted([text for text, _ in counts.most_common(len(LIGHT))], key=_natural)
    style = {text: i for i, text in enumerate(own)}
    drawn = np.array([style.get(text, OTHER) if text else UNLABELLED for text in texts])
    styles, index = np.unique(drawn, return_inverse=True)
    ends = {OTHER: f"other ({len(counts) - len(own)} classes)", UNLABELLED: "no label"}
    names = [ends[s] if s in ends else own[s] for s in styles.tolist()]
    return Classes(tuple(names), tuple(styles.tolist()), index)


def _text(label: Any) -> str:
    """Return the label as text, a missing one (None, NaN, pandas' NA) as ""."""
    if pd.isna(label):
        return ""
    whole = isinstance(label, float | np.floating) and label.is_integer()
    return str(int(label) if whole else label)


def _natural(text: str) -> list[tuple[bool, int, str]]:
    """Return a sorting key that puts 9 before 10."""
    parts = re.split(r"(\d+)", text)
    return [(not p.isdecimal(), int(p) if p.isdecimal() else 0, p.casefold()) for p in parts if p]
