"""The data set that every loader of this package returns."""

from dataclasses import dataclass

import numpy as np

from resemblance.judgments import Items, OddOneOuts, Triplets


@dataclass(frozen=True)
class Dataset:
    """A public data set: its items, the judgments on them, and its source.

    Parameters
    ----------
    description : str
        The question, the people, and the number of answers.
    citation : str
        The papers to cite when the data are used.
    licence : str
        Facts about the licence.
    items : Items
        The items, with names, labels, features or images as far as the set has them.
    judgments : Triplets or OddOneOuts, optional
        The answers of people. A set of plain features has none.
    truth : ndarray of shape (n_items,), optional
        The physical value behind each item, where the stimuli were made from one.

    Examples
    --------
    >>> from resemblance import Items
    >>> from resemblance.datasets import Dataset
    >>> Dataset("Two things.", "Nobody (2026)", "CC0", Items(["a", "b"])).judgments is None
    True
    """

    description: str
    citation: str
    licence: str
    items: Items
    judgments: Triplets | OddOneOuts | None = None
    truth: np.ndarray | None = None
