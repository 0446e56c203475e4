"""Simulated worlds for planning: from a prior, or from a pilot."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from resemblance.errors import SettingError
from resemblance.fitting.certainty.posterior import SpacePosterior
from resemblance.observers import SpaceObserver
from resemblance.ranges import BELOW_ONE, Range, check

Ends = tuple[float, float]


class Worlds(ABC):
    """A family of spaces and people who see them; ``draw`` returns one person."""

    n_items: int
    guessed: bool = False  # whether no answers stand behind them: a plan then needs a pilot

    @property
    def dimensions(self) -> tuple[int, ...]:
        """The possible numbers of dimensions; empty if unknown."""
        return ()

    @abstractmethod
    def draw(self, seed: int) -> SpaceObserver:
        """Return a person who sees one of the spaces; one seed gives one person."""

    def assumed(self) -> str:
        """Describe the assumptions that all of them share."""
        return f"{self.n_items} items"


@dataclass(frozen=True)
class PriorSimulation(Worlds):
    r"""Normally distributed positions, spread so that two people agree on so many triplets.

    What is given as a range is not known: each world draws a number from it, all alike probable.

    .. math:: E[P^2 + (1 - P)^2] = \text{agreement}, \qquad P = (1 - \lambda) p + \lambda / 2

    over random triplets, with p of the softmax model (STE).

    Parameters
    ----------
    n_items, n_dims : int
        The numbers of items and dimensions.
    agreement : float or (float, float)
        The share of random triplets on which two people give the same answer: 0.5 is chance; in
        the crowd-kernel paper it was 0.65 to 0.68, and 0.75 to 0.85 is usual where items differ
        clearly.
    lapse : float or (float, float)
        The share of answers given by chance.

    Raises
    ------
    SettingError
        If no spread gives that agreement.

    Examples
    --------
    >>> person = PriorSimulation(n_items=20, n_dims=2, agreement=0.7).draw(seed=0)
    >>> person.points.shape
    (20, 2)
    """

    n_items: int
    n_dims: int = 2
    agreement: float | Ends = (0.65, 0.85)
    lapse: float | Ends = (0.0, 0.1)
    guessed = True

    def __post_init__(self) -> None:
        if self.n_items < 3 or self.n_dims < 1:
            raise SettingError(
                f"{self.n_items} items in {self.n_dims} dimensions: give three items at least, in "
                "one dimension or more."
            )
        (least, most), (rare, often) = _ends(self.agreement), _ends(self.lapse)
        check(lapse=(rare, BELOW_ONE))
        check(lapse=(often, Range(rare, 1, below=True)))
        limit = 0.99 * (1.0 - often * (1.0 - 0.5 * often))
        if not 0.5 < least <= most < limit:
            raise SettingError(
                f"agreement is {self.agreement!r}: give a share above 0.5 and below {limit:.3f}, "
                f"the most that a lapse of {often} allows."
            )

    @property
    def dimensions(self) -> tuple[int, ...]:
        """The number of dimensions of all spaces."""
        return (self.n_dims,)

    def draw(self, seed: int) -> SpaceObserver:
        """Return a person whose space has normally distributed positions."""
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(self.n_items, self.n_dims))
        agreement, lapse = (float(rng.uniform(*_ends(x))) for x in (self.agreement, self.lapse))
        return SpaceObserver(self._spread(agreement, lapse) * X, lapse=lapse, random_state=seed)

    def assumed(self) -> str:
        """Describe what these worlds have in common, and what varies."""
        return (
            f"{self.n_items} items spread normally in {self.n_dims} dimensions; two people agree "
            f"on {_percent(self.agreement)} of random triplets; {_percent(self.lapse)} of answers "
            "by chance"
        )

    def _spread(self, agreement: float, lapse: float) -> float:
        """Find the standard deviation of a coordinate that gives the agreement."""
        corners = np.random.default_rng(0).normal(size=(4000, 3, self.n_dims))
        triplets = np.arange(12000).reshape(-1, 3)

        def excess(log_spread: float) -> float:
            points = np.exp(log_spread) * corners.reshape(-1, self.n_dims)
            P = SpaceObserver(points, lapse=lapse).probability(triplets)
            return float(np.mean(P**2 + (1.0 - P) ** 2) - agreement)

        return float(np.exp(brentq(excess, -7.0, 7.0)))


def _ends(given: float | Ends) -> Ends:
    return given if isinstance(given, tuple) else (given, given)


def _percent(given: float | Ends) -> str:
    least, most = _ends(given)
    return f"{100 * least:.3g}{f' to {100 * most:.3g}' * (most > least)} %"


@dataclass(frozen=True)
class PosteriorSimulation(Worlds):
    """Spaces drawn from the posterior of a pilot's answers.

    Parameters
    ----------
    posterior : SpacePosterior
        The result of :func:`~resemblance.fitting.space_posterior` for the pilot.

    Examples
    --------
    >>> from resemblance.fitting import space_posterior
    >>> rng = np.random.default_rng(0)
    >>> person = SpaceObserver(rng.normal(size=(8, 2)), random_state=0)
    >>> pilot = person.answer([rng.choice(8, 3, replace=False) for _ in range(200)])
    >>> PosteriorSimulation(space_posterior(pilot)).draw(seed=0).points.shape
    (8, 2)
    """

    posterior: SpacePosterior

    @property
    def n_items(self) -> int:  # type: ignore[override]
        """The number of items of the pilot."""
        return len(self.posterior.points)

    @property
    def dimensions(self) -> tuple[int, ...]:
        """The numbers of dimensions in the posterior, ascending."""
        return tuple(sorted({part.points.shape[1] for part in self.posterior.parts}))

    def assumed(self) -> str:
        """Describe the pilot."""
        posterior = self.posterior
        return (
            f"as in the pilot, {self.n_items} items in {posterior.points.shape[1]} dimensions; "
            f"{posterior.lapse:.0%} of answers by chance"
        )

    def draw(self, seed: int) -> SpaceObserver:
        """Return a person who sees one space of the posterior, with its lapses."""
        X, part = self.posterior.sample(np.random.default_rng(seed))
        return SpaceObserver(X, part.choice, lapse=part.noise.lapse, random_state=seed)
