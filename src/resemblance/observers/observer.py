"""What all simulated people share: probabilities of answers, and drawing them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from resemblance.arrays import Floats
from resemblance.errors import SettingError
from resemblance.fitting import JudgmentsLike
from resemblance.judgments import Choices, Judgments, OddOneOuts, Triplets, as_judgments
from resemblance.judgments.catches import HeadJudgments
from resemblance.judgments.choices import chosen_first

Asked: TypeAlias = Triplets | Choices | OddOneOuts


class Observer(ABC):
    """Somebody who answers questions: a simulated person.

    The options of a row are shown in the order in which it lists them. A question may come as a
    row of judgments, whose own answer then means nothing.

    Parameters
    ----------
    random_state : int, RandomState or None
        Draws the answers.

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
        """Return the probability that each option is the answer.

        Parameters
        ----------
        questions : Triplets, Choices or Quadruplets, or array (m, 3) or (m, 4)

        Returns
        -------
        array (m, K)
            Columns are options as listed; rows sum to one; an option that a row lacks is 0.
        """

    def probability(self, questions: JudgmentsLike) -> Floats:
        """Return the probability that the answer is the first option (or pair) of each question.

        Parameters
        ----------
        questions : Triplets, Choices or Quadruplets, or array (m, 3) or (m, 4)

        Returns
        -------
        array (m,)
        """
        return self.probabilities(questions)[:, 0]

    def answer(self, questions: JudgmentsLike) -> Judgments:
        """Answer questions: triplets (head, one, other) come back as (head, near, far).

        Parameters
        ----------
        questions : Triplets, Choices, OddOneOuts, or array (m, 3)
            What is asked; items, weights, groups, observers and extra columns are kept.

        Returns
        -------
        judgments of the same kind, with the answers drawn

        Raises
        ------
        SettingError
            If the questions are of another kind.
        """
        asked = as_questions(questions, type(self).__name__)
        return answered(asked, self.pick(asked))

    def pick(self, questions: JudgmentsLike) -> NDArray[np.intp]:
        """Draw which of the listed options is the answer, from 0.

        Parameters
        ----------
        questions : Triplets, Choices or Quadruplets, or array (m, 3) or (m, 4)

        Returns
        -------
        array (m,) of int
        """
        p = self.probabilities(questions)
        draw = self._random.uniform(size=len(p))
        picked = (draw[:, None] >= p.cumsum(axis=1)[:, :-1]).sum(axis=1)
        return np.minimum(picked, (p > 0).cumsum(axis=1).argmax(axis=1))


def as_questions(questions: JudgmentsLike, who: str) -> Asked:
    """Take questions that can be answered: triplets, choices and odd ones out."""
    asked = as_judgments(questions)
    if not isinstance(asked, Triplets | Choices | OddOneOuts):
        raise SettingError(
            f"a {who} answers triplet questions, not {type(asked).__name__}: give rows of "
            "(head, one, other), Choices or OddOneOuts."
        )
    return asked


def answered(asked: Asked, picked: NDArray[np.intp]) -> Asked:
    """Put the picked option of each row first, the others after it."""
    head, options = np.hsplit(asked.index, [asked.options_from])
    chosen = np.take_along_axis(options, picked[:, None], axis=1)[:, 0]
    answered = asked._with(index=np.column_stack([head, chosen_first(options, chosen)]))
    return answered._with(catches=None) if isinstance(asked, HeadJudgments) else answered


def option_counts(judgments: Judgments) -> NDArray[np.intp]:
    """Count the options of each row."""
    counts = np.empty(len(judgments), dtype=np.intp)
    for compared in judgments.comparisons():
        counts[compared.rows] = compared.n_options
    return counts
