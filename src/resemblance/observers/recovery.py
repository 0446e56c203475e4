"""Can answers tell which model people follow? Answers of each model, and who is found from them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from scipy.special import logsumexp
from sklearn.utils import check_random_state

from resemblance.arrays import Floats
from resemblance.errors import EmptyError, SettingError
from resemblance.fitting import GroupedKFold, JudgmentsLike, OrdinalEmbedding
from resemblance.judgments import Judgments, as_judgments
from resemblance.observers.explaining import TINY, spread_of, utilities_of
from resemblance.observers.model import Places
from resemblance.observers.observer import Observer
from resemblance.observers.space import answer_shares
from resemblance.progress import Steps, Told
from resemblance.ranges import check, integers
from resemblance.scores import Recovery
from resemblance.scores.intervals import bootstrap_means
from resemblance.scores.recovered import ROUNDING, winners

FACTORS = np.exp(np.linspace(-3.5, 3.5, 29))  # temperatures, in units of the utilities' spread
LAPSES = np.array([0.001, 0.01, 0.03, 0.07, 0.15, 0.3, 0.6])
# minus the log density of a lapse: that of Beta(1.5, 20), as of `explained`
PRIOR = np.tile(-0.5 * np.log(LAPSES) - 19.0 * np.log1p(-LAPSES), len(FACTORS))


class ModelRecovery(Recovery):
    r"""Which of several models is found from answers, and from answers of each of them.

    It is a :class:`~resemblance.scores.Recovery` whose losses are log losses of the answers, in
    nats, temperature and lapse fitted on the other folds.

    Examples
    --------
    >>> import resemblance as rs
    >>> points = np.random.default_rng(0).normal(size=(12, 2))
    >>> questions = [[0, a, b] for a in range(1, 12) for b in range(1, a)] * 5
    >>> answers = rs.SpaceObserver(points, random_state=0).answer(rs.Triplets(questions))
    >>> models = {"two axes": rs.ModelObserver(points, "euclidean"),
    ...           "one axis": rs.ModelObserver(points[:, :1], "euclidean")}
    >>> recovery = rs.model_recovery(models, answers, n_simulations=80)
    >>> recovery.best, recovery.verdict
    ('two axes', 'told')
    """

    measure = "log_loss"

    @property
    def log_losses(self) -> Floats:
        """The losses, in nats."""
        return self.losses


def model_recovery(
    models: Mapping[str, Observer | OrdinalEmbedding],
    judgments: JudgmentsLike,
    *,
    n_simulations: int = 100,
    n_resamples: int = 2000,
    cv: int = 5,
    random_state: Any = 0,
    callback: Told | None = None,
) -> ModelRecovery:
    r"""Say whether answers can tell which of several models people follow.

    Each model k gives an answer a the probability

    .. math:: P_k(a) = (1 - \lambda_k) \, \mathrm{softmax}(u_k / T_k)_a + \lambda_k / N

    with the temperature and lapse fitted to people's answers, on a grid. Answers to the same
    questions are drawn from each model in turn, and each model is fitted to them as to those of
    people, on folds: how often is the model found that gave them, and how often is the best of
    people's answers as far ahead of it as there? It is the parametric bootstrap of the comparison;
    that of people draws these with replacement (rows, where people are not known).

    Parameters
    ----------
    models : dict of str to Observer or OrdinalEmbedding
        By any names: :class:`ModelObserver` of a network's vectors, embeddings fitted to other
        answers, maps of features.
    judgments : Triplets, Quadruplets, Choices, OddOneOuts or array
        What people answered, to questions that no embedding was fitted to.
    n_simulations : int
        Of each model; 80 in which the best is never as far ahead tell that it is so in less than
        5 %.
    n_resamples : int
        Draws of people.
    cv : int
        The number of folds.
    random_state : int, RandomState or None
        Of folds and draws.
    callback : callable, optional
        Called with (simulations done, simulations in all).

    Returns
    -------
    ModelRecovery

    Raises
    ------
    SettingError
        If there are fewer than two models, one answers no questions, or a number is out of range.
    JudgmentError
        If there are no judgments, or a model lacks an item.

    References
    ----------
    Why: Avitan & Golan 2025: with millions of judgments the true one of twenty networks is found in
    less than 80 % of cases.

    Examples
    --------
    >>> import resemblance as rs
    >>> points = np.random.default_rng(0).normal(size=(9, 2))
    >>> questions = rs.Triplets([[0, a, b] for a in range(1, 9) for b in range(1, a)])
    >>> answers = rs.SpaceObserver(points, random_state=0).answer(questions)
    >>> twins = {"one": rs.ModelObserver(points), "other": rs.ModelObserver(points[:, ::-1])}
    >>> rs.model_recovery(twins, answers, n_simulations=9).verdict
    'not told'
    """
    check(n_simulations=(n_simulations, integers(1)), cv=(cv, integers(2)))
    answers = as_judgments(judgments)
    if not len(answers):
        raise EmptyError("there are no judgments to compare models on: give some.")
    if len(models) < 2:
        raise SettingError(f"{len(models)} model is nothing to tell apart: give two or more.")
    rng = check_random_state(random_state)
    contest = _Contest([utilities_of(one, answers) for one in models.values()], answers, cv, rng)
    people = answers.response_id if answers.observer is None else answers.observer
    shown = np.zeros(len(answers), dtype=np.intp)
    rows = contest.losses(shown)
    steps = Steps(callback, len(models) * n_simulations)
    losses = rows @ contest.share
    ahead = losses - losses.min() - ROUNDING
    best = int(losses.argmin())
    confusion, as_far = np.zeros((len(models), len(models))), np.zeros(len(models))
    for k in range(len(models)):
        for draw in contest.drawn(k, n_simulations):
            drawn = contest.losses(draw) @ contest.share
            confusion[k] += winners(drawn)
            as_far[k] += drawn[k] - drawn[best] >= ahead[k]
            steps.take()
    seed = rng.randint(2**31 - 1)
    means = [bootstrap_means(row, answers.weights, people, n_resamples, seed) for row in rows]
    found_again = np.mean([winners(draw) for draw in np.transpose(means)], axis=0)
    return ModelRecovery(
        tuple(models),
        losses,
        confusion / n_simulations,
        as_far / n_simulations,
        found_again,
        n_simulations,
    )


class _Contest:
    """Models that are compared on answers to the same questions, whoever gave them.

    Temperatures and lapses are those of a grid, so that a draw of answers costs a table of it.
    """

    def __init__(self, utilities: list[Floats], answers: Judgments, cv: int, rng: Any) -> None:
        self.utilities, self.rng = utilities, rng
        self.weights, self.share = answers.weights, answers.weights / answers.weights.sum()
        folds = GroupedKFold(min(cv, len(answers)), random_state=rng.randint(2**31 - 1))
        self.fold = np.empty(len(answers), dtype=np.intp)
        for number, (_, test) in enumerate(folds.split(answers)):
            self.fold[test] = number
        self.chance = 1.0 / answers.answers_possible()
        self.temperatures = [spread_of(one) * FACTORS for one in utilities]
        self.sums = [
            np.stack([logsumexp(one / t, axis=1) for t in own])
            for one, own in zip(utilities, self.temperatures, strict=True)
        ]

    def losses(self, chosen: Places) -> Floats:
        """Return -log P of each answer under each model, (K, m), with the noise of other folds.

        ``chosen`` is the place of each answer among the options as they are listed.
        """
        rows = np.arange(len(chosen))
        given = [one[rows, chosen] for one in self.utilities]
        return np.array([self._losses(k, utility) for k, utility in enumerate(given)])

    def _losses(self, k: int, utility: Floats) -> Floats:
        """Return -log P of the answers of these utilities under model k."""
        table = self._tables(k, utility)
        folds = np.array([np.bincount(self.fold, self.weights * one) for one in table])
        others = folds.sum(axis=1, keepdims=True) - folds + PRIOR[:, None]
        return table[others.argmin(axis=0)[self.fold], np.arange(len(utility))]

    def _tables(self, k: int, utility: Floats) -> Floats:
        """Return -log P of the answers at each temperature and lapse, (T L, m)."""
        certain = np.exp(utility / self.temperatures[k][:, None] - self.sums[k])
        p = (1.0 - LAPSES[:, None]) * certain[:, None] + LAPSES[:, None] * self.chance
        return -np.log(np.maximum(p, TINY)).reshape(-1, len(utility))

    def drawn(self, k: int, n: int) -> Iterator[Places]:
        """Draw answers of a model, n times (m,), with the noise that people have under it."""
        table = self._tables(k, self.utilities[k][:, 0]) @ self.weights + PRIOR
        temperature, lapse = np.unravel_index(table.argmin(), (len(FACTORS), len(LAPSES)))
        noise = float(self.temperatures[k][temperature]), float(LAPSES[lapse])
        shares = answer_shares(self.utilities[k], *noise)
        upto = shares.cumsum(axis=1)
        for _ in range(n):
            at = self.rng.random_sample((len(upto), 1)) * upto[:, -1:]
            yield (at > upto).sum(axis=1)
