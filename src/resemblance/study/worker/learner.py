"""The learner, which fits a study's session; the asker, which also chooses questions."""

import logging
import secrets
import time
from collections import deque
from collections.abc import Iterable
from concurrent.futures import Executor, Future
from contextlib import suppress
from typing import Any

from resemblance.asking import Question, Session
from resemblance.asking.fit_job import GROWN
from resemblance.catalog import NEW
from resemblance.errors import ResemblanceError, UnknownQuestionError
from resemblance.judgments import Choices, Items, read_choices
from resemblance.store import Answer
from resemblance.study import stopping
from resemblance.study.files import CLICKS
from resemblance.study.kinds import Spec
from resemblance.study.live import LiveStudy
from resemblance.study.quality import MAP, Quality
from resemblance.study.sections import GROWTH_OF_MAP, QUIET_S, next_fit
from resemblance.study.worker.fitting import WHO, Attempts, Background, Fitted, fit
from resemblance.study.worker.report import Costly, Report, laid_upon
from resemblance.study.worker.session import Replay, asked_and_chosen, followed, session_settings

LEAST = 40  # smallest number of new questions in the pool, even if nobody takes part
LASTS_S = 2.0  # The pool should last this many seconds at the rate of recent answers.
MOST = 500  # largest number of questions in the pool, including questions of older fits
# Questions about new items have this round number, the highest, so they are served first.
BEFORE_ALL = 2**31 - 1
AT_ONCE = 50  # number of questions that are chosen before the log is read again
LEAST_BYTES = 2**14  # Clicks are fitted if their file has at least this size, about 20 searches.
log = logging.getLogger("resemblance.worker")


class Learner:
    """Passes answers from the store to a session, and stores the fits of the session."""

    def __init__(
        self,
        live: LiveStudy,
        quality: Quality,
        left_out: frozenset[str],
        answers: Iterable[Answer],
    ) -> None:
        self.live, self.quality = live, quality
        self.names = live.folder.names
        self._place = {name: place for place, name in enumerate(self.names)}
        self.attempts = Attempts(live)
        self._fit = Background[Fitted]()
        self._report = Background[dict[str, Any]]()
        self._costly = Costly()
        self._clicks = live.folder.path / CLICKS
        self._n_bytes = 0.0  # size of the file of clicks in bytes, at the last fit
        self._last: Report | None = None  # report of the last fit
        self._heard = 0.0  # time of the last answer
        # numbers of answers at which the last fit began, and at which the next will begin
        self._begun = self._next_fit = 0
        self._overdue = False  # whether to begin a fit at once
        past = Replay(live, answers, left_out)
        names = live.first.names
        items = Items(names, live.first.known_features(names))
        models = followed(live.folder, live.settings.asking.models)
        settings = session_settings(live.settings, len(names), models)
        self.session = Session.resume(past.lines(), items, **settings)
        self._begin_from(past)
        scored = live.store.spaces.scored(live.record)[-1:]
        if self.session.n_fits and not (scored and scored[0].answers >= past.fitted):
            self._overdue = True  # The last fit was lost before it could be stored.
        self._overdue |= self._is_placed()

    def _begin_from(self, past: Replay) -> None: ...

    @property
    def is_busy(self) -> bool:
        return self._fit.is_busy or self._report.is_busy

    def take(self, answer: Answer) -> None:
        if answer.purpose != "main":
            return
        self._heard = time.monotonic()
        n_items = len(self.live.first.names)
        spec, chosen = asked_and_chosen(answer, self.live.settings, n_items, self._place)
        number = self._number(spec)
        self.session.tell(number, chosen, answer.code)
        if set(self.session.questions[number].about) & self.session.newcomers.keys():
            self._overdue |= self._is_placed()

    def _number(self, spec: Spec) -> int:
        options = [self._place[name] for name in spec["options"]]
        head = None if spec["head"] is None else self._place[spec["head"]]
        return self.session.note(head, options, spec["strategy"], spec["held_out"]).number

    def _is_placed(self) -> bool:
        return self.session.n_fits > 0 and self.session.newcomers.ready(self.session.left_out)

    def exclude_observers(self, codes: frozenset[str]) -> None:
        """Exclude people from further fits; if there was a fit, begin another one at once."""
        if codes != self.session.left_out and not self._fit.is_busy:
            self.session.exclude_observers(codes)
            self._overdue |= self.session.n_fits > 0

    def step(self, threads: Executor) -> bool:
        if (report := self._report.ended()) is not None:
            self._keep(report)
        if (fitted := self._fit.ended()) is not None:
            self._end(fitted, threads)
            return True
        if not self._fit.is_busy:
            self._begin(threads)
            self._tell_again(threads)
        return False

    def _begin(self, threads: Executor) -> None:
        n_answers = len(self.session.answers)
        enough = self.session.is_due and n_answers >= self._next_fit
        if not (self._overdue or enough or self._is_left(n_answers) or self._is_clicked()):
            return
        self._overdue, self._begun = False, n_answers
        self._next_fit = next_fit(n_answers, GROWTH_OF_MAP, self.session.refit_every)
        job = self.session.fit_job(clicks=self._shared_clicks())
        if (n := len(job.judgments)) and self.attempts.begin(n):
            self._fit.begin(threads, fit, job, self.session.judgments("all"))

    def _is_left(self, n_answers: int) -> bool:
        quiet = self._heard > 0 and time.monotonic() - self._heard > QUIET_S
        return quiet and 0 < self._begun < n_answers and self._costly.has_rested

    def _is_clicked(self) -> bool:
        return self.session.n_fits > 0 and self._size() > max(LEAST_BYTES, GROWN * self._n_bytes)

    def _size(self) -> int:
        wanted = self.live.settings.search.keep_clicks and self.live.kind.head_apart
        return self._clicks.stat().st_size if wanted and self._clicks.is_file() else 0

    def _shared_clicks(self) -> Choices | None:
        self._n_bytes = self._size()
        if self._n_bytes < LEAST_BYTES:
            return None
        try:
            return read_choices(self._clicks, self.session.items)
        except ResemblanceError as error:
            log.warning("%s: no clicks are fitted: %s", self.live.folder.name, error)
            return None

    def _tell_again(self, threads: Executor) -> None:
        if self.is_busy or self._last is None:
            return
        if (
            self._costly.has_rested
            and self._costly.last.get("told_of") != self._last.fitted.answers
        ):
            self._report.begin(threads, self._last.space, self._costly)

    def _end(self, future: "Future[Fitted]", threads: Executor) -> None:
        try:
            fitted = future.result()
        except Exception as error:
            self._overdue |= self.attempts.fail(error, self._begun)
            return
        self._adopt(fitted)
        # Another fit follows at once, so the slow parts of this report are postponed.
        if self.session.is_due:
            self._costly.at = max(self._costly.at, time.monotonic() + QUIET_S)
        self._last = Report(self.session, fitted, self.live.settings)
        self._report.begin(threads, self._last.space, self._costly)

    def _adopt(self, fitted: Fitted) -> None:
        store, record = self.live.store, self.live.record
        self.session.adopt(fitted.result)
        self.quality.recall(fitted.people)
        store.events.record(record, WHO, "fit", fitted.event(self.session))
        store.events.record(record, WHO, MAP, fitted.map(self.session))

    def _keep(self, future: "Future[dict[str, Any]]") -> None:
        try:
            keep_space(self.live, future.result())
            self.attempts.end()
        except (ResemblanceError, MemoryError) as error:
            details = {"reason": str(error)}
            self.live.store.events.record(self.live.record, WHO, "report failed", details)


def keep_space(live: LiveStudy, space: dict[str, Any]) -> None:
    """Store a fitted space, rotated to match the previous space; then apply the stopping rules."""
    before = live.store.spaces.latest(live.record)
    if before is not None:
        space["positions"] = laid_upon(before.positions, space["positions"])
    live.store.spaces.add(live.record, **space)
    stopping.look(live)


class Asker(Learner):
    def _begin_from(self, past: Replay) -> None:
        self._life = secrets.token_hex(4)  # prefix of the keys of questions that this process chose
        self._received: deque[float] = deque()  # times of the latest answers
        self._numbers = past.numbers

    def take(self, answer: Answer) -> None:
        if answer.purpose == "main":
            self._received.append(answer.received)
        super().take(answer)

    def _number(self, spec: Spec) -> int:
        number = self._numbers.pop(spec["session"], None)
        if number is None or number not in self.session.pending:
            return super()._number(spec)
        return number

    def step(self, threads: Executor) -> bool:
        """Start or adopt a fit, or fill the pool; return whether there was anything to do."""
        if super().step(threads):
            return True
        self._ask_about_new_items()
        lacking = self._target() - self.live.store.pool.size(self.live.record, self.session.n_fits)
        asked = self._asked(lacking)
        self._put(asked)
        return bool(asked)

    def _ask_about_new_items(self) -> None:
        specs: list[Spec] = []
        while self.session.is_placing and len(specs) < AT_ONCE:
            specs.append(self._spec(self.session.ask()))
        self._put(specs)

    def _adopt(self, fitted: Fitted) -> None:
        for spec in self.live.store.pool.waiting(self.live.record):
            if spec["strategy"] != NEW and spec["session"] in self._numbers:
                self.session.withdraw(self._numbers.pop(spec["session"]))
        super()._adopt(fitted)
        self._put(self._asked(AT_ONCE))

    def _target(self) -> int:
        since = self.live.clock() - LASTS_S
        while self._received and self._received[0] < since:
            self._received.popleft()
        return min(LEAST + len(self._received), MOST)

    def _asked(self, n: int) -> list[Spec]:
        specs: list[Spec] = []
        with suppress(UnknownQuestionError):
            while len(specs) < min(n, AT_ONCE):
                specs.append(self._spec(self.session.ask()))
        return specs

    def _spec(self, question: Question) -> Spec:
        key = f"{self._life}-{question.number}"
        self._numbers[key] = question.number
        spec = self.live.kind.new(
            None if question.head is None else self.names[question.head],
            [self.names[option] for option in question.options],
            strategy=question.strategy,
            held_out=question.held_out,
            session=key,
        )
        return spec | self.live.kind.besides(self.live.folder.material, len(question.options))

    def _put(self, specs: list[Spec]) -> None:
        for round in (BEFORE_ALL, self.session.n_fits):
            part = [spec for spec in specs if (spec["strategy"] == NEW) is (round == BEFORE_ALL)]
            if part:
                self.live.store.pool.put(self.live.record, part, round, MOST)
