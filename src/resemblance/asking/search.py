"""Find an item that a person has in mind, from choices of similar items."""

from collections.abc import Sequence
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr

from resemblance.arrays import Floats
from resemblance.asking import _loops
from resemblance.asking.gain import Hypotheses, answer_log_likelihood
from resemblance.asking.question import random_rows
from resemblance.asking.settings import seed_of
from resemblance.asking.strategies import log_similarities
from resemblance.choice import ChoiceModel
from resemblance.errors import UnknownQuestionError
from resemblance.fitting import OrdinalEmbedding
from resemblance.fitting.laplace import Noise, likely_space
from resemblance.ranges import SHARE, WHOLE, check, checks_bools, integers

Places = NDArray[np.intp]

PAIRS = 2048  # number of sampled pairs that are compared to start a page
MANY = 10_000  # with more items, probabilities are float32


class Pool:
    r"""A weighted sample of items, which are hypotheses and candidates to show.

    An item is drawn with probability :math:`\pi = \min(1, c \tau)` and has the weight :math:`\tau /
    \pi`, where c sets the sample size. Likely items are always included, and sums over all items
    are estimated without bias (Horvitz and Thompson 1952). ``points`` is (n_items, d), and ``tau``
    (n_items,) is the probability that each item is sought. The attributes ``items`` (ascending),
    ``tau`` and ``weight`` of the sample are (K,).
    """

    def __init__(
        self,
        points: Floats,
        choice: ChoiceModel,
        tau: NDArray[Any],
        size: int,
        rng: np.random.Generator,
        temperature: float = 1.0,
    ) -> None:
        items = np.empty(size + 1, dtype=np.intp)
        count, scale = _loops.drawn(tau, size, rng.random() * (1.0 - 1e-9), items)
        self.items: Places = items[:count]
        self.tau = tau[self.items].astype(float)
        weight = self.tau / np.minimum(scale * np.maximum(self.tau, 1e-12 / len(tau)), 1.0)
        self.weight = weight / weight.sum()
        near = points[self.items]
        self.hypotheses = Hypotheses(log_similarities(near, near, choice), Noise(temperature))

    def page(self, n: int, missed: float, rng: np.random.Generator) -> list[int]:
        r"""Choose n options one by one, each with the largest gain I.

        .. math:: I = \sum_{x \in S} (1 - m) \tau(x) \log \frac{1}{(1 - m) \tau(x)} - \tau(x) H(m)
           + H\big(\textstyle\sum_x w_x p_x\big) - \sum_x w_x H(p_x)

        S is the page. A person who is shown the sought item misses it with probability m =
        ``missed``, and otherwise recognises it. Without recognition, the person chooses an option
        of S by the choice model p; w is ``weight`` minus the probability of recognition. If m = 1,
        the page starts with the best pair of a sample of pairs.
        """
        chosen = self._best_pair(rng) if missed == 1.0 else []
        while len(chosen) < n:
            chosen.append(int(self.gains(chosen, missed).argmax()))
        return chosen

    def gains(self, chosen: Sequence[int], missed: float) -> Floats:
        """Return I of the page ``chosen`` plus each candidate, up to a constant, (K,)."""
        hits = np.minimum((1.0 - missed) * self.tau, self.weight)
        out, weight = np.empty(len(self.tau)), self.weight.copy()
        weight[list(chosen)] -= hits[list(chosen)]
        h = self.hypotheses
        options = np.array(chosen, dtype=np.int64)
        _loops.added_information(h.similarity, h.entropy, weight, hits, options, out)
        unsure = self.tau * (entr(missed) + entr(1.0 - missed))
        out += entr(hits) - unsure
        out[list(chosen)] = -np.inf
        return out

    def _best_pair(self, rng: np.random.Generator) -> list[int]:
        k = len(self.items)
        if k * (k - 1) // 2 <= PAIRS:
            pairs = np.column_stack(np.triu_indices(k, 1)).astype(np.int32)
        else:
            pairs = random_rows(rng, PAIRS, k, 1)
        return [int(i) for i in pairs[self.hypotheses.information(self.weight, pairs).argmax()]]


def is_spread(points: Floats, spread: float) -> bool:
    others = (points.sum(axis=0) - points) / (len(points) - 1)
    return bool((((points - others) ** 2).sum(axis=1) >= spread).any())


def squared_from(columns: NDArray[Any], centre: NDArray[Any]) -> NDArray[Any]:
    out = np.empty(columns.shape[1], columns.dtype)
    _loops.squared(columns, 0, centre, out)
    return out


class Search:
    r"""Find an item that a person has in mind, by asking "which of these is most like it?".

    .. math:: \tau(x) \propto m^{\text{pages that showed } x} \prod_i p(\text{choice } i \mid x)

    The probability tau of each item x to be the sought one is uniform at first. A person who is
    shown the sought item says so, or misses it with probability m. :meth:`show` returns the items
    with the largest expected information on x. At least one item is far from the other items shown,
    as far as likely items are from each other. :meth:`choose` records the answer. The same answers
    lead to the same page. Source: Tamuz et al. 2011, sections 8.1 and 8.3.

    Parameters
    ----------
    model : OrdinalEmbedding
        A fitted model with a likelihood.
    n_options : int
        The number of items on a screen, 2 or more.
    adaptive : bool
        Whether shown items are chosen by information gain; otherwise at random.
    missed : float
        m, from 0 to 1: the probability that a person does not notice the sought item on the screen.
        With 1, showing an item does not make it less likely.
    max_candidates : int
        The maximum number of items compared. If there are more, a sample is compared that includes
        the likely items.
    noise : Noise, optional
        Temperature and lapses of the answers.
    random_state : int or sequence of int
        The seed of the sample.

    Raises
    ------
    SettingError
        For a model without a likelihood, or a setting out of range.

    Examples
    --------
    >>> import resemblance as rs
    >>> model = rs.STE(1).set_positions([[float(x)] for x in range(12)])
    >>> search = Search(model, n_options=3)
    >>> while 7 not in search.show():
    ...     search.choose(min(search.shown, key=lambda item: abs(item - 7)))
    >>> len(search.answers) <= 3
    True
    """

    @checks_bools
    def __init__(
        self,
        model: OrdinalEmbedding,
        n_options: int = 9,
        *,
        adaptive: bool = True,
        missed: float = 0.05,
        max_candidates: int = 450,
        noise: Noise | None = None,
        random_state: Any = 0,
    ) -> None:
        n = len(likely_space(model).embedding_)
        check(n_options=(n_options, integers(2, n)), missed=(missed, SHARE))
        check(max_candidates=(max_candidates, integers(n_options)))
        self.model, self.n_options, self.adaptive = model, n_options, adaptive
        self.missed, self.max_candidates = missed, max_candidates
        self.noise = Noise() if noise is None else noise
        self._seed = seed_of(random_state)
        self.shown: tuple[int, ...] = ()
        self.answers: list[tuple[int, ...]] = []
        self.centre, self.columns = self._columns()
        self._evidence = self._before = np.zeros(n, self.columns.dtype)
        self.begun: int | None = None  # item of ``like``, if the search started with one

    def show(self) -> tuple[int, ...]:
        """Return the items to show next."""
        rng = np.random.default_rng([*self._seed, len(self.answers)])
        n = len(self.model.embedding_)
        if self.begun is not None and not self.answers:
            page = self.ranking()[: self.n_options]
        elif self.adaptive:
            page = self._telling(rng)
        else:
            page = rng.permutation(n)[: self.n_options].tolist()
        self.shown = tuple(page)
        return self.shown

    def choose(self, item: int, shown: Sequence[int] | None = None) -> None:
        """Record the shown item that was chosen as most like the sought item.

        Parameters
        ----------
        item : int
            The chosen item.
        shown : sequence of int, optional
            The shown items; default: the last result of :meth:`show`.

        Raises
        ------
        UnknownQuestionError
            If the item was not shown.
        """
        page = self.shown if shown is None else tuple(shown)
        if item not in page or item not in WHOLE:
            raise UnknownQuestionError(f"item {item!r} is not among those shown: {page}.")
        answer = (int(item), *(other for other in page if other != item))
        log_tau = self._log_chosen(list(answer))
        log_tau[list(answer)] += np.log(max(self.missed, 1e-300))
        self.answers.append(answer)
        log_tau += self._evidence
        self._evidence = log_tau
        self.shown = ()

    def like(self, item: int) -> "Search":
        r"""Return a new search that starts with the items most similar to a given item.

        .. math:: \tau(x) \propto s(x, \text{item})

        before any answer, where s is the similarity of the choice model. The given item has the
        lowest probability. Raises SettingError for an item that is not in the model.
        """
        X = self.model.embedding_
        check(item=(item, integers(0, len(X) - 1)))
        later = copy(self)
        log_s = log_similarities(X, X[[item]], self.model.choice_)[0] / self.noise.temperature
        log_s[item] = log_s.min()
        later.answers, later.begun, later.shown = [], int(item), ()
        later._before = later._evidence = np.asarray(log_s, self.columns.dtype)
        return later

    def after(self, item: int) -> "Search":
        """Return a copy of the search in which an item is chosen."""
        later = copy(self)
        later.answers = [*self.answers]
        later.choose(item)
        return later

    def back(self) -> None:
        """Undo the last answer, if there is one."""
        given, self.answers = self.answers[:-1], []
        self._evidence = self._before
        for answer in given:
            self.choose(answer[0], answer)

    def posterior(self) -> Floats:
        """Return the probability that each item is the sought one, (n_items,)."""
        return np.asarray(self._tau(), float)

    def ranking(self) -> list[int]:
        """Return all items, the most likely first."""
        return [int(item) for item in np.argsort(-self._evidence, kind="stable")]

    def _tau(self) -> NDArray[Any]:
        tau = self._evidence - self._evidence.max()
        np.exp(tau, out=tau)
        tau /= tau.sum()
        return tau

    def _columns(self) -> tuple[Floats, NDArray[Any]]:
        X = self.model.embedding_
        inner = self.model.choice_.reads == "inner"
        centre = np.zeros(X.shape[1]) if inner else np.asarray(X.mean(axis=0), float)
        columns = np.empty(X.T.shape, np.float32 if len(X) > MANY else np.float64)
        return centre, np.subtract(X.T, centre[:, None], out=columns, casting="same_kind")

    def _log_chosen(self, answer: list[int]) -> NDArray[Any]:
        X, choice = self.model.embedding_, self.model.choice_
        if len(X) <= MANY:
            order = np.arange(len(answer), dtype=np.int32)[None]
            return answer_log_likelihood(log_similarities(X[answer], X, choice), order, self.noise)
        out, options = np.empty(len(X), np.float32), np.ascontiguousarray(self.columns[:, answer].T)
        coldness = np.float32(1.0 / self.noise.temperature)
        _loops.log_chosen(choice.code, self.columns, options, coldness, out)
        return np.asarray(self.noise.with_lapses(out, len(answer)), np.float32)

    def _telling(self, rng: np.random.Generator) -> list[int]:
        X, tau = self.model.embedding_, self._tau()
        choice, heat = self.model.choice_, self.noise.temperature
        pool = Pool(X, choice, tau, self.max_candidates, rng, heat)
        chosen = pool.page(self.n_options, self.missed, rng)
        page = pool.items[chosen].tolist()
        spread = float(tau @ squared_from(self.columns, self.columns @ tau))  # posterior variance
        if self.n_options > 2 and not is_spread(X[page], spread):
            # An item at this squared distance exists, because the mean squared distance to any
            # point is at least the variance.
            d = squared_from(self.columns, self.columns[:, page[:-1]].mean(axis=1))
            far = d >= min(spread, d.max())
            gains = np.where(far[pool.items], pool.gains(chosen[:-1], self.missed), -np.inf)
            best = pool.items[gains.argmax()] if np.isfinite(gains.max()) else np.argmax(far * tau)
            page[-1] = int(best)
        return [int(item) for item in page]


def twenty_questions(
    model: OrdinalEmbedding,
    observer: Any,
    targets: Any = None,
    *,
    n_questions: int = 20,
    adaptive: bool = True,
    random_state: int = 0,
) -> Floats:
    r"""Play twenty questions about each target item, and return the targets' log ranks.

    .. math:: \text{metric} = \text{mean of } \log \text{rank}(x)

    The guesser asks "is x more like b or c?" about an unknown target x, then ranks all items by
    posterior probability, the most probable first. If the target is b or c, the person chooses it.
    Source: Tamuz et al. 2011, section 8.1.

    Parameters
    ----------
    model : OrdinalEmbedding
        The guesser's fitted model.
    observer : Observer
        The person, whose ``pick`` answers triplet questions (target, b, c).
    targets : sequence of int, optional
        The targets; default: every item.
    n_questions : int
        The number of questions about each target.
    adaptive : bool
        Whether questions are chosen by information gain; otherwise at random.
    random_state : int
        The seed of the questions.

    Returns
    -------
    array (n_targets,)
        Natural logarithms of ranks. 0 if the target is ranked first.

    Raises
    ------
    SettingError
        If a target is not in the model, or a setting is out of range.

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
    thought_of = range(n) if targets is None else targets
    check(n_questions=(n_questions, integers(0)))
    for target in thought_of:
        check(targets=(target, integers(0, n - 1)))
    ranks = []
    for turn, target in enumerate(thought_of):
        search = Search(model, 2, adaptive=adaptive, missed=1.0, random_state=[random_state, turn])
        for _ in range(n_questions):
            options: tuple[int, ...] = search.show()
            on_page = target in options  # the person then chooses the target
            search.choose(target if on_page else options[observer.pick([[target, *options]])[0]])
        ranks.append(1 + search.ranking().index(target))
    return np.log(ranks)
