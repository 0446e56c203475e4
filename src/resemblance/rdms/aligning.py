"""Match the items of two spaces using only the distances in each space."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import pdist, squareform
from sklearn.utils import check_random_state

from resemblance.arrays import Floats
from resemblance.errors import RDMError
from resemblance.fitting import OrdinalEmbedding
from resemblance.geometry.procrustes import as_points
from resemblance.notebook import Card, Shown
from resemblance.optional import pd, require
from resemblance.progress import Steps, Told
from resemblance.ranges import check, integers
from resemblance.rdms.rdms import RDMs
from resemblance.rdms.sources import rdm

FEWEST_ITEMS = 4
# BLUR: weight of the entropy. STEPS, SWEEPS: largest numbers of iterations, of the descent and of
# Sinkhorn's algorithm.
BLUR, STEPS, SWEEPS = 0.1, 21, 5
# Number of starts for each simulated space; the real space is compared with as many starts.
TESTED = 5
# NEAR: good starts end within this share of the way to chance. FEWEST_NEAR: smallest number of good
# starts.
NEAR, FEWEST_NEAR = 0.25, 5
SURE, LEVEL = 0.8, 0.05  # SURE: smallest certainty of a reported match. LEVEL: level of the test.


@dataclass(frozen=True)
class UnsupervisedAlignment(Shown):
    """A match of n items with m other items: the result of :func:`unsupervised_alignment`.

    Attributes
    ----------
    items, others : tuple of str
    plan : array (n, m)
        The optimal transport plan; rows sum to 1 / n.
    distance : float
        The Gromov-Wasserstein distance; 0 if the structures are identical.
    starts : array (n_starts,)
        The distance that each start reached.
    n_near : int
        The number of starts that are about as good as the best start.
    agreement : array (n, m)
        The probability of each partner, averaged over these good starts; rows sum to 1.
    p_value : float
        The p-value of the null hypothesis that the structures agree by chance.
    """

    items: tuple[str, ...]
    others: tuple[str, ...]
    plan: Floats
    distance: float
    starts: Floats
    n_near: int
    agreement: Floats
    p_value: float

    @property
    def matches(self) -> Any:
        """The index of each item's most probable partner, (n,)."""
        return self.plan.argmax(axis=1)

    @property
    def certainty(self) -> Floats:
        """The probability of the most probable partner, (n,), if the structures agree."""
        return self.agreement[np.arange(len(self.items)), self.matches]

    @property
    def sure(self) -> Any:
        """Whether each match may be reported, (n,): certainty of .8 or more, and p <= .05."""
        significant = self.p_value <= LEVEL and self.n_near >= FEWEST_NEAR
        return (self.certainty >= SURE) & significant

    @property
    def verdict(self) -> str:
        """The verdict: "matched", "ambiguous", "not told" or "unknown".

        "not told" means p > .05. "unknown" means that fewer than 5 starts are about as good as the
        best. "matched" means that at least half of the matches may be reported (:attr:`sure`).
        """
        if self.p_value > LEVEL or self.n_near < FEWEST_NEAR:
            return "not told" if self.p_value > LEVEL else "unknown"
        return "matched" if self.sure.mean() >= 0.5 else "ambiguous"

    def matching_rate(self, k: int = 1) -> float:
        """Return the share of items whose namesake is among their k most probable partners."""
        check(k=(k, integers(1, len(self.others))))
        rows = [row for row, name in enumerate(self.items) if name in self.others]
        if not rows:
            raise RDMError("no item has the same name in both spaces: name items to check matches")
        own = self.agreement[rows, [self.others.index(self.items[row]) for row in rows]][:, None]
        above = (self.agreement[rows] > own + 1e-9).sum(axis=1)
        # Partners that tie share the places up to the k-th.
        ties = (np.abs(self.agreement[rows] - own) <= 1e-9).sum(axis=1)
        return float(np.clip((k - above) / ties, 0.0, 1.0).mean())

    def to_pandas(self) -> pd.DataFrame:
        """Return a table with a row for each item."""
        match = [self.others[place] for place in self.matches]
        rows = {"match": match, "certainty": self.certainty, "sure": self.sure}
        return pd.DataFrame(rows, index=pd.Index(self.items, name="item"))

    def _card(self) -> Card:
        facts = {"verdict": self.verdict, "distance": self.distance, "p": self.p_value}
        facts["starts as good as the best"] = f"{self.n_near} of {len(self.starts)}"
        return Card("Unsupervised alignment", facts, self.to_pandas())


def unsupervised_alignment(
    one: RDMs | OrdinalEmbedding | ArrayLike,
    other: RDMs | OrdinalEmbedding | ArrayLike,
    *,
    n_starts: int = 30,
    n_draws: int = 99,
    random_state: Any = 0,
    callback: Told | None = None,
) -> UnsupervisedAlignment:
    r"""Match the items of two spaces using only their distances (Gromov-Wasserstein).

    .. math:: GW^2 = \min_\Gamma \sum_{ijkl} (d_{ik} - d'_{jl})^2 \Gamma_{ij} \Gamma_{kl}, \quad
       \Gamma 1 = \tfrac1n 1, \; \Gamma^T 1 = \tfrac1m 1, \qquad
       A_{ij} \propto \exp\Big(-\tfrac{q}{GW^2} \sum_{kl} (d_{ik} - d'_{jl})^2 \Gamma_{kl}\Big)

    with distances d and d' scaled to a mean square of 1, and q the effective number of dimensions.
    Descents start from the uniform plan and from random plans, first with an entropy term and then
    without it. ``agreement`` is the mean of A over good starts: those whose distance is within a
    quarter of the way from the least distance to the median of chance. The test simulates the other
    space by a smoothed bootstrap (half of Silverman's width) with the same principal variances; the
    part of the distances that no positions explain is shuffled among pairs. If names are known,
    :func:`procrustes_distance` needs fewer data.

    Source: Mémoli 2011; Peyré et al. 2016; Kawakita et al. 2024; Takeda et al. 2025.

    Parameters
    ----------
    one, other : RDMs of one matrix, fitted model or array of positions
        The two spaces, such as positions of shape (n, d) and (m, e); four items or more each.
    n_starts, n_draws : int
        The number of starts (5 or more), and of simulated spaces for the test (19 or more).
    random_state : int, RandomState or None
    callback : callable, optional
        Called with (descents done, descents in all).

    Raises
    ------
    SettingError
        If a setting is out of range, or positions are not a finite array.
    RDMError
        If there are too few items, several matrices, missing or negative cells, or all cells are
        equal.
    UnavailableError
        If POT is not installed.

    Examples
    --------
    >>> import resemblance as rs
    >>> ring = [[np.cos(a), np.sin(a)] for a in np.arange(8) * np.pi / 4]
    >>> rs.unsupervised_alignment(ring, ring, n_draws=19).verdict  # all rotations fit equally well
    'ambiguous'
    """
    require("alignment without names needs", "ot.gromov")
    check(n_starts=(n_starts, integers(TESTED)), n_draws=(n_draws, integers(19)))
    rdms = _checked("one", one), _checked("other", other)
    first, second = (_scaled(each.squares()[0]) for each in rdms)
    rng, steps = check_random_state(random_state), Steps(callback, n_starts + TESTED * n_draws)
    plans, starts = _descents(first, second, n_starts, rng, steps)
    draws = _drawn(second, n_draws, rng)
    chance = np.array([_descents(first, draw, TESTED, rng, steps)[1].min() for draw in draws])
    best = int(starts.argmin())
    near = starts <= starts[best] + NEAR * max(float(np.median(chance)) - starts[best], 0.0)
    agreement = np.mean([_likely(first, second, plan) for plan in plans[near]], axis=0)
    p = float(1 + (chance <= starts[:TESTED].min()).sum()) / (n_draws + 1)
    names, others = (each.items.names for each in rdms)
    return UnsupervisedAlignment(
        names, others, plans[best], float(starts[best]), starts, int(near.sum()), agreement, p
    )


def _descents(
    first: Floats, second: Floats, n: int, rng: np.random.RandomState, steps: Steps
) -> tuple[Floats, Floats]:
    """Return the plans (n, n_items, n_others) and distances of n starts, the first uniform."""
    from ot import emd, gromov

    sides = [np.full(len(square), 1.0 / len(square)) for square in (first, second)]
    settings = {"symmetric": True, "max_iter": STEPS, "numItermax": SWEEPS, "warn": False}
    plans = []
    for number in range(n):
        plan = np.exp(rng.normal(size=(len(first), len(second))) * (number > 0))
        plan /= plan.sum()
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")  # Exponentials may underflow, which is checked below.
            blurred = gromov.entropic_gromov_wasserstein(
                first, second, *sides, epsilon=BLUR, G0=plan, tol=1e-4, **settings
            )
        plan = blurred if np.isfinite(blurred).all() else plan
        start = emd(*sides, _costs(first, second, plan))
        plans.append(gromov.gromov_wasserstein(first, second, *sides, symmetric=True, G0=start))
        steps.take()
    apart = [(_costs(first, second, plan) * plan).sum() for plan in plans]
    return np.array(plans), np.sqrt(np.maximum(apart, 0.0))


def _costs(first: Floats, second: Floats, plan: Floats) -> Floats:
    """Return the cost of matching item i to j, (n, m), if all other items follow the plan."""
    squared = (first**2).mean(axis=1)[:, None] + (second**2).mean(axis=1)
    return squared - 2.0 * first @ plan @ second


def _likely(first: Floats, second: Floats, plan: Floats) -> Floats:
    costs, values = _costs(first, second, plan), _principal(second)[0]
    scale = max(float((costs * plan).sum()), 1e-12) * (values**2).sum() / values.sum() ** 2
    shares = np.exp((costs.min(axis=1, keepdims=True) - costs) / scale)
    return shares / shares.sum(axis=1, keepdims=True)


def _scaled(square: Floats) -> Floats:
    return square / np.sqrt((square**2).mean())


def _principal(square: Floats) -> tuple[Floats, Floats]:
    """Return the positive principal variances of classical scaling, and their unit vectors."""
    centring = np.eye(len(square)) - 1.0 / len(square)
    values, vectors = np.linalg.eigh(-0.5 * centring @ square**2 @ centring)
    kept = values > 1e-9 * values.max()
    return values[kept], vectors[:, kept]


def _drawn(square: Floats, n_draws: int, rng: np.random.RandomState) -> Iterator[Floats]:
    """Yield random matrices with the same principal variances as ``square``."""
    (values, vectors), n = _principal(square), len(square)
    left = squareform(square, checks=False) - pdist(vectors * np.sqrt(values))
    d = values.sum() ** 2 / (values**2).sum()
    # half of Silverman's width, so that clusters remain
    width = 0.5 * (4.0 / (n * (d + 2.0))) ** (1.0 / (d + 4.0))
    for _ in range(n_draws):
        again = np.sqrt(n * (1.0 - width**2)) * vectors[rng.randint(n, size=n)]
        cloud = again + width * rng.normal(size=again.shape)
        u, _, v = np.linalg.svd(cloud - cloud.mean(axis=0), full_matrices=False)
        distances = pdist(u @ v * np.sqrt(values)) + rng.permutation(left)
        yield _scaled(squareform(np.maximum(distances, 0.0)))


def _checked(name: str, given: Any) -> RDMs:
    is_rdms = isinstance(given, RDMs)
    rdms = given if is_rdms else rdm(given if hasattr(given, "fit") else as_points(given, name))
    if len(rdms) > 1:
        raise RDMError(f"{name} has {len(rdms)} matrices: give one, such as its mean()")
    if len(rdms.items) < FEWEST_ITEMS:
        raise RDMError(f"{name} has {len(rdms.items)} items: give {FEWEST_ITEMS} or more")
    values, pairs = rdms.dissimilarities[0], np.triu_indices(len(rdms.items), 1)
    wrong = ~(values >= 0)
    if wrong.any():
        a, b = (rdms.items.names[side[wrong.argmax()]] for side in pairs)
        raise RDMError(
            f"{wrong.sum()} dissimilarities of {name} are missing or below 0, as that of {a!r} and "
            f"{b!r}: give all, or leave items out with of_items(names)"
        )
    if np.ptp(values) <= 1e-9 * values.max():
        raise RDMError(f"all dissimilarities of {name} are the same: there is nothing to align by")
    return rdms
