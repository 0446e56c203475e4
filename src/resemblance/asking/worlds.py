"""Worlds that a study may meet: guessed before it, or what a pilot leaves possible."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from resemblance.errors import SettingError
from resemblance.fitting.certainty.posterior import SpacePosterior
from resemblance.observers import SpaceObserver
from resemblance.ranges import BELOW_ONE, check


class Worlds(ABC):
    """A family of spaces with the people who see them; ``draw`` gives one."""

    n_items: int

    @property
    def dimensions(self) -> tuple[int, ...]:
        """The numbers of dimensions that spaces may have; empty where nobody knows."""
        return ()

    @abstractmethod
    def draw(self, seed: int) -> SpaceObserver:
        """Return a person who sees one of the spaces; one seed gives one person."""


@dataclass(frozen=True)
class PriorSimulation(Worlds):
    r"""Normally distributed positions, spread so that two people agree on so many triplets.

    .. math:: E[P^2 + (1 - P)^2] = \text{agreement}, \qquad P = (1 - \lambda) p + \lambda / 2

    over random triplets, with p of the softmax model (STE).

    Parameters
    ----------
    n_items, n_dims : int
        How many items, in how many dimensions.
    agreement : float
        The share of random triplets on which two people give the same answer: 0.5 is chance; in
        the crowd-kernel paper it was 0.65 to 0.68, and 0.75 to 0.85 is usual where items differ
        clearly.
    lapse : float
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
    agreement: float = 0.75
    lapse: float = 0.05

    def __post_init__(self) -> None:
        if self.n_items < 3 or self.n_dims < 1:
            raise SettingError(
                f"{self.n_items} items in {self.n_dims} dimensions: give three items at least, in "
                "one dimension or more."
            )
        check(lapse=(self.lapse, BELOW_ONE))
        most = 1.0 - self.lapse * (1.0 - 0.5 * self.lapse)
        if not 0.5 < self.agreement < 0.99 * most:
            raise SettingError(
                f"agreement is {self.agreement!r}: give a share above 0.5 and below "
                f"{0.99 * most:.3f}, the most that a lapse of {self.lapse} allows."
            )

    @property
    def dimensions(self) -> tuple[int, ...]:
        """That of all spaces."""
        return (self.n_dims,)

    def draw(self, seed: int) -> SpaceObserver:
        """Return a person who sees normally distributed positions."""
        rng = np.random.default_rng(seed)
        X = self._spread() * rng.normal(size=(self.n_items, self.n_dims))
        return SpaceObserver(X, lapse=self.lapse, random_state=seed)

    def _spread(self) -> float:
        """Find the standard deviation of a coordinate that gives the agreement."""
        corners = np.random.default_rng(0).normal(size=(4000, 3, self.n_dims))
        triplets = np.arange(12000).reshape(-1, 3)

        def excess(log_spread: float) -> float:
            points = np.exp(log_spread) * corners.reshape(-1, self.n_dims)
            P = SpaceObserver(points, lapse=self.lapse).probability(triplets)
            return float(np.mean(P**2 + (1.0 - P) ** 2) - self.agreement)

        return float(np.exp(brentq(excess, -7.0, 7.0)))


@dataclass(frozen=True)
class PosteriorSimulation(Worlds):
    """Spaces drawn from what the answers of a pilot leave possible.

    Parameters
    ----------
    posterior : SpacePosterior
        What :func:`~resemblance.fitting.space_posterior` has learned from the pilot.

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
        """Those of the parts of the posterior, rising."""
        return tuple(sorted({part.points.shape[1] for part in self.posterior.parts}))

    def draw(self, seed: int) -> SpaceObserver:
        """Return a person who sees one space of the posterior, with its lapses."""
        X, part = self.posterior.sample(np.random.default_rng(seed))
        return SpaceObserver(X, part.choice, lapse=part.noise.lapse, random_state=seed)
