"""Define strategies, their input, and random, uncertain and controversial questions."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from itertools import chain, islice

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import inv
from scipy.special import entr, log_softmax, softmax

from resemblance.arrays import Floats, Ints
from resemblance.asking.question import MostSimilar, QuestionType
from resemblance.choice import ChoiceModel, Softmax
from resemblance.errors import SettingError
from resemblance.fitting import OrdinalEmbedding
from resemblance.fitting.laplace import ItemUncertainty, Noise, refuse_without_likelihood
from resemblance.judgments import Comparison, Items, Judgments, Triplets
from resemblance.observers.explained_accuracy import noise_of, spread_of, utilities_of
from resemblance.observers.observer import Observer
from resemblance.observers.space import answer_shares
from resemblance.ranges import Range, check_settings, integers, setting


@dataclass(frozen=True)
class Belief:
    """The input of a strategy: a fitted space, its answers, and the possible questions.

    Attributes
    ----------
    points : array (n_items, d)
        The fitted positions.
    choice : ChoiceModel
        The choice model.
    answered : array (m, w) of int
        The choices so far: head (if questions have one), chosen option, other options, padding of
        -1.
    pending : array (k, w) of int
        Questions that were asked or planned and have no answer yet.
    noise : Noise
        Temperature and lapses of the answers, if estimated.
    asks : QuestionType
        The type of the questions.
    offer : array (M, w) of int, optional
        The questions that may be asked, each as often as it has rows. None is all questions.
    penalty : float
        The penalty of the fit; 0 for none.
    sure : ItemUncertainty, optional
        With many items, the uncertainty of each item, and positions updated since the fit.
    alike : array (n_items, n_items), optional
        The prior covariance of a coordinate between items, from features, with a mean variance of
        1. None if items are independent.
    items : Items, optional
        All items of the session, for models that match items by name. None without names.
    numbers : array (n_items,) of int, optional
        The indices of the rows of ``points`` among ``items``. None is all, in order.
    """

    points: Floats
    choice: ChoiceModel = field(default_factory=Softmax)
    answered: Ints = field(default_factory=lambda: np.empty((0, 3), np.int32))
    pending: Ints = field(default_factory=lambda: np.empty((0, 3), np.int32))
    noise: Noise = field(default_factory=Noise)
    asks: QuestionType = field(default_factory=lambda: MostSimilar(2))
    offer: Ints | None = None
    penalty: float = 0.0
    sure: ItemUncertainty | None = None
    alike: Floats | None = None
    items: Items | None = None
    numbers: Ints | None = None

    @property
    def n_items(self) -> int:
        return len(self.points)

    def asked(self, rows: Ints) -> Comparison:
        """Convert questions to a comparison with the first option as the answer."""
        return self.asks.asked(rows)

    def told(self, rows: Ints) -> list[Comparison]:
        """Convert choices, padded with -1, to comparisons, grouped by number of options."""
        return self.asks.told(rows)

    def judgments(self, rows: Ints) -> Judgments:
        """Convert questions to judgments of the session's items with the first option chosen."""
        numbers = np.arange(self.n_items) if self.numbers is None else self.numbers
        named = self.items if self.items is not None else int(numbers.max()) + 1
        return self.asks.judgments(numbers[rows].astype(np.int32), named)

    def keys(self, index: Ints) -> NDArray[np.int64]:
        """Return integer keys of questions that do not depend on the order of options, (m,)."""
        return self.asks.keys(index, self.n_items)

    def candidates(
        self,
        rng: np.random.Generator,
        limit: int,
        repeats: bool = False,
        head: int | None = None,
    ) -> Ints:
        """Return the questions that may be asked now, (C, w), or a sample of ``limit``.

        Parameters
        ----------
        rng : Generator
            The generator of the sample.
        limit : int
            The maximum number of questions.
        repeats : bool
            Whether answered questions are included. Pending questions are only included if the
            offer has another copy.
        head : int, optional
            The head of all questions; a sample for one head may have duplicates. None is any head,
            without duplicates.
        """
        free = self.offer is None
        rows = self._any(rng, limit, head) if free else self._about(self._offered(), head)
        past = [self._pending_keys] * (free or not repeats) + [self._answered_keys] * (not repeats)
        for taken in past:
            rows = rows[~_among(self.keys(rows), taken)]
        if len(rows) > limit:
            rows = rows[np.sort(rng.choice(len(rows), limit, replace=False))]
        return rows

    def is_exhaustive(self, limit: int) -> bool:
        """Return whether ``candidates`` with ``limit`` returns all questions, not a sample."""
        return (self.n_questions if self.offer is None else len(self._offered())) <= limit

    def among(self, items: Ints) -> "Belief":
        """Return the belief about some of the items, renumbered from 0."""
        place = np.full(self.n_items + 1, -1, np.int32)  # entry -1 maps padding to padding
        place[items] = np.arange(len(items))
        answered, pending = (
            place[rows[((place[rows] >= 0) | (rows < 0)).all(axis=1)]]
            for rows in (self.answered, self.pending)
        )
        sure = None if self.sure is None else self.sure.among(items)
        alike = None if self.alike is None else self.alike[np.ix_(items, items)]
        numbers = items if self.numbers is None else self.numbers[items]
        belief = replace(self, points=self.points[items], alike=alike, sure=sure, numbers=numbers)
        return replace(belief, answered=answered, pending=pending)

    def prior(self) -> Floats | None:
        """Return the prior precision of a coordinate, (n_items, n_items); None is the default."""
        if self.alike is None:
            return None
        return np.asarray(inv(self.alike) / max(float(np.mean(self.points**2)), 1e-12))

    def item_uncertainty(self) -> ItemUncertainty:
        """Return the uncertainty of each item: ``sure``, or else computed from the answers."""
        if self.sure is not None:
            return self.sure
        prior = 2.0 * self.penalty or None
        anew = ItemUncertainty(self.points, self.choice, noise=self.noise, prior=prior)
        return reduce(ItemUncertainty.learn, self.told(self.answered), anew)

    @property
    def n_questions(self) -> int:
        """The number of distinct questions about the items."""
        return self.asks.count(self.n_items)

    @cached_property
    def _answered_keys(self) -> NDArray[np.int64]:
        return np.sort(self.keys(self.answered[(self.answered >= 0).all(axis=1)]))

    @cached_property
    def _pending_keys(self) -> NDArray[np.int64]:
        return np.sort(self.keys(self.pending))

    def _offered(self) -> Ints:
        assert self.offer is not None
        offered, first, count = np.unique(
            self.keys(self.offer), return_index=True, return_counts=True
        )
        asked, times = np.unique(
            np.concatenate([self._answered_keys, self._pending_keys]), return_counts=True
        )
        used = np.zeros(len(offered), dtype=int)
        at = np.searchsorted(offered, asked)
        on_offer = (at < len(offered)) & (offered[np.minimum(at, len(offered) - 1)] == asked)
        used[at[on_offer]] = times[on_offer]
        return self.offer[first[used < count]]

    def _any(self, rng: np.random.Generator, limit: int, head: int | None) -> Ints:
        n = self.n_items
        if self.asks.count(n, head) <= limit:
            return self.asks.all(n, head)
        if head is not None:
            return self.asks.random(rng, limit, n, np.full(limit, head, np.int32))
        rows = self.asks.random(rng, limit, n)
        return rows[np.sort(np.unique(self.keys(rows), return_index=True)[1])]

    def _about(self, rows: Ints, head: int | None) -> Ints:
        if head is None:
            return rows
        return rows[(rows[:, : self.asks.heads or None] == head).any(axis=1)]


def _among(keys: NDArray[np.int64], taken: NDArray[np.int64]) -> NDArray[np.bool_]:
    if not len(taken):
        return np.zeros(len(keys), bool)
    at = np.minimum(np.searchsorted(taken, keys), len(taken) - 1)
    return np.asarray(taken[at] == keys)


CHUNK = 64  # number of random questions drawn at a time


class Strategy(ABC):
    """A strategy that chooses the next questions.

    Attributes
    ----------
    adaptive : bool
        Whether questions depend on the fitted positions.
    needs_head : bool
        Whether questions need a head, so that the strategy cannot ask for the odd one out.
    """

    adaptive = True
    needs_head = False

    def __post_init__(self) -> None:
        check_settings(self)

    @abstractmethod
    def questions(self, belief: Belief, rng: np.random.Generator) -> Iterator[Ints]:
        """Yield questions, the best first, that do not repeat each other's information.

        Parameters
        ----------
        belief : Belief
            The fitted space, its answers, and the possible questions.
        rng : Generator
            The only source of randomness.

        Yields
        ------
        array (w,) of int
            The head, if there is one, then options. No question is repeated. Most of the time is
            spent before the first question.
        """

    def propose(self, belief: Belief, n: int, rng: np.random.Generator) -> Ints:
        """Return the first n questions, (k, w), where k < n if there are fewer."""
        rows = list(islice(self.questions(belief, rng), n))
        return np.array(rows, dtype=np.int32).reshape(-1, belief.asks.width)

    def check(self, choice: ChoiceModel) -> None:
        """Raise an error if the strategy cannot use a choice model."""
        refuse_without_likelihood(choice)

    def check_items(self, items: Items) -> None:  # noqa: B027  (most strategies accept all)
        """Raise an error if the strategy cannot ask about the items."""


@dataclass(eq=False, repr=False)
class RandomQuestions(Strategy):
    """Ask random questions: every head and every set of options is equally likely.

    Parameters
    ----------
    repeats : bool
        Whether an answered question may be asked again.

    Examples
    --------
    >>> import numpy as np
    >>> belief = Belief(points=np.zeros((5, 2)))
    >>> RandomQuestions().propose(belief, 3, np.random.default_rng(0)).shape
    (3, 3)
    """

    adaptive = False
    repeats: bool = True

    def questions(self, belief: Belief, rng: np.random.Generator) -> Iterator[Ints]:
        """Yield random questions."""
        crowded = 4 * (CHUNK + len(belief.pending) + len(belief.answered))
        if belief.offer is not None or belief.n_questions <= crowded:
            rows = belief.candidates(rng, crowded, self.repeats)
            yield from rows[rng.permutation(len(rows))]
            return
        given = {*belief.keys(belief.pending).tolist()}
        given.update([] if self.repeats else belief.keys(belief.answered).tolist())
        while True:
            rows = belief.asks.random(rng, CHUNK, belief.n_items)
            for row, key in zip(rows, belief.keys(rows).tolist(), strict=True):
                if key not in given:
                    given.add(key)
                    yield row

    def check(self, choice: ChoiceModel) -> None:
        """Accept any choice model."""


@dataclass(eq=False, repr=False)
class UncertainQuestions(Strategy):
    """Ask the questions whose answers have the largest entropy under the fitted model.

    With two options, these are questions with a probability p near .5. The strategy is a baseline:
    p is also near .5 if people have no preference, and then answers have no information (Tamuz et
    al. 2011, section 3).

    Parameters
    ----------
    max_candidates : int
        The maximum number of questions compared. If there are more, a random sample is compared.
    repeats : bool
        Whether an answered question may be asked again.

    Examples
    --------
    >>> import numpy as np
    >>> belief = Belief(points=np.array([[0.0], [1.0], [-1.1], [9.0]]))
    >>> UncertainQuestions().propose(belief, 1, np.random.default_rng(0))
    array([[0, 1, 2]], dtype=int32)
    """

    max_candidates: int = setting(integers(1), default=4096)
    repeats: bool = False

    def questions(self, belief: Belief, rng: np.random.Generator) -> Iterator[Ints]:
        """Yield the most uncertain question of each head, then the second of each, and so on."""
        rows = belief.candidates(rng, self.max_candidates, self.repeats)
        p = np.exp(log_probabilities(belief, rows))
        entropy = -(p * np.log(np.maximum(p, 1e-300))).sum(axis=1)
        yield from round_heads(rows[np.argsort(-entropy, kind="stable")])


def round_heads(rows: Ints) -> Ints:
    """Sort rows: first the first row of each head, then the second row of each head, and so on."""
    by_head = np.argsort(rows[:, 0], kind="stable")
    sizes = np.unique(rows[:, 0], return_counts=True)[1]
    turn = np.empty(len(rows), dtype=np.intp)
    turn[by_head] = np.arange(len(rows)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return rows[np.argsort(turn, kind="stable")]


def log_similarities(points: Floats, heads: Floats, choice: ChoiceModel) -> Floats:
    """Return log similarities of items (columns) to possible positions of a head (rows)."""
    if choice.reads == "inner":
        return choice.log_similarity(heads @ points.T)
    lengths = [np.einsum("nd,nd->n", x, x) for x in (heads, points)]
    squared = lengths[0][:, None] + lengths[1]
    squared -= 2.0 * heads @ points.T
    return choice.log_similarity(np.maximum(squared, 0.0, out=squared))


def picked_choices(belief: Belief, rows: Ints, scores: Floats) -> Ints:
    """Return the choices of answers that pick the options with the largest ``scores``, (m, N)."""
    asks = belief.asks
    nearest = np.take_along_axis(rows[:, asks.heads :], np.argsort(-scores, axis=1), axis=1)
    parts = map(asks.parts, np.hstack([rows[:, : asks.heads], nearest]).tolist())
    chosen = [asks.choices(head, options[: asks.picks], options) for head, options in parts]
    return np.array([*chain.from_iterable(chosen)], np.int32).reshape(-1, asks.width)


def expected(belief: Belief, rows: Ints) -> list[Comparison]:
    """Return the most likely answers to questions as comparisons, by number of options."""
    if belief.asks.picks == 1:  # the gain is the same for each picked option
        return [belief.asked(rows)]
    return belief.told(picked_choices(belief, rows, log_probabilities(belief, rows)))


def log_probabilities(belief: Belief, rows: Ints) -> Floats:
    asked, X = belief.asked(rows), belief.points
    ends = [(X[a], X[b]) for a, b in asked.pairs]
    inner = belief.choice.reads == "inner"
    distance = np.array([(a * b if inner else (a - b) ** 2).sum(axis=1) for a, b in ends])
    s = asked.layout.of_options(belief.choice.log_similarity(distance))
    return np.asarray(log_softmax(s.T / belief.noise.temperature, axis=1))


# Before the first answer: temperature, in standard deviations of the utilities, and lapse rate.
UNTOLD = 1.0, 0.05


@dataclass(eq=False, repr=False)
class ControversialQuestions(Strategy):
    r"""Ask the questions whose answers best distinguish several models of people.

    .. math:: I(q) = H\Big(\sum_k w_k P_k(\cdot \mid q)\Big) - \sum_k w_k H(P_k(\cdot \mid q))

    is the mutual information of the model and the answer to question q. Model k has the answer
    probabilities P_k, with the temperature and lapse rate that best fit the answers so far. The
    models' weights are

    .. math:: w_k = (1 - \epsilon) \, P(k \mid \text{answers}) + \epsilon / K

    where :math:`\epsilon` is ``doubt``: without it, a model that noise has made improbable would
    never be tested again. Source: Golan, Raju & Kriegeskorte 2020, PNAS 117, 29330: controversial
    stimuli. The criterion is that of Cavagnaro, Myung, Pitt & Kujala 2010, Neural Computation 22,
    887, equation 4.

    Parameters
    ----------
    models : dict of str to Observer or OrdinalEmbedding
        Two or more models, such as :class:`~resemblance.ModelObserver` of a network's vectors, or
        embeddings fitted to other answers. Items are matched by name, or by index if they have no
        names.
    max_candidates : int
        The maximum number of questions compared. If there are more, a random sample is compared.
    repeats : bool
        Whether an answered question may be asked again.
    doubt : float
        :math:`\epsilon`, above 0 and at most 1. With 1, all models have equal weights.

    Raises
    ------
    SettingError
        If there are fewer than two models, or a model cannot answer questions.
    JudgmentError
        With the first questions, if an item is missing in a model.

    Examples
    --------
    >>> import resemblance as rs
    >>> points = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0], [5.0, 5.0]])
    >>> models = {"both": rs.ModelObserver(points, "euclidean", temperature=0.1),
    ...           "first": rs.ModelObserver(points[:, :1], "euclidean", temperature=0.1)}
    >>> strategy = ControversialQuestions(models)
    >>> strategy.propose(Belief(points), 1, np.random.default_rng(0))
    array([[0, 1, 2]], dtype=int32)
    """

    models: Mapping[str, Observer | OrdinalEmbedding]
    max_candidates: int = setting(integers(1), default=4096)
    repeats: bool = False
    doubt: float = setting(Range(0, 1, above=True), default=0.1)

    def __post_init__(self) -> None:
        super().__post_init__()
        if (n := len(self.models)) < 2:
            raise SettingError(
                f"{n} model has nothing to be compared with: give two or more.", setting="models"
            )
        self.models = dict(self.models)

    def check(self, choice: ChoiceModel) -> None:
        """Accept any choice model, because the strategy does not use the fit."""

    def check_items(self, items: Items) -> None:
        """Raise an error if a model does not have the items."""
        for model in self.models.values():
            utilities_of(model, Triplets([[0, 1, len(items) - 1]], items))

    def questions(self, belief: Belief, rng: np.random.Generator) -> Iterator[Ints]:
        """Yield the most informative question of each head, then the second of each, and so on."""
        rows = belief.candidates(rng, self.max_candidates, self.repeats)
        if not len(rows):
            return
        gains = self.told(belief, rows)
        yield from round_heads(rows[np.argsort(-gains, kind="stable")])

    def told(self, belief: Belief, rows: Ints) -> Floats:
        """Return the mutual information of each question's answer and the model, in nats, (m,)."""
        asked = belief.judgments(rows)
        # Rows with padding are later picks of an answer, which choose among fewer options.
        whole = (belief.answered >= 0).all(axis=1)
        answered = belief.answered[whole]
        judgments = belief.judgments(answered) if len(answered) else None
        shares, losses = [], np.zeros(len(self.models))
        for k, model in enumerate(self.models.values()):
            utilities = utilities_of(model, asked)
            if judgments is None:
                noise = spread_of(utilities) * UNTOLD[0], UNTOLD[1]
            else:
                given = utilities_of(model, judgments)
                noise = noise_of(given, judgments.weights)
                losses[k] = -judgments.weights @ np.log(answer_shares(given, *noise)[:, 0])
            shares.append(answer_shares(utilities, *noise))
        w = (1 - self.doubt) * softmax(-losses) + self.doubt / len(losses)
        p = np.array(shares)
        mixed = np.tensordot(w, p, axes=1)
        gain = entr(mixed).sum(axis=1) - w @ entr(p).sum(axis=2)
        return np.asarray(np.maximum(gain, 0.0))
