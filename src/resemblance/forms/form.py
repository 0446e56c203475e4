"""Define forms with coordinates, loadings, a Gram matrix or weights as parameters."""

from collections.abc import Callable
from inspect import signature
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import dsymm

from resemblance.arrays import Floats
from resemblance.choice import Reads
from resemblance.forms import _loops
from resemblance.geometry import (
    positions_from_gram,
    principal_axes,
    project_correlation,
    project_psd,
)
from resemblance.ranges import POSITIVE, SHARE, check

Positions = NDArray[np.int32]

READS: dict[Reads, int] = {
    "squared": _loops.SQUARED,
    "plain": _loops.PLAIN,
    "inner": _loops.INNER,
}


class Form:
    """Base class of forms, which compute distances from parameters.

    In each evaluation, a form first computes the *state* from the parameters: positions X (n, d),
    or a Gram matrix K (n, n). Distances are computed from the state in blocks of rows. Slopes are
    summed to the gradient with respect to the state, from which :meth:`pull_back` computes the
    gradient with respect to the parameters. In this base class, the parameters are the positions.
    """

    name: ClassVar[str] = "coordinates"
    default_penalty: float = 0.0
    many_views: bool = False  # whether items may have several views of features
    places: ClassVar[bool] = True  # whether the state consists of positions
    tables: bool = False  # whether Tabled can replace the form
    extent: float | None = None  # extent above which the penalty shrinks a dimension less
    turns: ClassVar[bool] = False  # whether rotated parameters params @ Q fit equally well
    # The compiled loops compute distances from the state, and gradients with respect to the state.
    loops: ClassVar[Any] = _loops.coordinate_distances, _loops.coordinate_gradient

    def __repr__(self) -> str:
        settings = [name for name in signature(type(self)).parameters if hasattr(self, name)]
        return f"{type(self).__name__}({', '.join(f'{n}={getattr(self, n)!r}' for n in settings)})"

    def bound(self, features: Any, penalty: float) -> "Form":
        """Return the form for items with the given features. Only maps of features change."""
        return self

    def start(self, X: Floats) -> Floats:
        """Return parameters whose positions are X, or the nearest possible positions."""
        return X.copy()

    def expand(self, params: Floats) -> Floats:
        """Return the state at the parameters."""
        return params

    def pull_back(self, params: Floats, gradient: Floats) -> Floats:
        """Return the gradient with respect to the parameters, given that for the state."""
        return gradient

    def distances(self, state: Floats, a: Positions, b: Positions, reads: int, out: Floats) -> None:
        """Fill out[r] with the distance (or inner product) of items a[r] and b[r]."""
        self.loops[0](state, a, b, reads, out)

    def add_gradient(
        self,
        state: Floats,
        pair: tuple[Positions, Positions],
        reads: int,
        distances: Floats,
        slopes: Floats,
        out: Floats,
    ) -> None:
        """Add to ``out`` the gradient, in the state, of the sum of slopes times distances."""
        self.loops[1](state, *pair, reads, distances, slopes, out)

    def triplets(
        self,
        state: Floats,
        columns: tuple[Positions, Positions, Positions],
        weight: Floats,
        model: tuple[float, ...],
        out: Floats,
    ) -> float:
        """Return the loss of triplets for squared distances; add its gradient to ``out``.

        ``columns`` are head, near and far. Only for forms whose state is positions.
        """
        return float(_loops.triplet_gradient(state, columns, weight, model, out))

    def penalty(self, params: Floats, state: Floats) -> tuple[float, Floats]:
        """Return the size, which the penalty multiplies, and the gradient of the size.

        The size is tr(K), the sum of squared norms of positions, unless a form overrides it.
        """
        return float(np.vdot(state, state)), self.pull_back(params, 2.0 * state)

    def stiffness(self, X: Floats) -> float:
        """Return the mean ratio of the second derivatives of the size and of tr(K)."""
        return 1.0

    def projection(self) -> Callable[[Floats], Floats] | None:
        """Return the projection onto allowed parameters; None if all are allowed."""
        return None

    def lower(self, params: Floats) -> Floats | None:
        """Return the lower bound of each parameter; None without bounds."""
        return None

    def positions(self, params: Floats, n_components: int, center: bool) -> Floats:
        """Return the positions (n, d) at the parameters, along principal axes."""
        raise NotImplementedError


EXTENT = POSITIVE.besides(None)
WORTH = 16.0  # cost of a table entry, relative to one coordinate of a pair in a loop
MOST_ITEMS = 8000  # maximum number of items for a table, which then has 0.5 GB


class Coordinates(Form):
    r"""Free positions X: d_ij = ||x_i - x_j||^2, n * d parameters, without an n x n matrix.

    The penalty multiplies tr(X'X), or with an extent e

    .. math:: n e \log \det \left( I + \frac{X'X}{n e} \right)
       = n e \sum_k \log \left( 1 + \frac{\|x_k\|^2}{n e} \right)

    over principal axes k. With an extent, long dimensions are shrunk less. This is the penalty for
    a separate variance of each dimension, whose gamma-distributed inverse is integrated out.

    Source: Fazel, Hindi & Boyd 2003 (log-det heuristic); Tipping 2001 (variances integrated out).

    Parameters
    ----------
    unit_norm : bool
        Whether rows have length one (Tamuz et al. 2011, equation 1). The parameters are then free
        rows z, with x = z / ||z||.
    extent : float, optional
        The mean squared coordinate e at which shrinkage is halved. None is infinity.

    Raises
    ------
    SettingError
        If the extent is not above 0.

    Examples
    --------
    >>> Coordinates(unit_norm=True).expand(np.array([[3.0, 4.0]]))
    array([[0.6, 0.8]])
    """

    name: ClassVar[str] = "coordinates"
    tables = True
    turns = True

    def __init__(self, unit_norm: bool = False, extent: float | None = None) -> None:
        check(extent=(extent, EXTENT))
        self.unit_norm, self.extent = unit_norm, extent

    def expand(self, params: Floats) -> Floats:
        """Return X: the parameters, scaled to length one with ``unit_norm``."""
        return params / _lengths(params) if self.unit_norm else params

    def pull_back(self, params: Floats, gradient: Floats) -> Floats:
        """Return the gradient, without its radial part with ``unit_norm``."""
        if not self.unit_norm:
            return gradient
        lengths = _lengths(params)
        X = params / lengths
        return (gradient - X * (X * gradient).sum(axis=1, keepdims=True)) / lengths

    def penalty(self, params: Floats, state: Floats) -> tuple[float, Floats]:
        """Return the trace, or the log determinant with an extent, and its gradient."""
        if self.extent is None:
            return super().penalty(params, state)
        X = self.expand(params)
        full = len(X) * self.extent
        around = np.eye(X.shape[1]) + X.T @ X / full
        slope = np.asarray(2.0 * np.linalg.solve(around, X.T).T, dtype=float)
        return float(full * np.linalg.slogdet(around)[1]), self.pull_back(params, slope)

    def stiffness(self, X: Floats) -> float:
        """Return the mean shrinkage of dimensions, 1 without an extent."""
        if self.extent is None:
            return 1.0
        squares = np.linalg.eigvalsh(X.T @ X) / len(X)
        return float(np.mean(self.extent / (self.extent + squares)))

    def positions(self, params: Floats, n_components: int, center: bool) -> Floats:
        """Return X along its principal axes. Rows of length one are not centred."""
        return principal_axes(self.expand(params), center=center and not self.unit_norm)


class NonNegative(Form):
    r"""Loadings X >= 0 of the items on interpretable dimensions.

    The penalty multiplies

    .. math:: \rho \sum_{ik} x_{ik} + (1 - \rho) \sum_{ik} x_{ik}^2

    Dimensions are not rotated, and are sorted by the sum of loadings, largest first. The first term
    makes most loadings 0. It also sets columns that the answers do not need to 0; these columns are
    left out. The second term shrinks loadings without making columns 0.

    Source: Zheng, Pereira, Baker & Hebart 2019 (rho = 1); Zou & Hastie 2005 (elastic net).

    >>> NonNegative().start(np.array([[0.5, -1.0]]))
    array([[0.5, 0. ]])
    """

    name: ClassVar[str] = "nonnegative"
    tables = True

    def __init__(self, l1_ratio: float = 1.0) -> None:
        check(l1_ratio=(l1_ratio, SHARE))
        self.l1_ratio = l1_ratio

    def start(self, X: Floats) -> Floats:
        return np.maximum(X, 0.0)

    def lower(self, params: Floats) -> Floats:
        return np.zeros_like(params)

    def penalty(self, params: Floats, state: Floats) -> tuple[float, Floats]:
        lasso, ridge = self.l1_ratio, 1.0 - self.l1_ratio
        size = lasso * params.sum() + ridge * np.vdot(params, params)
        return float(size), lasso + 2.0 * ridge * params

    def positions(self, params: Floats, n_components: int, center: bool) -> Floats:
        """Return the loadings (n, k), with columns sorted by their sum, without columns of 0."""
        totals = params.sum(axis=0)
        order = np.argsort(-totals, kind="stable")
        return np.ascontiguousarray(params[:, order[totals[order] > 0.0]])


def _lengths(params: Floats) -> Floats:
    return np.maximum(np.linalg.norm(params, axis=1, keepdims=True), 1e-12)


class Gram(Form):
    """Inner products K, positive semidefinite: d_ij = K_ii + K_jj - 2 K_ij.

    Convex losses of squared distances are convex in K. K has full rank, unless a penalty on its
    trace lowers the rank. Positions are the best approximation of K with rank d.

    Parameters
    ----------
    unit_diagonal : bool
        Whether K_ii = 1 (crowd kernel learning).

    Examples
    --------
    >>> X = np.array([[0.0, 1.0], [1.0, 1.0]])
    >>> Gram().start(X)
    array([[1., 1.],
           [1., 2.]])
    """

    name: ClassVar[str] = "gram"
    places = False
    loops = _loops.gram_distances, _loops.gram_gradient

    def __init__(self, unit_diagonal: bool = False) -> None:
        self.unit_diagonal = unit_diagonal
        self.default_penalty = 0.0 if unit_diagonal else 1.0

    def start(self, X: Floats) -> Floats:
        """Return K = X X', or with unit diagonal K = s^2 X X' + c c'.

        The scale s makes the length of the longest row 1, and c_i = sqrt(1 - s^2 ||x_i||^2).
        """
        if not self.unit_diagonal:
            return np.asarray(X @ X.T)
        lengths = np.linalg.norm(X, axis=1)
        scale = 1.0 / max(float(lengths.max()), 1e-12)
        c = np.sqrt(np.maximum(1.0 - (scale * lengths) ** 2, 0.0))
        return np.asarray(scale**2 * (X @ X.T) + np.outer(c, c))

    def penalty(self, params: Floats, state: Floats) -> tuple[float, Floats]:
        return float(np.trace(state)), np.eye(len(state))

    def projection(self) -> Callable[[Floats], Floats]:
        """Return the projection onto psd matrices, or onto psd matrices with unit diagonal.

        With unit diagonal, each projection starts from the dual solution of the previous one.
        """
        if not self.unit_diagonal:
            return project_psd
        dual: Floats | None = None

        def project(K: Floats) -> Floats:
            nonlocal dual
            K, dual = project_correlation(K, dual)
            return K

        return project

    def positions(self, params: Floats, n_components: int, center: bool) -> Floats:
        """Return the d leading components of K (n, d), centred first if ``center``."""
        return positions_from_gram(params, n_components, center)


def quickest(form: Form, n_items: int, n_components: int, n_pairs: int, reads: int) -> Form:
    """Return the form, or a faster form with the same distances in a table.

    A table of n x n distances costs n^2 d multiplications of linear algebra, which are about ten
    times as fast as the m d multiplications of a loop over m pairs. A look-up in the table costs
    the same for any d.
    """
    if not form.tables or reads == _loops.PLAIN or n_items > MOST_ITEMS:
        return form
    pays = n_pairs * n_components > WORTH * n_items**2 and n_pairs > n_items**2 / 10
    return Tabled(form, reads) if pays else form


class Tabled(Form):
    r"""A form of positions, where the state is the table of the distances of all pairs.

    S are the slopes of pairs, and D the distances for squared distances or inner products:

    .. math:: D_{ij} = \|x_i - x_j\|^2 \ \text{or}\ x_i \cdot x_j, \qquad
       \frac{\partial}{\partial X} \sum_{ij} S_{ij} D_{ij} =
       2 (\mathrm{diag}(R 1) - R) X \ \text{or}\ R X, \qquad R = S + S'
    """

    places = False
    loops = _loops.table_distances, _loops.table_gradient

    def __init__(self, form: Form, reads: int) -> None:
        self.form, self.reads = form, reads
        self.default_penalty, self.extent = form.default_penalty, form.extent

    def start(self, X: Floats) -> Floats:
        return self.form.start(X)

    def expand(self, params: Floats) -> Floats:
        X = self.form.expand(params)
        K = X @ X.T
        if self.reads == _loops.INNER:
            return np.asarray(K)
        squares = K.diagonal().copy()
        K *= -2.0
        K += squares
        K += squares[:, None]
        return np.maximum(K, 0.0, out=K)

    def pull_back(self, params: Floats, gradient: Floats) -> Floats:
        X = self.form.expand(params)
        moved = dsymm(1.0, gradient.T, X, lower=1)  # R X, where only the upper half of R is stored
        if self.reads == _loops.SQUARED:
            totals = gradient.sum(axis=0) + gradient.sum(axis=1)
            moved = 2.0 * (totals[:, None] * X - moved)
        return self.form.pull_back(params, np.ascontiguousarray(moved))

    def penalty(self, params: Floats, state: Floats) -> tuple[float, Floats]:
        return self.form.penalty(params, self.form.expand(params))

    def lower(self, params: Floats) -> Floats | None:
        return self.form.lower(params)

    def positions(self, params: Floats, n_components: int, center: bool) -> Floats:
        return self.form.positions(params, n_components, center)


class Known(Form):
    name: ClassVar[str] = "known"

    def __init__(self, points: Floats) -> None:
        self.points = np.ascontiguousarray(points)

    def start(self, X: Floats) -> Floats:
        return np.empty((0, self.points.shape[1]))

    def expand(self, params: Floats) -> Floats:
        return self.points

    def pull_back(self, params: Floats, gradient: Floats) -> Floats:
        return np.zeros_like(params)

    def penalty(self, params: Floats, state: Floats) -> tuple[float, Floats]:
        return 0.0, np.zeros_like(params)


class Stretched(Known):
    """Fixed positions, with log weights of dimensions as parameters."""

    name: ClassVar[str] = "stretched"

    def start(self, X: Floats) -> Floats:
        return np.zeros((1, self.points.shape[1]))

    def expand(self, params: Floats) -> Floats:
        return np.asarray(self.points * np.exp(params / 2))

    def pull_back(self, params: Floats, gradient: Floats) -> Floats:
        return np.asarray((gradient * self.expand(params) / 2).sum(axis=0, keepdims=True))


class Individual(Form):
    r"""Distances of another form, with weights of dimensions for each person.

    .. math:: d^g_{ij} = \sum_k w_{gk} (x_{ik} - x_{jk})^2 \ \text{or}\
       \sum_k w_{gk} x_{ik} x_{jk}, \qquad w_{gk} = e^{v_{gk} - \bar v_k}

    where g is a person and :math:`\bar v_k` the mean over people, so that the crowd's weights are
    1. The parameters are the parameters of the other form, followed by the rows of v (G, d). The
    state is the positions, followed by the weights. The penalty of the other form is increased by

    .. math:: \sum_g \Big( \tau \sum_k (v_{gk} - t_g)^2 + \rho \, t_g^2 \Big), \qquad
       t_g = \frac{1}{d} \sum_k v_{gk}

    which shrinks people's weights towards the crowd's. :math:`t_g` is the log clarity of person g.
    With ``even``, :math:`t_g` replaces all :math:`v_{gk}`, so that people differ only in clarity.
    ``shape`` is (n, G), ``strength`` is tau and ``clarity`` is rho.

    Source: Carroll & Chang 1970 (INDSCAL).
    """

    name: ClassVar[str] = "individual"
    places = False

    def __init__(
        self,
        form: Form,
        shape: tuple[int, int],
        penalty: float,
        strength: float,
        clarity: float,
        even: bool = False,
    ) -> None:
        self.form, self.even = form, even
        self.n_items, self.n_people = shape
        self.factor, self.strength, self.clarity = penalty, strength, clarity

    def pairs_of(
        self, pair: tuple[Positions, Positions], who: NDArray[np.intp]
    ) -> tuple[Positions, Positions]:
        """Return pairs where the first item i is encoded with its person g as g n + i."""
        return (pair[0] + self.n_items * who).astype(np.int32), pair[1]

    def parts(self, params: Floats) -> tuple[Floats, Floats]:
        return params[: -self.n_people], params[-self.n_people :]

    def weights(self, v: Floats) -> Floats:
        """Return the weights (G, d), whose geometric mean over people is 1."""
        own = self._as_weighed(v)
        return np.exp(own - own.mean(axis=0))

    def _as_weighed(self, v: Floats) -> Floats:
        return np.repeat(v.mean(axis=1, keepdims=True), v.shape[1], axis=1) if self.even else v

    def lower(self, params: Floats) -> Floats | None:
        own, v = self.parts(params)
        least = self.form.lower(own)
        return None if least is None else np.concatenate([least, np.full_like(v, -np.inf)])

    def expand(self, params: Floats) -> Floats:
        own, v = self.parts(params)
        return np.concatenate([self.form.expand(own), self.weights(v)])

    def pull_back(self, params: Floats, gradient: Floats) -> Floats:
        own, v = self.parts(params)
        of_positions, of_weights = self.parts(gradient)
        moved = self.form.pull_back(own, np.ascontiguousarray(of_positions))
        of_logs = of_weights * self.weights(v)
        return np.concatenate([moved, self._as_weighed(of_logs - of_logs.mean(axis=0))])

    def distances(self, state: Floats, a: Positions, b: Positions, reads: int, out: Floats) -> None:
        """Fill out[r] with the distance of items a[r] % n and b[r] for person a[r] // n."""
        _loops.weighted_distances(state, self.n_items, a, b, reads, out)

    def add_gradient(
        self,
        state: Floats,
        pair: tuple[Positions, Positions],
        reads: int,
        distances: Floats,
        slopes: Floats,
        out: Floats,
    ) -> None:
        _loops.weighted_gradient(state, self.n_items, *pair, reads, distances, slopes, out)

    def penalty(self, params: Floats, state: Floats) -> tuple[float, Floats]:
        own, v = self.parts(params)
        size, slope = self.form.penalty(own, self.form.expand(own))
        clear = v.mean(axis=1, keepdims=True)
        apart = v - clear
        far = self.strength * np.vdot(apart, apart) + self.clarity * np.vdot(clear, clear)
        pull = 2.0 * (self.strength * apart + self.clarity / v.shape[1] * clear)
        both = np.concatenate([self.factor * slope, pull])
        return float(self.factor * size + far), both


class InFolds(Individual):
    """Distances with weights of people, in spaces that were fitted to other people.

    The positions of all spaces are stacked. Person g in space s is encoded as s G + g.
    """

    name: ClassVar[str] = "in folds"

    def __init__(
        self, form: Form, shape: tuple[int, int, int], strength: float, clarity: float
    ) -> None:
        n_spaces, self.n_own, n_people = shape
        super().__init__(form, (n_spaces * self.n_own, n_people), 0.0, strength, clarity)

    def pairs_of(
        self, pair: tuple[Positions, Positions], who: NDArray[np.intp]
    ) -> tuple[Positions, Positions]:
        space, person = np.divmod(who, self.n_people)
        a, b = ((items + self.n_own * space).astype(np.int32) for items in pair)
        return super().pairs_of((a, b), person)


class Weights(Individual):
    """Fixed positions, with people's weights of dimensions as parameters."""

    def __init__(self, points: Floats, n_people: int) -> None:
        super().__init__(Known(points), (len(points), n_people), 0.0, 0.0, 0.0)

    def lower(self, params: Floats) -> Floats | None:
        return None

    def expand(self, params: Floats) -> Floats:
        return np.concatenate([self.form.expand(params[:0]), params])

    def pull_back(self, params: Floats, gradient: Floats) -> Floats:
        return np.asarray(gradient[self.n_items :])

    def penalty(self, params: Floats, state: Floats) -> tuple[float, Floats]:
        return 0.0, np.zeros_like(params)
