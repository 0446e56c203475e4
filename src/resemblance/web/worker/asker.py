"""The asking side of one study: its session, kept in step with the store, and the pool."""

import secrets
from concurrent.futures import Executor, Future
from typing import Any

from resemblance.asking import Question, Session
from resemblance.asking.settings import NEW, START
from resemblance.errors import ResemblanceError
from resemblance.store import Answer
from resemblance.web.kinds import Spec
from resemblance.web.kinds.base import new_spec
from resemblance.web.live import LiveStudy
from resemblance.web.quality import MAP, Quality
from resemblance.web.worker.fitting import Fitted, fit
from resemblance.web.worker.past import ALL_ROUNDS, Past, chosen_item
from resemblance.web.worker.recipe import session_settings
from resemblance.web.worker.report import Costly, Report

WHO = "worker"
KEPT = (START,)  # asked for once; of others a new share is asked for after each fit
LEAST = 40  # questions that wait when nobody is there
EACH = 4  # questions that wait for each active person: what a page holds
ACTIVE_S = 60.0  # how long after an answer a person is active
AT_ONCE = 50  # questions chosen before the log is read again
GROWTH = 0.02  # the share of new answers below which a fit would change nothing


class Asker:
    """Tells a session what the store knows, and puts what it asks into the pool.

    Parameters
    ----------
    live : LiveStudy
        The study.
    quality : Quality
        Reads the log, and counts.
    left_out : frozenset of str
        The pseudonyms of those whose answers do not count.
    """

    def __init__(self, live: LiveStudy, quality: Quality, left_out: frozenset[str]) -> None:
        self.live, self.quality = live, quality
        self.names = live.folder.names
        self._place = {name: place for place, name in enumerate(self.names)}
        self._life = secrets.token_hex(4)  # tells the questions of this process from earlier ones
        self._seen: dict[str, float] = {}  # when each person answered last
        self._fit: Future[Fitted] | None = None
        self._report: Future[dict[str, Any]] | None = None  # a fit that is being told of
        self._costly = Costly()
        self._overdue, self._next_fit = False, 0  # a fit at once; not before so many answers
        past = Past(live, quality, left_out)
        settings = session_settings(live.settings)
        self.session = Session.resume(past.lines(), live.first.names, **settings)
        self._numbers = past.numbers
        self._put(past.waiting)
        told = live.store.scored_spaces(live.record)[-1:]
        if self.session.n_fits and not (told and told[0].answers >= past.fitted):
            self._overdue = True  # nothing was kept of the last fit: it is made again
        self._overdue |= self._is_placed()

    def take(self, answer: Answer) -> None:
        """Tell the session an answer; it may not know the question, if the web process made it."""
        if answer.purpose != "main":
            return
        self._seen[answer.code] = answer.received
        number = self._numbers.pop(answer.spec["session"], None)
        if number is None or number not in self.session.pending:
            number = self._note(answer.spec)
        chosen = chosen_item(answer)
        self.session.tell(number, None if chosen is None else self._place[chosen], answer.code)
        if self._place[answer.spec["head"]] in self.session.newcomers:
            self._overdue |= self._is_placed()

    def _is_placed(self) -> bool:
        """Say whether new items wait for nothing but a fit."""
        return self.session.n_fits > 0 and self.session.newcomers.ready(self.session.left_out)

    def leave_out(self, codes: frozenset[str]) -> None:
        """Let the next fit leave these people out; it comes at once if there was one before."""
        if codes != self.session.left_out and self._fit is None:
            self.session.leave_out(codes)
            self._overdue = self.session.n_fits > 0

    def step(self, threads: Executor) -> bool:
        """Begin or adopt a fit, and fill the pool; say whether anything was done."""
        if self._report is not None and self._report.done():
            self._keep(self._report)
        if self._fit is None:
            self._begin(threads)
        elif self._fit.done():
            self._end(self._fit, threads)
            return True
        self._ask_about_new_items()
        lacking = self._target() - self.live.store.pool_size(self.live.record)
        self._put(self._asked(lacking))
        return lacking > 0

    def _ask_about_new_items(self) -> None:
        """Put the questions that place new items before all that wait."""
        specs: list[Spec] = []
        while self.session.is_placing and len(specs) < AT_ONCE:
            specs.append(self._spec(self.session.ask()))
        if specs:
            self._put(specs + self.live.store.pool_withdraw(self.live.record, ALL_ROUNDS))

    def _begin(self, threads: Executor) -> None:
        """Begin a fit, where it is time and enough is new."""
        told = len(self.session.answers)
        if not (self._overdue or (self.session.is_due and told >= self._next_fit)):
            return
        self._overdue = False
        self._next_fit = told + max(self.session.refit_every, int(GROWTH * told))
        job = self.session.fit_job()
        if len(job.judgments):
            self._fit = threads.submit(fit, job, self.session.judgments("all"))

    def _end(self, future: "Future[Fitted]", threads: Executor) -> None:
        """Adopt a fit, write it down, and have it told."""
        self._fit = None
        store, record = self.live.store, self.live.record
        try:
            fitted = future.result()
        except ResemblanceError as error:
            store.record(record, WHO, "fit failed", {"reason": str(error)})
            return
        self._take_back()
        self.session.adopt(fitted.result)
        self.quality.recall_likelihood(fitted.likelihood)
        store.record(record, WHO, "fit", fitted.event(self.session))
        store.record(record, WHO, MAP, fitted.map(self.session))
        better = self._asked(AT_ONCE)
        left = store.pool_withdraw(record, ALL_ROUNDS)
        self._put([spec for spec in left if spec["session"] in self._numbers] + better)
        report = Report.of(self.session, fitted, self.live.settings)
        self._report = threads.submit(report.space, self._costly)

    def _keep(self, future: "Future[dict[str, Any]]") -> None:
        """Keep the space that a fit found, for those who show it."""
        self._report = None
        try:
            self.live.store.add_space(self.live.record, **future.result())
        except ResemblanceError as error:
            details = {"reason": str(error)}
            self.live.store.record(self.live.record, WHO, "report failed", details)

    def _take_back(self) -> None:
        """Let the session forget what it chose by an older fit and nobody was shown.

        The pool keeps it until better is there, as that can take a second to choose. What is
        served meanwhile is noted when its answer comes.
        """
        waiting = self.live.store.pool_withdraw(self.live.record, ALL_ROUNDS)
        self._put(waiting)
        for spec in waiting:
            if spec["strategy"] not in KEPT and spec["session"] in self._numbers:
                self.session.withdraw(self._numbers.pop(spec["session"]))

    def _target(self) -> int:
        """Count the questions that should wait."""
        since = self.live.clock() - ACTIVE_S
        self._seen = {code: at for code, at in self._seen.items() if at > since}
        return LEAST + EACH * len(self._seen)

    def _asked(self, n: int) -> list[Spec]:
        """Let the session ask."""
        return [self._spec(self.session.ask()) for _ in range(min(n, AT_ONCE))]

    def _spec(self, question: Question) -> Spec:
        """Write a question of the session down; its key finds it when the answer comes."""
        key = f"{self._life}-{question.number}"
        self._numbers[key] = question.number
        return new_spec(
            self.live.settings.study.kind,
            self.names[question.head],
            [self.names[option] for option in question.options],
            strategy=question.strategy,
            held_out=question.held_out,
            session=key,
        )

    def _put(self, specs: list[Spec]) -> None:
        """Let questions wait, those about new items before others."""
        if specs:
            specs = sorted(specs, key=lambda spec: spec["strategy"] != NEW)
            self.live.store.pool_put(self.live.record, specs, self.session.n_fits)

    def _note(self, spec: Spec) -> int:
        """Let the session know of a question that it did not ask, or took back."""
        options = [self._place[name] for name in spec["options"]]
        head = self._place[spec["head"]]
        return self.session.note(head, options, spec["strategy"], spec["held_out"]).number
