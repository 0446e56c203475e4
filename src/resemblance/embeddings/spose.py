"""SPoSE: sparse, non-negative dimensions whose inner products explain answers."""

from __future__ import annotations

from dataclasses import field, replace
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from resemblance.arrays import Floats
from resemblance.choice import Logistic
from resemblance.errors import EmptyError, SettingError
from resemblance.fitting.choosing.sparsity import Strength, choose_strength
from resemblance.fitting.embedding import OrdinalEmbedding
from resemblance.fitting.objective.objective import Batch, Objective
from resemblance.forms import Form, NonNegative
from resemblance.judgments import AnyJudgments, Judgments, are_answers, of_kind
from resemblance.judgments.convert import Fitted
from resemblance.ranges import NOT_NEGATIVE, POSITIVE, SHARE, integers, setting
from resemblance.scores.recovery import recurring_dimensions
from resemblance.solvers import Solution

MOST_COMPONENTS = 60


class SPoSE(OrdinalEmbedding):
    r"""Sparse positive similarity embedding, with dimensions that people can name.

    .. math:: \min_{X \ge 0} \; \sum_r -w_r \log p_r
       + \lambda \sum_{ik} \big( \rho \, x_{ik} + (1 - \rho) \, x_{ik}^2 \big), \qquad
       p = \frac{e^{x_a \cdot x_b}}{\sum_{i<j} e^{x_i \cdot x_j}}

    for the pair (a, b) that remains when the odd one of three is removed. In triplets and choices
    the options compete by their inner products with the head. Loadings are non-negative and most
    are 0, so each dimension is a property that items have to some degree. Empty dimensions are left
    out.

    With ``penalty="auto"`` the likelihood of held-out answers chooses the penalty, on a path from
    weak to strong, because a strong penalty at the start empties dimensions that are needed. The
    penalty shrinks the loadings; a factor ``scale_`` on all inner products, fitted to the same
    held-out answers, compensates for this.

    Source: Zheng, Pereira, Baker & Hebart 2019 (ICLR), with :math:`\rho = 1`; Hebart, Zheng,
    Pereira & Baker 2020. The second term is ours: with it new answers are more likely.

    Parameters
    ----------
    n_components : int, optional
        The number of dimensions at first; None is 60, or the number of items if there are fewer.
    l1_ratio : float
        :math:`\rho`, the share of the first term in the penalty, 0 to 1. A higher share leaves
        fewer dimensions and more loadings of 0.
    penalty : float or "auto"
        The strength :math:`\lambda`.
    scale : float, optional
        The factor on inner products after the fit; None is the factor chosen with the penalty, or 1
        where the penalty is a number.
    n_init : int
        The number of descents: the first starts at the halves of eigenvectors (NNDSVD), further
        ones at random. One more starts from the dimensions that half of them agree on (matched one
        to one, r of .85 or more). The one with the lowest loss is kept.
    init, max_iter, tol, random_state, n_jobs, device, callback, warm_start
        See :class:`~resemblance.fitting.OrdinalEmbedding`, which also lists the learned attributes.

    Attributes
    ----------
    embedding_ : array (n_items, n_kept)
        The non-negative loadings; dimensions are sorted by their sum, and empty ones left out.
    shares_ : array (n_kept,)
        The share of each dimension in the sum of all loadings.
    strengths_ : array (k, 2)
        The penalties that "auto" tried, and their log loss on held-out answers.
    scale_ : float
        The factor on inner products after the fit; ``embedding_`` includes its square root.

    Raises
    ------
    JudgmentError, SettingError
        As :class:`~resemblance.fitting.OrdinalEmbedding`.

    Examples
    --------
    >>> import resemblance as rs
    >>> animals_plants_tools = np.repeat(2.0 * np.eye(3), 5, axis=0)
    >>> person = rs.SpaceObserver(animals_plants_tools, rs.choice.Logistic(), random_state=0)
    >>> questions = [[a, b, c] for a in range(15) for b in range(a) for c in range(b)]
    >>> answers = person.answer(rs.OddOneOuts(questions, [row[0] for row in questions]))
    >>> model = rs.SPoSE(n_components=6, random_state=0).fit(answers)
    >>> kinds = model.embedding_.argmax(axis=1)
    >>> [len(set(kinds[first : first + 5].tolist())) for first in (0, 5, 10)]
    [1, 1, 1]
    """

    choice: None = field(init=False)  # the class says it
    form: str | Form = field(init=False)
    batch_size: None = field(init=False)
    n_components: int | None = setting(integers(1).besides(None), default=None, kw_only=False)  # type: ignore[assignment]
    penalty: float | Literal["auto"] = setting(NOT_NEGATIVE.besides("auto", None), default="auto")
    scale: float | None = setting(POSITIVE.besides(None), default=None)
    l1_ratio: float = setting(SHARE, default=0.25)
    n_init: int = setting(integers(1), default=4)

    def _choice(self) -> Logistic:
        return Logistic()

    def _form(self) -> Form:
        return NonNegative(self.l1_ratio)

    def _n_components(self, n_items: int) -> int:
        """Return the initial number of dimensions, which may exceed the number of items."""
        d = min(MOST_COMPONENTS, n_items) if self.n_components is None else self.n_components
        return int(d)

    def fit(
        self, X: Fitted, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Find the loadings.

        Parameters
        ----------
        X : OddOneOuts, Choices, Triplets, Quadruplets, or array (m, 3 or 4)
            The judgments; weights count as repeats.
        y, sample_weight : array, optional
            As in :meth:`~resemblance.fitting.OrdinalEmbedding.fit`.

        Returns
        -------
        self
        """
        self._path: Strength | None = None
        super().fit(X, y, sample_weight)
        path: Strength | None = vars(self).pop("_path")
        self.strengths_ = np.empty((0, 2)) if path is None else path.tried
        return self

    @property
    def chosen_(self) -> dict[str, float]:
        """The penalty and the scale that a fit chose, if they were open."""
        return {**super().chosen_, "scale": self.scale_}

    def _scale(self) -> float:
        if self.scale is None:
            return 1.0 if self._path is None else self._path.scale
        return float(self.scale)

    def _auto(self, form: Form, judgments: AnyJudgments, data: list[Batch]) -> tuple[Form, float]:
        """Choose the strength, and keep the path's solution."""
        if not are_answers(judgments):
            raise SettingError(
                'penalty="auto" is for comparisons, and these are none: give a number, 0 or more.',
                setting="penalty",
            )
        self._path = choose_strength(self, of_kind(judgments, Judgments, "penalty='auto'"))
        return form, self._path.penalty

    def _start(
        self, objective: Objective, shape: tuple[int, int], start: Any, rng: np.random.Generator
    ) -> Floats:
        """Start from the path's solution at the chosen strength; empty columns stay empty."""
        if self._path is not None and not (isinstance(start, str) and start == "random"):
            start = self._path.loadings
        if isinstance(start, str):
            return super()._start(objective, shape, start, rng)
        missing = max(shape[1] - np.shape(start)[1], 0)
        return super()._start(objective, shape, np.pad(start, ((0, 0), (0, missing))), rng)

    def _of_descents(
        self, solutions: list[Solution], objective: Objective, max_iter: int
    ) -> Solution:
        """Continue with dimensions that recur over descents, if this lowers the loss."""
        best = super()._of_descents(solutions, objective, max_iter)
        if len(solutions) == 1 or any(solution.interrupted for solution in solutions):
            return best
        spaces = [solution.x[:, solution.x.any(axis=0)] for solution in solutions]
        at, recurs = recurring_dimensions(spaces)
        if not recurs.any():
            return best
        start = replace(solutions[at], x=spaces[at][:, recurs])
        last = self._descend(objective, start.x.shape, max_iter, start, len(solutions), 0)
        return min(best, last, key=lambda solution: solution.loss)

    def _keep(
        self,
        solution: Solution,
        objective: Objective,
        form: Form,
        n_components: int,
        mentioned: NDArray[np.bool_],
    ) -> None:
        super()._keep(solution, objective, form, n_components, mentioned)
        if not self.embedding_.any():
            raise EmptyError(
                f"a penalty of {self.penalty_:g} leaves no dimension: give a smaller one.",
                setting="penalty",
            )
        self.scale_ = self._scale()
        self.embedding_ = self.embedding_ * np.sqrt(self.scale_)
        self.shares_ = self.embedding_.sum(axis=0) / max(self.embedding_.sum(), 1e-300)
