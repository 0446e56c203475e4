"""What people are like, learned from their answers around a fitted space."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit, logit, xlog1py, xlogy
from sklearn.utils.validation import check_is_fitted

from resemblance.arrays import Floats
from resemblance.choice import ChoiceModel
from resemblance.errors import SettingError
from resemblance.fitting import JudgmentsLike, OrdinalEmbedding
from resemblance.judgments import Judgments, as_judgments
from resemblance.judgments.people import people_of
from resemblance.notebook import ShownTable
from resemblance.observers.population import Posterior, interval, learn, reliability
from resemblance.observers.space import Contrasts, SpaceObserver, answer_shares
from resemblance.optional import pd
from resemblance.progress import Told
from resemblance.ranges import POSITIVE, check

CROWD_LAPSE = 0.05  # what is expected of a crowd before it answers
PSEUDO_ANSWERS = 20.0  # how many answers the prior of a crowd's lapse is worth


@dataclass(frozen=True)
class LearnedObservers(ShownTable):
    """What :func:`fit_observers` found.

    Attributes
    ----------
    table : pandas.DataFrame
        A row for each person: ``observer``, ``answers`` (how many), ``temperature``, ``lapse``,
        ``weight_1, ...``, the bounds of each, between which it lies with 95 %
        (``temperature_low``, ``temperature_high``, ...), the ``log_loss`` of their answers in
        nats, and ``log_loss_shared``, the same if all were one person, the most probable one.
    points : array (n_items, d)
        The positions as the crowd sees them, where all its weights are 1.
    choice : ChoiceModel
        How distances become answers.
    temperature, lapse : float
        Those in the middle of the people: the geometric mean, and the mean.
    reliability : pandas.Series
        Of each estimate, the share of the variance between people that it explains: with less
        than one half, most of what tells people apart is chance.

    Examples
    --------
    >>> import resemblance as rs
    >>> answers = rs.Triplets([[0, 1, 2], [2, 1, 0]], observer=["ann", "ann"])
    >>> learned = fit_observers(rs.STE(1).set_positions([[0.0], [1.0], [3.0]]), answers)
    >>> list(learned.table.columns[:4]), learned.observer("ann").weights
    (['observer', 'answers', 'temperature', 'lapse'], array([1.]))
    """

    table: pd.DataFrame
    points: Floats
    choice: ChoiceModel
    temperature: float
    lapse: float
    reliability: pd.Series

    def observer(self, name: str, random_state: Any = None) -> SpaceObserver:
        """Make a simulated person like a real one.

        Parameters
        ----------
        name : str
            One of ``table["observer"]``.
        random_state : int, RandomState or None
            Draws the answers.

        Raises
        ------
        SettingError
            If nobody has this name.
        """
        rows = self.table[self.table["observer"] == name]
        if rows.empty:
            raise SettingError(f"{name!r} has answered nothing here: name one of table.observer.")
        row = rows.iloc[0]
        return SpaceObserver(
            self.points,
            self.choice,
            float(row["lapse"]),
            temperature=float(row["temperature"]),
            weights=row.filter(regex=r"^weight_\d+$").to_numpy(dtype=float),
            random_state=random_state,
        )


class Utilities(Protocol):
    """Gives the utility of each option of each row, whatever the dimensions weigh."""

    def utilities(self, weights: Floats) -> Floats:
        """Return the utilities."""


@dataclass(frozen=True)
class Person:
    """Temperature, lapse and log weights of a person, or of a crowd: a prior and an estimate."""

    temperature: float
    lapse: float
    log_weights: Floats = field(repr=False)

    @classmethod
    def of(cls, x: Floats) -> Person:
        """Read (log temperature, logit of the lapse, log weights up to a constant)."""
        return cls(float(np.exp(x[0])), float(expit(x[1])), x[2:] - x[2:].mean())

    def shares(self, contrasts: Utilities) -> Floats:
        """Return the probability of each option of each row."""
        utilities = contrasts.utilities(np.exp(self.log_weights))
        return answer_shares(utilities, self.temperature, self.lapse)

    def loss(self, contrasts: Utilities, weights: Floats) -> float:
        """Return the sum of -log P(answer), in nats."""
        return float(-weights @ np.log(np.maximum(self.shares(contrasts)[:, 0], 1e-300)))

    def surprise(self, other: Person, spread: float) -> float:
        """Return -log of the prior density of another person, where this one is the mean."""
        apart = np.append(other.log_weights, np.log(other.temperature / self.temperature))
        lapses = xlogy(self.lapse, other.lapse) + xlog1py(1 - self.lapse, -other.lapse)
        return float((apart**2).sum() / (2 * spread**2) - PSEUDO_ANSWERS * lapses)

    def updated(self, contrasts: Utilities, weights: Floats, spread: float) -> Person:
        """Return the most probable person after some answers, with this one as the prior mean."""

        def objective(x: Floats) -> float:
            guess = Person.of(x)
            return guess.loss(contrasts, weights) + self.surprise(guess, spread)

        n_dims = len(self.log_weights)
        start = [np.log(self.temperature), logit(self.lapse), *np.zeros(n_dims)]
        bounds = [(-5.0, 5.0), (-7.0, 7.0), *[(-4.0, 4.0)] * n_dims]
        return Person.of(minimize(objective, start, method="L-BFGS-B", bounds=bounds).x)


def fit_observers(
    model: OrdinalEmbedding,
    judgments: JudgmentsLike,
    *,
    spread: float | None = None,
    callback: Told | None = None,
) -> LearnedObservers:
    r"""Learn the temperature, the lapses and the weights of dimensions of each person.

    .. math:: \ln T_o \sim N(\mu, \sigma_T^2), \quad \lambda_o \sim Beta(\kappa m, \kappa (1 - m)),
       \quad \ln w_{oj} \sim N(\nu_j, \sigma_w^2), \qquad
       p(T_o, \lambda_o, w_o \mid \text{answers}) \propto p(T_o, \lambda_o, w_o) \prod_r P_r

    with P as in :class:`SpaceObserver`. What people are like on average and how much they differ
    (:math:`\mu, \sigma_T, m, \kappa, \nu, \sigma_w`) is learned from all of them, together with
    what it leaves unsure; so somebody with few answers comes out like the others, and all come out
    alike where they do not differ. It is expected that the temperature of the space is theirs
    (:math:`\mu \sim N(0, 2^2)`) and that they lapse in 10 %. Estimates are posterior means (of
    :math:`\ln T`, :math:`\lambda`, :math:`\ln w`), intervals the shortest that hold 95 %; people
    and population are sampled together by Metropolis' rule, in 4,000 sweeps: drawn anew, estimates
    move by a tenth to a fifth of the deviation that answers leave. The scale of a person's space is
    in the temperature: the weights have a geometric mean of 1, and 1 in every dimension is what
    people have on average (how that stretches the model's axes is in ``points``).

    Parameters
    ----------
    model : OrdinalEmbedding
        A fitted model. Its axes are those that are weighed.
    judgments : Triplets, Quadruplets or Choices
        Answers that name their observer; weights count as repeats. Answers that the model was
        fitted to make everybody look more certain than they are: give others where there are any.
    spread : float, optional
        The standard deviation of log temperatures and weights, where it is known; without it, it
        is learned.
    callback : callable, optional
        Called with (sweeps done, sweeps in all) after each sweep over the people.

    Returns
    -------
    LearnedObservers

    Raises
    ------
    JudgmentError
        If the judgments do not name their observers, or have other items than the model.
    SettingError
        If the spread is not above 0.

    Notes
    -----
    In 9 simulated studies of 24 people (standard deviation of log temperatures and weights 0.4,
    lapses even from 0 to 0.3; ``papers/calibration/people.py``) in the true space, the estimates
    explained, of the variance between people, with 50, 100, 200 and 500 answers each: of
    temperatures .36, .48, .64, .70, of weights .33, .52, .65, .79, of lapses .14, .40, .40, .42.
    So temperatures and weights of single people mean something from about 200 answers on, and
    lapses of single people hardly ever. Intervals of 95 % held the truth in 89 to 96 %; in a space
    fitted to as many other answers, whose errors they do not know, in 85 to 94 %.

    References
    ----------
    Weighted dimensions: Carroll, Chang (1970), Psychometrika 35. That people weigh features
    differently: Tamuz et al. 2011, section 7.1.

    Examples
    --------
    >>> import numpy as np
    >>> import resemblance as rs
    >>> rng = np.random.default_rng(0)
    >>> points = rng.normal(size=(12, 2))
    >>> flat, tall = (rs.SpaceObserver(points, weights=w, random_state=0) for w in ([4, 0], [0, 4]))
    >>> questions = np.array([rng.choice(12, 3, replace=False) for _ in range(400)])
    >>> crowd = rs.Crowd([flat, tall], ["flat", "tall"], random_state=0)
    >>> learned = rs.fit_observers(rs.STE().set_positions(points), crowd.answer(questions))
    >>> (learned.table["weight_1"] > 1).tolist()
    [True, False]
    """
    check(spread=(spread, POSITIVE.besides(None)))
    check_is_fitted(model, "embedding_")
    judged = as_judgments(judgments)
    model.predict_proba(judged[:1])  # refuses other items than the model's
    judged = judged[np.lexsort((judged.weights, *judged.index.T, people_of(judged)[1]))]
    names, who = people_of(judged)
    answers, crowd = _Answers(model, judged, who), fit_crowd(model, judged)
    # where each was asked what tells them from others, the crowd contradicts itself and seems to
    # guess, so the space's own temperature is a start too
    starts = (0.0, np.log(crowd.temperature))
    posterior = learn(answers, len(names), answers.basis.shape[1], starts, spread, callback)
    draws, of_all = _draws(posterior, answers.basis), posterior.theta.mean(axis=0)
    shared = [np.log(crowd.temperature), logit(crowd.lapse), *crowd.log_weights @ answers.basis]
    table = pd.DataFrame({"observer": names.tolist(), "answers": np.bincount(who).tolist()})
    table = table.assign(
        **_estimates(draws),
        log_loss=answers.loss(posterior.people()),
        log_loss_shared=answers.loss(np.tile(shared, (len(names), 1))),
    )
    return LearnedObservers(
        table,
        model.embedding_ * np.exp(answers.basis @ of_all[5:] / 2),
        model.choice_,
        float(np.exp(of_all[0])),
        float(expit(posterior.theta[:, 2]).mean()),
        pd.Series({name: reliability(values) for name, values in draws.items()}),
    )


def fit_crowd(model: OrdinalEmbedding, judgments: Judgments) -> Person:
    """Return the person that all the answers together make up."""
    prior = Person(1.0, CROWD_LAPSE, np.zeros(model.embedding_.shape[1]))
    contrasts = Contrasts(model.embedding_, judgments, model.choice_)
    return prior.updated(contrasts, judgments.weights, spread=1.0)


@dataclass(frozen=True)
class _Fixed:
    """Utilities that no weights change."""

    values: Floats

    def utilities(self, weights: Floats) -> Floats:
        """Return them."""
        return self.values


def with_noise(utilities: Floats, weights: Floats) -> Floats:
    """Return the probability of each option with the temperature and lapses of all answers."""
    fixed = _Fixed(utilities)
    crowd = Person(1.0, CROWD_LAPSE, np.zeros(1)).updated(fixed, weights, spread=1.0)
    return crowd.shares(fixed)


class _Answers:
    """The log probability of the answers of each person, (P,), at points (P, 2 + weights).

    ``basis`` (d, d - 1) are directions of log weights that sum to 0.
    """

    def __init__(
        self, model: OrdinalEmbedding, judgments: Judgments, who: NDArray[np.intp]
    ) -> None:
        self.contrasts = Contrasts(model.embedding_, judgments, model.choice_)
        self.who, self.weights = who, judgments.weights
        self.basis = np.linalg.svd(np.ones((1, model.embedding_.shape[1])))[2][1:].T

    def __call__(self, x: Floats) -> Floats:
        weights = np.exp(self.basis @ x[:, 2:].T)
        p = self.contrasts.answered(weights, np.exp(x[:, 0]), expit(x[:, 1]), self.who)
        logs = self.weights * np.log(np.maximum(p, 1e-300))
        return np.asarray(np.bincount(self.who, logs, len(x)))

    def loss(self, x: Floats) -> Floats:
        """Return the log loss of the answers of each person, in nats."""
        return np.asarray(-self(x) / np.bincount(self.who, self.weights))


def _draws(posterior: Posterior, basis: Floats) -> dict[str, Floats]:
    """Return draws (draws, people): log temperatures, lapses, log weights relative to the mean."""
    log_weights = (posterior.x[..., 2:] - posterior.theta[:, 5:].mean(axis=0)) @ basis.T
    of_weights = {f"weight_{j}": log for j, log in enumerate(np.moveaxis(log_weights, 2, 0), 1)}
    return {"temperature": posterior.x[..., 0], "lapse": expit(posterior.x[..., 1]), **of_weights}


def _estimates(draws: dict[str, Floats]) -> dict[str, Floats]:
    """Return the estimate of each value, and then the bounds of each."""
    undo = dict.fromkeys(draws, np.exp) | {"lapse": np.asarray}
    means = {name: undo[name](values.mean(axis=0)) for name, values in draws.items()}
    ends = {name: interval(undo[name](values)).T for name, values in draws.items()}
    lows_and_highs = (
        {f"{name}_low": low, f"{name}_high": high} for name, (low, high) in ends.items()
    )
    return means | {name: end for both in lows_and_highs for name, end in both.items()}
