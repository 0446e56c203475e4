"""Search by similarity: show some items, take the one chosen, know better, show the next."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from resemblance.asking.information import Hypotheses, answer_log_likelihood
from resemblance.asking.knowledge import random_rows
from resemblance.asking.strategies import log_similarities
from resemblance.errors import SettingError, UnknownQuestionError
from resemblance.fitting import OrdinalEmbedding
from resemblance.fitting.noise import Noise
from resemblance.fitting.uncertainty import refuse_without_likelihood

Floats = NDArray[np.float64]


class Search:
    r"""Find the item that somebody has in mind, by "which of these is most like it?".

    .. math:: \tau(x) \propto \prod_i p(\text{choice } i \mid x)

    over all items x, uniform at first. :meth:`show` gives the items whose answer is expected to
    tell most about x; :meth:`choose` takes the answer. Source: Tamuz et al. 2011, sections 8.1 and
    8.3.

    Parameters
    ----------
    model : OrdinalEmbedding
        A fitted model with a likelihood.
    n_options : int
        How many items are shown at a time, 2 or more.
    adaptive : bool
        Whether items are chosen by information gain, or at random.
    max_candidates : int
        The random sets weighed for one page of two items; larger pages grow item by item from as
        many pairs.
    noise : Noise, optional
        Temperature and lapses of the answers.
    random_state : int
        Draws the candidates.

    Raises
    ------
    SettingError
        For a model without a likelihood, or a number of options out of range.

    Examples
    --------
    >>> import resemblance as rs
    >>> model = rs.STE(1).set_positions([[float(x)] for x in range(12)])
    >>> search = Search(model, n_options=3, random_state=0)
    >>> for _ in range(8):
    ...     shown = search.show()
    ...     search.choose(min(shown, key=lambda item: abs(item - 7)))
    >>> search.ranking()[0]
    7
    """

    def __init__(
        self,
        model: OrdinalEmbedding,
        n_options: int = 9,
        *,
        adaptive: bool = True,
        max_candidates: int = 2048,
        noise: Noise | None = None,
        random_state: Any = 0,
    ) -> None:
        refuse_without_likelihood(model.choice_)
        n = len(model.embedding_)
        if not 2 <= n_options <= n:
            raise SettingError(f"n_options is {n_options!r}: show from 2 to {n} items at a time.")
        self.n_options, self.adaptive, self.max_candidates = n_options, adaptive, max_candidates
        self.noise = Noise() if noise is None else noise
        X = model.embedding_
        self._hypotheses = Hypotheses(log_similarities(X, X, model.choice_), self.noise.temperature)
        self._rng = np.random.default_rng(random_state)
        self.shown: tuple[int, ...] = ()
        self.answers: list[tuple[int, ...]] = []

    def show(self) -> tuple[int, ...]:
        """Give the items to show next, most telling together."""
        n, k = len(self._hypotheses.log_similarity), self.n_options
        items = self._most_telling(n) if self.adaptive else self._rng.permutation(n)[:k]
        self.shown = tuple(int(item) for item in items)
        return self.shown

    def choose(self, item: int) -> None:
        """Take the shown item that is most like the one sought.

        Raises
        ------
        UnknownQuestionError
            If the item was not shown.
        """
        if item not in self.shown:
            raise UnknownQuestionError(f"item {item!r} is not among those shown: {self.shown}.")
        self.answers.append((item, *(other for other in self.shown if other != item)))
        self.shown = ()

    def back(self) -> None:
        """Take the last answer back; nothing where there is none."""
        if self.answers:
            self.answers.pop()

    def posterior(self) -> Floats:
        """Give the probability of each item to be the one sought, (n_items,)."""
        log_s = self._hypotheses.log_similarity
        log_tau = np.zeros(len(log_s))
        for answer in self.answers:
            log_tau += answer_log_likelihood(log_s, np.array([answer]), self.noise)
        tau = np.exp(log_tau - log_tau.max())
        return np.asarray(tau / tau.sum())

    def ranking(self) -> list[int]:
        """Give all items from the most to the least likely one."""
        return [int(item) for item in np.argsort(-self.posterior(), kind="stable")]

    def _most_telling(self, n: int) -> NDArray[Any]:
        """Take the best pair of a sample, then item after item the one that adds most."""
        tau = self.posterior()
        every = n * (n - 1) // 2
        if every <= self.max_candidates:
            pairs = np.column_stack(np.triu_indices(n, 1)).astype(np.int32)
        else:
            pairs = random_rows(self._rng, self.max_candidates, n, 1)
        chosen = pairs[self._hypotheses.information(tau, pairs).argmax()]
        while len(chosen) < self.n_options:
            rest = np.setdiff1d(np.arange(n, dtype=np.int32), chosen)
            if len(rest) > self.max_candidates:
                rest = np.sort(self._rng.choice(rest, self.max_candidates, replace=False))
            sets = np.column_stack([np.tile(chosen, (len(rest), 1)), rest]).astype(np.int32)
            chosen = sets[self._hypotheses.information(tau, sets).argmax()]
        return np.asarray(chosen)


def twenty_questions(
    model: OrdinalEmbedding,
    observer: Any,
    targets: Any = None,
    *,
    n_questions: int = 20,
    adaptive: bool = True,
    random_state: int = 0,
) -> Floats:
    r"""Play twenty questions about items; give the log rank of each target afterwards.

    .. math:: \text{metric} = \text{mean of } \log \text{rank}(x)

    The guesser asks "is it more like b or c?" about the target x, which it does not know, then
    ranks all items by their posterior; rank 1 is the best.
    A target that is shown is chosen. Source: Tamuz et al. 2011, section 8.1.

    Parameters
    ----------
    model : OrdinalEmbedding
        The guesser's fitted model.
    observer : Observer
        Answers triplet questions (head, one, other) with head the target: ``observer.pick``.
    targets : sequence of int, optional
        The items thought of; default: every item once.
    n_questions : int
        How many questions for each.
    adaptive : bool
        Whether questions are chosen by information gain, or at random.
    random_state : int
        One number gives one game.

    Returns
    -------
    array (n_targets,)
        Natural logarithms of ranks, 0 where the target is found; take the mean.

    Examples
    --------
    >>> import resemblance as rs
    >>> space = [[float(x)] for x in range(10)]
    >>> observer = rs.SpaceObserver(space, random_state=0)
    >>> ranks = twenty_questions(rs.STE(1).set_positions(space), observer)
    >>> bool(ranks.mean() < 0.7)
    True
    """
    n = len(model.embedding_)
    thought_of = range(n) if targets is None else [int(target) for target in targets]
    ranks = []
    for turn, target in enumerate(thought_of):
        search = Search(model, 2, adaptive=adaptive, random_state=[random_state, turn])
        for _ in range(n_questions):
            options: tuple[int, ...] = search.show()
            known = target in options  # nothing is more like an item than itself
            search.choose(target if known else options[observer.pick([[target, *options]])[0]])
        ranks.append(1 + search.ranking().index(target))
    return np.log(ranks)
