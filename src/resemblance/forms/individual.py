"""A form in which each person weighs the dimensions of one shared space differently."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from resemblance.arrays import Floats
from resemblance.forms import _loops
from resemblance.forms.form import Form, Positions


class Known(Form):
    """Fixed positions without parameters."""

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
    """Fixed positions whose dimensions a crowd weighs, by one log weight each."""

    name: ClassVar[str] = "stretched"

    def start(self, X: Floats) -> Floats:
        return np.zeros((1, self.points.shape[1]))

    def expand(self, params: Floats) -> Floats:
        return np.asarray(self.points * np.exp(params / 2))

    def pull_back(self, params: Floats, gradient: Floats) -> Floats:
        return np.asarray((gradient * self.expand(params) / 2).sum(axis=0, keepdims=True))


class Individual(Form):
    r"""Distances as people see them: each with weights of the dimensions of another form.

    .. math:: d^g_{ij} = \sum_k w_{gk} (x_{ik} - x_{jk})^2 \ \text{or}\
       \sum_k w_{gk} x_{ik} x_{jk}, \qquad w_{gk} = e^{v_{gk} - \bar v_k}

    with :math:`\bar v_k` the mean over people, so that the crowd has the weight 1 in every
    dimension. The parameters are those of the other form, and below them v, (G, d); the state has
    the positions, and below them the weights. The penalty is that of the other form, and

    .. math:: \sum_g \Big( \tau \sum_k (v_{gk} - t_g)^2 + \rho \, t_g^2 \Big), \qquad
       t_g = \frac{1}{d} \sum_k v_{gk}

    so that people are pulled towards the crowd; t is how clearly somebody answers. Where weights
    are even, :math:`t_g` takes the place of all :math:`v_{gk}`: people differ in clarity alone.
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
        """Encode person g looking at the first item i of each pair as g n + i."""
        return (pair[0] + self.n_items * who).astype(np.int32), pair[1]

    def parts(self, params: Floats) -> tuple[Floats, Floats]:
        return params[: -self.n_people], params[-self.n_people :]

    def weights(self, v: Floats) -> Floats:
        """Return the weights, whose geometric mean over people is 1 in each dimension."""
        own = self._as_weighed(v)
        return np.exp(own - own.mean(axis=0))

    def _as_weighed(self, v: Floats) -> Floats:
        """Return the log weights, or their mean over dimensions if weights are even."""
        return np.repeat(v.mean(axis=1, keepdims=True), v.shape[1], axis=1) if self.even else v

    def lower(self, params: Floats) -> Floats | None:
        own, v = self.parts(params)
        least = self.form.lower(own)
        return None if least is None else np.concatenate([least, np.full_like(v, -np.inf)])

    def expand(self, params: Floats) -> Floats:
        own, v = self.parts(params)
        return np.concatenate([self.form.expand(own), self.weights(v)])

    def pull_back(self, params: Floats, gradient: Floats) -> Floats:
        """Turn the gradients in positions and weights into those in the parameters."""
        own, v = self.parts(params)
        of_positions, of_weights = self.parts(gradient)
        moved = self.form.pull_back(own, np.ascontiguousarray(of_positions))
        of_logs = of_weights * self.weights(v)
        return np.concatenate([moved, self._as_weighed(of_logs - of_logs.mean(axis=0))])

    def distances(self, state: Floats, a: Positions, b: Positions, reads: int, out: Floats) -> None:
        """Fill out[r] with the distance of items a[r] % n and b[r] as person a[r] // n sees it."""
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
        """Add the gradient in positions and weights of the sum of slopes times distances."""
        _loops.weighted_gradient(state, self.n_items, *pair, reads, distances, slopes, out)

    def penalty(self, params: Floats, state: Floats) -> tuple[float, Floats]:
        """Return both penalties together, and their gradient."""
        own, v = self.parts(params)
        size, slope = self.form.penalty(own, self.form.expand(own))
        clear = v.mean(axis=1, keepdims=True)
        apart = v - clear
        far = self.strength * np.vdot(apart, apart) + self.clarity * np.vdot(clear, clear)
        pull = 2.0 * (self.strength * apart + self.clarity / v.shape[1] * clear)
        both = np.concatenate([self.factor * slope, pull])
        return float(self.factor * size + far), both


class InFolds(Individual):
    """Distances as each person sees them, in spaces fitted to the answers of others.

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
        """Write space and person into the items of each pair."""
        space, person = np.divmod(who, self.n_people)
        a, b = ((items + self.n_own * space).astype(np.int32) for items in pair)
        return super().pairs_of((a, b), person)


class Weights(Individual):
    """Weights of people as parameters, in fixed positions."""

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
