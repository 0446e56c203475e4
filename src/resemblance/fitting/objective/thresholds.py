"""Fit the thresholds between the steps of a rating scale, for each person."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from types import MappingProxyType
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from resemblance.arrays import Floats
from resemblance.errors import JudgmentError
from resemblance.fitting.objective._loops import grade_all, solve_tridiagonal
from resemblance.judgments import Ratings
from resemblance.judgments.checks import refuse
from resemblance.judgments.joining import raters_of
from resemblance.notebook import Shown
from resemblance.optional import pd

Ints = NDArray[np.int64]

CROWD = 5.0  # prior standard deviation of the crowd's thresholds, in nats
UNSEEN = 1.0  # total weight of pseudo-ratings of each person, which are spread over the scale
SETTLED = 1e-13  # Newton's method ends when the loss falls by less than this share
MOST_STEPS = 200
TOWARDS = 0.9  # a step may shrink the gap between two thresholds by at most this share
EM_STEPS, FURTHEST = 60, 1.0  # number of EM steps; maximum change of a threshold per step (nats)
LEAST_FALL = 1e-4  # Armijo constant of the line search
WIDTHS = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0)  # candidates for shift and stretch of the prior, in nats


@dataclass(frozen=True)
class Prior:
    r"""Normal prior of the deviations of people's thresholds from the crowd's.

    .. math:: \delta_u = \theta_u - \theta_0 \sim N(0, Q^{-1}), \qquad \delta' Q \delta =
       \frac{1}{a^2 K} \sum_j \delta_j^2 + \frac{K - 1}{b^2} \sum_j (\delta_{j+1} - \delta_j)^2

    theta_u are the K thresholds of person u, and theta_0 those of the crowd. ``shift`` (a) and
    ``stretch`` (b) are standard deviations, in nats of log similarity: of a shift of all
    thresholds, and of a stretch of the distance between the first and the last threshold.
    """

    shift: float = 1.0
    stretch: float = 1.0

    def precision(self, n_thresholds: int) -> tuple[Floats, Floats]:
        """Return the diagonal (K,) and the off-diagonal (K - 1,) of the tridiagonal matrix Q."""
        beside = np.full(n_thresholds - 1, -(n_thresholds - 1) / self.stretch**2)
        return 1.0 / (self.shift**2 * n_thresholds) + _ends(-beside), beside


Priors = Mapping[int, Prior]  # keys are numbers of points of scales
NO_PRIORS: Priors = MappingProxyType({})


class Bowl(NamedTuple):
    """A loss, its gradient with respect to thresholds (G, K), and its tridiagonal Hessian."""

    loss: float
    gradient: Floats
    diagonal: Floats
    beside: Floats


@dataclass(frozen=True)
class Grades:
    r"""Ratings on one scale, and their loss as a function of similarities and thresholds.

    .. math:: F = -\sum_r w_r \log \big( \sigma(s_r - \theta_{u c}) - \sigma(s_r - \theta_{u, c +
       1}) \big) + \frac12 \sum_u \delta_u' Q \delta_u + \frac{\|\theta_0\|^2}{2 B^2 K} -
       \frac{m}{k} \sum_{uc} \log(1 - e^{-g_{uc}})

    where rating r, with weight w_r and log similarity s_r, is step c of 0 to K by person u; g > 0
    are the gaps between neighbouring thresholds; delta_u = theta_u - theta_0 is the deviation from
    the crowd; B is ``CROWD``; and m / k is the weight of the pseudo-ratings in each gap. Since
    sigma(x) - sigma(x - g) = sigma(x) sigma(g - x) (1 - exp(-g)), F is convex in theta. ``step``
    and ``who`` are (m,); person 0 is the crowd.

    Samejima (1969), Estimation of latent ability using a response pattern of graded scores,
    Psychometrika Monograph 17; McCullagh (1980), Regression models for ordinal data, Journal of
    the Royal Statistical Society B 42, 109-142, which shows that the likelihood is concave.
    """

    step: Ints  # (m,)
    who: Ints  # (m,)
    weight: Floats  # (m,)
    n_people: int
    n_thresholds: int
    prior: Prior = Prior()
    between: Floats = field(init=False)  # (1 + U, K - 1): number of ratings in each gap

    def __post_init__(self) -> None:
        G, k = 1 + self.n_people, 1 + self.n_thresholds
        counts = np.bincount(self.who * k + self.step, self.weight, G * k).reshape(G, k)
        object.__setattr__(self, "between", counts[:, 1:-1] + UNSEEN / k)

    def best(self, similarity: Floats, start: Floats | None = None) -> tuple[Floats, Bowl, Floats]:
        """Minimise the loss by Newton's method, given log similarities (m,).

        Return the thresholds (1 + U, K), whose first row is the crowd's; the loss; and its
        derivatives with respect to the similarities (m,), with thresholds held fixed.
        """
        at, slopes = self._start(similarity) if start is None else start, np.empty(len(similarity))
        bowl = self._bowl(similarity, at, slopes)
        for _ in range(MOST_STEPS):
            step = self._newton(bowl)[0]
            fall = -float(np.vdot(bowl.gradient, step))
            if not fall > SETTLED * (1.0 + abs(bowl.loss)):
                break
            closing = float((-np.diff(step) / np.diff(at)).max(initial=0.0))
            share = min(1.0, TOWARDS / max(closing, 1e-300))
            tried = self._bowl(similarity, at + share * step, slopes)
            while not tried.loss <= bowl.loss - LEAST_FALL * share * fall and share > 1e-9:
                share *= 0.5
                tried = self._bowl(similarity, at + share * step, slopes)
            at, bowl = at + share * step, tried
        return at, bowl, slopes

    def evidence(self, similarity: Floats, start: Floats | None = None) -> tuple[float, Floats]:
        """Return the log evidence of the prior (Laplace), up to a constant, and the thresholds.

        The log evidence is -F + (U log det Q - log det H) / 2, where H is the Hessian of the loss F
        and U the number of people.
        """
        at, bowl, _ = self.best(similarity, start)
        own, beside = self.prior.precision(self.n_thresholds)
        zeros = np.zeros((1, self.n_thresholds, 1))
        of_prior = solve_tridiagonal(own[None], beside[None], zeros)
        _, size, crowd = self._newton(bowl)
        size += float(np.linalg.slogdet(crowd)[1])
        return 0.5 * (self.n_people * of_prior - size) - bowl.loss, at

    def differences(self, similarity: Floats, crowd: Floats) -> tuple[float, float]:
        r"""Return the standard deviations of people's shift and stretch from the crowd, in nats.

        .. math:: \theta_u = \theta_0 + a_u + b_u \frac{\theta_0 - \bar\theta_0} {\theta_{0K} -
           \theta_{01}}, \qquad a_u \sim N(0, \alpha^2), \; b_u \sim N(0, \beta^2)

        The result is the most likely alpha and beta, from EM with a normal posterior for each
        person. The fitted :class:`Prior` does not give the stretch, because its gaps vary
        independently.
        """
        axes, wide, variance = shift_and_stretch(crowd), np.ptp(crowd) or 1.0, np.ones(2)
        own, slopes = np.zeros((self.n_people, 2)), np.empty(len(similarity))
        free = replace(self, prior=Prior(np.inf, np.inf))
        for _ in range(EM_STEPS):
            at = crowd + np.vstack([np.zeros(2), own]) @ axes.T
            bowl = free._bowl(similarity, at, slopes)
            bends = zip(bowl.diagonal[1:], bowl.beside[1:], strict=True)
            H = np.array([axes.T @ _dense(*bend) @ axes for bend in bends])
            H += np.diag(1.0 / variance)
            gradient = bowl.gradient[1:] @ axes + own / variance
            step = np.linalg.solve(H, gradient[:, :, None])[:, :, 0]
            closing = step[:, 1] / (wide + own[:, 1])
            long = np.maximum(closing / TOWARDS, np.abs(step).max(axis=1) / FURTHEST)
            own = own - step / np.maximum(long, 1.0)[:, None]
            variance = (own**2 + np.linalg.inv(H)[:, [0, 1], [0, 1]]).mean(axis=0)
        shift, stretch = np.sqrt(variance)
        return float(shift), float(stretch) if len(crowd) > 1 else 0.0

    def _start(self, similarity: Floats) -> Floats:
        taken = np.bincount(self.step, self.weight, self.n_thresholds + 1) + 0.5
        below = np.cumsum(taken)[:-1] / taken.sum()
        middle = similarity @ self.weight / max(self.weight.sum(), 1e-300)
        return np.tile(middle + np.log(below) - np.log1p(-below), (1 + self.n_people, 1))

    def _bowl(self, similarity: Floats, at: Floats, slopes: Floats) -> Bowl:
        gradient, diagonal = np.zeros((2, *at.shape))
        step, who, weight = self.step, self.who, self.weight
        loss = grade_all(similarity, step, who, weight, at, slopes, gradient, diagonal)
        gaps, own = np.diff(at), self.prior.precision(self.n_thresholds)
        with np.errstate(over="ignore"):  # the loss of very wide gaps overflows to 0
            push = self.between / np.expm1(gaps)
            bend = self.between / (2.0 * np.sinh(0.5 * gaps)) ** 2
        loss -= float(np.vdot(self.between, np.log(-np.expm1(-gaps))))
        gradient[:, 1:] -= push
        gradient[:, :-1] += push
        away = at[1:] - at[0]
        pull = _times(own, away)
        wide = 1.0 / (CROWD**2 * self.n_thresholds)
        loss += 0.5 * (float(np.vdot(pull, away)) + wide * float(at[0] @ at[0]))
        gradient[1:] += pull
        gradient[0] += wide * at[0] - pull.sum(axis=0)
        diagonal += _ends(bend)
        diagonal[1:] += own[0]
        diagonal[0] += wide + self.n_people * own[0]
        beside = -bend
        beside[1:] += own[1]
        beside[0] += self.n_people * own[1]
        return Bowl(loss, gradient, diagonal, beside)

    def _newton(self, bowl: Bowl) -> tuple[Floats, float, Floats]:
        """Return the Newton step, the sum of log det H_u over people, and the crowd's Hessian.

        The steps are x_0 for the crowd and x_u for person u, with gradients g, diagonal blocks C
        and H_u of the Hessian, and off-diagonal blocks -Q: (C - sum Q H_u^-1 Q) x_0 = -g_0 - sum Q
        H_u^-1 g_u, and x_u = H_u^-1 (Q x_0 - g_u).
        """
        own, K = self.prior.precision(self.n_thresholds), self.n_thresholds
        if not self.n_people:
            step = -bowl.gradient[:, :, None]
            size = solve_tridiagonal(bowl.diagonal, bowl.beside, step)
            return step[:, :, 0], size, np.eye(0)
        right = np.empty((self.n_people, K, K + 1))
        right[:, :, :K], right[:, :, K] = _dense(*own), bowl.gradient[1:]
        size = solve_tridiagonal(bowl.diagonal[1:], bowl.beside[1:], right)
        summed = _times(own, right.sum(axis=0).T).T
        crowd = _dense(bowl.diagonal[0], bowl.beside[0]) - summed[:, :K]
        step = np.empty_like(bowl.gradient)
        step[0] = np.linalg.solve(crowd, -bowl.gradient[0] - summed[:, K])
        step[1:] = right[:, :, :K] @ step[0] - right[:, :, K]
        return step, size, crowd


class OneScale(NamedTuple):
    rows: NDArray[np.intp]
    people: Ints  # person of each row of thresholds, from row 1 (row 0 is the crowd)
    grades: Grades

    @property
    def points(self) -> int:
        return self.grades.n_thresholds + 1


def scales_of(table: Floats, priors: Priors = NO_PRIORS) -> list[OneScale]:
    scales = []
    for top in np.unique(table[:, 2]).astype(int).tolist():
        rows = np.flatnonzero(table[:, 2] == top)
        step, who = table[rows, 1].astype(np.int64), table[rows, 3].astype(np.int64)
        people = np.unique(who[who > 0])
        person = np.where(who > 0, 1 + np.searchsorted(people, who), 0)
        weight = np.ascontiguousarray(table[rows, 0])
        prior = priors.get(top + 1, Prior())
        grades = Grades(step, person, weight, len(people), top, prior)
        scales.append(OneScale(rows, people, grades))
    return scales


def shift_and_stretch(crowd: Floats) -> Floats:
    """Return the change of each threshold by a unit shift and a unit stretch, (K, 2)."""
    wide = np.ptp(crowd) or 1.0
    return np.column_stack([np.ones_like(crowd), (crowd - crowd.mean()) / wide])


def likeliest_priors(table: Floats, similarity: Floats) -> dict[int, Prior]:
    return {
        scale.points: likeliest_prior(scale.grades, similarity[scale.rows])
        for scale in scales_of(table)
    }


def likeliest_prior(grades: Grades, similarity: Floats) -> Prior:
    tried = [Prior(shift, stretch) for shift, stretch in product(WIDTHS, WIDTHS)]
    if grades.n_people < 2:
        return tried[0]
    evidences, thresholds = [], None
    for prior in tried:
        evidence, thresholds = replace(grades, prior=prior).evidence(similarity, thresholds)
        evidences.append(evidence)
    return tried[int(np.argmax(evidences))]


def _ends(gaps: Floats) -> Floats:
    out = np.zeros((*gaps.shape[:-1], gaps.shape[-1] + 1))
    out[..., 1:] += gaps
    out[..., :-1] += gaps
    return out


def _dense(diagonal: Floats, beside: Floats) -> Floats:
    return np.diag(diagonal) + np.diag(beside, 1) + np.diag(beside, -1)


def _times(tridiagonal: tuple[Floats, Floats], rows: Floats) -> Floats:
    diagonal, beside = tridiagonal
    out = diagonal * rows
    out[..., 1:] += beside * rows[..., :-1]
    out[..., :-1] += beside * rows[..., 1:]
    return out


@dataclass(frozen=True)
class RatingScale(Shown):
    r"""The thresholds of all people who rated on a scale of k points, and of the crowd.

    .. math:: P(r > j) = \sigma\big(\log \tfrac{s(d)}{s(0)} - \theta_{uj}\big)

    Here r is the rating of a pair at distance d, s is the similarity, and theta_uj is threshold j
    of person u. A threshold is the log similarity of a remembered distance: a pair is rated above j
    with the probability that it is nearer than this distance. If a threshold is above 0, even a
    pair at distance 0 is rated above j in less than half of the cases.

    Attributes
    ----------
    points : int
        The number of points k.
    crowd : array (k - 1,)
        The crowd's thresholds, ascending, in nats of log similarity (0 for an item with itself).
    people, own : tuple of str, array (n_people, k - 1)
        The sorted observers, or () without observers, and the thresholds of each observer.
    shift, stretch : float
        Standard deviations over people, in nats: of a shift of all thresholds, and of a stretch of
        the distance from the first to the last. 0 without people.
    """

    points: int
    crowd: Floats
    people: tuple[str, ...]
    own: Floats
    shift: float
    stretch: float

    @property
    def sureness(self) -> float:
        r"""The factor on log odds for unknown people, :math:`(1 + \pi v / 8)^{-1/2}`.

        Unknown people's thresholds vary around the crowd's with variance v, which makes predictions
        less certain. Source: MacKay (1992), The evidence framework applied to classification
        networks, Neural Computation 4, 720-736.
        """
        moved = shift_and_stretch(self.crowd) * (self.shift, self.stretch)
        v = (moved**2).sum(axis=1).mean()
        return float(1.0 / np.sqrt(1.0 + np.pi * v / 8.0))

    def odds(self, similarity: Floats, observer: NDArray[np.str_] | None = None) -> Floats:
        """Return log odds of rating > j, (m, k - 1), given log similarities and observers (m,)."""
        who = _places(self.people, observer, len(similarity))
        at = np.concatenate([self.crowd[None], self.own])[who]
        slope = np.where(who > 0, 1.0, self.sureness)
        return np.asarray(slope[:, None] * (similarity[:, None] - at))


@dataclass(frozen=True)
class Thresholds(Shown):
    """The thresholds of a fit's ratings: a scale for each number of points.

    Attributes
    ----------
    scales : tuple of RatingScale
        The scales, in order of their points.

    Examples
    --------
    >>> import resemblance as rs
    >>> person = rs.SpaceObserver([[0.0], [1.0], [2.0], [4.0]], random_state=0)
    >>> rated = person.rate([[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]] * 20, points=5)
    >>> model = rs.STE(1, random_state=0).fit(rated)
    >>> thresholds = model.thresholds_.of(points=5)
    >>> thresholds.shape, bool((np.diff(thresholds) > 0).all())
    ((4,), True)
    """

    scales: tuple[RatingScale, ...]

    @classmethod
    def likeliest(cls, similarity: Floats, ratings: Ratings, priors: Priors) -> Self:
        """Find the most likely thresholds of ratings, given the log similarities of pairs, (m,).

        ``priors`` maps numbers of points to the prior of people's deviations from the crowd.
        """
        names, table = raters_of(ratings)[0], ratings.numbers()
        scales = []
        for scale in scales_of(table, priors):
            at, _, _ = scale.grades.best(similarity[scale.rows])
            people = tuple(names[scale.people - 1].tolist())
            differ = (0.0, 0.0)
            if len(people) > 1:
                differ = scale.grades.differences(similarity[scale.rows], at[0])
            scales.append(RatingScale(scale.points, at[0], people, at[1:], *differ))
        return cls(tuple(scales))

    def of(self, observer: str | None = None, points: int | None = None) -> Floats:
        """Return a person's thresholds, or the crowd's for unknown people, in nats, (points - 1,).

        ``points`` may be left out if there is one scale. A number of points that no scale has
        raises a JudgmentError.
        """
        if points is None and len(self.scales) > 1:
            raise JudgmentError(f"ratings had {self._points} points: say which, as points=")
        scale = self.scale(self.scales[0].points if points is None else points)
        met = observer in scale.people
        return scale.own[scale.people.index(str(observer))] if met else scale.crowd

    def scale(self, points: int) -> RatingScale:
        for scale in self.scales:
            if scale.points == points:
                return scale
        raise JudgmentError(
            f"the fit had no ratings on {points} points, but on {self._points}: fit some on "
            "such a scale"
        )

    def probabilities(self, similarity: Floats, ratings: Ratings) -> Floats:
        """Return the probability of each rating from 1, (m, points); 0 above a row's scale."""
        out = np.zeros((len(ratings), max(scale.points for scale in self.scales)))
        for rows, odds in self._odds(similarity, ratings):
            out[rows, : odds.shape[1] + 1] = -np.diff(expit(_with_ends(odds)))
        return out

    def losses(self, similarity: Floats, ratings: Ratings) -> Floats:
        """Return -log p of each rating, (m,); finite even if the probability p underflows."""
        out = np.empty(len(ratings))
        for rows, odds in self._odds(similarity, ratings):
            ends, given = _with_ends(odds), ratings.rating[rows]
            every = np.arange(len(rows))
            low, high = ends[every, given - 1], ends[every, given]
            out[rows] = np.logaddexp(0.0, -low) + np.logaddexp(0.0, high)
            out[rows] -= np.log(-np.expm1(high - low))
        return out

    def _odds(
        self, similarity: Floats, ratings: Ratings
    ) -> Iterator[tuple[NDArray[np.intp], Floats]]:
        refuse(
            ~np.isin(ratings.points, [scale.points for scale in self.scales]),
            lambda r: (
                f"a rating on {ratings.points[r]} points, but the model was fitted to ratings on "
                f"{self._points}: fit ratings on such a scale too"
            ),
        )
        for scale in self.scales:
            rows = np.flatnonzero(ratings.points == scale.points)
            observer = None if ratings.observer is None else ratings.observer[rows]
            yield rows, scale.odds(similarity[rows], observer)

    def to_pandas(self) -> pd.DataFrame:
        """Return a table with a row per threshold: observer ("" is the crowd), points, above."""
        parts = [
            pd.DataFrame(
                {
                    "observer": name,
                    "points": scale.points,
                    "above": np.arange(1, scale.points),
                    "threshold": at,
                }
            )
            for scale in self.scales
            for name, at in zip(("", *scale.people), (scale.crowd, *scale.own), strict=True)
        ]
        return pd.concat(parts, ignore_index=True)

    @property
    def _points(self) -> str:
        return ", ".join(str(scale.points) for scale in self.scales)


def _with_ends(odds: Floats) -> Floats:
    return np.pad(odds, ((0, 0), (1, 1)), constant_values=((0, 0), (np.inf, -np.inf)))


def _places(people: tuple[str, ...], observer: NDArray[np.str_] | None, m: int) -> Ints:
    if observer is None or not people:
        return np.zeros(m, dtype=np.int64)
    names = np.array(people)
    at = np.minimum(np.searchsorted(names, observer), len(names) - 1)
    return np.where(names[at] == observer, 1 + at, 0)
