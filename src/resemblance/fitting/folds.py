"""Make cross-validation folds that keep questions and responses whole."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from sklearn.model_selection import BaseCrossValidator
from sklearn.utils import check_random_state

from resemblance.errors import JudgmentError, SettingError
from resemblance.judgments import Classifications, OneKind
from resemblance.ranges import check, check_settings, integers, one_of, setting

UNITS = "question", "response_id", "observer"
LARGEST = 0.5  # maximum share of the rows in one group
# rows about held-out questions are fitted if the share of other rows is below this
LEAST_APART = 0.5

Ints = NDArray[np.intp]


@dataclass(frozen=True)
class Units:
    """Groups of rows that are held out together, and the rows that may then be fitted."""

    judgments: OneKind | Classifications
    by: str = UNITS[0]  # unit that folds do not divide: "question", "response_id" or "observer"
    n_splits: int = 2

    @cached_property
    def question(self) -> Ints | None:
        question = self.judgments.questions()
        return None if question.max(initial=-1) + 1 == len(question) else question

    @cached_property
    def whole(self) -> Ints | None:
        labels = _labels(self.judgments, self.by)
        return None if labels is None else np.unique(labels, return_inverse=True)[1]

    @cached_property
    def joined(self) -> Ints | None:
        """The group of each row, (m,). Rows with the same question or response are in one group.

        None if there are fewer groups than folds, or one group has too many rows.
        """
        if self.by != "question" or self.question is None:
            return None
        group = self.question if self.whole is None else _joined(self.question, self.whole)
        size = np.bincount(group)
        fit = len(size) >= self.n_splits
        most = min(LARGEST, 2 / self.n_splits) * len(group)
        return group if fit and size.max() <= most else None

    @property
    def groups(self) -> Ints | None:
        """The group of each row, (m,); None if each row is its own group."""
        return self.whole if self.joined is None else self.joined

    @property
    def name(self) -> str:
        """The unit that folds do not divide: "question", "response_id", "observer" or "row"."""
        if self.joined is not None:
            return "question"
        if self.by == "observer":
            return self.by
        return "row" if self.whole is None else "response_id"

    @property
    def n_folds(self) -> int:
        groups = self.groups
        n_groups = len(self.judgments) if groups is None else groups.max(initial=-1) + 1
        return int(min(self.n_splits, n_groups))

    def others(self, test: Ints) -> tuple[Ints, bool]:
        """Return the training rows for test rows, and whether they repeat held-out questions.

        Rows of held-out responses or people are never fitted. Rows about held-out questions are
        fitted only if most of the remaining rows are about these questions.
        """
        train = np.ones(len(self.judgments), dtype=bool)
        train[test] = False
        if self.whole is not None:
            train &= ~_shared(self.whole, test)
        if self.question is None:
            return np.flatnonzero(train), False
        apart = train & ~_shared(self.question, test)
        again = apart.sum() < LEAST_APART * train.sum()
        return np.flatnonzero(train if again else apart), bool(again)

    def folds(self, random_state: Any = 0) -> list[tuple[Ints, Ints]]:
        if self.n_folds < 2:
            return []
        splitter = GroupedKFold(self.n_folds, self.by, random_state=random_state)
        return list(splitter.split(self.judgments))


def _shared(group: Ints, test: Ints) -> NDArray[np.bool_]:
    tested = np.zeros(group.max(initial=-1) + 1, dtype=bool)
    tested[group[test]] = True
    return np.asarray(tested[group])


def _joined(question: Ints, whole: Ints) -> Ints:
    n = question.max() + 1
    size = n + whole.max() + 1
    links = coo_array((np.ones(len(whole), bool), (question, n + whole)), shape=(size, size))
    parts: Ints = connected_components(links, directed=False)[1]
    return parts[question]


def _labels(judgments: Any, by: str) -> NDArray[Any] | None:
    name = by if by == "observer" else "response_id"
    labels = getattr(judgments, name, None)
    if labels is None and by == "observer":
        raise JudgmentError(
            'by="observer" needs an observer for every row and there are none; '
            'give Triplets(..., observer=...) or groups=, or split by="response_id"'
        )
    return labels


@dataclass(eq=False, repr=False)
class GroupedKFold(BaseCrossValidator):
    r"""Split judgments into folds that never divide a question, a response, or an observer.

    .. math:: \max_k m_k - \min_k m_k \le \max_g m_g

    where m_k and m_g are the numbers of rows of fold k and of group g. Groups are dealt to the
    folds largest first, in rounds of one group per fold. Answers in one response, or to one
    question, depend on each other: fitting some and testing on others would underestimate the
    error.

    Parameters
    ----------
    n_splits : int, default 10
        Number of folds, 2 or more.
    by : {"question", "response_id", "observer"}, default "question"
        The unit that folds keep whole. By "question", rows with the same question are one group,
        together with all rows of the same responses (`response_id`). If there are fewer such groups
        than folds, or one group has more rows than two folds, the groups are responses, as with
        "response_id". Without ids every row is a response, and folds are those of `KFold`.

        Training rows with the same question as a test row are left out, unless that leaves less
        than half of the training rows.
    shuffle : bool, default True
        Deal groups of equal size in random order, and each round of groups to the folds in random
        order; otherwise in the order of labels and folds.
    random_state : int, RandomState or None, default None
        Seed of the shuffle. An int gives the same folds at every call.

    Raises
    ------
    SettingError
        When splitting: n_splits below 2, an unknown `by`, or fewer groups than folds.
    JudgmentError
        When splitting: `by="observer"` for judgments without observers.

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
    by: str = UNITS[0]
    shuffle: bool = True
    random_state: int | np.random.RandomState | None = None

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of folds; the arguments are ignored, as in scikit-learn."""
        return self.n_splits

    def split(
        self, X: Any, y: Any = None, groups: ArrayLike | None = None
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield the sorted indices of the training rows and test rows of each fold.

        ``X`` is judgments, classifications or an array (m, ...); each row of an array is a group.
        ``groups`` (m,) replaces the groups of `by`. ``y`` is ignored.

        >>> sorted(len(test) for train, test in GroupedKFold(3).split(np.zeros((7, 3))))
        [2, 2, 3]
        """
        check_settings(self)
        check(by=(self.by, one_of(*UNITS)))
        if groups is not None or not isinstance(X, OneKind | Classifications):
            fold = self._folds(_labels(X, self.by) if groups is None else groups, len(X))
            for number in range(self.n_splits):
                yield np.flatnonzero(fold != number), np.flatnonzero(fold == number)
            return
        units = Units(X, self.by, self.n_splits)
        fold = self._folds(units.groups, len(X))
        for number in range(self.n_splits):
            test = np.flatnonzero(fold == number)
            yield units.others(test)[0], test

    def _folds(self, groups: ArrayLike | None, n_rows: int) -> np.ndarray:
        if groups is None:
            return self._deal(np.ones(n_rows, dtype=np.int8))
        group, size = np.unique(np.asarray(groups), return_inverse=True, return_counts=True)[1:]
        return self._deal(size)[group]

    def _deal(self, size: np.ndarray) -> np.ndarray:
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


def splitter_of(cv: Any, by: str = UNITS[0], random_state: Any = 0) -> Any:
    if hasattr(cv, "split") and not isinstance(cv, str):
        return cv
    check(cv=(cv, integers(2)))
    return GroupedKFold(cv, by, random_state=random_state)


@dataclass(eq=False, repr=False)
class ItemKFold(BaseCrossValidator):
    """Folds of items: no training row mentions a held-out item.

    Each item is held out in one fold. Test rows mention at least one held-out item. With
    ``whole=True`` they mention only held-out items, and rows that mention both are not used. This
    tests maps of features, which can place unseen items.

    Parameters
    ----------
    n_splits : int, default 5
        Number of folds, 2 or more.
    whole : bool, default False
        Whether test rows mention only held-out items.
    random_state : int, RandomState or None, default None
        Seed of the assignment of items; an int gives the same folds at every call.

    Raises
    ------
    SettingError
        When splitting: fewer than two folds, more folds than items, or a fold without rows.

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
        self, X: OneKind, y: Any = None, groups: Any = None
    ) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Yield the indices of the training and test rows of each fold."""
        n = X.n_items
        check_settings(self)
        check(n_splits=(self.n_splits, integers(2, n)))
        fold_of = check_random_state(self.random_state).permutation(np.arange(n) % self.n_splits)
        for fold in range(self.n_splits):
            out = (fold_of[X.index] == fold) & (X.index >= 0)  # -1 fills shorter rows
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
