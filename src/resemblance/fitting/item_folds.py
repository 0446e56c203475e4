"""Folds of items: how well does a map place items that it has not seen?"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import BaseCrossValidator
from sklearn.utils import check_random_state

from resemblance.errors import SettingError
from resemblance.judgments.rows import Rows


class ItemKFold(BaseCrossValidator):
    """Hold out items: no judgment of the training rows mentions one of them.

    Each item is held out in one fold. A fold's training rows are those about the other items alone,
    its test rows those that mention a held-out item (with ``whole=True`` those about held-out ones
    alone, so that some rows are in neither). An embedding cannot be tested in this way, since it
    has no position for items it has not seen; a map of features can.

    Parameters
    ----------
    n_splits : int, default 5
        Number of folds, 2 or more.
    whole : bool, default False
        Whether test rows are about held-out items alone.
    random_state : int, RandomState or None, default None
        Deals the items to the folds; an int gives the same folds at every call.

    Raises
    ------
    SettingError
        When splitting: fewer than two folds or more than items, or a fold without training or test
        rows.

    Examples
    --------
    >>> from resemblance.judgments import Triplets
    >>> triplets = Triplets([[0, 1, 2], [3, 4, 5], [0, 1, 3], [4, 5, 2]], items=6)
    >>> for train, test in ItemKFold(2, random_state=3).split(triplets):
    ...     print(train, test)
    [2] [0 1 3]
    [3] [0 1 2]
    """

    def __init__(self, n_splits: int = 5, *, whole: bool = False, random_state: Any = None) -> None:
        self.n_splits, self.whole, self.random_state = n_splits, whole, random_state

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of folds."""
        return self.n_splits

    def split(
        self, X: Rows, y: Any = None, groups: Any = None
    ) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Yield the training and the test rows of each fold."""
        n = X.n_items
        if not 2 <= self.n_splits <= n:
            raise SettingError(f"n_splits is {self.n_splits!r}: give 2 to {n}, one item a fold.")
        fold_of = check_random_state(self.random_state).permutation(np.arange(n) % self.n_splits)
        for fold in range(self.n_splits):
            out = (fold_of[X.index] == fold) & (X.index >= 0)  # -1 pads choices
            there = X.index >= 0
            train = np.flatnonzero(~out.any(axis=1))
            tested = (out == there).all(axis=1) if self.whole else out.any(axis=1)
            test = np.flatnonzero(tested)
            if not (len(train) and len(test)):
                raise SettingError(
                    f"fold {fold} has {len(train)} rows to train and {len(test)} to test: use "
                    "another n_splits, or whole=False."
                )
            yield train, test
