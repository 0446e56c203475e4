"""Place a new item among fixed items from answers about the new item."""

from collections import Counter
from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize

from resemblance.arrays import ONE_VIEW, Floats, Ints, by_view
from resemblance.asking.gain import Hypotheses, answer_log_likelihood
from resemblance.asking.question import Answer, Pending, random_rows
from resemblance.asking.settings import seed_of
from resemblance.asking.strategies import log_similarities
from resemblance.errors import SettingError, UnknownQuestionError
from resemblance.fitting import OrdinalEmbedding
from resemblance.fitting.laplace import Noise, refuse_without_likelihood
from resemblance.fitting.objective.threads import blas_threads
from resemblance.forms import FeaturePrior
from resemblance.judgments import Items, Judgments
from resemblance.notebook import Shown
from resemblance.ranges import check, checks_bools, integers

DRAWS = 512  # number of sampled positions of the new item
STARTS = 3  # number of descents to the most probable position
QUESTIONS = 2048  # number of random candidates for the next question
AT_ONCE = 3  # maximum number of pending questions about a new item
# fields of Items; if items have one of these, new items are refused
PARTS = "labels", "images", "titles"
# an item joins after this multiple of the needed answers, even if many answers are skips
PATIENCE = 2


@dataclass(frozen=True)
class Placement(Shown):
    """The position of a new item.

    Attributes
    ----------
    position : array (d,)
        The most probable position.
    covariance : array (d, d)
        The inverse of the sum of the prior precision and the expected information at the position.
    """

    position: Floats
    covariance: Floats

    @property
    def deviation(self) -> float:
        """The standard deviation: the square root of the mean variance of the coordinates."""
        return float(np.sqrt(np.trace(self.covariance) / len(self.position)))


def embed_item(
    model: OrdinalEmbedding, answers: Iterable[Sequence[int]], *, noise: Noise | None = None
) -> Placement:
    r"""Estimate the position of a new item in a fitted space, from a few answers about it.

    .. math:: \hat x = \arg\max_x \; \log \pi(x) + \sum_i \log p(\text{answer } i \mid x), \qquad
       \Sigma = \big(\Sigma_\pi^{-1} + \textstyle\sum_i J_i' J_i\big)^{-1}

    The prior pi is normal, with the mean and covariance Sigma_pi of the fitted items, and J_i' J_i
    is the Fisher information of answer i (:class:`~resemblance.fitting.PositionUncertainty`). The
    fitted items do not move.

    Parameters
    ----------
    model : OrdinalEmbedding
        A fitted model with a likelihood.
    answers : sequence of sequences of int
        The options of each question about the new item: indices of fitted items, the chosen option
        first. Without answers, the result is the prior.
    noise : Noise, optional
        Temperature and lapses of the answers.

    Raises
    ------
    SettingError
        For a model without a likelihood, or options that are not in the model.

    Examples
    --------
    >>> import resemblance as rs
    >>> model = rs.STE(1).set_positions([[0.0], [2.0], [4.0], [6.0]])
    >>> placed = embed_item(model, [[2, 1], [2, 3], [2, 0], [1, 3], [2, 1]])
    >>> bool(2.5 < placed.position[0] < 5)
    True
    """
    return _Evidence(model, noise, answers).placement()


class OutOfSampleSession:
    r"""Ask questions to find the position of a new item.

    A question asks "is the new item more like a or like b?", where a and b are fitted items. The
    session asks the question with the largest information gain about the position
    (:class:`InformationGain`), given the answers so far.

    Parameters
    ----------
    model : OrdinalEmbedding
        A fitted model with a likelihood.
    n_options : int
        The number of options of a question.
    adaptive : bool
        Whether questions are chosen by information gain, or at random.
    noise : Noise, optional
        Temperature and lapses of the answers.
    random_state : int or sequence of int
        The seed of all random draws.

    Raises
    ------
    SettingError
        For a model without a likelihood, or a number of options out of range.

    Examples
    --------
    >>> import resemblance as rs
    >>> model = rs.STE(1).set_positions([[float(x)] for x in range(12)])
    >>> session = OutOfSampleSession(model)
    >>> for _ in range(12):
    ...     options = session.ask()
    ...     session.tell(min(options, key=lambda item: abs(item - 7.4)))
    >>> bool(6.5 < session.place().position[0] < 8.5)
    True
    """

    @checks_bools
    def __init__(
        self,
        model: OrdinalEmbedding,
        n_options: int = 2,
        *,
        adaptive: bool = True,
        noise: Noise | None = None,
        random_state: Any = 0,
    ) -> None:
        n = len(model.embedding_)
        check(n_options=(n_options, integers(2, n)))
        self._evidence = _Evidence(model, noise, [])
        self.model, self.n_options, self.adaptive = model, n_options, adaptive
        self.asked: tuple[int, ...] = ()
        self._seed = seed_of(random_state)

    @property
    def answers(self) -> list[tuple[int, ...]]:
        """The answers so far: the options of each question, the chosen option first."""
        return self._evidence.answers

    def ask(self, out: Iterable[Sequence[int]] = ()) -> tuple[int, ...]:
        """Return the options of the next question.

        If possible, the question shares no option with the pending questions ``out``.

        A question is repeated only after all questions have been asked.
        """
        rng = np.random.default_rng([*self._seed, len(self.answers)])
        n = len(self.model.embedding_)
        new = np.full(QUESTIONS, n, np.int32)  # the new item has number n
        rows = random_rows(rng, QUESTIONS, n + 1, self.n_options, new)[:, 1:]
        past = {frozenset(answer) for answer in self.answers}
        fresh = np.array([frozenset(row) not in past for row in rows.tolist()])
        rows = rows[fresh] if fresh.any() else rows
        apart = ~np.isin(rows, [option for options in out for option in options]).any(axis=1)
        rows = rows[apart] if apart.any() else rows
        best = self._evidence.information(rows, rng).argmax() if self.adaptive else 0
        self.asked = tuple(int(option) for option in rows[best])
        return self.asked

    def tell(self, chosen: int, options: Sequence[int] | None = None) -> None:
        """Record the chosen option; ``options`` default to the last question's.

        Raises UnknownQuestionError if ``chosen`` is not among the options.
        """
        asked = self.asked if options is None else tuple(options)
        if chosen not in asked:
            raise UnknownQuestionError(f"item {chosen!r} is not among the options: {asked}.")
        self._evidence.add((chosen, *(other for other in asked if other != chosen)))
        self.asked = ()

    def place(self) -> Placement:
        """Return the position of the new item, as in :func:`~resemblance.asking.embed_item`."""
        return self._evidence.placement()


class _Evidence:
    def __init__(
        self,
        model: OrdinalEmbedding,
        noise: Noise | None,
        answers: Iterable[Sequence[int]],
    ) -> None:
        refuse_without_likelihood(model.choice_)
        self.points, self.choice = model.embedding_, model.choice_
        self.noise = Noise() if noise is None else noise
        d = self.points.shape[1]
        covariance = np.atleast_2d(np.cov(self.points, rowvar=False))
        self.mean = self.points.mean(axis=0)
        self.covariance = covariance + 1e-9 * (np.trace(covariance) / d + 1e-12) * np.eye(d)
        self.precision = np.linalg.inv(self.covariance)
        self.answers: list[tuple[int, ...]] = []
        if isinstance(answers, Judgments):
            raise SettingError(
                f"answers are {type(answers).__name__}: give the options of each question, "
                "indices of fitted items, the chosen one first.",
                setting="answers",
            )
        for answer in answers:
            self.add(answer)

    def add(self, answer: Sequence[int]) -> None:
        row, n = tuple(np.atleast_1d(answer).tolist()), len(self.points)
        positions = integers(0, n - 1)
        if len(row) < 2 or len(set(row)) < len(row) or not all(item in positions for item in row):
            raise SettingError(
                f"answer {len(self.answers)} is {row}: give two or more different indices of "
                f"items from 0 to {n - 1}, the chosen one first."
            )
        self.answers.append(tuple(int(item) for item in row))

    def log_posterior(self, X: Floats) -> Floats:
        prior = -0.5 * np.einsum("ki,ij,kj->k", X - self.mean, self.precision, X - self.mean)
        rows = padded(self.answers)
        options, place = np.unique(rows, return_inverse=True)
        log_s = log_similarities(self.points[options], X, self.choice)
        rows = np.where(rows < 0, -1, place.reshape(rows.shape))
        return np.asarray(prior + answer_log_likelihood(log_s, rows, self.noise))

    def placement(self) -> Placement:
        starts = np.vstack([self.mean, self._prior(np.random.default_rng(0), DRAWS)])
        best = starts[np.argsort(-self.log_posterior(starts), kind="stable")[:STARTS]]
        with blas_threads(len(self.mean)):
            results = [minimize(self._objective, x, jac=True, method="L-BFGS-B") for x in best]
        position = min(results, key=lambda result: result.fun).x
        precision = self.precision + self._information(position)
        return Placement(position, np.asarray(np.linalg.inv(precision), np.float64))

    def information(self, rows: Ints, rng: np.random.Generator) -> Floats:
        """Return the information gain of each question about the position, in nats, (m,).

        It is estimated from positions drawn from the prior and around the mode, in equal numbers.
        """
        placed = self.placement()
        near = rng.multivariate_normal(placed.position, 2.0 * placed.covariance, DRAWS // 2)
        X = np.vstack([self._prior(rng, DRAWS // 2), near])
        drawn = np.logaddexp(
            log_normal(X, self.mean, self.covariance),
            log_normal(X, placed.position, 2.0 * placed.covariance),
        )
        weight = self.log_posterior(X) - drawn
        options, place = np.unique(rows, return_inverse=True)
        log_s = log_similarities(self.points[options], X, self.choice)
        hypotheses = Hypotheses(log_s, self.noise)
        weight = np.exp(weight - weight.max())
        return hypotheses.information(weight, place.reshape(rows.shape))

    def _prior(self, rng: np.random.Generator, draws: int) -> Floats:
        return rng.multivariate_normal(self.mean, self.covariance, draws, method="eigh")

    def _objective(self, x: Floats) -> tuple[float, Floats]:
        pull = self.precision @ (x - self.mean)
        log_p, log_P, slope = self._slopes(x)
        share = np.exp(np.log1p(-self.noise.lapse) + log_p[:, 0] - log_P[:, 0])
        value = 0.5 * pull @ (x - self.mean) - log_P[:, 0].sum()
        return float(value), pull - share @ slope[:, 0]

    def _information(self, x: Floats) -> Floats:
        log_p, log_P, slope = self._slopes(x)
        there = np.isfinite(log_p)
        root = np.log1p(-self.noise.lapse) + log_p[there] - 0.5 * log_P[there]
        J = np.exp(root)[:, None] * slope[there]
        return np.asarray(J.T @ J)

    def _slopes(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        rows = padded(self.answers)
        there, options = rows >= 0, self.points[rows]
        inner = self.choice.reads == "inner"
        d = options @ x if inner else ((x - options) ** 2).sum(axis=2)
        log_s = np.where(there, self.choice.log_similarity(d) / self.noise.temperature, -np.inf)
        log_p = log_s - np.logaddexp.reduce(log_s, axis=1, keepdims=True)
        of_distance = self.choice.log_similarity_slope(d)[..., None] / self.noise.temperature
        own = of_distance * (options if inner else 2.0 * (x - options))
        return (
            log_p,
            self.noise.with_lapses(log_p, there.sum(axis=1, keepdims=True)),
            own - np.einsum("mj,mjd->md", np.exp(log_p), own)[:, None],
        )


def padded(answers: Sequence[Sequence[int]]) -> Ints:
    """Return answers as rows of equal length, padded with -1."""
    rows = np.full((len(answers), max(map(len, answers), default=2)), -1, np.int32)
    for row, answer in zip(rows, answers, strict=True):
        row[: len(answer)] = answer
    return rows


def log_normal(X: Floats, mean: Floats, covariance: Floats) -> Floats:
    """Return the normal log density of rows of X, without the factor (2 pi)^(-d/2)."""
    apart = np.linalg.solve(np.linalg.cholesky(covariance), (X - mean).T)
    return np.asarray(-0.5 * (apart**2).sum(axis=0) - 0.5 * np.linalg.slogdet(covariance)[1])


class Newcomers(dict[int, list[tuple[int, Answer]]]):
    """New items and the answers about them. An item is removed after enough answers."""

    def __init__(self, share: int) -> None:
        super().__init__()
        self.share = share

    def take(self, number: int, answer: Answer) -> None:
        for item in answer.question.about if not answer.question.held_out else ():
            if item in self:
                self[item].append((number, answer))

    def next(self, pending: Pending, left_out: frozenset[str]) -> int | None:
        """Of items that need more answers, return one with fewest answers and open questions."""
        if not self:
            return None
        out = Counter(item for q in pending.values() for item in q.about if item in self)
        lacking = {}
        for item in self:
            useful, heard = self._counts(item, left_out)
            if out[item] < AT_ONCE and not self._suffices(useful + out[item], heard + out[item]):
                lacking[item] = useful + out[item]
        return min(lacking, key=lambda item: lacking[item], default=None)

    def ready(self, left_out: frozenset[str]) -> bool:
        return bool(self) and all(self._suffices(*self._counts(item, left_out)) for item in self)

    def settle(self, n_answers: int, left_out: frozenset[str]) -> None:
        for item in list(self):
            if self._suffices(*self._counts(item, left_out, n_answers)):
                del self[item]

    def _counts(
        self, item: int, left_out: frozenset[str], n_answers: int | None = None
    ) -> tuple[int, int]:
        heard = [answer for at, answer in self[item] if n_answers is None or at < n_answers]
        useful = [a for a in heard if a.chosen is not None and a.observer not in left_out]
        return len(useful), len(heard)

    def _suffices(self, useful: int, heard: int) -> bool:
        return useful >= self.share or heard >= PATIENCE * self.share


def with_names(items: Items, names: Iterable[str], features: Any = None) -> Items:
    if lacking := [part for part in PARTS if getattr(items, part) is not None]:
        raise SettingError(
            f"the session's items have {lacking[0]}, which new ones would lack: make a new "
            "session with all items"
        )
    new = Items(list(names), features)
    earlier, given = by_view(items.features), by_view(new.features)
    columns, others = ({view: X.shape[1] for view, X in of.items()} for of in (earlier, given))
    if columns != others:
        raise SettingError(
            f"new items have {others or 'no'} features, and the others {columns or 'none'}: give "
            "the same features in the same order"
        )
    joined = {view: np.vstack([X, given[view]]) for view, X in earlier.items()}
    several = isinstance(items.features, dict)
    return Items(
        [*items.names, *new.names],
        joined if several else joined.get(ONE_VIEW),
        feature_names=items.feature_names,
    )


def first_items(items: Items, n: int) -> Items:
    return items if n == len(items) else items.taken(np.arange(n))


def with_later_items(model: OrdinalEmbedding, items: Items) -> OrdinalEmbedding:
    """Add items to a fitted model, at positions predicted from features, or at the mean."""
    n = len(model.embedding_)
    if n == len(items):
        return model
    X, form = model.embedding_, getattr(model, "form_", None)
    if isinstance(form, FeaturePrior) and items.features is not None:
        earlier, new = first_items(items, n), items.taken(np.arange(n, len(items)))
        placed = form.expected(earlier.features, X, new.features)
    else:
        placed = np.tile(X.mean(axis=0), (len(items) - n, 1))
    return copy(model).set_positions(np.vstack([X, placed]), items)
