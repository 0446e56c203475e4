"""The interface of question strategies, and two simple ones: random and uncertain."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice

import numpy as np
from scipy.special import log_softmax

from resemblance.arrays import Floats, Ints
from resemblance.asking.belief import Belief
from resemblance.choice import ChoiceModel
from resemblance.fitting.laplace import refuse_without_likelihood
from resemblance.judgments import Comparison, Items
from resemblance.ranges import check_settings, integers, setting

CHUNK = 64  # random questions drawn at a time


class Strategy(ABC):
    """A strategy that chooses the next questions.

    Attributes
    ----------
    adaptive : bool
        Whether questions depend on the fitted positions.
    needs_head : bool
        Whether it weighs questions about a head alone, and no odd ones out.
    """

    adaptive = True
    needs_head = False

    def __post_init__(self) -> None:
        check_settings(self)

    @abstractmethod
    def questions(self, belief: Belief, rng: np.random.Generator) -> Iterator[Ints]:
        """Yield questions, best first, all worth asking together.

        Parameters
        ----------
        belief : Belief
            The fitted space, what was asked, and what may be asked.
        rng : Generator
            The only source of chance: one state gives one result.

        Yields
        ------
        array (w,) of int
            The head, if there is one, then options. No question comes twice, and the first costs
            the most time. It ends where nothing is left to ask.
        """

    def propose(self, belief: Belief, n: int, rng: np.random.Generator) -> Ints:
        """Return the first n questions, (k, w), with k < n if fewer are left."""
        rows = list(islice(self.questions(belief, rng), n))
        return np.array(rows, dtype=np.int32).reshape(-1, belief.asks.width)

    def check(self, choice: ChoiceModel) -> None:
        """Refuse a choice model that this strategy cannot use."""
        refuse_without_likelihood(choice)

    def check_items(self, items: Items) -> None:  # noqa: B027  (most ask about any)
        """Refuse items that this strategy cannot ask about."""


@dataclass(eq=False, repr=False)
class RandomQuestions(Strategy):
    """Random questions: every head and every set of options is equally likely.

    Parameters
    ----------
    repeats : bool
        Whether a question that was answered may be drawn again.

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
        """Draw questions."""
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
    """Questions of which the fitted model is least certain: largest entropy of p.

    With two options that is p nearest to one half. Near a half are also questions whose answer is
    a toss-up for good, which tell nothing (Tamuz et al. 2011, section 3): a baseline.

    Parameters
    ----------
    max_candidates : int
        The questions weighed: every open one where they are this few, else a random sample.
    repeats : bool
        Whether a question that was answered may be asked again.

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
        """Yield the most uncertain question of each head, then the second of each."""
        rows = belief.candidates(rng, self.max_candidates, self.repeats)
        p = np.exp(log_probabilities(belief, rows))
        entropy = -(p * np.log(np.maximum(p, 1e-300))).sum(axis=1)
        yield from round_heads(rows[np.argsort(-entropy, kind="stable")])


def round_heads(rows: Ints) -> Ints:
    """Sort rows so that the first row of each head precedes all second ones, and so on."""
    by_head = np.argsort(rows[:, 0], kind="stable")
    sizes = np.unique(rows[:, 0], return_counts=True)[1]
    turn = np.empty(len(rows), dtype=np.intp)
    turn[by_head] = np.arange(len(rows)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return rows[np.argsort(turn, kind="stable")]


def log_similarities(points: Floats, heads: Floats, choice: ChoiceModel) -> Floats:
    """Return log s of every item (columns) from every position of a head (rows)."""
    if choice.reads == "inner":
        return choice.log_similarity(heads @ points.T)
    lengths = [np.einsum("nd,nd->n", x, x) for x in (heads, points)]
    squared = lengths[0][:, None] + lengths[1]
    squared -= 2.0 * heads @ points.T
    return choice.log_similarity(np.maximum(squared, 0.0, out=squared))


def picked_choices(belief: Belief, rows: Ints, scores: Floats) -> Ints:
    """Return single choices, in order, that pick the options of the largest scores (m, N)."""
    asks = belief.asks
    nearest = np.take_along_axis(rows[:, asks.heads :], np.argsort(-scores, axis=1), axis=1)
    parts = map(asks.parts, np.hstack([rows[:, : asks.heads], nearest]).tolist())
    chosen = [asks.choices(head, options[: asks.picks], options) for head, options in parts]
    return np.array([*chain.from_iterable(chosen)], np.int32).reshape(-1, asks.width)


def expected(belief: Belief, rows: Ints) -> list[Comparison]:
    """Return the most likely answers to questions as comparisons, with all picks.

    Comparisons are grouped by number of options, in the order of the questions.
    """
    if belief.asks.picks == 1:  # every answer to a single pick tells the same
        return [belief.asked(rows)]
    return belief.told(picked_choices(belief, rows, log_probabilities(belief, rows)))


def log_probabilities(belief: Belief, rows: Ints) -> Floats:
    """Return the log probability of each option (columns) of some questions."""
    asked, X = belief.asked(rows), belief.points
    ends = [(X[a], X[b]) for a, b in asked.pairs]
    inner = belief.choice.reads == "inner"
    distance = np.array([(a * b if inner else (a - b) ** 2).sum(axis=1) for a, b in ends])
    s = asked.layout.of_options(belief.choice.log_similarity(distance))
    return np.asarray(log_softmax(s.T / belief.noise.temperature, axis=1))
