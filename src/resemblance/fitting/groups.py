"""Test whether groups of people weigh dimensions differently, and estimate their weights."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass
from itertools import compress, product
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from scipy.stats import f, ncf, t as student_t
from sklearn.base import clone
from sklearn.utils import check_random_state

from resemblance.arrays import Floats, below
from resemblance.choice import ChoiceModel
from resemblance.errors import JudgmentError, quiet
from resemblance.fitting.embedding import OrdinalEmbedding
from resemblance.fitting.individuals import CLARITY, IndividualSpaces, shared_model
from resemblance.fitting.objective.descent import descend
from resemblance.fitting.objective.objective import Objective
from resemblance.fitting.penalty import settled
from resemblance.fitting.weight_descent import MAX_ITER, TOL, ResponseNoise, seen_by
from resemblance.forms import InFolds, Stretched, Weights
from resemblance.judgments import Judgments, as_judgments
from resemblance.judgments.checks import are_missing, first_few
from resemblance.judgments.convert import JudgmentsLike
from resemblance.judgments.joining import people_of
from resemblance.notebook import ShownTable
from resemblance.optional import pd
from resemblance.progress import Steps, Told
from resemblance.ranges import check, checks_bools, integers

FOLDS = 5
# A weight is reported if answers reduce its standard deviation to at most this share of the prior
# standard deviation.
MOST_LEFT = 0.4
SLOPE_STEP = 1e-3  # step of log weights for finite differences of gradients


@dataclass(frozen=True)
class CrossedWeights:
    """Cross-fitted weights: each person is weighed in a space fitted to other people."""

    points: Floats  # (n_folds, n_items, d)
    code: NDArray[np.intp]  # (m,), fold times number of groups, plus group of the row's observer
    n_groups: int
    spaces: IndividualSpaces  # the fit to all people
    answers: Judgments

    @classmethod
    def of(
        cls,
        spaces: IndividualSpaces,
        answers: Judgments,
        who: NDArray[np.intp],
        of_person: NDArray[np.intp],
        rng: np.random.RandomState,
    ) -> Self:
        groups, code = len(spaces.people_), of_person[who]
        if spaces.keep_space:
            return cls(spaces.embedding_[None], code, groups, spaces, answers)
        fold = folds_of_people(of_person, rng)[who]
        points = [_matched(_fitted(spaces, answers[fold != k]), spaces) for k in np.unique(fold)]
        wide = below(points).reshape(len(points), len(spaces.embedding_), -1)
        return cls(wide, groups * fold + code, groups, spaces, answers)

    def logs(self, times: Floats | float = 1.0) -> Floats:
        """Return the log weights of G groups, (G, d), with mean 0 over groups.

        ``times`` multiplies the weights of rows, (m,).
        """
        form, objective = self._objective(times)
        start = np.zeros((1 + self.n_groups, self.points.shape[2]))
        solution = descend(objective, start, MAX_ITER, TOL, None)
        if solution.interrupted:
            raise KeyboardInterrupt
        v = form.parts(solution.x)[1]
        return np.asarray(v - v.mean(axis=0))[:, : self.spaces.embedding_.shape[1]]

    def resolved(self, logs: Floats) -> NDArray[np.bool_]:
        r"""Return a mask of the parts of log weights that the answers determine, (G, 1 + d).

        .. math:: c' H^{-1} c \le s^2 \, c' P^{-1} c

        Here H is the Hessian of the objective, P the Hessian of the prior alone, and c the contrast
        of a part from :func:`parts_of_logs`. The posterior standard deviation of a determined part
        is at most s = ``MOST_LEFT`` times its prior standard deviation.
        """
        form, objective = self._objective(1.0)
        at = np.zeros((1 + self.n_groups, self.points.shape[2]))
        at[1:, : logs.shape[1]] = logs
        at = descend(objective, at, MAX_ITER, TOL, None).x
        whole = _curvature(objective, at)
        nothing = Objective([], self.spaces.choice_, form, 1.0)
        pull = _curvature(nothing, at)
        contrasts = contrasts_of_parts(self.n_groups, logs.shape[1], at.shape[1])
        left, first = (
            np.einsum("...i,ij,...j->...", contrasts, np.linalg.pinv(H), contrasts)
            for H in (whole, pull)
        )
        return np.asarray(left <= MOST_LEFT**2 * first)

    def _objective(self, times: Floats | float) -> tuple[InFolds, Objective]:
        n_spaces, n_items, d = self.points.shape
        crowd = Stretched(self.points.reshape(-1, d))
        shape, strength = (n_spaces, n_items, self.n_groups), self.spaces.strength_
        form = InFolds(crowd, shape, strength, CLARITY * strength)
        reweighted = self.answers.reweighted(self.answers.weights * times)
        return form, Objective(seen_by(form, reweighted, self.code), self.spaces.choice_, form, 1.0)


def parts_of_logs(logs: Floats) -> Floats:
    """Return the mean of log weights (..., d), then deviations from the mean, (..., 1 + d)."""
    clarity = logs.mean(axis=-1, keepdims=True)
    return np.concatenate([clarity, logs - clarity], axis=-1)


def folds_of_people(of_person: NDArray[np.intp], rng: np.random.RandomState) -> NDArray[np.intp]:
    n_folds = min(FOLDS, int(np.bincount(of_person).min()))
    fold = np.empty(len(of_person), dtype=np.intp)
    for group in range(of_person.max() + 1):
        members = rng.permutation(np.flatnonzero(of_person == group))
        fold[members] = np.arange(len(members)) % n_folds
    return fold


def _fitted(spaces: IndividualSpaces, answers: Judgments) -> Floats:
    with quiet():
        points: Floats = clone(spaces).fit(answers).embedding_
    return points


def _matched(points: Floats, spaces: IndividualSpaces) -> Floats:
    """Reorder the dimensions of positions (n, d) to match the shared space.

    Shared dimensions without a match become columns of 0. Other unmatched columns come last.
    """
    named = spaces.embedding_
    inner = spaces.choice_.reads == "inner"
    x, y = (p if inner else p - p.mean(axis=0) for p in (named, points))
    sizes = np.linalg.norm(x, axis=0)[:, None] * np.linalg.norm(y, axis=0)
    alike = np.abs(x.T @ y) / np.where(sizes > 0, sizes, 1.0)
    rows, columns = linear_sum_assignment(-alike)
    ordered = np.zeros_like(named)
    ordered[:, rows] = points[:, columns]
    return np.hstack([ordered, np.delete(points, columns, axis=1)])


def _curvature(objective: Objective, at: Floats) -> Floats:
    H = np.empty((at.size, at.size))
    for i in range(at.size):
        step = np.zeros(at.size)
        step[i] = SLOPE_STEP
        ahead, behind = (objective(at + s * step.reshape(at.shape))[1] for s in (1, -1))
        H[i] = (ahead - behind).ravel() / (2 * SLOPE_STEP)
    return (H + H.T) / 2


def contrasts_of_parts(n_groups: int, d: int, n_columns: int) -> Floats:
    unit = np.zeros((n_groups * d, n_groups, d))
    unit.reshape(n_groups * d, -1)[:] = np.eye(n_groups * d)
    parts = parts_of_logs(unit - unit.mean(axis=1, keepdims=True))  # (G d, G, 1 + d)
    wide = np.zeros((n_groups, 1 + d, 1 + n_groups, n_columns))
    wide[:, :, 1:, :d] = np.moveaxis(parts, 0, -1).reshape(n_groups, 1 + d, n_groups, d)
    return wide.reshape(n_groups, 1 + d, -1)


STRENGTH = 0.5  # prior of log weights around the crowd's, with standard deviation 1
PEOPLE_PER_NUMBER = 3  # full covariances need this many people per group and entry of a score
RATIOS = 1.3, 1.6  # the power is reported for these ratios of weights
TURNS = 4  # power is also computed for this number of random rotations of the axes
STEP = 0.01  # step of log weights for finite differences of scores


@dataclass(frozen=True)
class GroupComparison(ShownTable):
    """A comparison of how groups of people weigh dimensions, made by :func:`compare_groups`.

    Attributes
    ----------
    groups, people : tuple of str, tuple of int
        The names of the groups, in order, and the number of people in each.
    p_value : float
        The p-value of the null hypothesis that groups do not differ in their weights: the
        probability that random groups of the same people differ at least as much.
    p_clarity : float
        The p-value of the null hypothesis that groups answer equally clearly. Lapses and side
        preferences count as answering less clearly.
    power : dict of float to float
        The power: the probability of ``p_value`` < .05 if one group weighed one dimension 1.3 or
        1.6 times as much as the other groups. It is computed for these answers and the dimension
        with the lowest power.
    n_permutations : int
        The number of permutations.
    table : DataFrame
        A row for each dimension and group, with the weight and its 95 % interval (``low``,
        ``high``). Weights are relative: the geometric means over dimensions and over groups are 1.
        The dimension "clarity" is the geometric mean of a group's weights: how clearly the group
        answers. Weights that the answers do not determine are NaN.
    space : IndividualSpaces
        The space, whose axes are those along which the groups differ. Its ``weights_`` exaggerate
        the differences, because the same answers chose the axes; ``table`` does not.

    Examples
    --------
    >>> table = pd.DataFrame({"dimension": ["1", "1"], "group": ["old", "young"]})
    >>> sizes, power = (20, 20), {1.3: 0.4, 1.6: 0.9}
    >>> spaces = IndividualSpaces()
    >>> test = GroupComparison(("old", "young"), sizes, 0.01, 0.5, power, 1999, table, spaces)
    >>> test.p_value < 0.05
    True
    """

    groups: tuple[str, ...]
    people: tuple[int, ...]
    p_value: float
    p_clarity: float
    power: dict[float, float]
    n_permutations: int
    table: pd.DataFrame
    space: IndividualSpaces


@checks_bools
def compare_groups(
    judgments: JudgmentsLike,
    by: str | Mapping[Any, Any],
    estimator: OrdinalEmbedding | None = None,
    *,
    keep_space: bool = False,
    n_permutations: int = 1999,
    n_resamples: int = 100,
    random_state: int | np.random.RandomState | None = None,
    callback: Told | None = None,
) -> GroupComparison:
    r"""Test whether groups of people weigh the dimensions of one space differently.

    .. math:: u_g = \beta_g \sum_{r \in g} \nabla_M \log P_r \Big|_{M = \beta_g I}, \quad
       P = (1 - \lambda_g) p + \lambda_g q_g, \quad
       d_{ij} = (x_i - x_j)' M (x_i - x_j), \quad
       \tilde u_g = u_g - I_g s \frac{s' u_g}{s' I_g s}

    The score u_g of person g is the gradient of the log likelihood with respect to the metric M of
    the common space. For inner products and non-negative loadings it includes only the diagonal of
    M, the weights. It is evaluated at the person's clarity beta and lapse rate lambda; in a lapse
    the person gives each answer with probability q, which depends on the preferred side of the
    screen if there is ``extra["side"]``. The direction s of the scale is projected out with the
    information I of the answers, so that people who only answer more noisily do not differ. The
    statistic is

    .. math:: \sum_g (\bar u_g - \bar u)' (S_g / n_g)^{-1} (\bar u_g - \bar u)

    where u-bar_g is the mean score of group g, S_g the covariance and n_g the number of people
    (James's statistic). S is diagonal if a group has fewer people than three times the length of u.
    Groups are permuted among people: the p-value is the share of permutations, including the true
    assignment, whose statistic is at least as large. A second p-value tests the scale alone, which
    is how clearly groups answer.

    Axes are those of :class:`IndividualSpaces`, fitted to the groups. Weights are cross-fitted:
    each fifth of the people is weighed in a space fitted to the other people, because axes chosen
    by the same answers exaggerate differences. Student's t intervals use the standard deviation
    over bootstrap resamples of the people in each group. A normal prior of log weights, with
    standard deviation 1, shrinks weights towards the crowd's. A weight is reported if the answers
    reduce this standard deviation to .4 or less. :func:`resemblance.plot_groups` draws the result.

    Source: permutation of scores: Rao 1948 and Pitman 1937; of studentised means: Chung & Romano
    2013, Exact and asymptotically robust permutation tests; weights: Carroll & Chang 1970.

    Parameters
    ----------
    judgments : Triplets, Quadruplets, Choices or OddOneOuts
        Judgments with observers.
    by : str or mapping of person to group
        The group of each person, or the name of an extra column with the group of each row.
    estimator : OrdinalEmbedding, optional
        The model of the common space, as in :class:`IndividualSpaces`.
    keep_space : bool
        Keep the space and axes of an estimator that is already fitted.
    n_permutations : int
        The number of permutations of groups among people, 99 or more.
    n_resamples : int
        The number of resamples of people for the intervals, 10 or more.
    random_state : int, RandomState or None
        Seed of permutations and resamples.
    callback : callable, optional
        Called with (resamples done, number of resamples).

    Raises
    ------
    JudgmentError
        If a row has no observer, a person is in two groups or in none, a group has fewer than two
        people, or there is only one group.

    Examples
    --------
    >>> import resemblance as rs
    >>> rng = np.random.default_rng(0)
    >>> points = rng.normal(size=(12, 2))
    >>> weights = [[4, 1]] * 5 + [[1, 1]] * 5
    >>> people = [rs.SpaceObserver(points, weights=w, random_state=0) for w in weights]
    >>> crowd = rs.Crowd(people, list("abcdefghij"), random_state=0)
    >>> answers = crowd.answer(np.array([rng.choice(12, 3, replace=False) for _ in range(2000)]))
    >>> side = {name: "left" if name < "f" else "right" for name in "abcdefghij"}
    >>> test = compare_groups(answers, side, n_permutations=199, n_resamples=10, random_state=0)
    >>> test.groups, test.people, test.p_value < 0.05
    (('left', 'right'), (5, 5), True)
    """
    answers = as_judgments(judgments)
    check(n_permutations=(n_permutations, integers(99)), n_resamples=(n_resamples, integers(10)))
    people, who = people_of(answers)
    group_of = groups_of_people(answers, by, people, who)
    groups, of_person = np.unique(group_of, return_inverse=True)
    _check_groups(groups, of_person)
    rng = check_random_state(random_state)
    named = answers.with_extra("group of people", groups[of_person[who]])
    estimator = estimator if keep_space else settled(shared_model(estimator), answers)
    shared = IndividualSpaces(estimator, keep_space=keep_space, strength=np.inf, cv=0).fit(answers)
    d = shared.embedding_.shape[1]
    together = np.ones((len(people), d))
    scores = metric_scores(shared.space(people[0]), shared.choice_, answers, who, together)
    clarity = scores[:, :d].sum(axis=1, keepdims=True)
    p_clarity = GroupMeans.of(clarity, of_person).p_value(n_permutations, rng)
    named = attended(shared, named, who)
    # Lapses would move items too near to each other, so probable lapses get low weights.
    shared = copy(shared).fit(named)
    points = shared.space(people[0])
    numbers, _ = weight_scores(points, shared.choice_, answers, who)
    p_value = GroupMeans.of(numbers, of_person).p_value(n_permutations, rng)
    power = _power(points, shared, answers, who, of_person)
    spaces = IndividualSpaces(
        estimator,
        by="group of people",
        keep_space=keep_space,
        strength=STRENGTH,
        cv=0,
        random_state=rng.randint(2**31 - 1),
    ).fit(named)
    crossed = CrossedWeights.of(spaces, named, who, of_person, rng)
    drawn = _resampled(crossed, who, of_person, n_resamples, rng, callback)
    sizes = tuple(np.bincount(of_person).tolist())
    table = _table(crossed, drawn, min(sizes))
    called = tuple(groups.tolist())
    return GroupComparison(called, sizes, p_value, p_clarity, power, n_permutations, table, spaces)


def attended(shared: IndividualSpaces, answers: Judgments, who: NDArray[np.intp]) -> Judgments:
    points, choice = shared.space(shared.people_[0]), shared.choice_
    noise = ResponseNoise.of(points, choice, answers, who)
    weights = np.repeat(noise.clarity[:, None], points.shape[1], axis=1)
    no_lapse = noise.attended(points, weights, choice, answers, who)
    return answers.reweighted(answers.weights * no_lapse)


def weight_scores(
    points: Floats, choice: ChoiceModel, answers: Judgments, who: NDArray[np.intp]
) -> tuple[Floats, dict[float, Floats]]:
    """Return the scores of :func:`compare_groups`, and their shifts under other weights.

    Scores are (people, entries of the metric). For each of ``RATIOS``, the shifts (d, people,
    entries) are the expected changes of the scores if each dimension had this relative weight.
    """
    noise, d = ResponseNoise.of(points, choice, answers, who), points.shape[1]
    clarity = noise.clarity[:, None]

    def scores(logs: Floats | float) -> Floats:
        weights = clarity * np.exp(np.zeros(d) + logs)
        no_lapse = noise.attended(points, weights, choice, answers, who)
        rows = answers.reweighted(answers.weights * no_lapse)
        return clarity * metric_scores(points, choice, rows, who, weights)

    scale = (scores(-STEP) - scores(STEP)) / (2 * STEP)
    of_scale = scale[:, :d].sum(axis=1, keepdims=True)

    def without_scale(numbers: Floats) -> Floats:
        along = numbers[:, :d].sum(axis=1, keepdims=True)
        share = np.divide(along, of_scale, out=np.zeros_like(along), where=of_scale > 0)
        return np.asarray(numbers - share * scale)

    shifts = {}
    for ratio in RATIOS:
        steps = np.log(ratio) * np.eye(d)
        shifted = [without_scale(scores(-step) - scores(step)) / 2 for step in steps]
        shifts[ratio] = np.array(shifted)
    return without_scale(scores(0.0)), shifts


def _power(
    points: Floats,
    shared: IndividualSpaces,
    answers: Judgments,
    who: NDArray[np.intp],
    of_person: NDArray[np.intp],
) -> dict[float, float]:
    d, rng = points.shape[1], np.random.RandomState(0)
    turns = TURNS if shared.choice_.reads == "squared" and d > 1 else 0
    least = dict.fromkeys(RATIOS, 1.0)
    for axes in (np.eye(d), *(np.linalg.qr(rng.normal(size=(d, d)))[0] for _ in range(turns))):
        numbers, shifts = weight_scores(points @ axes, shared.choice_, answers, who)
        means = GroupMeans.of(numbers, of_person)
        least = {ratio: min(power, means.power(shifts[ratio])) for ratio, power in least.items()}
    return least


def metric_scores(
    points: Floats,
    choice: ChoiceModel,
    answers: Judgments,
    who: NDArray[np.intp],
    weights: Floats,
) -> Floats:
    """Return gradients of people's log likelihoods with respect to the metric, (people, entries).

    It is evaluated at the diagonal metric of the person's ``weights``, (people, d). The entries are
    the diagonal and, for squared distances, the upper triangle. The derivative with respect to
    entry (k, l) is g((x_k + x_l) / sqrt(2)) - (g(x_k) + g(x_l)) / 2, where g(v) is the derivative
    with respect to the weight of v.
    """
    d = points.shape[1]
    pairs = np.array(np.triu_indices(d, 1)) if choice.reads == "squared" else np.empty((2, 0), int)
    turned = (points[:, pairs[0]] + points[:, pairs[1]]) / np.sqrt(2)
    form = Weights(np.hstack([points, turned]), len(weights))
    wide = np.hstack([weights, np.zeros((len(weights), pairs.shape[1]))])
    slopes = -Objective(seen_by(form, answers, who), choice, form)(wide)[1]
    off = slopes[:, d:] - 0.5 * (slopes[:, pairs[0]] + slopes[:, pairs[1]])
    return np.hstack([slopes[:, :d], off])


def groups_of_people(
    answers: Judgments, by: str | Mapping[Any, Any], people: NDArray[np.str_], who: NDArray[np.intp]
) -> NDArray[np.str_]:
    if not isinstance(by, str):
        by = dict(by)  # a pandas Series becomes a dict
        present = ~are_missing([*by.values()])
        named = compress(by.items(), present)
        group_of = {str(person): str(group) for person, group in named if group != ""}
        if missing := [person for person in people if person not in group_of]:
            raise JudgmentError(
                f"no group is given of {first_few(missing)}: name one, or leave their rows out"
            )
        return np.array([group_of[person] for person in people])
    groups, of_row = people_of(answers, by)
    number = np.full(len(people), -1)
    number[who] = of_row
    torn = np.flatnonzero(number[who] != of_row)
    if torn.size:
        row = torn[0]
        person, *two = map(str, (people[who[row]], groups[of_row[row]], groups[number[who[row]]]))
        raise JudgmentError(
            f"row {row}: {person!r} is in the groups {two[0]!r} and {two[1]!r} of {by!r}: give "
            "each person one group"
        )
    return groups[number]


def _check_groups(groups: NDArray[Any], of_person: NDArray[np.intp]) -> None:
    if len(groups) < 2:
        only = groups.tolist()[0]
        raise JudgmentError(f"all people are in the group {only!r}: give two groups or more")
    small = groups[np.bincount(of_person) < 2]
    if small.size:
        raise JudgmentError(
            f"there is one person in {first_few(small.tolist())}: give each group two people "
            "or more, so that differences within it can be estimated"
        )


@dataclass(frozen=True)
class GroupMeans:
    numbers: Floats  # (people, k), in whitened units
    of_person: NDArray[np.intp]  # (people,), group of each person
    units: Floats  # (entries, k), whitening matrix of scores
    is_joint: bool  # whether groups are large enough for full covariances

    @classmethod
    def of(cls, numbers: Floats, of_person: NDArray[np.intp]) -> Self:
        lengths = np.linalg.norm(numbers - numbers.mean(axis=0), axis=0)
        units = np.diag(np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0))
        is_joint = np.bincount(of_person).min() >= PEOPLE_PER_NUMBER * numbers.shape[1]
        if is_joint:
            centred = (numbers - numbers.mean(axis=0)) @ units
            values, vectors = np.linalg.eigh(centred.T @ centred)
            kept = values > 1e-8 * values.max()
            units = units @ vectors[:, kept] / np.sqrt(values[kept])
        return cls(numbers @ units, of_person, units, bool(is_joint))

    def _moments(self, of_person: NDArray[np.intp]) -> tuple[Floats, Floats]:
        means, precisions = [], []
        for group in range(of_person.max() + 1):
            members = self.numbers[of_person == group]
            centred = members - members.mean(axis=0)
            covariance = centred.T @ centred / (len(members) * (len(members) - 1))
            if not self.is_joint:
                covariance = np.diag(np.diag(covariance))
            means.append(members.mean(axis=0))
            precisions.append(np.linalg.pinv(covariance, hermitian=True))
        return np.array(means), np.array(precisions)

    def p_value(self, n: int, rng: np.random.RandomState) -> float:
        """Return the p-value from n permutations of the groups among people."""
        least = _spread(*self._moments(self.of_person)) * (1 - 1e-12)
        deals = (self._moments(rng.permutation(self.of_person)) for _ in range(n))
        return (1 + sum(_spread(*moments) >= least for moments in deals)) / (1 + n)

    def power(self, shifts: Floats) -> float:
        """Return the probability of p < .05 if the scores of one group were shifted.

        ``shifts`` (dimensions, people, entries) are not whitened. The result is averaged over
        groups, for the dimension with the lowest power.
        """
        precisions = self._moments(self.of_person)[1]
        n_groups, k = precisions.shape[:2]
        freedom = (n_groups - 1) * k
        left = max(len(self.of_person) - n_groups - (k - 1 if self.is_joint else 0), 1)
        # The inverse of a covariance of few people is biased upwards.
        fewest = int(np.bincount(self.of_person).min())
        shrink = max(fewest - k - 2, 1) / (fewest - 1) if self.is_joint else 1.0
        bound, chances = f.ppf(0.95, freedom, left), []
        for shift, group in product(shifts @ self.units, range(n_groups)):
            means = np.zeros((n_groups, k))
            means[group] = shift[self.of_person == group].mean(axis=0)
            distance = max(shrink * _spread(means, precisions), 1e-12)
            chances.append(ncf.sf(bound, freedom, left, distance))
        return float(np.min(np.reshape(chances, (len(shifts), n_groups)).mean(axis=1)))


def _spread(means: Floats, precisions: Floats) -> float:
    pulls = np.einsum("gij,gj->i", precisions, means)
    centred = means - np.linalg.pinv(precisions.sum(axis=0), hermitian=True) @ pulls
    return float(np.einsum("gi,gij,gj->", centred, precisions, centred))


def _resampled(
    crossed: CrossedWeights,
    who: NDArray[np.intp],
    of_person: NDArray[np.intp],
    n: int,
    rng: np.random.RandomState,
    callback: Told | None,
) -> Floats:
    drawn = []
    for _ in Steps(callback, n).each(range(n)):
        times = np.zeros(len(of_person))
        for group in range(crossed.n_groups):
            members = np.flatnonzero(of_person == group)
            np.add.at(times, rng.choice(members, len(members)), 1.0)
        drawn.append(crossed.logs(times[who]))
    return np.array(drawn)


def _table(crossed: CrossedWeights, drawn: Floats, smallest: int) -> pd.DataFrame:
    groups, logs = crossed.spaces.people_, crossed.logs()
    few = np.sqrt(smallest / (smallest - 1))  # corrects the bias of a bootstrap of few people
    half = few * student_t.ppf(0.975, smallest - 1) * parts_of_logs(drawn).std(axis=0, ddof=1)
    center = parts_of_logs(logs)
    names = ["clarity", *map(str, range(1, center.shape[1]))]
    columns = {"weight": center, "low": center - half, "high": center + half}
    named = {"dimension": np.repeat(names, len(groups)), "group": np.tile(groups, len(names))}
    resolved = crossed.resolved(logs)
    numbers = {
        name: np.where(resolved, np.exp(values), np.nan).T.ravel()
        for name, values in columns.items()
    }
    return pd.DataFrame(named | numbers)
