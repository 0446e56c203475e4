"""Run a session that asks questions, records answers, and fits the model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import clone

from resemblance.arrays import Ints
from resemblance.asking.chooser import Chooser
from resemblance.asking.fit_job import FitJob, FitResult, is_fresh, weighs_anew
from resemblance.asking.gain import PredictiveGain
from resemblance.asking.log import Line, Log, fit_of_line
from resemblance.asking.out_of_sample import with_names
from resemblance.asking.question import Question, question_type
from resemblance.asking.settings import (
    Earlier,
    check_questions,
    check_strategies,
    checked_offer,
    checked_shares,
    named_models,
    named_strategies,
)
from resemblance.asking.state import State
from resemblance.asking.strategies import Strategy
from resemblance.catalog import AUTO_MODEL, HELD_OUT, INFORMED, NEW, PER_NEW_ITEM, RANDOM
from resemblance.errors import JudgmentError, SettingError, UnknownQuestionError
from resemblance.fitting import OrdinalEmbedding
from resemblance.fitting.objective.checks import refuse_other_columns, tell_constant_features
from resemblance.judgments import Items, Judgments
from resemblance.judgments.items import as_items
from resemblance.ranges import BELOW_ONE, check, checks_bools, integers

SHARE = 0.25  # with very many items, fit when the answers have grown by this share

OFFERED = (
    *("ask", "tell", "withdraw", "add_items", "exclude_observers", "refit", "fit_job", "adopt"),
    *("resume", "judgments", "model", "model_", "questions", "pending", "answers", "left_out"),
    *("items", "log", "to_pandas"),
)


class Session(State):
    """A session that asks people questions, fits a model, and uses it to choose questions.

    First, each item is the head of ``start_per_head`` random questions. Then each strategy asks its
    share of the questions. After every ``refit_every`` answers, the model is fitted again, starting
    from the previous positions. The answers to some random questions are held out to test each fit.
    A guard replaces adaptive questions by random ones while held-out answers do not improve.

    A session uses no clock, thread or file. The same calls with the same ``random_state`` give the
    same questions. ``log`` contains the calls, from which :meth:`resume` restores the session.

    Parameters
    ----------
    items : Items, sequence of names, or int
        The items to ask about, three or more.
    strategies : Strategy, or dict of name to Strategy, optional
        The strategies after the start; default: :class:`PredictiveGain`.
    shares : dict of name to float, optional
        The share of questions of each strategy. Shares sum to one. Default: equal shares.
    model : OrdinalEmbedding, or dict of name to OrdinalEmbedding, optional
        Default: ``TSTE(2, penalty="auto")``. If items have features, the form of the default is
        :class:`~resemblance.FeaturePrior`, which uses standardised features as far as they predict
        answers. Of several models, the session uses the one with the best cross-validated
        likelihood (:func:`~resemblance.compare_models`). It starts with the first model, and
        compares models from 100 answers on, at every fifth fit, if answers have grown by a quarter.
        "auto" is t-STE, STE and CKL in two dimensions.
    prior : OrdinalEmbedding or Judgments, optional
        An earlier space of the items, or earlier answers, such as a pilot. Items are matched by
        name. The earlier positions are used like features.
    trust : float or "auto"
        The weight of the prior, from 0 to 1. "auto" chooses it by cross-validation, so that a wrong
        prior is ignored. If you give a ``model``, its form sets the trust.
    n_options : int
        The number of options of a question; 2 gives :class:`Triplets`, more give :class:`Choices`.
    picks, ordered : int and bool
        The number of options that an answer picks, and whether picks are ordered, the most similar
        first. Ordered picks of all but one option are a ranking. Ordered picks are fitted as
        successive choices among the remaining options (Plackett-Luce). An unordered pick is fitted
        as a choice between this option and all options that were not picked.
        :class:`PredictiveGain` considers all picks, other strategies only the first.
    odd_one_out : bool
        Whether questions ask for the odd one of three or more options, and answers are
        :class:`OddOneOuts`.
    start_per_head : int
        The number of random questions about each item at the start. With 0, the first fit is after
        as many answers as there are items, and earlier questions are the most informative for
        spaces drawn from a prior: that of :class:`~resemblance.FeaturePrior` if there are features
        or an earlier space, otherwise normal positions.
    refit_every : int, optional
        The number of answers between fits; default: the number of items. With more than 1,500 items
        in two dimensions, the default is at least a quarter of the answers so far, and between fits
        an answer moves only the items in its question.
    per_new_item : int
        The number of answers about an item of :meth:`add_items` before other questions include it.
    held_out : float
        The share of questions after the start that are random and whose answers are never fitted.
    guard : bool
        Whether random questions replace adaptive ones while held-out answers do not improve.
    offer : array (M, 1 + n_options) of int, optional
        The questions that may be asked, each as often as it has rows. Default: all questions.
    auto_refit : bool
        Whether ``tell`` runs a fit when one is due. A server may run ``fit_job()`` elsewhere
        instead.
    keep_log : bool
        Whether ``log`` records events. A server that stores events itself does not need it.
    random_state : int
        The seed. The same seed and answers give the same questions.

    Attributes
    ----------
    model_ : OrdinalEmbedding
        The last fit. The attribute does not exist before the first fit.
    questions : list of Question
        All questions so far.
    pending : dict of number to Question
        Questions without an answer so far.
    answers : dict of number to Answer
        The answers, in order.
    left_out : frozenset of str
        The observers whose answers are excluded from fits.
    log : list of dict
        The events in order, as JSON values.

    Raises
    ------
    SettingError
        For fewer than three items, shares that do not sum to one, a trust without a prior, a prior
        with a model whose form uses no features, an offer of the wrong shape or with unknown items,
        or a model without probabilities if a strategy or ``start_per_head=0`` needs them.

    Examples
    --------
    >>> import resemblance as rs
    >>> space = [[0.0], [1.0], [2.0], [4.0], [7.0]]
    >>> observer = rs.SpaceObserver(space, random_state=0)
    >>> session = Session(5, start_per_head=3, random_state=0)
    >>> for _ in range(40):
    ...     question = session.ask()
    ...     session.tell(question, question.answered_by(observer))
    >>> session.model_.embedding_.shape
    (5, 2)
    """

    @checks_bools
    def __init__(
        self,
        items: Any,
        strategies: Strategy | Mapping[str, Strategy] | None = None,
        shares: Mapping[str, float] | None = None,
        *,
        model: OrdinalEmbedding | Mapping[str, OrdinalEmbedding] | str | None = None,
        prior: OrdinalEmbedding | Judgments | None = None,
        trust: float | Literal["auto"] = "auto",
        n_options: int = 2,
        picks: int = 1,
        ordered: bool = True,
        odd_one_out: bool = False,
        start_per_head: int = 10,
        refit_every: int | None = None,
        per_new_item: int = PER_NEW_ITEM,
        held_out: float = 0.05,
        guard: bool = True,
        offer: Ints | None = None,
        auto_refit: bool = True,
        keep_log: bool = True,
        random_state: int = 0,
    ) -> None:
        items = as_items(items, np.zeros((1, 1), np.int32))
        self.prior = None if prior is None else Earlier(prior, trust)
        if prior is None and trust != "auto":
            raise SettingError(f"trust is {trust!r} without a prior: give both or neither.")
        if self.prior is not None:
            items = self.prior.informed(items)
        else:
            tell_constant_features(items)  # warn now, because fits of a session do not warn
        asks = question_type(n_options, odd_one_out, picks, ordered)
        self.strategies = named_strategies(strategies)
        self.shares = checked_shares(self.strategies, shares)
        self.n_options, self.start_per_head = n_options, start_per_head
        self.refit_every = len(items) if refit_every is None else refit_every
        self._spaced = refit_every is None
        self.per_new_item, self.held_out, self.auto_refit = per_new_item, held_out, auto_refit
        check_questions(len(items), asks)
        check(start_per_head=(start_per_head, integers(0)), held_out=(held_out, BELOW_ONE))
        check(refit_every=(self.refit_every, integers(1)), per_new_item=(per_new_item, integers(1)))
        models = named_models(model, items)
        if self.prior is not None:
            models = self.prior.believed_by(models, given=model not in (None, AUTO_MODEL))
        first: dict[str, Strategy] = {} if start_per_head else {INFORMED: PredictiveGain()}
        for candidate in models.values():
            check_strategies(self.strategies | first, asks, candidate._choice())
        self._check_items_known(items)
        rows = None if offer is None else checked_offer(offer, len(items), asks)
        super().__init__(items, models, asks, rows, per_new_item, guard, random_state)
        self._chooser = Chooser(self)
        self.log = Log(keep_log)
        self._do("items", names=list(self.items.names))

    def __dir__(self) -> list[str]:
        """Return the names for tab completion, without methods that only servers need."""
        return [*(name for name in super().__dir__() if name.startswith("__")), *OFFERED]

    def ask(self) -> Question:
        """Return the next question. Several questions may be pending.

        Raises UnknownQuestionError if no question of the offer is left.
        """
        self._do("ask", **self._chooser.next().as_dict())
        return self.questions[-1]

    def note(
        self,
        head: int | None,
        options: Iterable[int],
        strategy: str = "noted",
        held_out: bool = False,
    ) -> Question:
        """Record a question that was asked elsewhere, so that :meth:`tell` accepts its answer.

        Raises UnknownQuestionError if its items are not a question of this session.
        """
        row = {"head": np.asarray(head).tolist(), "options": np.array([*options]).tolist()}
        asked = {"strategy": strategy, "held_out": held_out}
        self._do("note", number=len(self.questions), **row, **asked)
        return self.questions[-1]

    def add_items(self, names: Iterable[str], features: Any = None) -> None:
        """Append items.

        After the first fit, the next questions have new items as heads and placed items as options,
        chosen as in :class:`OutOfSampleSession`. An item is used in all questions after a fit to
        ``per_new_item`` answers about it, or at once if it has features.

        Parameters
        ----------
        names : iterable of str
            The names of the new items.
        features : array (m, d), or dict of views, optional
            The features of the new items, if the other items have features.

        Raises
        ------
        SettingError
            If the session has an offer, items have labels or pictures, only some items would have
            features, or the columns of a data frame differ from those of the other items.
        JudgmentError
            If a name already exists, a model of :class:`ControversialQuestions` has no such item,
            or the rows of a data frame are not the new items.
        """
        added = _texts(names, "names")
        if features is None and self.prior is not None:
            features = self.prior.of(added)
        more = {}
        if features is not None:
            refuse_other_columns(features, self.items.feature_names)
            more = {"features": _listed(Items(added, features).features)}
        self._check_items_known(with_names(self.items, added, features))
        self._do("add items", names=list(added), **more)

    def _check_items_known(self, items: Items) -> None:
        for strategy in self.strategies.values():
            strategy.check_items(items)

    def withdraw(self, question: Question | int) -> None:
        """Withdraw a question that nobody was shown, so that it may be asked again.

        Raises UnknownQuestionError if the question is not pending.
        """
        self._do("withdraw", number=self.out(question).number)

    def exclude_observers(self, observers: Iterable[str]) -> None:
        """Exclude the answers of exactly these observers from the next fits.

        ``judgments("all")`` still includes these answers. The guard forgets earlier losses, because
        it compares fits on the same held-out answers.
        """
        if (left_out := frozenset(_texts(observers, "observers"))) != self.left_out:
            self._do("leave out", observers=sorted(left_out))

    def tell(
        self,
        question: Question | int,
        chosen: int | Sequence[int] | None,
        observer: str | None = "",
    ) -> None:
        """Record the answer to a question: the chosen item, or None for a skip.

        If an answer picks several items, ``chosen`` is all of them, in order if ``ordered``. Raises
        UnknownQuestionError if the question was never asked, was withdrawn or already answered, or
        an item is not among its options.
        """
        who = "" if observer is None else str(observer)
        # The log can store Python values, but not numpy scalars.
        answer = None if chosen is None else np.asarray(chosen).tolist()
        self._do("tell", number=self.out(question).number, chosen=answer, observer=who)
        if self.auto_refit and self.is_due and len((job := self.fit_job()).judgments):
            self.adopt(job.run())

    @property
    def is_due(self) -> bool:
        """Whether a fit is due: enough answers since the last fit, or for all new items."""
        fresh = len(self.answers) - self.fitted_at
        placed = self.n_fits and fresh and self.newcomers.ready(self.left_out)
        enough = self.refit_every if self.n_fits else self._chooser.n_start
        if self._spaced and self.sure is not None:  # between fits, answers move positions
            enough = max(enough, int(SHARE * self.fitted_at))
        return bool(placed) or fresh >= enough

    @property
    def is_placing(self) -> bool:
        """Whether the next question places a new item of :meth:`add_items`."""
        return self._chooser.name(len(self.questions)) == NEW

    def current_shares(self) -> dict[str, float]:
        """Return the shares of strategies after changes by the guard."""
        return self._chooser.current_shares()

    def refit(self) -> None:
        """Fit the model to the answers so far, starting from the previous positions."""
        job = self.fit_job()
        if not len(job.judgments):
            raise JudgmentError(
                "there is no answer to fit yet: tell some answers that are not skips."
            )
        self.adopt(job.run())

    def fit_job(
        self,
        n_answers: int | None = None,
        n_items: int | None = None,
        clicks: Judgments | None = None,
    ) -> FitJob:
        """Return a fit to run elsewhere, whose result :meth:`adopt` takes.

        The fit is to the first ``n_answers`` answers and ``n_items`` items, by default all.
        ``clicks`` are choices in searches of earlier maps. They are fitted together with the
        answers, with the weight that best predicts the held-out answers.
        """
        n_answers = len(self.answers) if n_answers is None else n_answers
        items = self.items_at(n_items)
        fitted = hasattr(self, "model_")
        positions = self._chooser.start_positions(len(items), n_answers) if fitted else None
        taught = self.judgments_on(items, "fitted", n_answers)
        held = self.judgments_on(items, HELD_OUT, n_answers)
        model, models = self._seeded(self.model), {}
        if is_fresh(self.n_fits, self.model):
            models = {name: self._seeded(candidate) for name, candidate in self.models.items()}
        elif fitted and (clicks is None or not weighs_anew(clicks, held, self.clicks)):
            model.set_params(**self.settings)  # values that an earlier fit chose for "auto"
        chosen, number, weighed = self.chosen, self.n_fits, self.clicks
        return FitJob(
            model, taught, held, positions, number, n_answers, chosen, models, clicks, weighed
        )

    def adopt(self, result: FitResult) -> None:
        """Use the result of a fit, and choose the next questions now, so that ``ask`` is fast."""
        self.take_fit(result)
        self.log.add_fit(result, self.guard)
        self._chooser.weigh()

    @classmethod
    def resume(cls, log: Iterable[dict[str, Any]], items: Any, **settings: Any) -> Self:
        """Restore a session from its log, which must be trusted, and from its settings.

        The next question is the one that the logged session would have asked. Fits are not
        repeated, except for the last one if the log has no positions. Raises UnknownQuestionError
        if the log is about other items.
        """
        session = cls(items, **settings)
        n_answers = 0
        for line in log:
            if line["event"] == "ask":
                session._pass_over(line["strategy"])
            if line["event"] == "fit":
                n_answers = line["told"]
                session._trust_fit(line)
            else:
                session._take(line)
        if n_answers and not hasattr(session, "model_"):
            session.n_fits -= 1  # adopt() below counts the fit again
            session.adopt(session.fit_job(n_answers).run())
        return session

    def _do(self, event: str, **fields: Any) -> None:
        line = {"event": event, **fields}
        self.apply(line)
        self.log.add(line)
        if event == "withdraw":
            self._chooser.take_back(self.questions[fields["number"]])

    def _take(self, line: Line) -> None:
        if line["event"] == "items":
            self.apply(line)
        else:
            self._do(**line)

    def _pass_over(self, name: str) -> None:
        # Questions before the last fit need no replay: a fit starts new generators of questions.
        before = not self.n_fits and name in (HELD_OUT, RANDOM)
        if name == self._chooser.first or before or (hasattr(self, "model_") and name != NEW):
            with suppress(UnknownQuestionError):  # another fit may have fewer open questions
                self._chooser.row(name)

    def _trust_fit(self, line: Line) -> None:
        if "positions" in line:
            name = (line.get("choice") or {}).get("name", self.chosen.name)
            model = self._seeded(self.models.get(name, self.model))
            self.adopt(fit_of_line(line, model, self.items))
        else:
            self.apply(line)
            self.log.take_fit(dict(line))

    def _seeded(self, model: OrdinalEmbedding) -> OrdinalEmbedding:
        copy: OrdinalEmbedding = clone(model).set_params(
            random_state=self.random_state + self.n_fits
        )
        return copy


def _texts(names: Iterable[Any], what: str) -> tuple[str, ...]:
    if isinstance(names, str):
        raise SettingError(f"{what} are {names!r}: give a sequence of names, such as [{names!r}].")
    return tuple(str(name) for name in names)


def _listed(features: Any) -> Any:
    if isinstance(features, Mapping):
        return {view: _listed(part) for view, part in features.items()}
    return np.asarray(features, dtype=float).tolist()
