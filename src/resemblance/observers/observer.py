"""What all simulated people share: probabilities of answers, and drawing them."""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from resemblance.errors import SettingError
from resemblance.fitting import JudgmentsLike
from resemblance.judgments import Choices, Judgments, Triplets, as_judgments
from resemblance.judgments.choices import choice_index

Floats = NDArray[np.float64]


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
        """Give the probability that each option is the answer.

        Parameters
        ----------
        questions : Triplets, Choices or Quadruplets, or array (m, 3) or (m, 4)

        Returns
        -------
        array (m, K)
            Columns are options as listed; rows sum to one; an option that a row lacks is 0.
        """

    def probability(self, questions: JudgmentsLike) -> Floats:
        """Give the probability that the answer is the first option (or pair) of each question.

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
        questions : Triplets, Choices, or array (m, 3)
            What is asked; items, weights, groups, observers and extra columns are kept.

        Returns
        -------
        Triplets, or Choices with the chosen drawn

        Raises
        ------
        SettingError
            If the questions are neither triplets nor choices.
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


def as_questions(questions: JudgmentsLike, who: str) -> Triplets | Choices:
    """Take questions that can be answered: triplets and choices."""
    asked = as_judgments(questions)
    if not isinstance(asked, Triplets | Choices):
        raise SettingError(
            f"a {who} answers triplet questions, not {type(asked).__name__}: give rows of "
            "(head, one, other), or Choices."
        )
    return asked


def answered(asked: Triplets | Choices, picked: NDArray[np.intp]) -> Triplets | Choices:
    """Put the picked option of each row first, the others after it."""
    head, options = asked.index[:, 0], asked.index[:, 1:]
    chosen = np.take_along_axis(options, picked[:, None], axis=1)[:, 0]
    return asked._with(index=choice_index(head, options, chosen), catches=None)


def option_counts(judgments: Judgments) -> NDArray[np.intp]:
    """Count the options of each row."""
    if isinstance(judgments, Choices):
        return judgments.n_options
    return np.full(len(judgments), 2)
