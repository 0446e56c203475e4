"""The maps that answers leave possible: draws of positions and of how far items spread."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.special import gammainc, gammaincinv

from resemblance.arrays import Floats
from resemblance.asking.belief import Belief
from resemblance.errors import SettingError
from resemblance.fitting.laplace.uncertainty import Covariance, PositionUncertainty
from resemblance.fitting.objective.objective import Batch, Objective
from resemblance.forms import Coordinates
from resemblance.progress import Steps, Told

WARM_UP = 60  # draws that are thrown away
LEAPS, STEP = 8, (0.2, 0.42)  # of a draw: how many, and how long, in standard deviations
SLOWER, FASTER = 0.7, 1.1  # steps, after a move of the warm-up that was refused, or not
LEAST_MOVES = 0.1  # of the draws, below which they say nothing
RESCALES, RESCALE = 2, 0.1  # of the whole map after each draw: how often, the deviation of the log
LOOSE = 100.0  # how tightly items may be drawn together where a fit has no penalty


def possible_maps(
    belief: Belief, rng: np.random.Generator, n_draws: int = 150, callback: Told | None = None
) -> Floats:
    r"""Draw positions from their posterior, the spread of items unknown.

    .. math:: p(X, \kappa) \propto \frac{1}{\kappa} \, \kappa^{n d / 2}
       e^{-\frac{\kappa}{2} \lVert X \rVert^2} \prod_r p(\text{answer } r \mid X), \qquad
       \kappa \le 2 \lambda

    where lambda is the penalty of the fit. Of the normal density that the penalty is the logarithm
    of, the precision is 2 lambda; a penalty that predicts best shrinks the one map more than items
    are spread, and so the precision is left free below that. Above, all items would fall together
    where answers are few. Hamiltonian Monte Carlo moves the positions, in units of their Laplace
    approximation; the whole map is also made larger or smaller, kappa with it. Lapses and
    temperature are none of it: the spread adapts to what answers are like.

    Parameters
    ----------
    belief : Belief
        The fit and its answers.
    rng : Generator
        The only source of chance.
    n_draws : int
        How many maps; each depends on the one before.
    callback : callable, optional
        Called with (draws done, draws in all), those of the warm-up among them, after each.

    Returns
    -------
    array (n_draws, n_items, d)

    Raises
    ------
    SettingError
        For a choice model without probabilities, or where the walk does not get on.

    References
    ----------
    Neal (2011), MCMC using Hamiltonian dynamics. Handbook of Markov Chain Monte Carlo, chapter 5.

    Examples
    --------
    >>> answered = np.array([[0, 1, 2], [2, 1, 0], [1, 0, 2]] * 5)
    >>> belief = Belief(np.array([[0.0], [1.0], [3.0]]), answered=answered, penalty=0.1)
    >>> possible_maps(belief, np.random.default_rng(0), n_draws=20).shape
    (20, 3, 1)
    """
    chain = _Chain.begin(belief)
    drawn = np.empty((n_draws, *belief.points.shape))
    moves = 0
    draws = range(-WARM_UP, n_draws)
    for number in Steps(callback, len(draws)).each(draws):
        moved = chain.move(rng)
        chain.rescale(rng)
        if number < 0:
            chain.pace = min(1.0, chain.pace * (FASTER if moved else SLOWER))
        else:
            moves += moved
            drawn[number] = chain.x.reshape(belief.points.shape)
    if moves < LEAST_MOVES * n_draws:
        raise SettingError(
            "the maps that these answers leave possible cannot be drawn: ask more questions, or "
            "fit another model"
        )
    return drawn


@dataclass
class _Chain:
    """Where a walk through the posterior is.

    Attributes
    ----------
    likelihood : Objective
        Minus the log probability of the answers.
    root : matrix (n d, n d)
        Of the covariance in whose units steps are.
    x : array (n d,)
        The positions.
    precision, most : float
        kappa, and its limit.
    pace : float
        How long steps are, against the usual.
    """

    likelihood: Objective
    root: Covariance
    shape: tuple[int, ...]
    x: Floats
    precision: float
    most: float
    pace: float = 1.0

    @classmethod
    def begin(cls, belief: Belief) -> Self:
        """Begin at the fit."""
        X, comparisons = belief.points, belief.told(belief.answered)
        free = 1.0 / max(float(np.mean(X**2)), 1e-12)
        precision = belief.penalty or free
        uncertainty = PositionUncertainty(X, belief.choice, comparisons, prior=precision)
        data = [Batch(part.pairs, np.empty(0), part.layout) for part in comparisons]
        return cls(
            Objective(data, belief.choice, Coordinates()),
            uncertainty.root(),
            X.shape,
            X.ravel().copy(),
            precision,
            2.0 * belief.penalty or LOOSE * free,
        )

    def energy(self, x: Floats) -> tuple[float, Floats]:
        """Return minus the log posterior of positions, and its slope."""
        loss, slope = self.likelihood(x.reshape(self.shape))
        return loss + float(0.5 * self.precision * x @ x), slope.ravel() + self.precision * x

    def move(self, rng: np.random.Generator) -> bool:
        """Take a few leaps in a random direction; stay where that is too improbable."""
        step, z, x = self.pace * rng.uniform(*STEP), rng.normal(size=self.x.size), self.x
        energy, slope = self.energy(x)
        before = energy + 0.5 * z @ z
        for _ in range(LEAPS):
            z = z - 0.5 * step * (self.root.T @ slope)
            x = x + step * (self.root @ z)
            energy, slope = self.energy(x)
            z = z - 0.5 * step * (self.root.T @ slope)
        moved = bool(np.log(rng.random()) < before - energy - 0.5 * z @ z)
        if moved:
            self.x = x
        return moved

    def rescale(self, rng: np.random.Generator) -> None:
        """Make the whole map larger or smaller; then draw the precision that is as probable."""
        loss, _ = self.likelihood(self.x.reshape(self.shape))
        for factor in np.exp(RESCALE * rng.normal(size=RESCALES)):
            precision = self.precision / factor**2  # of the prior, nothing changes
            other, _ = self.likelihood(factor * self.x.reshape(self.shape))
            if precision <= self.most and np.log(rng.random()) < loss - other:
                self.x, self.precision, loss = factor * self.x, precision, other
        square = max(0.5 * float(self.x @ self.x), 1e-300)
        self.precision = gamma_below(self.most, 0.5 * self.x.size, square, rng)


def gamma_below(most: float, shape: float, rate: float, rng: np.random.Generator) -> float:
    """Draw from a gamma distribution cut off at the most that is allowed.

    Examples
    --------
    >>> bool(0 < gamma_below(2.0, 30.0, 1.0, np.random.default_rng(0)) <= 2.0)
    True
    """
    share = rng.random() * gammainc(shape, rate * most)
    return float(gammaincinv(shape, share) / rate) if share > 0 else most  # else it underflowed
