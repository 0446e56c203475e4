"""Uncertainty of positions, averaged over choice models, lapses and heavy tails."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize, minimize_scalar
from scipy.special import expit, gammaln, logit

from resemblance.arrays import Floats
from resemblance.choice import ChoiceModel, Gaussian, Softmax, StudentT
from resemblance.errors import SettingError
from resemblance.fitting.answers import answer_probabilities
from resemblance.fitting.embedding import OrdinalEmbedding
from resemblance.fitting.laplace import Noise, PositionUncertainty, answer_shares
from resemblance.fitting.objective.objective import Batch, Objective, batches
from resemblance.fitting.objective.threads import blas_threads
from resemblance.forms import Coordinates
from resemblance.geometry import align_by_certainty
from resemblance.geometry.procrustes import as_points
from resemblance.judgments import Confusions, Judgments, are_answers, of_kind
from resemblance.notebook import Card, Shown
from resemblance.optional import pd
from resemblance.solvers import lbfgs

CHOICES: tuple[ChoiceModel, ...] = (StudentT(1.0), StudentT(4.0), Softmax())
LAPSES = 0.0, 0.08, 0.2
NORMAL, HEAVY = 1e6, 2.0  # degrees of freedom of the prior of positions
# maximum number of coordinates for a joint covariance; with more, there is one block per item
FULL = 1000
# largest number of coordinates, and largest number of rows, for averaging
MOST_PARAMETERS, MOST_ROWS = 600, 20_000
ROUNDS = 40  # maximum number of rounds of fitting positions and reweighting answers
SETTLED = 0.02  # rounds end when the log evidence changes by less (nats)
# Rounds end if best - log evidence > HOPELESS * max(gain of the last round, 1), in nats.
HOPELESS = 30.0
LIKELY = 0.01  # heavy tails are only tried for choice models above this relative evidence
LEAST_WEIGHT = 1e-3
# maximum number of random starts, and maximum of the product of rows and starts
STARTS, ROWS_STARTED = 12, 10_000
APART = 2.0  # maps are distinct if an item's positions differ by this many standard deviations
SCALES = np.geomspace(0.2, 5.0, 13)  # candidates for the scale of positions


@dataclass(frozen=True)
class Explanation(Shown):
    """A choice model, a share of lapses and a prior that may explain the answers, with a map.

    Attributes
    ----------
    choice : ChoiceModel
        The choice model.
    noise : Noise
        The share of lapses.
    freedom : float
        Degrees of freedom of the Student-t prior of positions. 2 gives heavy tails, 1e6 is normal.
    points : array (n_items, d)
        The most probable positions.
    variance : float
        The squared scale of the prior.
    item_covariances : array (n_items, d, d)
        The covariance of each position, with the whole map held fixed.
    log_evidence : float
        The log probability of the answers, in nats, with the positions integrated out.
    """

    choice: ChoiceModel
    noise: Noise
    freedom: float
    points: Floats
    variance: float
    item_covariances: Floats
    log_evidence: float


@dataclass(frozen=True)
class AveragedUncertainty(Shown):
    """The covariance of each position, averaged over explanations of the answers.

    Attributes
    ----------
    item_covariances : array (n_items, d, d)
        The covariance of each position, with the whole map held fixed.
    explanations : tuple of Explanation
        The explanations, most probable first. If the best explanation has several maps, each map is
        an entry. Empty if the choice model was assumed to be right.
    weight : array (len(explanations),)
        The probability of each explanation.
    """

    item_covariances: Floats
    explanations: tuple[Explanation, ...] = ()
    weight: Floats = field(default_factory=lambda: np.empty(0))

    @cached_property
    def deviation(self) -> Floats:
        """The standard deviation of each item's position, (n_items,)."""
        return np.sqrt(np.maximum(np.einsum("iaa->i", self.item_covariances), 0.0))

    def to_pandas(self) -> pd.DataFrame:
        """Return a table of the uncertainty of positions, with a row for each item.

        Returns
        -------
        DataFrame
            deviation, the variances var_x1, var_x2, ... and the covariances cov_x1_x2, ...
        """
        return pd.DataFrame({"deviation": self.deviation, **by_pairs(self.item_covariances)})

    def _card(self) -> Card:
        facts = {
            "items": len(self.item_covariances),
            "median deviation": float(np.median(self.deviation)),
            "explanations": len(self.as_dicts()) or None,
        }
        return Card(type(self).__name__, facts)

    def as_dicts(self) -> list[dict[str, Any]]:
        """Return each explanation as a dict of plain values. Its maps are merged into one entry."""
        together: dict[tuple[str, float, bool], float] = {}
        for case, weight in zip(self.explanations, self.weight, strict=True):
            says = repr(case.choice), case.noise.lapse, case.freedom == HEAVY
            together[says] = together.get(says, 0.0) + float(weight)
        names = "choice", "lapse", "heavy_tails", "weight"
        likeliest_first = sorted(together.items(), key=lambda entry: -entry[1])
        return [dict(zip(names, (*says, weight), strict=True)) for says, weight in likeliest_first]


def by_pairs(covariances: Floats) -> dict[str, Floats]:
    """Return the entries of covariance matrices (n_items, d, d) as columns, such as "var_x1".

    >>> by_pairs(np.array([[[2.0, 0.5], [0.5, 1.0]]]))["cov_x1_x2"]
    array([0.5])
    """
    axes = range(1, covariances.shape[1] + 1)
    columns = {f"var_x{a}": covariances[:, a - 1, a - 1] for a in axes}
    pairs = combinations(axes, 2)
    return columns | {f"cov_x{a}_x{b}": covariances[:, a - 1, b - 1] for a, b in pairs}


def averaged_uncertainty(model: Any, judgments: Judgments) -> AveragedUncertainty:
    r"""Estimate the uncertainty of fitted positions, even if the fit's choice model may be wrong.

    .. math:: \Sigma_i = \sum_k w_k \left( C_{ki} + \delta_{ki} \delta_{ki}' \right), \qquad
       w_k \propto Z_k

    Explanation k combines a choice model (that of the fit, Student-t with 1 or 4 degrees of
    freedom, or softmax), a share of lapses (0, .08 or .2), and a prior of positions (normal, or
    Student-t with 2 degrees of freedom). Its map is fitted to the same answers and aligned with the
    fit by :func:`~resemblance.geometry.align_by_certainty`. C is the covariance of this map, delta
    its difference from the fit, and Z its evidence (Laplace approximation). With few answers there
    are several local optima. For the best explanation, up to 12 random starts search for them; the
    other explanations are assumed to have similar optima. If the choice model of the fit is right,
    the result is close to the covariance of :class:`PositionUncertainty`; otherwise delta is the
    bias.

    The remaining assumptions are the number of dimensions, one map for all people, independent
    responses, and one of these choice models. The uncertainty of the map's scale is left out. In
    simulations of 24 items, ellipses of 95 % contained 90 to 98 % of items with 1,500 answers or
    more, and 85 to 90 % with 500 answers if tails were heavy or the choice model was wrong
    (``papers/calibration/ellipses.py``).

    With more than 20,000 rows or 600 coordinates, or a choice model that does not use squared
    distances, the choice model is assumed to be right, as in :meth:`PositionUncertainty.of_fit`.

    Parameters
    ----------
    model : estimator with ``embedding_`` and ``choice_``
        A fitted model, such as :class:`TSTE`.
    judgments : Triplets, Quadruplets, Choices or OddOneOuts
        The judgments that the model was fitted to. The rows of a response count as one answer,
        because they depend on each other.

    Raises
    ------
    SettingError
        If the choice model has no probabilities of its own, or the judgments are arrangements.

    References
    ----------
    Hoeting, Madigan, Raftery & Volinsky (1999), Bayesian model averaging. MacKay (1992), Bayesian
    interpolation: the evidence.

    Examples
    --------
    >>> import resemblance as rs
    >>> rng = np.random.default_rng(0)
    >>> person = rs.SpaceObserver(rng.normal(size=(9, 2)), StudentT(1.0), random_state=0)
    >>> answers = person.answer([rng.choice(9, 3, replace=False) for _ in range(2000)])
    >>> model = rs.STE(2, penalty="auto", random_state=0).fit(answers)
    >>> averaged = averaged_uncertainty(model, answers)
    >>> averaged.explanations[0].choice
    StudentT(alpha=1.0)
    """
    assumed = PositionUncertainty.of_fit(model, judgments, FULL)
    X, choice = assumed.points, assumed.choice
    few = X.size <= MOST_PARAMETERS and 0 < len(judgments) <= MOST_ROWS
    if not (few and choice.reads == "squared" and are_answers(judgments) and X.any()):
        return AveragedUncertainty(assumed.item_covariances)
    choices = [choice, *(other for other in CHOICES if other != choice)]
    answers = _Answers(judgments, X)
    with blas_threads(X.size):
        explanations = answers.explained(choices)
        best = max(explanations, key=lambda case: case.log_evidence)
        others = answers.other_maps(best)
    weight = np.exp([case.log_evidence - best.log_evidence for case in [*explanations, *others]])
    weight[len(explanations) :] *= weight[: len(explanations)].sum()
    order = np.argsort(-weight, kind="stable")
    order = order[weight[order] > LEAST_WEIGHT]
    kept = tuple([*explanations, *others][k] for k in order)
    weight = weight[order] / weight[order].sum()
    around = np.array([_around(X, case) for case in kept])
    return AveragedUncertainty(np.einsum("k,kiab->iab", weight, around), kept, weight)


def _around(X: Floats, explained: Explanation) -> Floats:
    deviation = np.sqrt(np.einsum("iaa->i", explained.item_covariances))
    laid, A = align_by_certainty(X, explained.points, deviation)
    off = laid - X
    return A.T @ explained.item_covariances @ A + off[:, :, None] * off[:, None, :]


class _Answers:
    def __init__(self, judgments: Judgments, points: Floats) -> None:
        self.judgments, self.points = judgments, points
        self.asked, self.data = judgments.comparisons(), batches(judgments)
        self.share = answer_shares(judgments)

    def explained(self, choices: Sequence[ChoiceModel]) -> list[Explanation]:
        explanations: list[Explanation] = []
        for choice in choices:
            at = self._start(choice)
            for lapse in LAPSES:
                best = max((case.log_evidence for case in explanations), default=-np.inf)
                at = self._explain(replace(at, noise=Noise(lapse=lapse)), best)
                explanations.append(at)
        best = max(case.log_evidence for case in explanations)
        likely = {case.choice for case in explanations if case.log_evidence > best + np.log(LIKELY)}
        return explanations + [
            self._explain(replace(case, freedom=HEAVY), best)
            for case in explanations
            if case.choice in likely
        ]

    def other_maps(self, explanation: Explanation) -> list[Explanation]:
        maps, rng = [explanation], np.random.default_rng(0)
        least = explanation.log_evidence + np.log(LEAST_WEIGHT)
        for _ in range(min(STARTS, ROWS_STARTED // len(self.judgments))):
            start = np.sqrt(explanation.variance) * rng.normal(size=self.points.shape)
            other = self._explain(replace(explanation, points=start), explanation.log_evidence)
            if other.log_evidence > least and all(_differ(other, earlier) for earlier in maps):
                maps.append(other)
        return maps[1:]

    def _start(self, choice: ChoiceModel) -> Explanation:
        objective = self._objective(choice, np.ones(len(self.share)))
        X = min((scale * self.points for scale in SCALES), key=lambda X: objective(X)[0])
        unsure = np.zeros((*X.shape, X.shape[1]))
        return Explanation(choice, Noise(), NORMAL, X, float(np.mean(X**2)), unsure, -np.inf)

    def _explain(self, start: Explanation, best: float) -> Explanation:
        choice, noise, freedom = start.choice, start.noise, start.freedom
        X, variance, evidence, (n, d) = start.points, start.variance, -np.inf, start.points.shape
        real, precision = np.ones(len(self.share)), np.full(n, 1.0 / variance)
        for _ in range(ROUNDS):
            before, X = evidence, self._positions(choice, real, precision, X)
            p = answer_probabilities(X, self.judgments, choice)
            answered = np.maximum(noise.apply(p)[:, 0], 1e-300)
            real = (1.0 - noise.lapse) * p[:, 0] / answered
            sure, squared = self._sure(X, choice, noise, precision), (X**2).sum(axis=1)
            evidence = float(self.share @ np.log(answered)) + _log_spread(
                squared, d, variance, freedom
            )
            evidence += 0.5 * (sure.log_determinant() + X.size * np.log(2.0 * np.pi))
            gain = evidence - before
            if abs(gain) < SETTLED or best - evidence > HOPELESS * max(gain, 1.0):
                break
            expected = squared + np.diag(sure.covariance).reshape(n, d).sum(axis=1)
            pull = (freedom + d) / (freedom + expected / variance)
            variance = float(pull @ expected) / X.size
            precision = (freedom + d) / (freedom + expected / variance) / variance
        return Explanation(choice, noise, freedom, X, variance, sure.item_covariances, evidence)

    def _sure(
        self, X: Floats, choice: ChoiceModel, noise: Noise, precision: Floats
    ) -> PositionUncertainty:
        weights = [self.share[compared.rows] for compared in self.asked]
        return PositionUncertainty(
            X, choice, self.asked, noise=noise, weights=weights, prior=precision
        )

    def _positions(self, choice: ChoiceModel, real: Floats, precision: Floats, X: Floats) -> Floats:
        objective, pull = self._objective(choice, real), precision[:, None]

        def loss(x: Floats) -> tuple[float, Floats]:
            value, slope = objective(x)
            return value + 0.5 * float((pull * x**2).sum()), slope + pull * x

        return lbfgs(loss, X, 200, 1e-5).x

    def _objective(self, choice: ChoiceModel, real: Floats) -> Objective:
        return Objective(list(self._weighted(real * self.share)), choice, Coordinates())

    def _weighted(self, weight: Floats) -> Iterator[Batch]:
        for compared, batch in zip(self.asked, self.data, strict=True):
            yield replace(batch, weight=np.ascontiguousarray(weight[compared.rows]))


def _differ(first: Explanation, second: Explanation) -> bool:
    deviation = np.sqrt(np.einsum("iaa->i", first.item_covariances))
    off = align_by_certainty(first.points, second.points, deviation)[0] - first.points
    return bool((np.linalg.norm(off, axis=1) > APART * deviation).any())


def _log_spread(squared: Floats, d: int, variance: float, freedom: float) -> float:
    at_zero = gammaln(0.5 * (freedom + d)) - gammaln(0.5 * freedom)
    at_zero -= 0.5 * d * np.log(freedom * np.pi * variance)
    out = 0.5 * (freedom + d) * np.log1p(squared / (freedom * variance))
    return float((at_zero - out).sum())


def estimate_noise(model: OrdinalEmbedding, judgments: Judgments) -> Noise:
    """Estimate the temperature and lapse rate of a fitted model from new answers.

    This is the maximum a posteriori estimate with the priors log T ~ N(0, 1) and lapse ~ Beta(1.5,
    20). ``judgments`` should be new: a model predicts the answers of its own fit too well.

    Examples
    --------
    >>> import resemblance as rs
    >>> space = [[0.0], [1.0], [3.0], [6.0]]
    >>> observer = rs.SpaceObserver(space, lapse=0.3, random_state=0)
    >>> answers = observer.answer([[0, 1, 3], [3, 2, 0], [1, 0, 3]] * 300)
    >>> round(estimate_noise(rs.STE(1).set_positions(space), answers).lapse, 1)
    0.3
    """
    p = answer_probabilities(model.embedding_, judgments, model.choice_)
    weight = judgments.weights

    def objective(x: Floats) -> float:
        noise = _noise(x)
        loss = -weight @ np.log(np.maximum(noise.apply(p)[:, 0], 1e-300))
        return float(loss + 0.5 * x[0] ** 2 - np.log(noise.lapse**0.5 * (1.0 - noise.lapse) ** 19))

    result = minimize(objective, [0.0, logit(0.05)], method="Nelder-Mead", options={"xatol": 1e-3})
    return _noise(result.x)


def _noise(x: Floats) -> Noise:
    return Noise(float(np.exp(np.clip(x[0], -4, 4))), float(np.clip(expit(x[1]), 1e-6, 0.98)))


def calibrate_scale(
    points: ArrayLike, confusions: Confusions, choice: ChoiceModel | None = None
) -> float:
    r"""Find the most likely scale of positions for confusions.

    .. math:: \hat\tau = \arg\max_\tau \sum_{ij} a_{ij} \log \psi(\tau d_{ij})
       + b_{ij} \log(1 - \psi(\tau d_{ij}))

    Here d_ij are distances, a_ij and b_ij counts of errors and right answers, and tau is the scale,
    searched from 1e-6 to 1e6 over the mean distance. Use it for nonmetric scaling and metric
    learners, whose distances have no unit. Source: Xu, Zhu & Rogers 2012 (Yada), section 4.4.1.

    Parameters
    ----------
    points : array (n_items, d)
        Positions.
    confusions : Confusions
        Counts of errors.
    choice : ChoiceModel, optional
        The model psi of the probability of an error; default :class:`~resemblance.choice.Gaussian`.

    Raises
    ------
    SettingError
        If all distances are 0, there are no errors, or the numbers of points and items differ.

    Examples
    --------
    >>> import resemblance as rs
    >>> space = np.array([[0.0], [0.4], [1.0], [1.9]])
    >>> person = rs.SpaceObserver(space, Gaussian(), random_state=0)
    >>> counts = person.confuse(np.column_stack(np.triu_indices(4, 1)), trials=5000)
    >>> round(calibrate_scale(10 * space, counts), 2)
    0.1
    """
    of_kind(confusions, Confusions, "calibrate_scale")
    X = np.ascontiguousarray(as_points(points, "points"))
    if len(X) < confusions.n_items:
        raise SettingError(
            f"points have shape {X.shape}: give a position to each of the {confusions.n_items} "
            "items."
        )
    a, b = confusions.index.T
    mean = float(np.linalg.norm(X[a] - X[b], axis=1).mean())
    if not mean > 0:
        raise SettingError(
            "all pairs are at distance 0, so the scale cannot be estimated: check the points."
        )
    if not confusions.errors.any():
        raise SettingError("there are no errors, so the scale is unbounded: collect more answers.")
    likelihood = Objective(
        batches(confusions), Gaussian() if choice is None else choice, Coordinates()
    )

    def loss(log_scale: float) -> float:
        return likelihood(np.exp(log_scale) / mean * X)[0]

    grid = np.arange(-14.0, 14.5, 0.5)
    at = int(np.argmin([loss(log_scale) for log_scale in grid]))
    low, high = grid[max(at - 1, 0)], grid[min(at + 1, len(grid) - 1)]
    result = minimize_scalar(loss, bounds=(low, high), method="bounded", options={"xatol": 1e-8})
    return float(np.exp(result.x) / mean)
