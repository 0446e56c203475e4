"""Estimate the number of judgments, the time and the cost of a planned study."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy.optimize import brentq
from sklearn.isotonic import isotonic_regression

from resemblance.arrays import Floats
from resemblance.asking.fit_job import quiet_fit
from resemblance.asking.question import random_rows
from resemblance.asking.session import Session
from resemblance.catalog import GOLD_SHARE, PAY, SECONDS
from resemblance.embeddings import STE
from resemblance.errors import SettingError
from resemblance.fitting import OrdinalEmbedding
from resemblance.fitting.uncertainty import SpacePosterior
from resemblance.notebook import Shown
from resemblance.observers import SpaceObserver
from resemblance.optional import pd
from resemblance.progress import Told
from resemblance.ranges import BELOW_ONE, NOT_NEGATIVE, Range, check, integers

Ends = tuple[float, float]
Ints = NDArray[np.int64]
N_TESTS, N_MARKS = 4000, 12
N_FITS = 20  # default number of fits of a session
WIDER = 1.3  # factor on both ends of intervals, calibrated in papers/calibration/plans.py
ANSWERS_PER_NUMBER = 30  # default number of judgments per coordinate of each item


class Worlds(ABC):
    """A distribution of simulated people and their spaces."""

    n_items: int
    guessed: bool = False  # whether the worlds are based on assumptions, so that a pilot is advised

    @property
    def dimensions(self) -> tuple[int, ...]:
        """The possible numbers of dimensions, or () if unknown."""
        return ()

    @abstractmethod
    def draw(self, seed: int) -> SpaceObserver:
        """Return a simulated person, who has a space drawn with the seed."""

    def assumed(self) -> str:
        """Describe the assumptions that all worlds share."""
        return f"{self.n_items} items"


@dataclass(frozen=True)
class PriorSimulation(Worlds):
    r"""Normally distributed positions, scaled to a given agreement of people on triplets.

    A value may be a range (low, high), from which each world draws a value uniformly.

    .. math:: E[P^2 + (1 - P)^2] = \text{agreement}, \qquad P = (1 - \lambda) p + \lambda / 2

    The mean is over random triplets, p is the probability of an answer in the softmax model (STE),
    and lambda is the lapse rate.

    Parameters
    ----------
    n_items, n_dims : int
        The numbers of items and dimensions.
    agreement : float or (float, float)
        The share of random triplets to which two people give the same answer. Chance is 0.5; the
        crowd-kernel paper had 0.65 to 0.68; items that differ clearly usually have 0.75 to 0.85.
    lapse : float or (float, float)
        The share of answers given by chance.

    Raises
    ------
    SettingError
        If no scale of the positions has the given agreement.

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
                f"{self.n_items} items in {self.n_dims} dimensions: give at least three items "
                "and one dimension."
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
        """The number of dimensions, as a tuple."""
        return (self.n_dims,)

    def draw(self, seed: int) -> SpaceObserver:
        """Return a person with normally distributed positions."""
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(self.n_items, self.n_dims))
        agreement, lapse = (float(rng.uniform(*_ends(x))) for x in (self.agreement, self.lapse))
        return SpaceObserver(self._spread(agreement, lapse) * X, lapse=lapse, random_state=seed)

    def assumed(self) -> str:
        """Describe the number of items, the agreement, and the share of lapses."""
        return (
            f"{self.n_items} items spread normally in {self.n_dims} dimensions; two people agree "
            f"on {_percent(self.agreement)} of random triplets; {_percent(self.lapse)} of answers "
            "by chance"
        )

    def _spread(self, agreement: float, lapse: float) -> float:
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
        """Return a person whose space, choice model and lapse rate are from the posterior."""
        X, part = self.posterior.sample(np.random.default_rng(seed))
        return SpaceObserver(X, part.choice, lapse=part.noise.lapse, random_state=seed)


@dataclass(frozen=True)
class StudyPlan(Shown):
    """Results of simulated studies, for planning a real study.

    Attributes
    ----------
    answers : array (M,) of int
        Numbers of judgments at which the map was tested.
    errors : array (W, M)
        Expected error on new answers, in each of W simulated worlds.
    ceiling : array (W,)
        The error of the true space of each world, which no map of this world can beat. Real people
        who see more dimensions than simulated people may have a lower error.
    target, above : float or None
        The target of the error, or the target of its difference from the ceiling.
    wider : float
        The factor by which ``needed_band`` widens the interval over worlds at each end.
    """

    answers: Ints
    errors: Floats
    ceiling: Floats
    target: float | None = None
    above: float | None = None
    wider: float = 1.0

    @property
    def has_target(self) -> bool:
        """Whether the plan has a target error, absolute or relative to the ceiling."""
        return self.target is not None or self.above is not None

    @property
    def needed(self) -> Floats:
        """The number of judgments at which the error reaches the target, (W,); inf if never."""
        if self.above is not None:
            wanted = self.ceiling + self.above
        elif self.target is not None:
            wanted = np.full(len(self.errors), self.target)
        else:
            raise SettingError("the plan has no target: give plan_study a target, or above.")
        return np.array(
            [_crossing(self.answers, e, t) for e, t in zip(self.errors, wanted, strict=True)]
        )

    def needed_band(self, level: float = 0.8) -> tuple[float, float, float]:
        """Return the median of ``needed`` over worlds, and a widened central interval."""
        outer = 0.5 * (1.0 - level)
        low, middle, high = np.sort(self.needed)[
            [int(np.floor(q * (len(self.errors) - 1) + 0.5)) for q in (outer, 0.5, 1.0 - outer)]
        ]
        return float(middle), float(low / self.wider), float(high * self.wider)

    def to_pandas(self, level: float = 0.8) -> "pd.DataFrame":
        """Return a table: answers, median error over worlds, interval over worlds, ceiling."""
        outer = 0.5 * (1.0 - level)
        low, middle, high = np.quantile(self.errors, [outer, 0.5, 1.0 - outer], axis=0)
        columns = {"answers": self.answers, "error": middle, "low": low, "high": high}
        return pd.DataFrame({**columns, "ceiling": np.median(self.ceiling)})


@dataclass(frozen=True)
class StudyCost(Shown):
    """The time and cost of a study.

    Attributes
    ----------
    trials : int
        The number of judgments and gold questions.
    hours, cost : float
        The total time of participants in hours, and their total pay.
    """

    trials: int
    hours: float
    cost: float


def study_cost(
    n_answers: float, seconds: float = SECONDS, pay: float = PAY, gold: float = GOLD_SHARE
) -> StudyCost:
    r"""Compute the time and cost of collecting judgments.

    .. math:: \text{hours} = \frac{n}{1 - g} \cdot \frac{t}{3600}, \qquad
       \text{cost} = \text{hours} \cdot \text{pay}

    Parameters
    ----------
    n_answers : float
        n, the number of judgments to fit.
    seconds : float
        t, the seconds per trial, including breaks and instructions.
    pay : float
        The pay per hour, including fees, in any currency.
    gold : float
        g, the share of trials that are attention checks.

    Examples
    --------
    >>> study_cost(900, seconds=4.0, gold=0.0).hours
    1.0
    >>> study_cost(1000, seconds=4.0, pay=12.0, gold=0.2)
    StudyCost(trials=1250, hours=1.388..., cost=16.66...)
    """
    if not (np.isfinite(n_answers) and n_answers >= 0):
        raise SettingError(
            f"n_answers is {n_answers!r}: give a finite number. A plan that needs inf does not "
            "reach its target within the budget."
        )
    check(seconds=(seconds, NOT_NEGATIVE), pay=(pay, NOT_NEGATIVE))
    check(gold=(gold, BELOW_ONE))
    trials = int(np.ceil(n_answers / (1.0 - gold)))
    hours = trials * seconds / 3600.0
    return StudyCost(trials, hours, hours * pay)


def plan_study(
    worlds: Worlds,
    *,
    target: float | None = None,
    above: float | None = None,
    budget: int | None = None,
    n_worlds: int = 12,
    n_jobs: int | None = None,
    random_state: int = 0,
    callback: Told | None = None,
    **settings: Any,
) -> StudyPlan:
    """Simulate a planned study in many worlds, with the session that will run it.

    In each world a :class:`Session` asks questions and a simulated person answers. At several
    numbers of answers, the session's model is fitted to all answers, and its expected error over
    random triplets is computed.

    The worlds must resemble the people and items of the study. A pilot shows whether they do.

    Parameters
    ----------
    worlds : Worlds
        :class:`PriorSimulation`, or after a pilot :class:`PosteriorSimulation`.
    target : float, optional
        The target error on new answers; ``needed`` is the number of judgments that reach it.
    above : float, optional
        Alternative to ``target``: the target error minus the error of the true space. It can always
        be reached, while people may be too noisy for a fixed target.
    budget : int, optional
        The number of judgments per study; default: 30 per coordinate of each item.
    n_worlds : int
        The number of worlds.
    n_jobs : int, optional
        The number of processes, as in joblib. Worlds run on a Dask cluster within
        ``joblib.parallel_config("dask")``.
    random_state : int
        The seed. The plan does not depend on the number of jobs.
    callback : callable, optional
        Called with (worlds done, number of worlds) after each world. If it returns a true value,
        the plan contains only the worlds so far.
    **settings
        Settings of the :class:`Session`, such as ``strategies``, ``model`` or ``n_options``. The
        default ``refit_every`` is a twentieth of the budget, but at least the number of items. The
        default ``model`` is ``STE(2, penalty="auto")``, because people in :class:`PriorSimulation`
        follow STE.

    Raises
    ------
    SettingError
        For a target out of range, or too small a budget or number of worlds.

    Examples
    --------
    >>> from resemblance.asking import PriorSimulation
    >>> plan = plan_study(PriorSimulation(6), budget=30, n_worlds=2, start_per_head=2)
    >>> plan.errors.shape == (2, len(plan.answers))
    True
    """
    if target is not None and above is not None:
        raise SettingError("target and above are alternatives: give one of them.")
    check(above=(above, Range(0, 0.5, above=True, below=True).besides(None)))
    check(target=(target, Range(0, 0.5, above=True, below=True).besides(None)))
    check(n_worlds=(n_worlds, integers(1)))
    settings = {"model": STE(2, penalty="auto", tol=1e-3)} | settings
    session = Session(worlds.n_items, **settings)  # raises an error for bad settings
    budget = _checked_budget(budget, session)
    settings = {"refit_every": max(worlds.n_items, budget // N_FITS)} | settings
    marks = np.unique(np.geomspace(max(budget // 25, 10), budget, N_MARKS).astype(int))
    seeds = random_state + np.arange(n_worlds)
    run = delayed(partial(_study, worlds, settings, marks))
    results = []
    for result in Parallel(n_jobs=n_jobs, return_as="generator")(run(int(s)) for s in seeds):
        results.append(result)
        if callback is not None and callback(len(results), n_worlds):
            break
    errors, ceiling = (np.array(part) for part in zip(*results, strict=True))
    wider = WIDER if isinstance(worlds, PosteriorSimulation) else 1.0
    return StudyPlan(marks, errors, ceiling, target, above, wider)


def _checked_budget(budget: int | None, session: Session) -> int:
    start = session.start_per_head * len(session.items)
    if budget is None:
        return max(ANSWERS_PER_NUMBER * len(session.items) * session.model.n_components, 2 * start)
    if budget <= start:
        raise SettingError(
            f"a budget of {budget} ends before the random start, {start} questions "
            f"({session.start_per_head} about each item): raise it, or lower start_per_head."
        )
    return budget


def _study(
    worlds: Worlds, settings: dict[str, Any], marks: Ints, seed: int
) -> tuple[list[float], float]:
    person = worlds.draw(seed)
    tests = random_rows(np.random.default_rng(seed), N_TESTS, worlds.n_items, 2)
    p = person.probability(tests)
    session = Session(worlds.n_items, random_state=seed, **settings)
    errors = []
    for count in range(1, int(marks[-1]) + 1):
        question = session.ask()
        session.tell(question, question.answered_by(person, session.asks.picks))
        if count in marks:
            answers, seed = session.judgments("all"), session.random_state
            model = quiet_fit(session.model, answers, random_state=seed, **session.settings)
            errors.append(expected_error(model, tests, p))
    return errors, float(np.minimum(p, 1.0 - p).mean())


def expected_error(model: OrdinalEmbedding, tests: NDArray[np.int32], p: Floats) -> float:
    """Return the expected error of a fit on triplets whose first option has probability p (m,)."""
    says = model.predict_proba(tests)[:, 0]
    return float(np.where(says > 0.5, 1.0 - p, np.where(says < 0.5, p, 0.5)).mean())


def _crossing(answers: Ints, errors: Floats, target: float) -> float:
    curve, at = -isotonic_regression(-errors), np.log(answers)
    below = np.flatnonzero(curve <= target)
    if not len(below):
        return float("inf")
    k = below[0]
    if k == 0:
        return float(answers[0])
    share = (curve[k - 1] - target) / (curve[k - 1] - curve[k])
    return float(np.exp(at[k - 1] + share * (at[k] - at[k - 1])))
