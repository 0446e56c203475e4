"""Folds of whole groups, so that held-out error is not flattered."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import BaseCrossValidator
from sklearn.utils import check_random_state

from resemblance.errors import JudgmentError, SettingError
from resemblance.judgments import Judgments
from resemblance.judgments.rows import Rows
from resemblance.ranges import check, check_settings, integers, one_of, setting


@dataclass(eq=False, repr=False)
class GroupedKFold(BaseCrossValidator):
    r"""Split judgments into folds that never divide a response, or an observer.

    .. math:: \max_k m_k - \min_k m_k \le \max_g m_g

    for the numbers of rows m of folds k and groups g: groups are dealt to the folds largest first,
    in rounds of one group per fold. Rows of one response share most of what they say; where some
    are fitted and others held out, the error comes out too low.

    Parameters
    ----------
    n_splits : int, default 10
        Number of folds, 2 or more.
    by : {"response_id", "observer"}, default "response_id"
        Keep responses whole (rows with the same `response_id`) or people whole. Without ids every
        row is a response of its own, and the folds are those of a shuffled `KFold`.
    shuffle : bool, default True
        Deal groups of equal size in random order, each round of groups at random among the folds;
        else in the order of their labels, to the folds in turn.
    random_state : int, RandomState or None, default None
        Seed of the shuffle; an int gives the same folds at every call.

    Raises
    ------
    SettingError
        When splitting: n_splits below 2, an unknown `by`, or fewer groups than folds.
    JudgmentError
        When splitting: `by="observer"` and the judgments name no observers.

    Examples
    --------
    >>> from resemblance.judgments import Triplets
    >>> responses = Triplets([[0, 1, 2], [0, 1, 3], [2, 3, 0], [2, 3, 1]], response_id=[7, 7, 8, 8])
    >>> for train, test in GroupedKFold(2, shuffle=False).split(responses):
    ...     print(train, test)
    [2 3] [0 1]
    [0 1] [2 3]
    """

    n_splits: int = setting(integers(2), default=10)
    by: str = "response_id"
    shuffle: bool = True
    random_state: int | np.random.RandomState | None = None

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of folds; the arguments are for scikit-learn and are not read.

        Examples
        --------
        >>> GroupedKFold(5).get_n_splits()
        5
        """
        return self.n_splits

    def split(
        self, X: Judgments | ArrayLike, y: Any = None, groups: ArrayLike | None = None
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield the rows to fit and the rows to hold out, once for each fold.

        Parameters
        ----------
        X : Judgments or array_like of shape (m, ...)
            What to split; of a plain array every row is its own group.
        y : object, optional
            Not read.
        groups : array_like of shape (m,), optional
            Group of each row, in place of what `by` names.

        Yields
        ------
        train, test : ndarray of int
            Row numbers, in order.

        Raises
        ------
        SettingError, JudgmentError
            As the class says.

        Examples
        --------
        >>> sorted(len(test) for train, test in GroupedKFold(3).split(np.zeros((7, 3))))
        [2, 2, 3]
        """
        yield from super().split(X, y, groups)

    def _iter_test_masks(
        self, X: Any = None, y: Any = None, groups: ArrayLike | None = None
    ) -> Iterator[np.ndarray]:
        check_settings(self)
        fold = self._folds(_groups_of(X, self.by) if groups is None else groups, len(X))
        for number in range(self.n_splits):
            yield fold == number

    def _folds(self, groups: ArrayLike | None, n_rows: int) -> np.ndarray:
        """Fold of every row."""
        if groups is None:
            return self._deal(np.ones(n_rows, dtype=np.int8))
        group, size = np.unique(np.asarray(groups), return_inverse=True, return_counts=True)[1:]
        return self._deal(size)[group]

    def _deal(self, size: np.ndarray) -> np.ndarray:
        """Fold of every group: the largest first, in rounds of one group per fold."""
        if len(size) < self.n_splits:
            raise SettingError(
                f"{len(size)} groups cannot fill {self.n_splits} folds; "
                f"set n_splits to {len(size)} or less",
                setting="n_splits",
            )
        rng = check_random_state(self.random_state)
        order = rng.permutation(len(size)) if self.shuffle else np.arange(len(size))
        order = order[np.argsort(-size[order], kind="stable")]
        rounds = np.tile(np.arange(self.n_splits), (-(-len(size) // self.n_splits), 1))
        if self.shuffle:
            rounds = np.take_along_axis(rounds, rng.random(rounds.shape).argsort(axis=1), axis=1)
        fold = np.empty(len(size), dtype=np.int64)
        fold[order] = rounds.ravel()[: len(size)]
        return fold


def splitter_of(cv: Any, by: str = "response_id", random_state: Any = 0) -> Any:
    """Return what makes folds: itself, or that of a number of folds."""
    if hasattr(cv, "split") and not isinstance(cv, str):
        return cv
    check(cv=(cv, integers(2)))
    return GroupedKFold(cv, by, random_state=random_state)


def _groups_of(X: Any, by: str) -> np.ndarray | None:
    """Labels of the groups that judgments carry; None where every row is its own."""
    check(by=(by, one_of("response_id", "observer")))
    groups = getattr(X, by) if isinstance(X, Rows) else None
    if groups is None and by == "observer":
        raise JudgmentError(
            'by="observer" needs an observer for every row and there are none; '
            'give Triplets(..., observer=...) or groups=, or split by="response_id"'
        )
    return groups


@dataclass(eq=False, repr=False)
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

    n_splits: int = 5
    _: KW_ONLY
    whole: bool = False
    random_state: Any = None

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of folds."""
        return self.n_splits

    def split(
        self, X: Rows, y: Any = None, groups: Any = None
    ) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Yield the training and the test rows of each fold."""
        n = X.n_items
        check_settings(self)
        check(n_splits=(self.n_splits, integers(2, n)))
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
