"""Laplace approximation of the positions of a fit."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Self, TypeAlias

import numpy as np
from scipy import sparse
from scipy.linalg import lapack
from sklearn.utils.validation import check_is_fitted

from resemblance.arrays import Floats
from resemblance.choice import ChoiceModel
from resemblance.errors import SettingError
from resemblance.fitting.laplace.answer_slopes import information_slopes
from resemblance.fitting.laplace.noise import Noise
from resemblance.forms import Coordinates
from resemblance.judgments import Comparison, Judgments

Covariance: TypeAlias = Any  # a dense array, or a sparse matrix with one block per item

MAX_PARAMETERS = 3000  # a dense covariance of more takes seconds: then one block per item


class PositionUncertainty:
    r"""The covariance of all positions, given the answers so far (Laplace approximation).

    .. math:: \Sigma = \Big(\kappa I + \sum_r J_r' J_r\Big)^{-1}

    where :math:`J_r' J_r` is the expected (Fisher) information of question r about the n d
    coordinates, and 1/kappa the prior variance of a coordinate. With N options, log similarities
    l_j and answer probabilities :math:`P_j = (1 - \lambda) p_j + \lambda / N`, J is
    :math:`(1 - \lambda) \, p_j P_j^{-1/2} \, \nabla (l_j - \sum_k p_k l_k) / T` of the N
    options, turned so that one of these rows is 0 and N - 1 are left.

    Directions that no question sees (moving or turning the whole map) keep their prior variance.

    The choice model is taken as right, positions as normal. :func:`averaged_uncertainty` takes
    neither for granted.

    Parameters
    ----------
    points : array (n_items, d)
        The fitted positions.
    choice : ChoiceModel
        The choice model, which needs a likelihood.
    asked : sequence of Comparison
        The questions answered, one for each layout of their rows.
    noise : Noise, optional
        Temperature and lapses.
    weights : list of arrays (m,), optional
        The weight of each question, one array for each of `asked`; default: 1.
    prior : float, array (n_items,) or (n_items, n_items), optional
        kappa, of all items, of each, or the precision of items that are alike beforehand (in the
        place of kappa I, for each dimension); default: one over the mean squared coordinate.
    max_parameters : int
        Up to n d = this many, Sigma is the full matrix; beyond it has one d x d block per item.

    Raises
    ------
    SettingError
        If the choice model has no probabilities of its own (hinge, margin).

    Examples
    --------
    >>> import numpy as np
    >>> from resemblance import Triplets
    >>> from resemblance.choice import Softmax
    >>> points = np.array([[0.0], [1.0], [3.0]])
    >>> answers = [Triplets([[0, 1, 2], [2, 1, 0]] * k) for k in (1, 100)]
    >>> few, many = (PositionUncertainty(points, Softmax(), a.comparisons()) for a in answers)
    >>> bool((many.deviation < few.deviation).all())
    True
    """

    def __init__(
        self,
        points: Floats,
        choice: ChoiceModel,
        asked: Sequence[Comparison],
        *,
        noise: Noise | None = None,
        weights: list[Floats] | None = None,
        prior: float | Floats | None = None,
        max_parameters: int = MAX_PARAMETERS,
    ) -> None:
        self.points, self.choice = np.asarray(points, float), choice
        refuse_without_likelihood(choice)
        self.noise = Noise() if noise is None else noise
        scale = float(np.mean(self.points**2))
        kappa = prior if prior is not None else 1.0 / max(scale, 1e-12)
        given = np.asarray(kappa, float)
        n = len(self.points)
        self.prior = given if given.shape == (n, n) else np.diag(np.broadcast_to(given, n))
        self.full = self.points.size <= max_parameters
        rows = [self.information_rows(questions) for questions in asked]
        if weights is not None:
            rows = [_weighted(J, w) for J, w in zip(rows, weights, strict=True)]
        self._blocks = self._invert(rows)
        self.covariance = _diagonal(self._blocks)

    @classmethod
    def of_fit(cls, model: Any, judgments: Judgments, max_parameters: int = MAX_PARAMETERS) -> Self:
        """Make the uncertainty of a fitted model, with free positions, from its judgments.

        Parameters
        ----------
        model : estimator with ``embedding_`` and ``choice_``
            Such as a fitted :class:`TSTE`.
        judgments : Triplets, Quadruplets, Choices or OddOneOuts
            What it was fitted to. A response counts as one answer: its rows depend on each other.
        max_parameters : int
            As of the class.

        Raises
        ------
        SettingError
            If the choice model has no probabilities of its own, or the judgments are arrangements.

        Examples
        --------
        >>> import numpy as np
        >>> from resemblance import TSTE, Triplets
        >>> line = Triplets([[0, 1, 2], [2, 1, 0], [1, 0, 3], [3, 2, 0]] * 5)
        >>> model = TSTE(1, random_state=0).fit(line)
        >>> PositionUncertainty.of_fit(model, line).deviation.shape
        (4,)
        """
        share, asked = answer_shares(judgments), judgments.comparisons()
        if any(compared.layout.arranged for compared in asked):
            raise SettingError(
                "an arrangement has no probability, so it does not tell the uncertainty of "
                "positions: give judgments of another kind alone."
            )
        return cls(
            model.embedding_,
            model.choice_,
            asked,
            weights=[share[compared.rows] for compared in asked],
            prior=2.0 * effective_penalty(model) or None,
            max_parameters=max_parameters,
        )

    def information_rows(self, questions: Comparison) -> sparse.csr_array:
        """Return J of some questions, N - 1 rows for each of N options."""
        slopes = information_slopes(self.points, self.choice, self.noise, questions)
        return self._sparse(questions, slopes)

    def variance(self, rows: sparse.csr_array) -> Floats:
        """Return the diagonal of J Sigma J'."""
        return np.asarray(rows.multiply(rows @ self.covariance).sum(axis=1)).ravel()

    def root(self) -> Covariance:
        """Return R with R R' = Sigma: X + R z, z standard normal, draws positions."""
        return _diagonal(np.asarray(np.linalg.cholesky(self._blocks)))

    def log_determinant(self) -> float:
        r"""Return log \|Sigma\|."""
        return float(np.linalg.slogdet(self._blocks)[1].sum())

    @cached_property
    def item_covariances(self) -> Floats:
        """The covariance of each item's position, (n_items, d, d), with the map held in place."""
        n, d = self.points.shape
        if not self.full:
            return self._blocks
        motions = _motions(self.points)
        unmoved = self.covariance - motions @ (motions.T @ self.covariance)
        unmoved -= (unmoved @ motions) @ motions.T
        return np.einsum("iaib->iab", unmoved.reshape(n, d, n, d))

    @cached_property
    def deviation(self) -> Floats:
        """The standard deviation of each item's position, (n_items,), with the map held in
        place.
        """
        return np.sqrt(np.maximum(np.einsum("iaa->i", self.item_covariances), 0.0))

    def _sparse(self, questions: Comparison, rows: Floats) -> sparse.csr_array:
        """Put rows (m, R, items, d) at the coordinates of their items."""
        m, r, touched, d = rows.shape
        columns = questions.index[:, :, None] * d + np.arange(d)
        columns = np.broadcast_to(columns[:, None], (m, r, touched, d))
        starts = np.arange(0, rows.size + 1, touched * d)
        return sparse.csr_array(
            (rows.ravel(), columns.reshape(-1), starts), shape=(m * r, self.points.size)
        )

    def _invert(self, blocks: list[sparse.csr_array]) -> Floats:
        """Return the blocks of Sigma, the inverse of the information: one block, or one per
        item.
        """
        d = self.points.shape[1]
        if self.full:
            H = np.kron(self.prior, np.eye(d))
            for J in blocks:
                H += (J.T @ J).toarray()
            factor, _ = lapack.dpotrf(H, lower=1, overwrite_a=1)
            inverse, _ = lapack.dpotri(factor, lower=1, overwrite_c=1)
            return np.asarray(np.tril(inverse) + np.tril(inverse, -1).T)[None]
        H = np.diag(self.prior)[:, None, None] * np.eye(d)
        for J in blocks:
            for a in range(d):
                for b in range(d):
                    product = J[:, a::d].multiply(J[:, b::d]).sum(axis=0)
                    H[:, a, b] += np.asarray(product).ravel()
        return np.asarray(np.linalg.inv(H))


def effective_penalty(model: Any) -> float:
    """Return the factor of tr(K) equivalent to a fit's penalty; 0 for none."""
    form = Coordinates(extent=getattr(model, "extent_", None))
    return float(getattr(model, "penalty_", 0.0) * form.stiffness(model.embedding_))


def answer_shares(judgments: Judgments) -> Floats:
    """Return the number of answers in each row: its weight, shared among its response's rows."""
    if judgments.response_id is None:
        return judgments.weights
    _, group, size = np.unique(judgments.response_id, return_inverse=True, return_counts=True)
    return judgments.weights / size[group]


def _weighted(J: sparse.csr_array, weights: Floats) -> sparse.csr_array:
    """Weight the rows of questions in J'J."""
    each = np.repeat(np.sqrt(weights), J.shape[0] // max(len(weights), 1))
    return sparse.csr_array(sparse.diags_array(each) @ J)


def _diagonal(blocks: Floats) -> Covariance:
    """Return the block-diagonal matrix; a single block is that matrix."""
    if len(blocks) == 1:
        return blocks[0]
    return sparse.block_diag([sparse.csr_array(block) for block in blocks], format="csr")


def likely_space(model: Any) -> Any:
    if not hasattr(model, "fit"):
        raise SettingError(
            f"model is {type(model).__name__}: give a fitted model; of positions it is "
            "STE(n_components).set_positions(positions)",
            setting="model",
        )
    check_is_fitted(model, "embedding_")
    refuse_without_likelihood(model.choice_)
    return model


def refuse_without_likelihood(choice: ChoiceModel) -> None:
    if not choice.one_of_many:
        raise SettingError(
            f"{type(choice).__name__} gives no probability of answers, which choosing "
            "questions needs: fit CKL, STE or TSTE (relative, softmax, Student-t), or ask "
            "RandomQuestions."
        )


def _motions(X: Floats) -> Floats:
    """Return an orthonormal basis (n d, d + d(d - 1)/2) of translations and rotations."""
    n, d = X.shape
    shifts = [np.tile(axis, (n, 1)).ravel() for axis in np.eye(d)]
    basis, r = np.linalg.qr(np.column_stack(shifts + turns_of(X)))
    return basis[:, np.abs(np.diag(r)) > 1e-9 * np.abs(r).max()]


def turns_of(X: Floats) -> list[Floats]:
    """Return the derivatives of all coordinates by rotations of X in each plane of two axes."""
    turns = []
    for a in range(X.shape[1]):
        for b in range(a):
            turn = np.zeros_like(X)
            turn[:, a], turn[:, b] = X[:, b], -X[:, a]
            turns.append(turn.ravel())
    return turns
