"""Define forms that map features to positions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import eigh

from resemblance.arrays import Floats
from resemblance.errors import SettingError
from resemblance.forms.form import Form
from resemblance.geometry import kernel_matrix
from resemblance.geometry.kernels import (
    Kernel,
    checked_features,
    in_blocks,
    ridge,
    times,
    transposed_times,
)

Features = NDArray[Any]

RANK = 1e-12  # eigenvalues below this share of the largest one are rounding errors
MOST_ITEMS = 20_000  # maximum number of items of a kernel without landmarks (3.2 GB)
MANY_ITEMS, LANDMARKS = 600, 200  # above 600 items, "auto" is 200 landmarks
LEAST_RIDGE = 1e-10  # minimum ridge, relative to the mean squared column
NODES = 400  # approximate number of grid points at which slopes are checked
STEP = 1e-4  # step of finite differences, as a share of a feature's range


class FeatureMap(Form):
    r"""Positions X = Phi B, where row i of Phi describes the features of item i.

    The parameters are B (q, p), and the penalty multiplies their squared norm. ``bound`` sets the
    ``design`` Phi (n, q) from the features of a fit's items.

    Features in a memory map or a large float32 array are not copied. A
    :class:`~resemblance.forms.LinearMap` reads them in blocks of rows.
    """

    default_penalty = 1e-3
    design: Features
    ridge: float = 0.0
    _bound_to: Features | None = None

    def prepared(self, features: Features) -> Self:
        """Return a copy whose ``describe`` is fitted to the features of the items."""
        return copy(self)

    def checked(self, features: Any) -> Any:
        """Return the features of the items as an array, after checks."""
        return checked_features(features, "the features")

    def describe(self, features: ArrayLike) -> Features:
        """Return the rows of Phi for features (m, d), (m, q)."""
        raise NotImplementedError

    def bound(self, features: Features | None, penalty: float) -> Self:
        """Return the form for items with these features, given the penalty."""
        if features is None:
            raise SettingError(
                f"{type(self).__name__} maps features, and the items have none: give them, as in "
                "Triplets(index, items=Items(features=X))."
            )
        form = copy(self)
        if self._bound_to is not features:
            checked = self.checked(features)
            form = self.prepared(checked)
            form.design = form.describe(checked)
            form._bound_to = features
        form.ridge = penalty
        return form

    def of_items(self, items: NDArray[np.integer]) -> Self:
        """Return the map for some of the items."""
        return self._with(design=np.asarray(self.design[items]), _bound_to=None)

    def _with(self, **changes: Any) -> Self:
        form = copy(self)
        vars(form).update(changes)
        return form

    def start(self, X: Floats) -> Floats:
        """Return B = (Phi'Phi + mu I)^-1 Phi'X, the map nearest to X for the penalty mu."""
        return ridge(self.design, X, self.ridge, least=LEAST_RIDGE)

    def expand(self, params: Floats) -> Floats:
        return times(self.design, params)

    def pull_back(self, params: Floats, gradient: Floats) -> Floats:
        return transposed_times(self.design, gradient)

    def components(self, params: Floats) -> Floats:
        """Return the matrix B from rows of Phi to positions, (q, p)."""
        return params

    def placed(self, params: Floats) -> Floats:
        """Return the positions of the fit's items, without columns of 0."""
        return times(self.design, self.components(params))

    def mapped(self, features: Any, components: Floats) -> Floats:
        """Return Phi of features times ``components``, computed in blocks of rows."""
        checked = checked_features(features)
        return np.concatenate([self.describe(part) @ components for part in in_blocks(checked)])

    def penalty(self, params: Floats, state: Floats) -> tuple[float, Floats]:
        return float(np.vdot(params, params)), 2.0 * params


class LinearMap(FeatureMap):
    r"""phi(x) = A x for A (p, d), so that distances are Mahalanobis distances of features.

    The penalty is the squared norm of A. Source: Xu, Zhu & Rogers 2012 (Yada), equations 11, 15.

    Examples
    --------
    >>> form = LinearMap().bound(np.array([[1.0, 0.0], [0.0, 2.0]]), penalty=0.0)
    >>> form.expand(np.array([[3.0], [1.0]]))
    array([[3.],
           [2.]])
    """

    name: ClassVar[str] = "linear map"

    def describe(self, features: ArrayLike) -> Features:
        return checked_features(features, "the features")


class KernelMap(FeatureMap):
    r"""phi(x) = W k(x), where k(x) is the kernel of x with the items or landmarks.

    K = V S V' is the kernel of the items, Phi = V S^(1/2), and W = B' S^(-1/2) V'. The positions K
    W' are then Phi B, and the penalty Tr(W K W') is the squared norm of B, so the problem is
    well-conditioned for any K. Eigenvalues that are rounding errors are left out.

    Source: Xu, Zhu & Rogers 2012 (Yada), equations 17 to 22.

    Parameters
    ----------
    kernel : {"rbf", "linear", "polynomial", "precomputed"} or callable
        See :func:`~resemblance.geometry.kernel_matrix`. With "precomputed", features are the kernel
        with the items of the fit: (n, n) in a fit, and (m, n) for new items.
    bandwidth : float, optional
        The bandwidth of "rbf", exp(-||x - y||^2 / (2 bandwidth^2)). None is the root mean square
        distance of items.
    degree : int
        The degree of "polynomial".
    landmarks : int or "auto", optional
        The number of items of the kernel, spread over all items (Nystroem method). More than 20,000
        items need it, and a few thousand items are faster. "auto" is all items up to 600, else 200.

    Examples
    --------
    >>> form = KernelMap(bandwidth=0.5).bound(np.array([[0.0], [1.0], [2.0]]), penalty=0.0)
    >>> form.design.shape
    (3, 3)
    >>> bool(np.allclose(form.describe([[1.0]]), form.design[1]))
    True
    """

    name: ClassVar[str] = "kernel map"
    _anchors: Features
    _whiten: Floats

    def __init__(
        self,
        kernel: Kernel = "rbf",
        bandwidth: float | None = 1.0,
        degree: int = 2,
        landmarks: int | Literal["auto"] | None = None,
    ) -> None:
        self.kernel, self.bandwidth, self.degree = kernel, bandwidth, degree
        self.landmarks = landmarks

    def prepared(self, features: Features) -> Self:
        landmarks = self.landmarks
        if landmarks == "auto":
            landmarks = LANDMARKS if len(features) > MANY_ITEMS else None
        if landmarks is None and len(features) > MOST_ITEMS:
            raise SettingError(
                f"the kernel of {len(features)} items with each other is too large to decompose: "
                "take it with some of them, as in landmarks=500."
            )
        form = copy(self)
        if self.bandwidth is None:
            squared = 2.0 * float(features.var(axis=0, dtype=float).sum())
            form.bandwidth = float(np.sqrt(squared)) or 1.0
        form._anchors = features if landmarks is None else self._spread(features, landmarks)
        values, vectors = eigh(form._kernel(form._anchors, None))
        kept = values > RANK * values[-1]
        form._whiten = vectors[:, kept] / np.sqrt(values[kept])
        return form

    def describe(self, features: ArrayLike) -> Floats:
        checked = checked_features(features, "the features")
        blocks = [self._kernel(block, self._anchors) @ self._whiten for block in in_blocks(checked)]
        return np.concatenate(blocks)

    def _kernel(self, X: Features, Y: Features | None) -> Floats:
        assert self.bandwidth is not None
        return kernel_matrix(X, Y, self.kernel, self.bandwidth, self.degree)

    def _spread(self, features: Features, n: Any) -> Features:
        if self.kernel == "precomputed" or not 1 <= n <= len(features):
            raise SettingError(
                f"landmarks is {n!r}: give a number from 1 to that of the items "
                f"({len(features)}), and features instead of a precomputed kernel."
            )
        return np.asarray(features[spread_out(features, n)])


def spread_out(features: Features, n: int) -> list[int]:
    """Return the numbers of n rows that are far from each other: each is farthest from earlier."""
    chosen, distance = [0], np.full(len(features), np.inf)
    for _ in range(n - 1):
        last = features[chosen[-1]]
        gap = [((block - last) ** 2).sum(axis=1) for block in in_blocks(features)]
        distance = np.minimum(distance, np.concatenate(gap))
        chosen.append(int(distance.argmax()))
    return chosen


class ShapedMap(FeatureMap):
    r"""A map with positive slopes in some directions over the range of the stimuli.

    .. math:: \text{penalty} = \lVert B \rVert^2
       + \frac{\rho}{\mu} \, \overline{\sum_k \max(0, \epsilon - \lambda_k(x))^2}

    averaged over grid points x, where mu is the penalty's factor. J(x) is the Jacobian of the map,
    with features scaled to their range. In a map that is *monotone* in feature f, lambda is the
    slope of coordinate f along feature f. In a *one-to-one* map, lambda_k are the eigenvalues of (J
    + J') / 2. If all are positive on a convex set, all stimuli in the set have different positions,
    because (phi(x) - phi(y)) . (x - y) > 0. The condition is sufficient but not necessary.

    Parameters
    ----------
    base : FeatureMap
        The map, such as a :class:`~resemblance.forms.KernelMap`.
    monotone : sequence of int
        Indices of features; the coordinate with the same index increases with the feature.
    one_to_one : bool
        Whether different stimuli have different positions. The map needs as many dimensions as
        features.
    strength : float
        rho, in nats per squared slope. Slopes are in units of the space per range of a feature.
    slope : float
        epsilon, the smallest slope without a cost.

    Raises
    ------
    SettingError
        If a feature does not exist, or neither ``monotone`` nor ``one_to_one`` is given.

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
        """Return a copy with a prepared map and with grid points for slopes."""
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
        return self.base.describe(features)

    def bound(self, features: Floats | None, penalty: float) -> Self:
        if not penalty > 0:
            raise SettingError("a ShapedMap needs a penalty above 0: give a small one.")
        return super().bound(features, penalty)

    def penalty(self, params: Floats, state: Floats) -> tuple[float, Floats]:
        """Return the squared norm of B plus the cost of small slopes, and its gradient."""
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
        """Return the smallest lambda over grid points; positive if the map has its shape."""
        return min(float(values.min()) for values, _ in self._kept_positive(self._jacobian(params)))

    def _jacobian(self, params: Floats) -> Floats:
        p, d = params.shape[1], len(self._slopes)
        needed = d if self.one_to_one else 1 + max(self.monotone)
        if p < needed:
            raise SettingError(
                f"the map is shaped in {needed} features, each with a coordinate of its own, but "
                f"the space has {p} dimensions: raise n_components, or put those features first."
            )
        return np.einsum("agq,qk->gka", self._slopes, params, optimize=True)

    def _kept_positive(self, J: Floats) -> Iterator[tuple[Floats, Floats]]:
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
