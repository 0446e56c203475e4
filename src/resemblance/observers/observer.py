"""Base class of simulated people, who answer with given probabilities."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from resemblance.arrays import Floats
from resemblance.errors import JudgmentError, SettingError
from resemblance.fitting import JudgmentsLike
from resemblance.judgments import (
    Choices,
    Items,
    Judgments,
    OddOneOuts,
    Triplets,
    as_judgments,
    of_kind,
)
from resemblance.judgments.choices import chosen_first
from resemblance.ranges import SHARE, check, integers

Asked: TypeAlias = Triplets | Choices | OddOneOuts


class Observer(ABC):
    """A simulated person who answers questions.

    The options of a row are shown in the order of its columns. If questions are judgments, the
    answers in them are ignored.

    Parameters
    ----------
    random_state : int, RandomState or None
        The seed of the answers.

    Examples
    --------
    >>> class Decided(Observer):
    ...     def probabilities(self, questions):
    ...         return np.eye(2)[np.zeros(len(questions), int)]
    >>> Decided().answer([[0, 2, 1]]).index
    array([[0, 2, 1]], dtype=int32)
    """

    def __init__(self, random_state: Any = None) -> None:
        self._random = check_random_state(random_state)

    @abstractmethod
    def probabilities(self, questions: JudgmentsLike) -> Floats:
        """Return the probability (m, K) that each option is the answer.

        Column k is the k-th option in the row. Rows sum to one; if a row has fewer options than K,
        the probability of the missing options is 0.

        Parameters
        ----------
        questions : Triplets, Choices or Quadruplets, or array (m, 3) or (m, 4)
        """

    def probability(self, questions: JudgmentsLike) -> Floats:
        """Return the probability (m,) that the first option or pair of a row is the answer."""
        return self.probabilities(questions)[:, 0]

    def answer(self, questions: JudgmentsLike) -> Judgments:
        """Answer questions; a triplet's two options are returned in the order near, far.

        Parameters
        ----------
        questions : Triplets, Choices, OddOneOuts, or array (m, 3)
            The questions; items, weights, responses, observers and extra columns are kept.

        Returns
        -------
        judgments of the same kind

        Raises
        ------
        SettingError
            If the questions are of another kind.
        """
        return answered(*self._drawn(as_questions(questions, type(self).__name__)))

    def pick(self, questions: JudgmentsLike) -> NDArray[np.intp]:
        """Return the index of the chosen option (or pair) in each row, 0 or 1, (m,).

        Parameters
        ----------
        questions : Triplets or Quadruplets, or array (m, 3) or (m, 4)

        Raises
        ------
        SettingError
            For choices and odd ones out, because their columns are sorted: use ``answer``, or the
            method ``answered_by`` of a session's question.
        """
        questions = as_judgments(questions)
        if isinstance(questions, Choices | OddOneOuts):
            raise SettingError(
                f"{type(questions).__name__} sort their options, so an index among them means "
                "little: use answer(questions) for the items picked, or "
                "question.answered_by(observer) for a question of a session"
            )
        return self._picked(questions)

    def _drawn(self, asked: Asked) -> tuple[Asked, NDArray[np.intp]]:
        return asked, self._picked(asked)

    def _picked(self, questions: JudgmentsLike) -> NDArray[np.intp]:
        p = self.probabilities(questions)
        draw = self._random.uniform(size=len(p))
        picked = (draw[:, None] >= p.cumsum(axis=1)[:, :-1]).sum(axis=1)
        return np.minimum(picked, (p > 0).cumsum(axis=1).argmax(axis=1))


def as_questions(questions: JudgmentsLike, who: str) -> Asked:
    kinds = Triplets, Choices, OddOneOuts
    return cast(Asked, of_kind(as_judgments(questions), kinds, f"a {who}", error=SettingError))


def answered(asked: Asked, picked: NDArray[np.intp]) -> Asked:
    head, options = np.hsplit(asked.index, [asked.options_from])
    chosen = np.take_along_axis(options, picked[:, None], axis=1)[:, 0]
    answered = asked._with(index=np.column_stack([head, chosen_first(options, chosen)]))
    return answered._with(catches=None)


class InattentiveObserver(Observer):
    r"""A simulated person who guesses.

    .. math:: P_k = 1 / N

    for each of N options. Source: the "seemingly random responses" of Tamuz et al. 2011, section 7.

    Parameters
    ----------
    random_state : int, RandomState or None
        The seed of the answers.

    Examples
    --------
    >>> InattentiveObserver(random_state=0).probability([[0, 2, 1]])
    array([0.5])
    """

    def probabilities(self, questions: JudgmentsLike) -> Floats:
        """Return 1 / N for each of the N options of a row; see :meth:`Observer.probabilities`."""
        counts = as_judgments(questions).answers_possible()
        listed = np.arange(counts.max(initial=2)) < counts[:, None]
        return np.asarray(listed / counts[:, None])


class PositionBiasObserver(Observer):
    r"""A simulated person who always chooses the option on one side.

    .. math:: P_{side} = share, \quad P_k = (1 - share) / (N - 1)

    where k is any other option. Side 0 is the first option of a row. A :class:`Crowd` shows the
    options of each row in random order.

    Parameters
    ----------
    side : {0, 1}
        The first or the second option shown.
    share : float
        The probability of choosing that side, from 0 to 1.
    random_state : int, RandomState or None
        The seed of the answers.

    Raises
    ------
    SettingError
        If the side is neither 0 nor 1, or the share is not between 0 and 1.

    Examples
    --------
    >>> PositionBiasObserver(1).answer([[0, 2, 1], [3, 4, 5]]).index[:, 1]
    array([1, 5], dtype=int32)
    """

    def __init__(self, side: int = 0, share: float = 1.0, random_state: Any = None) -> None:
        super().__init__(random_state)
        check(side=(side, integers(0, 1)), share=(share, SHARE))
        self.side, self.share = side, share

    def probabilities(self, questions: JudgmentsLike) -> Floats:
        """Return P of each option; see :meth:`Observer.probabilities`."""
        counts = as_judgments(questions).answers_possible()[:, None]
        column = np.arange(counts.max(initial=2))
        p = np.where(column == self.side, self.share, (1.0 - self.share) / (counts - 1))
        return np.where(column < counts, p, 0.0)


def question_numbers(*several: Asked) -> list[NDArray[np.intp]]:
    """Number the questions; equal heads and options, in any order, are one question."""
    width = max(judgments.shape[1] for judgments in several)
    keys = np.vstack([_keys(judgments, width) for judgments in several])
    numbers = np.unique(keys, axis=0, return_inverse=True)[1].ravel()
    return np.split(numbers, np.cumsum([len(j) for j in several])[:-1])


def _keys(judgments: Asked, width: int) -> NDArray[np.int32]:
    heads, options = np.hsplit(judgments.index, [judgments.options_from])
    rows = np.column_stack([heads, np.sort(options, axis=1)[:, ::-1]])
    return np.pad(rows, ((0, 0), (0, width - judgments.shape[1])), constant_values=-1)


def refuse_other_items(what: str, given: Items, judged: Items) -> None:
    if given.names != judged.names:
        raise JudgmentError(
            f"{what} has {len(given)} items and the judgments {len(judged)}, or their names "
            "differ: read both with the same items"
        )
