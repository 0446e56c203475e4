"""Test model recovery: simulate answers of each model, and count which model is best."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import logsumexp
from sklearn.base import clone
from sklearn.utils import check_random_state

from resemblance.arrays import Floats
from resemblance.errors import EmptyError, SettingError, quiet
from resemblance.fitting import GroupedKFold, JudgmentsLike, OrdinalEmbedding
from resemblance.fitting.penalty import settled
from resemblance.judgments import Judgments, as_judgments
from resemblance.judgments.checks import first_few
from resemblance.notebook import Card, Shown
from resemblance.observers.explained_accuracy import TINY, spread_of, utilities_of
from resemblance.observers.model import Places
from resemblance.observers.observer import Observer, answered, as_questions
from resemblance.observers.space import answer_shares
from resemblance.optional import pd
from resemblance.progress import Steps, Told
from resemblance.ranges import check, integers
from resemblance.scores.intervals import bootstrap_means, wilson_interval

# temperatures on the grid, as multiples of the spread of utilities
FACTORS = np.exp(np.linspace(-3.5, 3.5, 29))
LAPSES = np.array([0.001, 0.01, 0.03, 0.07, 0.15, 0.3, 0.6])
# negative log density of the lapse rate's prior, Beta(1.5, 20) as in `explained`
PRIOR = np.tile(-0.5 * np.log(LAPSES) - 19.0 * np.log1p(-LAPSES), len(FACTORS))


ROUNDING = 1e-9  # Losses with a smaller difference are equal except for rounding.
# level of the test whether another model could produce the lead of the best model
WRONG = 0.05
FOUND = 0.95  # smallest share of bootstrap samples of people in which the best model must be best
SENTENCES = {
    "told": "{best} is distinguished from all others.",
    "not told": "{best} is ahead, but not distinguished from {rivals}.",
    "unknown": "{best} is ahead; more simulations may distinguish it from {rivals}.",
}


@dataclass(frozen=True)
class ModelRecovery(Shown):
    """The model that explains answers best, and whether simulated answers identify it.

    Attributes
    ----------
    names : tuple of str
        The names of the K models.
    log_losses : array (K,)
        The log loss of each model, in nats, with the noise fitted on the other folds.
    confusion : array (K, K)
        Row i, column j: the share of simulations of model i in which model j is best. If t models
        tie, each counts 1/t.
    p_values : array (K,)
        For each model, the share of its simulations in which the best model leads this model by at
        least as much as in people's answers; 1 for the best model.
    found_again : array (K,)
        The share of bootstrap samples of people in which each model is best.
    n_simulations : int

    Examples
    --------
    >>> losses, even = np.array([0.0, 1.0]), np.full((2, 2), 0.5)
    >>> ModelRecovery(("a", "b"), losses, np.eye(2), np.array([1.0, 0.0]), 1 - losses, 100).verdict
    'told'
    >>> ModelRecovery(("a", "b"), losses, even, np.array([1.0, 0.5]), 1 - losses, 100).verdict
    'not told'
    """

    names: tuple[str, ...]
    log_losses: Floats
    confusion: Floats
    p_values: Floats
    found_again: Floats
    n_simulations: int

    @property
    def best(self) -> str:
        """The name of the model with the least log loss."""
        return self.names[int(self.log_losses.argmin())]

    @property
    def rivals(self) -> tuple[str, ...]:
        """Names of models that are not distinguished from the best model."""
        chances = zip(self.names, self.p_values, self.found_again, strict=True)
        return tuple(
            name
            for name, p, again in chances
            if name != self.best
            and (wilson_interval(p, self.n_simulations)[1] > WRONG or again > 1 - FOUND)
        )

    @property
    def verdict(self) -> str:
        """Whether the best model is distinguished from all others: "told", "not told", "unknown".

        "told" has two conditions. First, in at most 5 % of the simulations of any other model
        (upper end of the interval), the best model leads that model by as much as in people's
        answers. Second, the best model is best in 95 % of bootstrap samples of people. "unknown"
        means that there are too few simulations to decide. Models are only compared with each
        other, so all may be wrong.
        """
        at = self.names.index(self.best)
        others = np.delete(self.p_values, at)
        low = max(wilson_interval(share, self.n_simulations)[0] for share in others)
        if low > WRONG or self.found_again[at] < FOUND:
            return "not told"
        return "unknown" if self.rivals else "told"

    @property
    def sentence(self) -> str:
        return SENTENCES[self.verdict].format(best=self.best, rivals=first_few(self.rivals))

    def to_pandas(self) -> pd.DataFrame:
        """Return a table with a row for each model, the best first."""
        rows = {
            "log_loss": self.log_losses,
            "found_again": self.found_again,
            "recovered": self.confusion.diagonal(),
            "p_value": self.p_values,
        }
        table = pd.DataFrame(rows, index=pd.Index(self.names, name="model"))
        return table.iloc[np.argsort(self.log_losses, kind="stable")]

    def _card(self) -> Card:
        facts = {"verdict": self.verdict, "that is": self.sentence}
        return Card(
            "Model recovery", facts | {"simulations of each": self.n_simulations}, self.to_pandas()
        )


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
    r"""Test whether answers can identify which of several models people follow.

    In model k, the answer a has the probability

    .. math:: P_k(a) = (1 - \lambda_k) \, \mathrm{softmax}(u_k / T_k)_a + \lambda_k / N

    with the utilities u_k of N options. The temperature T_k and the lapse rate :math:`\lambda_k`
    are fitted to people's answers on a grid. In a parametric bootstrap, each model simulates
    answers to the same questions, and all models are cross-validated on them. Two shares are
    counted: simulations in which the simulating model is best, and simulations in which the best
    model for people leads the simulating model by as much as in people's answers. A second
    bootstrap resamples people (rows if people are unknown).

    Source: Avitan & Golan 2025, who identify the true model among twenty networks in less than 80 %
    of cases, even with millions of judgments.

    Parameters
    ----------
    models : dict of str to Observer or OrdinalEmbedding
        The models by name: a :class:`ModelObserver` of a network's vectors, embeddings fitted to
        other answers, maps of features. An unfitted embedding, such as ``STE(2, penalty="auto")``,
        is cross-validated on people's answers and on the answers of each simulation. With K models
        this takes up to K n_simulations fits per fold; the penalty is chosen only once.
    judgments : Triplets, Quadruplets, Choices, OddOneOuts or array
        People's answers; no embedding may have been fitted to them before. For quadruplets, all
        models must already be fitted.
    n_simulations : int
        The number of simulations per model. If the best model leads by as much as in people's
        answers in 0 of 80 simulations, the upper end of the interval of this share is below 5 %.
    n_resamples : int
        The number of resamples of people.
    cv : int
        The number of folds.
    random_state : int, RandomState or None
        The seed of folds, simulations and resamples.
    callback : callable, optional
        Called with (simulations done, simulations in all).

    Raises
    ------
    SettingError
        If there are fewer than two models, a model cannot answer questions, or a setting is out of
        range.
    JudgmentError
        If there are no judgments, or a model lacks an item.

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
    if len(models) < 2 or not hasattr(models, "values"):
        raise SettingError("models: give two or more, each by a name.", setting="models")
    rng = check_random_state(random_state)
    contest = _Contest(models, answers, cv, rng)
    rows = contest.losses(contest.of_people, contest.people)
    draws = (contest.drawn(k, n_simulations) for k in range(len(models)))
    who = answers.response_id if answers.observer is None else answers.observer
    seed = rng.randint(2**31 - 1)
    means = [bootstrap_means(row, answers.weights, who, n_resamples, seed) for row in rows]
    losses, steps = rows @ contest.share, Steps(callback, len(models) * n_simulations)
    ahead, best = losses - losses.min() - ROUNDING, int(losses.argmin())
    confusion, p_values = [], []
    for k, simulations in enumerate(draws):
        drawn = np.array(list(steps.each(simulations)))
        confusion.append(np.mean([winners(draw) for draw in drawn], axis=0))
        p_values.append(np.mean(drawn[:, k] - drawn[:, best] >= ahead[k]))
    again = np.mean([winners(draw) for draw in np.transpose(means)], axis=0)
    return ModelRecovery(
        tuple(models), losses, np.array(confusion), np.array(p_values), again, n_simulations
    )


class _Fixed:
    def __init__(self, utilities: Floats) -> None:
        # The maximum is subtracted so that small differences are exact.
        self.utilities = utilities - utilities.max(axis=1, keepdims=True)
        self.temperatures = spread_of(utilities) * FACTORS
        self.sums = np.stack([logsumexp(self.utilities / t, axis=1) for t in self.temperatures])

    def held_out(self, chosen: Places, fold: Places, near: bool = False) -> _Fixed:
        return self

    def tables(self, chosen: Places, chance: Floats) -> Floats:
        """Return -log P of the answers at each temperature and lapse rate on the grid, (T L, m)."""
        utility = self.utilities[np.arange(len(chosen)), chosen]
        certain = np.exp(utility / self.temperatures[:, None] - self.sums)
        p = (1.0 - LAPSES[:, None]) * certain[:, None] + LAPSES[:, None] * chance
        return -np.log(np.maximum(p, TINY)).reshape(-1, len(utility))


class _Fitted(_Fixed):
    def __init__(self, model: OrdinalEmbedding, answers: Judgments) -> None:
        self.asked = as_questions(answers, "model that is fitted here")
        self.model = settled(model, answers)
        with quiet():
            fit = clone(self.model).fit(answers)
        super().__init__(utilities_of(fit, answers))
        self.start = {"init": fit.embedding_} if fit.embedding_.any() else {}

    def held_out(self, chosen: Places, fold: Places, near: bool = False) -> _Fixed:
        answers, utilities = answered(self.asked, chosen), np.empty_like(self.utilities)
        model = clone(self.model).set_params(**(self.start if near else {}))
        with quiet():
            for number in range(fold.max() + 1):
                out = fold == number
                utilities[out] = utilities_of(model.fit(answers[~out]), self.asked[out])
        return _Fixed(utilities)


class _Contest:
    def __init__(
        self,
        models: Mapping[str, Observer | OrdinalEmbedding],
        answers: Judgments,
        cv: int,
        rng: Any,
    ) -> None:
        self.rng = rng
        self.weights, self.share = answers.weights, answers.weights / answers.weights.sum()
        folds = GroupedKFold(min(cv, len(answers)), random_state=rng.randint(2**31 - 1))
        self.fold = np.empty(len(answers), dtype=np.intp)
        for number, (_, test) in enumerate(folds.split(answers)):
            self.fold[test] = number
        self.chance = 1.0 / answers.answers_possible()
        # In people's answers, the chosen option has the index 0.
        self.people = np.zeros(len(answers), dtype=np.intp)
        self.models = [
            _Fitted(model, answers)
            if isinstance(model, OrdinalEmbedding) and not hasattr(model, "embedding_")
            else _Fixed(utilities_of(model, answers))
            for model in models.values()
        ]
        self.of_people = [model.held_out(self.people, self.fold) for model in self.models]

    def losses(self, models: Iterable[_Fixed], chosen: Places) -> Floats:
        """Return -log P of the answers under each model, (K, m), with cross-validated noise."""
        return np.array([self._losses(model, chosen) for model in models])

    def _losses(self, model: _Fixed, chosen: Places) -> Floats:
        table = model.tables(chosen, self.chance)
        folds = np.array([np.bincount(self.fold, self.weights * losses) for losses in table])
        others = folds.sum(axis=1, keepdims=True) - folds + PRIOR[:, None]
        return table[others.argmin(axis=0)[self.fold], np.arange(len(chosen))]

    def drawn(self, k: int, n: int) -> Iterator[Floats]:
        """Simulate answers of model k n times, with people's noise; yield K losses each."""
        fitted = self.of_people[k]
        table = fitted.tables(self.people, self.chance) @ self.weights + PRIOR
        temperature, lapse = np.unravel_index(table.argmin(), (len(FACTORS), len(LAPSES)))
        noise = float(fitted.temperatures[temperature]), float(LAPSES[lapse])
        upto = answer_shares(self.models[k].utilities, *noise).cumsum(axis=1)
        for _ in range(n):
            at = self.rng.random_sample((len(upto), 1)) * upto[:, -1:]
            chosen = (at > upto).sum(axis=1)
            models = (model.held_out(chosen, self.fold, near=True) for model in self.models)
            yield self.losses(models, chosen) @ self.share


def winners(losses: Floats) -> Floats:
    """Return 1 for the model with the least loss, 0 for other models; 1/t if t models tie.

    >>> winners(np.array([0.2, 0.1, 0.1]))
    array([0. , 0.5, 0.5])
    """
    best = losses <= losses.min() + ROUNDING
    return np.asarray(best / best.sum())
