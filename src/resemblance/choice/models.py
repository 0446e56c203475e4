"""Define choice models: the probability of an answer, given distances.

Every model of comparisons has a loss l(near, far), with slopes with respect to near and to far. The
probability of an answer is

    p(near, far) = exp(-l(near, far)) / (exp(-l(near, far)) + exp(-l(far, near))),

For likelihoods (relative, logistic, softmax, Student-t) this is the model. For margin losses it is
the pseudo-likelihood that the loss implies.

In models of confusions, from two-alternative forced choice (2AFC), errors get rarer with distance.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, logsumexp

from resemblance.choice import _loops
from resemblance.errors import SettingError
from resemblance.ranges import BELOW_ONE, LEVEL, NOT_NEGATIVE, POSITIVE, check_settings, setting

Reads = Literal["squared", "plain", "inner"]
Floats = NDArray[np.float64]

MOST_NUMBERS = 3  # maximum number of parameters of a model
# decreasing widths of the smoothed corner of the hinge, in units of the margin
HINGE_WIDTHS = 0.5, 0.1, 0.02, 0.004


@dataclass(frozen=True)
class ChoiceModel:
    """Base class of choice models.

    ``reads`` is the distance that the model uses: "squared", "plain" or "inner" (product). If
    ``one_of_many`` is true, option k of N is chosen with probability p_k = s_k / sum of s. If
    ``compares`` is false, the model is only for confusions. If ``confuses`` is true, the model
    gives the probability that a pair is confused, and s(d) / s(0).
    """

    kind: ClassVar[int]
    reads: ClassVar[Reads] = "squared"
    one_of_many: ClassVar[bool] = True
    compares: ClassVar[bool] = True
    confuses: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_settings(self)

    @cached_property
    def code(self) -> tuple[int, float, float, float]:
        """The model as a tuple (kind, p, q, r) for compiled loops."""
        numbers = [float(getattr(self, field.name)) for field in fields(self)]
        p, q, r = numbers + [0.0] * (MOST_NUMBERS - len(numbers))
        return self.kind, p, q, r

    def smoothings(self) -> Iterator[ChoiceModel]:
        """Yield models to be minimised one after the other, with less and less smoothed corners.

        A model without a corner only yields itself.
        """
        yield self

    def loss(self, near: ArrayLike, far: ArrayLike) -> Floats:
        """Return the loss of each comparison, in nats for likelihoods."""
        near, far = _pair(near, far)
        out = np.empty(near.size)
        _loops.losses(self.code, near.ravel(), far.ravel(), out)
        return out.reshape(near.shape)

    def slopes(self, near: ArrayLike, far: ArrayLike) -> tuple[Floats, Floats]:
        """Return the derivatives of the loss with respect to near and to far distances."""
        near, far = _pair(near, far)
        slope_near, slope_far = np.empty(near.size), np.empty(near.size)
        unweighted = np.empty(0)
        _loops.compare_all(self.code, near.ravel(), far.ravel(), unweighted, slope_near, slope_far)
        return slope_near.reshape(near.shape), slope_far.reshape(near.shape)

    def probability(self, near: ArrayLike, far: ArrayLike) -> Floats:
        """Return the probability that the near item is judged more similar."""
        return np.asarray(expit(self.loss(far, near) - self.loss(near, far)))

    def error_probability(self, distance: ArrayLike) -> Floats:
        """Return the probability that items at the given distances are confused in 2AFC.

        In models of comparisons, the other distance is 0, so the probability is 1/2 at distance 0.
        """
        return self._of_one(_loops.error_probabilities, distance)[0]

    def error_slope(self, distance: ArrayLike) -> Floats:
        """Return the derivative of ``error_probability`` with respect to the distance."""
        return self._of_one(_loops.error_probabilities, distance)[1]

    def log_share(self, distance: ArrayLike) -> tuple[Floats, Floats]:
        r"""Return :math:`\log s(d) / s(0)` and its derivative with respect to the distance.

        It is 0 at d = 0 and falls with d. Thresholds of ratings are on this scale.
        """
        return self._of_one(_loops.log_shares, distance)

    def _of_one(self, loop: Any, distance: ArrayLike) -> tuple[Floats, Floats]:
        if not self.confuses:
            raise SettingError(
                f"{type(self).__name__} gives no probability of a confusion or a rating: use "
                "Gaussian, Exponential, or one of Relative, Softmax and StudentT."
            )
        d = np.asarray(distance, float, order="C")
        out, slopes = np.empty(d.size), np.empty(d.size)
        loop(self.code, d.ravel(), out, slopes)
        return out.reshape(d.shape), slopes.reshape(d.shape)

    def log_similarity(self, distance: ArrayLike) -> Floats:
        """Return log s(d), where option k is chosen with probability s_k / sum of s."""
        raise SettingError(
            f"{type(self).__name__} compares two distances and cannot model a choice among "
            f"more: use {', '.join(m.__name__ for m in MODELS if m.one_of_many)}, or turn "
            "the choices into triplets with judgments.triplets_from_choices."
        )

    def log_similarity_slope(self, distance: ArrayLike) -> Floats:
        """Return the derivative of log s with respect to the distance."""
        self.log_similarity(0.0)  # raises an error if the model has no similarity
        raise NotImplementedError

    def distance_at(self, log_s: Floats) -> Floats:
        """Return the distance with the given log similarity."""
        self.log_similarity(0.0)  # raises an error if the model has no similarity
        raise NotImplementedError

    def choice_probability(self, distances: ArrayLike) -> Floats:
        """Return the choice probabilities s_k / sum of s over N options, (..., N)."""
        s = self.log_similarity(distances)
        return np.asarray(np.exp(s - logsumexp(s, axis=-1, keepdims=True)))


@dataclass(frozen=True)
class Hinge(ChoiceModel):
    """l = max(0, margin + near - far), with squared distances.

    A parabola of the given ``width`` replaces the corner, so that the loss is differentiable; 0 is
    the hinge. Source: generalised non-metric multidimensional scaling, Agarwal et al. 2007, as in
    van der Maaten & Weinberger 2012, section 3.

    Examples
    --------
    >>> Hinge().loss([0.0, 3.0], [4.0, 2.0])
    array([0., 2.])
    """

    kind: ClassVar[int] = _loops.HINGE
    one_of_many: ClassVar[bool] = False
    confuses: ClassVar[bool] = False
    margin: float = setting(POSITIVE, default=1.0)
    width: float = 0.0

    def smoothings(self) -> Iterator[ChoiceModel]:
        for width in HINGE_WIDTHS:
            yield replace(self, width=width * self.margin)


@dataclass(frozen=True)
class Relative(ChoiceModel):
    """p = (mu + far) / (2 mu + near + far), with squared distances.

    The similarity is s(d) = 1 / (mu + d). Source: Tamuz et al. 2011 (crowd kernel learning),
    section 2.

    Examples
    --------
    >>> Relative(mu=1.0).probability([1.0], [4.0]).round(3)
    array([0.714])
    """

    kind: ClassVar[int] = _loops.RELATIVE
    mu: float = setting(POSITIVE, default=0.05)

    def log_similarity(self, distance: ArrayLike) -> Floats:
        return np.asarray(-np.log(self.mu + np.asarray(distance, float)))

    def log_similarity_slope(self, distance: ArrayLike) -> Floats:
        return np.asarray(-1.0 / (self.mu + np.asarray(distance, float)))

    def distance_at(self, log_s: Floats) -> Floats:
        return np.asarray(np.exp(-log_s) - self.mu)


@dataclass(frozen=True)
class Logistic(ChoiceModel):
    """p = 1 / (1 + exp(far - near)), with inner products: a larger product is more similar.

    Source: Tamuz et al. 2011, section 6.2.

    Examples
    --------
    >>> Logistic().probability([2.0], [2.0])
    array([0.5])
    """

    kind: ClassVar[int] = _loops.LOGISTIC
    reads: ClassVar[Reads] = "inner"
    confuses: ClassVar[bool] = False

    def log_similarity(self, distance: ArrayLike) -> Floats:
        return np.asarray(distance, float)

    def log_similarity_slope(self, distance: ArrayLike) -> Floats:
        return np.ones(np.shape(distance))


@dataclass(frozen=True)
class Softmax(ChoiceModel):
    """p = exp(-near) / (exp(-near) + exp(-far)), with squared distances.

    Source: stochastic triplet embedding, van der Maaten & Weinberger 2012, section 4.

    Examples
    --------
    >>> Softmax().probability([1.0], [1.0])
    array([0.5])
    """

    kind: ClassVar[int] = _loops.SOFTMAX

    def log_similarity(self, distance: ArrayLike) -> Floats:
        return -np.asarray(distance, float)

    def log_similarity_slope(self, distance: ArrayLike) -> Floats:
        return -np.ones(np.shape(distance))

    def distance_at(self, log_s: Floats) -> Floats:
        return -log_s


@dataclass(frozen=True)
class StudentT(ChoiceModel):
    """p = s(near) / (s(near) + s(far)), s(d) = (1 + d / alpha) ** (-(alpha + 1) / 2).

    Distances are squared. Source: t-distributed STE, van der Maaten & Weinberger 2012, section 4.

    Examples
    --------
    >>> StudentT(alpha=1.0).probability([1.0], [3.0]).round(3)
    array([0.667])
    """

    kind: ClassVar[int] = _loops.STUDENT
    alpha: float = setting(POSITIVE, default=1.0)

    @cached_property
    def code(self) -> tuple[int, float, float, float]:
        """The tuple for compiled loops. For alpha = 1 it is Relative(mu=1), which is faster."""
        return (_loops.RELATIVE, 1.0, 0.0, 0.0) if self.alpha == 1.0 else super().code

    def log_similarity(self, distance: ArrayLike) -> Floats:
        d = np.asarray(distance, float)
        return np.asarray(-0.5 * (self.alpha + 1.0) * np.log1p(d / self.alpha))

    def log_similarity_slope(self, distance: ArrayLike) -> Floats:
        return np.asarray(-0.5 * (self.alpha + 1.0) / (self.alpha + np.asarray(distance, float)))

    def distance_at(self, log_s: Floats) -> Floats:
        return np.asarray(self.alpha * np.expm1(-2.0 / (self.alpha + 1.0) * log_s))


@dataclass(frozen=True)
class SquaredHinge(ChoiceModel):
    """l = max(0, margin + near - far) ** 2, with plain distances.

    Source: soft ordinal embedding, Terada & von Luxburg 2014.

    Examples
    --------
    >>> SquaredHinge().loss([0.0, 3.0], [4.0, 2.0])
    array([0., 4.])
    """

    kind: ClassVar[int] = _loops.MARGIN
    reads: ClassVar[Reads] = "plain"
    one_of_many: ClassVar[bool] = False
    confuses: ClassVar[bool] = False
    margin: float = setting(POSITIVE, default=1.0)


@dataclass(frozen=True)
class Probit(ChoiceModel):
    r"""p = Phi(far - near), with plain distances in units of the noise.

    An observer compares two distances with normal noise of standard deviation 1, so a difference of
    1 is judged right in 84 % of trials.

    Source: maximum likelihood difference scaling, Maloney & Yang 2003, equation 6; the noise is
    Thurstone's case V.

    Examples
    --------
    >>> Probit().probability([1.0, 1.0], [1.0, 2.0]).round(3)
    array([0.5  , 0.841])
    """

    kind: ClassVar[int] = _loops.PROBIT
    reads: ClassVar[Reads] = "plain"
    one_of_many: ClassVar[bool] = False
    confuses: ClassVar[bool] = False


MODELS: tuple[type[ChoiceModel], ...] = (
    *(Hinge, Relative, Logistic, Softmax, StudentT),
    *(SquaredHinge, Probit),
)


def _pair(near: ArrayLike, far: ArrayLike) -> tuple[Floats, Floats]:
    near, far = np.asarray(near, float), np.asarray(far, float)
    if near.shape != far.shape:
        near, far = np.broadcast_arrays(near, far)
    return np.asarray(near, order="C"), np.asarray(far, order="C")


# widths of smoothed peaks in units of distance, from wide to narrow
PEAK_WIDTHS = tuple(2.0 * 0.5**k for k in range(5))


@dataclass(frozen=True)
class Decay(ChoiceModel):
    """Base of :class:`Exponential` and :class:`Gaussian`, whose errors decrease with distance."""

    kind: ClassVar[int] = _loops.DECAY
    one_of_many: ClassVar[bool] = False
    compares: ClassVar[bool] = False
    ceiling: float = setting(LEVEL, default=0.5)
    lapse: float = setting(BELOW_ONE, default=0.0)

    def loss(self, near: ArrayLike, far: ArrayLike) -> Floats:
        """Raise an error, because a confusion has only one distance."""
        raise SettingError(
            f"{type(self).__name__} reads confusions and cannot compare distances: fit "
            "Confusions, or use STE, TSTE, CKL or another model of comparisons."
        )

    def slopes(self, near: ArrayLike, far: ArrayLike) -> tuple[Floats, Floats]:
        """Raise an error, as in ``loss``."""
        return self.loss(near, far), np.empty(0)


@dataclass(frozen=True)
class Gaussian(Decay):
    r"""P(error) = (1 - lapse) c exp(-d^2) + lapse / 2, with distance d and ceiling c.

    Source: Xu, Zhu & Rogers 2012 (Yada), equation 6, where c = 1/2 and lapse = 0.

    Examples
    --------
    >>> Gaussian().error_probability([0.0, 1.0]).round(3)  # of squared distances
    array([0.5  , 0.184])
    """

    reads: ClassVar[Reads] = "squared"


@dataclass(frozen=True)
class Exponential(Decay):
    r"""P(error) = (1 - lapse) c exp(-d) + lapse / 2, with distance d and ceiling c.

    With a ``width``, d is replaced by sqrt(d^2 + width^2) - width, which smooths the peak at 0. The
    model uses plain distances, because the derivative with respect to squared distances is infinite
    at 0. Source: Xu, Zhu & Rogers 2012 (Yada), equation 5, where c = 1/2, lapse = 0 and width = 0.

    Examples
    --------
    >>> Exponential(lapse=0.1).error_probability([0.0, 1.0]).round(3)
    array([0.5  , 0.216])
    """

    reads: ClassVar[Reads] = "plain"
    width: float = setting(NOT_NEGATIVE, default=0.0)

    def smoothings(self) -> Iterator[ChoiceModel]:
        """Yield models with a less and less smoothed peak, then the model itself.

        In one dimension, two items cannot pass each other at a sharp peak, but they can at a smooth
        peak. Source: Pliner 1996, smoothing in unidimensional scaling.
        """
        for width in PEAK_WIDTHS:
            if width > self.width:
                yield replace(self, width=width)
        yield self
