"""Maps of features that keep an order: monotone in chosen features, or one-to-one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from resemblance.arrays import Floats
from resemblance.errors import SettingError
from resemblance.forms.maps import FeatureMap

NODES = 400  # stimuli at which slopes are looked at, about
STEP = 1e-4  # share of a feature's range over which a slope is taken


class ShapedMap(FeatureMap):
    r"""A map with positive slopes in some directions over the range of the stimuli.

    .. math:: \text{penalty} = \lVert B \rVert^2
       + \frac{\rho}{\mu} \, \overline{\sum_k \max(0, \epsilon - \lambda_k(x))^2}

    averaged over the nodes x of a grid. J(x) is the Jacobian of the map in features scaled to their
    range. *Monotone* in feature f: lambda is the slope of coordinate f in feature f. *One-to-one*:
    the lambda are the eigenvalues of (J + J') / 2. Where these are positive on a convex set, no two
    of its stimuli have one position: (phi(x) - phi(y)) . (x - y) > 0. That is sufficient and not
    necessary: a map that turns stimuli by more than a right angle is left out.

    Parameters
    ----------
    base : FeatureMap
        The map, such as a :class:`KernelMap`.
    monotone : sequence of int
        Features, each with the coordinate of the same number.
    one_to_one : bool
        Whether no two stimuli may have one position; for as many dimensions as features.
    strength : float
        rho, in nats for a squared slope of one unit of the space per range of a feature.
    slope : float
        epsilon, the least slope wanted.

    Raises
    ------
    SettingError
        If a feature does not exist, or nothing is asked for.

    Examples
    --------
    >>> from resemblance.forms import KernelMap
    >>> x = np.linspace(0, 1, 5)[:, None]
    >>> form = ShapedMap(KernelMap(bandwidth=0.3), monotone=[0]).bound(x, penalty=0.01)
    >>> form.least_slope(form.start(x)) > 0, form.least_slope(form.start(-x)) > 0
    (True, False)
    """

    name: ClassVar[str] = "shaped map"
    _slopes: Floats

    def __init__(
        self,
        base: FeatureMap,
        monotone: Sequence[int] = (),
        one_to_one: bool = False,
        strength: float = 1e7,
        slope: float = 0.02,
    ) -> None:
        self.base, self.monotone, self.one_to_one = base, tuple(monotone), one_to_one
        self.strength, self.slope = strength, slope

    def prepared(self, features: Floats) -> Self:
        """Bind the map, and choose the points where slopes are checked."""
        if not (self.monotone or self.one_to_one):
            raise SettingError(
                "a ShapedMap is monotone in some features, or one-to-one: say which."
            )
        d = features.shape[1]
        if any(not 0 <= f < d for f in self.monotone):
            raise SettingError(f"monotone is {self.monotone}: the features are 0 to {d - 1}.")
        form = copy(self)
        form.base = self.base.prepared(features)
        low, width = features.min(axis=0), np.ptp(features, axis=0)
        side = np.linspace(0.0, 1.0, max(round(NODES ** (1.0 / d)), 2))
        nodes = np.stack(np.meshgrid(*[side] * d, indexing="ij"), axis=-1).reshape(-1, d)
        ahead, behind = (
            [form.base.describe(low + (nodes + step * axis) * width) for axis in np.eye(d)]
            for step in (STEP, -STEP)
        )
        form._slopes = (np.array(ahead) - np.array(behind)) / (2.0 * STEP)
        return form

    def describe(self, features: ArrayLike) -> Floats:
        """Return the features of the underlying map."""
        return self.base.describe(features)

    def bound(self, features: Floats | None, penalty: float) -> Self:
        """Return the form for items with these features."""
        if not penalty > 0:
            raise SettingError("a ShapedMap needs a penalty above 0: give a small one.")
        return super().bound(features, penalty)

    def penalty(self, params: Floats, state: Floats) -> tuple[float, Floats]:
        """Return the squared norm of B, plus the cost of slopes that are too small."""
        size, growth = super().penalty(params, state)
        J = self._jacobian(params)
        cost, slope = np.zeros(len(J)), np.zeros_like(J)
        for values, outer in self._kept_positive(J):
            missing = np.maximum(self.slope - values, 0.0)
            cost += missing**2
            slope -= 2.0 * missing[:, None, None] * outer
        factor = self.strength / (self.ridge * len(J))
        pulled = np.einsum("agq,gka->qk", self._slopes, slope, optimize=True)
        return size + factor * float(cost.sum()), growth + factor * pulled

    def least_slope(self, params: Floats) -> float:
        """Return the least lambda over all nodes: positive if the shape is kept."""
        return min(float(values.min()) for values, _ in self._kept_positive(self._jacobian(params)))

    def _jacobian(self, params: Floats) -> Floats:
        """Return J (nodes, p, d), in features scaled to their range."""
        p, d = params.shape[1], len(self._slopes)
        needed = d if self.one_to_one else 1 + max(self.monotone)
        if p < needed:
            raise SettingError(
                f"the map is shaped in {needed} features, each with a coordinate of its own, but "
                f"the space has {p} dimensions: raise n_components, or put those features first."
            )
        return np.einsum("agq,qk->gka", self._slopes, params, optimize=True)

    def _kept_positive(self, J: Floats) -> Iterator[tuple[Floats, Floats]]:
        """Yield each lambda of all nodes, and its gradient in J (nodes, p, d)."""
        for f in self.monotone:
            gradient = np.zeros_like(J)
            gradient[:, f, f] = 1.0
            yield J[:, f, f], gradient
        if self.one_to_one:
            d = J.shape[2]
            square = J[:, :d]
            values, vectors = np.linalg.eigh(0.5 * (square + square.transpose(0, 2, 1)))
            for k in range(d):
                v = vectors[:, :, k]
                outer = np.zeros_like(J)
                outer[:, :d] = v[:, :, None] * v[:, None, :]
                yield values[:, k], outer
