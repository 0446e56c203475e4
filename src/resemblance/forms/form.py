"""The base class of forms: distances from parameters, and gradients back to them."""

from collections.abc import Callable
from inspect import signature
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from resemblance.arrays import Floats
from resemblance.choice import Reads
from resemblance.forms import _loops

Positions = NDArray[np.int32]

READS: dict[Reads, int] = {
    "squared": _loops.SQUARED,
    "plain": _loops.PLAIN,
    "inner": _loops.INNER,
}


class Form:
    """The way in which distances follow from parameters.

    A form turns its parameters into a *state* once per evaluation (positions X of shape (n, d), or
    a Gram matrix K of shape (n, n)); distances are read from the state block by block, slopes are
    gathered into the gradient of the state, and that is pulled back into the parameters. This base
    is the form whose parameters are the positions themselves; others override what differs.
    """

    name: ClassVar[str] = "coordinates"
    default_penalty: float = 0.0
    many_views: bool = False  # whether features may be a dict of views
    places: ClassVar[bool] = True  # whether the state is the positions, and distances are theirs
    tables: bool = False  # whether positions are parameters, so that a table may hold distances
    extent: float | None = None  # longer dimensions than this are shrunk less
    turns: ClassVar[bool] = False  # whether parameters in other axes, params @ Q, fit as well
    # loops over the state
    loops: ClassVar[Any] = _loops.coordinate_distances, _loops.coordinate_gradient

    def __repr__(self) -> str:
        settings = [name for name in signature(type(self)).parameters if hasattr(self, name)]
        return f"{type(self).__name__}({', '.join(f'{n}={getattr(self, n)!r}' for n in settings)})"

    def bound(self, features: Any, penalty: float) -> "Form":
        """Return the form for items with these features, which only maps need."""
        return self

    def start(self, X: Floats) -> Floats:
        """Return parameters whose positions are X, or the nearest possible ones."""
        return X.copy()

    def expand(self, params: Floats) -> Floats:
        """Return the state at the parameters."""
        return params

    def pull_back(self, params: Floats, gradient: Floats) -> Floats:
        """Turn the gradient in the state into the gradient in the parameters."""
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
        """Add the gradient in the state of the sum of slopes times distances."""
        self.loops[1](state, *pair, reads, distances, slopes, out)

    def triplets(
        self,
        state: Floats,
        columns: tuple[Positions, Positions, Positions],
        weight: Floats,
        model: tuple[float, ...],
        out: Floats,
    ) -> float:
        """Return the losses of squared distances of head, near and far; add their gradient.

        One loop in place of distances, losses and gradients, of forms whose state are positions.
        """
        return float(_loops.triplet_gradient(state, columns, weight, model, out))

    def penalty(self, params: Floats, state: Floats) -> tuple[float, Floats]:
        """Return what the penalty multiplies, and its gradient in the parameters.

        It is tr(K), the sum of squared norms of the positions, unless a form says otherwise.
        """
        return float(np.vdot(state, state)), self.pull_back(params, 2.0 * state)

    def stiffness(self, X: Floats) -> float:
        """Return how strongly the penalty holds each coordinate, besides squared norms."""
        return 1.0

    def projection(self) -> Callable[[Floats], Floats] | None:
        """Return the projection onto the allowed parameters; None if all are allowed."""
        return None

    def lower(self, params: Floats) -> Floats | None:
        """Return the lower bound of each parameter; None without bounds."""
        return None

    def positions(self, params: Floats, n_components: int, center: bool) -> Floats:
        """Return the embedding (n, d) at the parameters, in principal axes."""
        raise NotImplementedError
