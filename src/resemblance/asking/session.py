"""A session: it asks, is told, learns, and asks better."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from resemblance.asking import log as course
from resemblance.asking.choosing import Choosing
from resemblance.asking.guard import Guard
from resemblance.asking.knowledge import Knowledge
from resemblance.asking.learning import FitJob, FitResult
from resemblance.asking.newcomers import Newcomers, first_items, padded, start_positions, with_names
from resemblance.asking.question import (
    Answer,
    Pending,
    Question,
    answered_judgments,
    question_type,
)
from resemblance.asking.settings import (
    HELD_OUT,
    START,
    check_settings,
    checked_offer,
    checked_row,
    checked_shares,
    named_strategies,
)
from resemblance.asking.start import start_rows
from resemblance.asking.strategies import Strategy
from resemblance.catalog import default_model
from resemblance.errors import JudgmentError, SettingError, UnknownQuestionError
from resemblance.fitting import OrdinalEmbedding
from resemblance.fitting.noise import Noise
from resemblance.judgments import Items, Judgments
from resemblance.judgments.items import as_items

Ints = NDArray[np.int32]


class Session(Choosing):
    """Ask questions of a crowd, learn from the answers, choose the next questions by what is known.

    First every item is the head of ``start_per_head`` random questions; then strategies ask, each
    its share. After ``refit_every`` answers the model is fitted again, from where it was. A share
    of random questions is held out: their answers test each fit, and a guard gives the adaptive
    strategies' shares to random questions while those answers show no gain.

    No clock, no thread, no file: the same calls with the same ``random_state`` give the same
    questions, and ``log`` holds the calls (:meth:`replay`, :meth:`resume`).

    Parameters
    ----------
    items : Items, sequence of names, or int
        What is asked about, three or more.
    strategies : Strategy, or dict of name to Strategy, optional
        Who asks after the start; default: :class:`PredictiveGain`.
    shares : dict of name to float, optional
        The share of each strategy; they sum to one. Default: equal shares.
    model : OrdinalEmbedding, optional
        What is fitted; default: ``TSTE(2, alpha=1, penalty=0.3)``.
    n_options : int
        How many options a question has; 2 gives :class:`Triplets`, more give :class:`Choices`.
    odd_one_out : bool
        Whether questions ask for the odd one of three or more options, instead of the one most
        similar to a head; answers are :class:`OddOneOuts` then.
    start_per_head : int
        R, the number of random questions about each item before anything is chosen.
    refit_every : int, optional
        Answers between fits; default: as many as there are items.
    per_new_item : int
        Answers about each item that :meth:`add_items` brings before other questions know it.
    held_out : float
        The share of questions after the start that are random and never fitted by the session.
    guard : bool
        Whether shares shift to random questions while held-out answers show no gain.
    offer : array (M, 1 + n_options) of int, optional
        The only questions that may be asked, a row for each time.
    auto_refit : bool
        Whether ``tell`` fits when it is time. A server sets it to False and runs ``fit_job()``
        elsewhere, while questions go out.
    keep_log : bool
        Whether ``log`` is kept; a server that stores what happens itself does without.
    random_state : int
        One number gives one course of questions for one course of answers.

    Attributes
    ----------
    model_ : OrdinalEmbedding
        The last fit; absent before the first.
    questions : list of Question
        All that were asked.
    pending : dict of number to Question
        Those still out.
    answers : dict of number to Answer
        What was told, in the order told.
    left_out : frozenset of str
        The observers whose answers no fit sees.
    log : list of dict
        What happened, in order, as plain numbers and text.

    Raises
    ------
    SettingError
        For fewer than three items, shares that do not sum to one, ``start_per_head`` below 1, an
        offer of other shape or items, or a strategy that needs probabilities with a model that has
        none.

    Examples
    --------
    >>> import resemblance as rs
    >>> space = [[0.0], [1.0], [2.0], [4.0], [7.0]]
    >>> observer = rs.SpaceObserver(space, random_state=0)
    >>> session = Session(5, start_per_head=3, random_state=0)
    >>> for _ in range(40):
    ...     question = session.ask()
    ...     picked = observer.pick([[question.head, *question.options]])[0]
    ...     session.tell(question, question.options[picked])
    >>> session.model_.embedding_.shape
    (5, 2)
    """

    def __init__(
        self,
        items: Any,
        strategies: Strategy | Mapping[str, Strategy] | None = None,
        shares: Mapping[str, float] | None = None,
        *,
        model: OrdinalEmbedding | None = None,
        n_options: int = 2,
        odd_one_out: bool = False,
        start_per_head: int = 10,
        refit_every: int | None = None,
        per_new_item: int = 12,
        held_out: float = 0.05,
        guard: bool = True,
        offer: Ints | None = None,
        auto_refit: bool = True,
        keep_log: bool = True,
        random_state: int = 0,
    ) -> None:
        self.items: Items = as_items(items, np.zeros((1, 1), np.int32))
        self.model: OrdinalEmbedding = default_model(2) if model is None else model
        self.strategies = named_strategies(strategies)
        self.shares = checked_shares(self.strategies, shares)
        self.n_options, self.odd_one_out = n_options, odd_one_out
        self.asks, self.start_per_head = question_type(n_options, odd_one_out), start_per_head
        self.refit_every = len(self.items) if refit_every is None else refit_every
        self.per_new_item = per_new_item
        self.held_out, self.auto_refit, self.random_state = held_out, auto_refit, random_state
        check_settings(self)
        self.offer = None if offer is None else checked_offer(offer, len(self.items), self.asks)
        self.guard = Guard() if guard else None
        self.questions: list[Question] = []
        self.pending = Pending()
        self.answers: dict[int, Answer] = {}
        self.left_out: frozenset[str] = frozenset()
        self.newcomers = Newcomers(per_new_item)
        self.log = course.Log(keep_log)
        self.log.add("items", names=list(self.items.names))
        self.n_fits = 0
        self._left: Counter[tuple[int, ...]] = Counter(
            map(self.asks.key, () if self.offer is None else self.offer)
        )
        self._fitted_at = 0
        self._noise = Noise()
        self._streams: dict[str, Iterator[Ints]] = {}
        n, rng = len(self.items), self._rng("start")
        self._n_start = start_per_head * n
        self._start = start_rows(rng, n, self.asks, start_per_head, self.offer)
        self._withdrawn = 0

    def ask(self) -> Question:
        """Give the next question; many may be out at a time.

        Raises
        ------
        UnknownQuestionError
            Where nothing is left on offer.
        """
        number = len(self.questions)
        chooser = self._chooser(number)
        row = self._next_row(chooser)
        head, options = self.asks.parts(row.tolist())
        shown = tuple(self._rng("order", number).permutation(options).tolist())
        question = Question(number, head, shown, chooser, chooser == HELD_OUT)
        return self._put_out("ask", question)

    def note(
        self,
        head: int | None,
        options: Iterable[int],
        strategy: str = "noted",
        held_out: bool = False,
    ) -> Question:
        """Take note of a question that was asked elsewhere, so that its answer can be told.

        Raises
        ------
        UnknownQuestionError
            If its items are no question of this session.
        """
        heads = () if head is None else (head,)
        row = checked_row((*heads, *options), len(self.items), self.asks)
        question = Question(len(self.questions), *self.asks.parts(row), strategy, held_out)
        return self._put_out("note", question)

    def add_items(self, names: Iterable[str]) -> None:
        """Take further items, after those there are.

        From the first fit on they are asked about before anything else: each is the head of
        adaptive questions among the items that are placed (:class:`Placing`). When it has had
        ``per_new_item`` answers and a fit has seen them, it is among the others in all questions.

        Raises
        ------
        SettingError
            If the session has an offer, or its items have features, labels or pictures.
        JudgmentError
            If a name is there already.
        """
        if self.offer is not None:
            raise SettingError("a session with an offer takes no further items: begin another.")
        names, n = [str(name) for name in names], len(self.items)
        self.items = with_names(self.items, names)
        self.newcomers |= {item: [] for item in range(n, len(self.items))}
        if hasattr(self, "model_"):
            self.model_ = padded(self.model_, self.items)
        self.log.add("add items", names=names)

    def withdraw(self, question: Question | int) -> None:
        """Take back a question that nobody was shown; it may be asked again.

        Raises
        ------
        UnknownQuestionError
            For a question that is not out.
        """
        out = self.pending.take(self._out(question))
        if self.offer is not None:
            self._left[out.key] += 1
        if out.strategy == START:
            row = np.array(out.row, np.int32)
            self._start = chain([row], self._start)
        self._withdrawn += 1
        self.log.add("withdraw", number=out.number)

    def exclude_observers(self, observers: Iterable[str]) -> None:
        """Let the next fits leave out the answers of these observers, and of no others.

        ``judgments("all")`` keeps them. The guard begins anew, as it compares answers one by one.
        """
        left_out = frozenset(observers)
        if left_out == self.left_out:
            return
        self.left_out = left_out
        self.log.add("leave out", observers=sorted(left_out))
        if self.guard is not None:
            self.guard.forget()

    def tell(self, question: Question | int, chosen: int | None, observer: str = "") -> None:
        """Take an answer: the item chosen, or None for a question that was skipped.

        Raises
        ------
        UnknownQuestionError
            For a question never asked, withdrawn or told twice, or an answer that is not among
            its options.
        """
        asked = self._out(question)
        chosen = None if chosen is None else int(chosen)
        if chosen is not None and chosen not in asked.options:
            raise UnknownQuestionError(
                f"question {asked.number} has the options {asked.options}, not {chosen!r}: tell "
                "one of them, or None for a skip."
            )
        self.pending.take(asked)
        answer = self.answers[asked.number] = Answer(asked, chosen, observer)
        self.newcomers.take(len(self.answers) - 1, answer)
        self.log.add("tell", number=asked.number, chosen=chosen, observer=observer)
        if self.auto_refit and self.is_due and len((job := self.fit_job()).judgments):
            self.adopt(job.run())

    @property
    def is_due(self) -> bool:
        """Whether it is time to fit: after the start, after enough answers, with items placed."""
        fresh = len(self.answers) - self._fitted_at
        placed = self.n_fits and fresh and self.newcomers.ready(self.left_out)
        return bool(placed) or fresh >= (self.refit_every if self.n_fits else self._n_start)

    def refit(self) -> None:
        """Fit the model to the answers so far, from where it was; there has to be one."""
        job = self.fit_job()
        if not len(job.judgments):
            raise JudgmentError("there is no answer to fit yet: tell some that are no skips.")
        self.adopt(job.run())

    def fit_job(self, told: int | None = None, n_items: int | None = None) -> FitJob:
        """Give what a fit (to the first answers told) needs; ``adopt`` what its ``run()`` gives."""
        told = len(self.answers) if told is None else told
        n = len(self.items) if n_items is None else n_items
        items = first_items(self.items, n)
        model = clone(self.model).set_params(random_state=self.random_state + self.n_fits)
        positions = start_positions(self, n, told) if hasattr(self, "model_") else None
        fitted = self._judgments("fitted", told, items)
        held_out = self._judgments(HELD_OUT, told, items)
        return FitJob(model, fitted, held_out, positions, self.n_fits, told)

    def adopt(self, result: FitResult) -> None:
        """Take a fit and weigh questions by it, so that ``ask`` answers at once."""
        self.model_, self._noise = padded(result.model, self.items), result.noise
        if self.guard is not None:
            self.guard.see(result)
        self.n_fits += 1
        self._fitted_at = result.told
        self.newcomers.settle(result.told, self.left_out)
        self.log.add_fit(result, self.guard)
        used = [name for name, share in self.current_shares().items() if share > 0]
        self._streams = {name: self._opened(name) for name in used}

    def judgments(self, which: str = "fitted", told: int | None = None) -> Judgments:
        """Give the (first ``told``) answers: "fitted", "held out", "random", or "all".

        "random" are those to questions that no strategy chose, held out or not: a share of them
        estimates what a share of all questions would be. Of all but "all" the answers of excluded
        observers are left out.

        Returns
        -------
        Triplets, Choices where questions have more than two options, or OddOneOuts; as told.
        Skipped questions are in the log alone.
        """
        return self._judgments(which, told, self.items)

    def _judgments(self, which: str, told: int | None, items: Items) -> Judgments:
        wanted: dict[str, Callable[[Question], bool]] = {
            "fitted": lambda question: not question.held_out,
            HELD_OUT: lambda question: question.held_out,
            "random": lambda question: question.strategy in (START, HELD_OUT, "random"),
            "all": lambda question: True,
        }
        if which not in wanted:
            raise SettingError(f"which is {which!r}: choose {', '.join(map(repr, wanted))}.")
        left_out = frozenset() if which == "all" else self.left_out
        kept = [
            answer
            for answer in islice(self.answers.values(), told)
            if wanted[which](answer.question) and answer.observer not in left_out
        ]
        return answered_judgments(kept, items, self.asks)

    def knowledge(self) -> Knowledge:
        """Give what strategies are told now."""
        rows = [question.row for question in self.pending.values()]
        return Knowledge(
            self.model_.embedding_,
            self.model_.choice_,
            self.judgments().index,
            np.array(rows, dtype=np.int32).reshape(-1, self.asks.width),
            self._noise,
            self.asks,
            self.offer,
        )

    @classmethod
    def replay(cls, log: Iterable[dict[str, Any]], items: Any, **settings: Any) -> Self:
        """Do again what a log says, with the settings of the session that wrote it.

        Raises
        ------
        UnknownQuestionError
            If the log's items are others, or its questions do not follow from the settings.
        """
        return course.replay(cls(items, **settings), log)

    @classmethod
    def resume(cls, log: Iterable[dict[str, Any]], items: Any, **settings: Any) -> Self:
        """Go on from a log, which is taken on trust: quicker than :meth:`replay`.

        No fit is made again where the log's last one tells its positions, else that one alone. The
        session asks what the one that wrote the log would have asked next.

        Raises
        ------
        UnknownQuestionError
            If the log's items are others.
        """
        return course.resume(cls(items, **settings), log)

    def _put_out(self, event: str, question: Question) -> Question:
        """Let a question be out."""
        self.questions.append(question)
        self.pending.put(question)
        if self.offer is not None:
            self._left[question.key] -= 1
        self.log.add(event, **question.as_dict())
        return question

    def _out(self, question: Question | int) -> Question:
        """Give a question that is out; refuse any other."""
        number = question if isinstance(question, int) else question.number
        if number in self.pending:
            return self.pending[number]
        raise course.not_out(self, number)
