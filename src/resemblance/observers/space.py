"""A simulated person who sees distances in a space."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from resemblance.choice import ChoiceModel, Softmax
from resemblance.errors import SettingError
from resemblance.fitting import JudgmentsLike, answer_probabilities
from resemblance.judgments import Judgments, Triplets, as_judgments


class SpaceObserver:
    """A person who answers from distances in a space, with noise and lapses.

    P(first) = (1 - lapse) p(first) + lapse / 2, with p of the choice model at the distances of
    the given positions.

    Parameters
    ----------
    points : array (n_items, d)
        The positions that the observer sees.
    choice : ChoiceModel, optional
        How distances become answers. Default: :class:`~resemblance.choice.Softmax`; scale the
        points to make answers more or less certain.
    lapse : float
        The share of questions answered by chance, from 0 to 1.
    random_state : int, RandomState or None
        Draws the answers.

    Raises
    ------
    SettingError
        If lapse is not between 0 and 1.

    Examples
    --------
    >>> observer = SpaceObserver([[0.0], [1.0], [9.0]], random_state=0)
    >>> observer.answer([[0, 2, 1]]).index
    array([[0, 1, 2]], dtype=int32)
    """

    def __init__(
        self,
        points: ArrayLike,
        choice: ChoiceModel | None = None,
        lapse: float = 0.0,
        random_state: Any = None,
    ) -> None:
        if not 0.0 <= lapse <= 1.0:
            raise SettingError(f"lapse is {lapse!r}: give a share between 0 and 1.")
        self.points = np.ascontiguousarray(points, dtype=float)
        self.choice = Softmax() if choice is None else choice
        self.lapse = lapse
        self._random = check_random_state(random_state)

    def probability(self, questions: JudgmentsLike) -> NDArray[np.float64]:
        """Give the probability that the answer is the first pair of each question.

        Parameters
        ----------
        questions : Triplets or Quadruplets, or array (m, 3) or (m, 4)
            The order of the two options in a row means nothing yet.

        Returns
        -------
        array (m,)
        """
        p = answer_probabilities(self.points, as_judgments(questions), self.choice)[:, 0]
        return np.asarray((1.0 - self.lapse) * p + self.lapse / 2.0)

    def answer(self, questions: JudgmentsLike) -> Judgments:
        """Answer triplet questions (head, one, other): rows come back as (head, near, far).

        Parameters
        ----------
        questions : Triplets or array (m, 3)
            What is asked; items, groups and observers are kept.

        Returns
        -------
        Triplets
        """
        asked = as_judgments(questions)
        if not isinstance(asked, Triplets):
            raise SettingError(
                f"a SpaceObserver answers triplet questions, not {type(asked).__name__}: give "
                "rows of (head, one, other)."
            )
        swap = self._random.uniform(size=len(asked)) >= self.probability(asked)
        index = asked.index.copy()
        index[swap] = index[swap][:, [0, 2, 1]]
        return Triplets(
            index, asked.items, asked.weight, asked.group, asked.observer, extra=asked.extra
        )
