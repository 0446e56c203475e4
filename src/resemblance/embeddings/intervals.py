"""How large each loading may be: sparse dimensions sampled as answers allow."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, log_ndtr, log_softmax, logit, ndtr, ndtri
from sklearn.utils import check_random_state

from resemblance.arrays import Floats
from resemblance.embeddings._loops import sweep
from resemblance.embeddings.dimensions import checked_answers, loadings_table
from resemblance.embeddings.spose import SPoSE
from resemblance.errors import NotConvergedWarning, SettingError
from resemblance.fitting import JudgmentsLike
from resemblance.fitting.objective.threads import at_a_time
from resemblance.judgments import Judgments
from resemblance.notebook import Shown
from resemblance.optional import pd
from resemblance.progress import Steps, Told
from resemblance.ranges import LEVEL, check, integers

N_CHAINS = 2
KEPT = 500  # draws of each chain that are kept
SPREAD = 0.5, 0.7  # of loadings that are not 0: the median of its density, and that of its log
LAPSES = 40.0  # the density of lapses is Beta(1, 40)
WANTED = 0.4  # of the steps are taken, where they are as long as they should be
TUNED = 20  # sweeps between changes of how long they are
APART = 1.2  # of chains: the potential scale reduction from which they tell other things


@dataclass(frozen=True)
class LoadingIntervals(Shown):
    """How large each loading may be; :func:`loading_intervals` makes it.

    Attributes
    ----------
    loadings : array (n_items, d)
        The median of each under the answers.
    low, high : array (n_items, d)
        Between them it lies with a probability of ``level``.
    zero : array (n_items, d)
        The probability that it is 0.
    apart : array (n_items, d)
        The potential scale reduction of the chains: near 1 where they say the same.
    lapse : float
        The expected share of answers by chance.
    level : float
        The probability of the intervals.

    Examples
    --------
    >>> ones = np.ones((1, 1))
    >>> LoadingIntervals(ones, ones - 0.5, ones + 0.5, 0 * ones, ones, 0.02, 0.95).low
    array([[0.5]])
    """

    loadings: Floats
    low: Floats
    high: Floats
    zero: Floats
    apart: Floats
    lapse: float
    level: float

    def to_pandas(self) -> pd.DataFrame:
        """Return a row for each item and dimension: item, dimension, loading, low, high, zero."""
        return loadings_table(self.loadings, low=self.low, high=self.high, zero=self.zero)


def loading_intervals(
    model: SPoSE,
    judgments: JudgmentsLike,
    *,
    n_sweeps: int = 1000,
    level: float = 0.95,
    random_state: int | np.random.RandomState | None = None,
    n_jobs: int | None = None,
    callback: Told | None = None,
) -> LoadingIntervals:
    r"""Say between which bounds each loading lies, by sampling what the answers leave possible.

    .. math:: p_r = (1 - \lambda) \frac{e^{x_a \cdot x_b}}{\sum_{i<j} e^{x_i \cdot x_j}}
       + \frac{\lambda}{N}, \qquad x_{ik} = 0 \text{ or } x_{ik} \sim N_{>0}(\mu_k, \sigma_k^2)

    A loading of dimension k is not 0 with a probability of its own, even between 0 and 1 before any
    answer; then it is normal, above 0, with :math:`\mu_k \sim N_{>0}(0, 1)` and
    :math:`\log \sigma_k \sim N(\log .5, .7^2)`; the share of lapses is
    :math:`\lambda \sim \mathrm{Beta}(1, 40)`. All of this is sampled together (Metropolis, one
    loading at a time, in two chains from the loadings of the model), so that no penalty shrinks it.

    How often the intervals hold the true loading is counted in ``papers/calibration/loadings.py``.
    The number of dimensions is the model's; answers are taken as those of one person. A sweep
    takes some 60 ns for each row, item of it and dimension: 10 s for 3,000 answers in 4 dimensions.

    Source: Muttenthaler, Zheng, McClure, Vandermeulen, Hebart & Pereira 2022 (VICE), whose prior is
    a mixture of two normal distributions; the sampler is Metropolis et al. 1953.

    Parameters
    ----------
    model : SPoSE
        Fitted.
    judgments : OddOneOuts of three, Choices, Triplets or Quadruplets
        What it was fitted to; weights count as repeats.
    n_sweeps : int
        Sweeps of each chain that count, 100 or more; half as many come before.
    level : float
        The probability that each interval has.
    random_state : int, RandomState or None
        Draws the samples.
    n_jobs : int, optional
        Chains at a time (threads), as in joblib.
    callback : callable, optional
        Called with (chains done, chains in all) after each chain.

    Returns
    -------
    LoadingIntervals

    Raises
    ------
    SettingError
        For a number out of range, or odd ones out of more than three.
    JudgmentError
        If the judgments are about other items.

    Warns
    -----
    NotConvergedWarning
        Where the chains tell other things: in dense dimensions, or of too few sweeps.

    Examples
    --------
    >>> import resemblance as rs
    >>> truth = np.repeat(1.5 * np.eye(2), 6, axis=0)
    >>> person = rs.SpaceObserver(truth, rs.choice.Logistic(), random_state=0)
    >>> questions = [[a, b, c] for a in range(12) for b in range(a) for c in range(b)]
    >>> answers = person.answer(rs.OddOneOuts(questions, [row[0] for row in questions]))
    >>> model = rs.SPoSE(2, penalty=1.0, random_state=0).fit(answers)
    >>> sure = loading_intervals(model, answers, n_sweeps=200, random_state=0)
    >>> bool((sure.zero[sure.loadings < 0.5] > 0.2).all())
    True
    """
    answers = checked_answers(model, judgments)
    check(n_sweeps=(n_sweeps, integers(100)), level=(level, LEVEL))
    pairs, weights = _pairs(answers)
    seeds = check_random_state(random_state).randint(2**31 - 1, size=N_CHAINS).tolist()
    tasks = [(model.embedding_, pairs, weights, n_sweeps, seed) for seed in seeds]
    sampled = Steps(callback, N_CHAINS).each(at_a_time(_sampled, tasks, n_jobs))
    chains, lapses = zip(*sampled, strict=True)
    draws = np.concatenate(chains)
    low, middle, high = np.quantile(draws, [(1 - level) / 2, 0.5, (1 + level) / 2], axis=0)
    apart = _scale_reduction(np.array(chains))
    if (share := float((apart > APART).mean())) > 0.05:
        warnings.warn(
            f"{share:.0%} of the loadings differ between two chains of {n_sweeps} sweeps: sample "
            "more; where that does not help, the answers leave several sets of dimensions possible",
            NotConvergedWarning,
            stacklevel=2,
        )
    zero = (draws == 0.0).mean(axis=0)
    lapse = float(np.mean(lapses))
    return LoadingIntervals(middle, low, high, zero, apart, lapse, level)


def _pairs(answers: Judgments) -> tuple[NDArray[np.int32], Floats]:
    """Return the items that each option pairs, (m, N, 2), -1 where there are fewer, and weights."""
    parts = answers.comparisons()
    if any(part.layout.members.shape[1] > 1 for part in parts):
        raise SettingError(
            "intervals of loadings are for odd ones out of three, choices, triplets and "
            "quadruplets: of odd ones out of more, loading_spread says how loadings move"
        )
    widest = max(len(part.layout.options) for part in parts)
    pairs = np.full((len(answers), widest, 2), -1, np.int32)
    for part in parts:
        for option, (at,) in enumerate(part.layout.options):
            pairs[part.rows, option] = np.column_stack(part.pairs[at])
    return pairs, answers.weights.astype(float)


def _sampled(
    X: Floats, pairs: NDArray[np.int32], weights: Floats, n_sweeps: int, seed: int
) -> tuple[Floats, float]:
    """Run a chain; return the loadings that are kept, and the mean of the lapses."""
    chain = _Chain(X.copy(), pairs, weights, np.random.default_rng(seed))
    for number in range(n_sweeps // 2):
        chain.move()
        if number % TUNED == TUNED - 1:
            chain.tune()
    every = -(-n_sweeps // KEPT)
    kept, lapses = [], []
    for number in range(n_sweeps):
        chain.move()
        if number % every == 0:
            kept.append(chain.X.copy())
            lapses.append(chain.lapse)
    return np.array(kept), float(np.mean(lapses))


@dataclass
class _Chain:
    """Loadings, what is expected of them, and lapses, as they change in turn."""

    X: Floats
    pairs: NDArray[np.int32]
    weights: Floats
    rng: np.random.Generator
    lapse: float = 0.02
    terms: Floats = field(init=False)

    def __post_init__(self) -> None:
        n_items, d = self.X.shape
        at = self.pairs.reshape(len(self.pairs), -1)
        named = np.unique(np.column_stack([at.ravel(), np.arange(at.size) // at.shape[1]]), axis=0)
        named = named[named[:, 0] >= 0]
        self.rows = np.ascontiguousarray(named[:, 1])
        self.starts = np.searchsorted(named[:, 0], np.arange(n_items + 1))
        self.steps, self.ahead = np.full((n_items, d), 0.3), np.zeros((n_items, d))
        positive = (self.X > 0).sum(axis=0)
        self.mean = self.X.sum(axis=0) / np.maximum(positive, 1)
        self.deviation, self.share = np.full(d, SPREAD[0]), np.full(d, 0.5)
        inner = np.einsum("rpk,rpk->rp", self.X[self.pairs[..., 0]], self.X[self.pairs[..., 1]])
        inner[self.pairs[..., 0] < 0] = -np.inf
        self.chance = 1.0 / np.isfinite(inner).sum(axis=1)
        log_p = log_softmax(inner, axis=1)[:, 0]
        self.terms = np.column_stack([inner, self._log_chance(log_p, self.lapse), self.weights])

    def move(self) -> None:
        """Let everything change once."""
        self._move_loadings()
        self._move_slabs()
        self._move_lapse()

    def tune(self) -> None:
        """Make steps longer where most were taken, shorter where few were."""
        self.steps *= np.exp(self.ahead / TUNED)
        self.ahead[:] = 0

    def _move_loadings(self) -> None:
        mean, deviation = self.mean, self.deviation
        uniform = self.rng.random((4, *self.X.shape))
        below = ndtr(-mean / deviation)
        back = mean + deviation * ndtri(below + (1.0 - below) * uniform[0])
        steps = self.steps * ndtri(uniform[1])
        draws = np.stack([steps, np.maximum(back, 1e-12), *np.log(uniform[2:])], axis=-1)
        slab = np.array([logit(self.share), mean, deviation**2])
        self.ahead -= WANTED * (self.X > 0)  # what is 0 is offered no step
        self.ahead += sweep(
            self.X, self.pairs, self.starts, self.rows, self.terms, slab, self.lapse, draws
        )

    def _move_slabs(self) -> None:
        """Change what is expected of the loadings of each dimension."""
        n, d = self.X.shape
        positive = (self.X > 0).sum(axis=0)
        for _ in range(5):
            mean = np.abs(self.mean + 0.2 * self.rng.normal(size=d))
            deviation = self.deviation * np.exp(0.3 * self.rng.normal(size=d))
            gain = self._log_density(mean, deviation) - self._log_density(self.mean, self.deviation)
            better = np.log(self.rng.random(d)) < gain
            self.mean = np.where(better, mean, self.mean)
            self.deviation = np.where(better, deviation, self.deviation)
        self.share = np.clip(self.rng.beta(1 + positive, 1 + n - positive), 1e-4, 1 - 1e-4)

    def _log_density(self, mean: Floats, deviation: Floats) -> Floats:
        """Return the log density of means and deviations, (d,), under the loadings."""
        apart = np.where(self.X > 0, (self.X - mean) ** 2, 0.0).sum(axis=0)
        scale = np.log(deviation) + log_ndtr(mean / deviation)
        before = mean**2 + (np.log(deviation / SPREAD[0]) / SPREAD[1]) ** 2
        return np.asarray(
            -(self.X > 0).sum(axis=0) * scale - apart / (2 * deviation**2) - before / 2
        )

    def _move_lapse(self) -> None:
        """Change the share of lapses."""
        log_p = log_softmax(self.terms[:, :-2], axis=1)[:, 0]

        def log_density(lapse: float) -> float:
            before = np.log(lapse) + LAPSES * np.log1p(-lapse)
            return float(self.weights @ self._log_chance(log_p, lapse) + before)

        for _ in range(3):
            lapse = float(np.clip(expit(logit(self.lapse) + 0.5 * self.rng.normal()), 1e-9, 0.999))
            if np.log(self.rng.random()) < log_density(lapse) - log_density(self.lapse):
                self.lapse = lapse
        self.terms[:, -2] = self._log_chance(log_p, self.lapse)

    def _log_chance(self, log_p: Floats, lapse: float) -> Floats:
        """Return the log probability of each answer, which is a lapse now and then."""
        return np.asarray(np.log((1.0 - lapse) * np.exp(log_p) + lapse * self.chance))


def _scale_reduction(chains: Floats) -> Floats:
    """Return the potential scale reduction (Gelman & Rubin 1992) of chains (c, m, ...)."""
    within = chains.var(axis=1, ddof=1).mean(axis=0)
    between = chains.mean(axis=1).var(axis=0, ddof=1)
    m = chains.shape[1]
    return np.sqrt((m - 1) / m + between / np.where(within > 0, within, np.inf))
