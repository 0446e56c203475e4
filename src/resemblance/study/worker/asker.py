"""Fill the pool of questions of one study."""

import secrets
from collections import deque
from concurrent.futures import Executor
from contextlib import suppress

from resemblance.asking import Question
from resemblance.catalog import NEW
from resemblance.errors import UnknownQuestionError
from resemblance.store import Answer
from resemblance.study.kinds import Spec
from resemblance.study.worker.fitting import Fitted
from resemblance.study.worker.learner import Learner
from resemblance.study.worker.session import Replay

LEAST = 40  # questions of the last fit that wait while nobody takes part
LASTS_S = 2.0  # seconds that the pool should last at the pace of recent answers
MOST = 500  # most questions that wait, those of older fits included
BEFORE_ALL = 2**31 - 1  # the round of those about new items
AT_ONCE = 50  # questions chosen before the log is read again


class Asker(Learner):
    """A learner that also fills the pool with the session's questions."""

    def _begin_from(self, past: Replay) -> None:
        self._life = secrets.token_hex(4)  # tells the questions of this process from earlier ones
        self._received: deque[float] = deque()  # times of the latest answers
        self._numbers = past.numbers

    def take(self, answer: Answer) -> None:
        """Tell the session an answer, and ask one more question."""
        if answer.purpose == "main":
            self._received.append(answer.received)
        super().take(answer)

    def _number(self, spec: Spec) -> int:
        number = self._numbers.pop(spec["session"], None)
        if number is None or number not in self.session.pending:
            return super()._number(spec)
        return number

    def step(self, threads: Executor) -> bool:
        """Begin or adopt a fit, and fill the pool; return whether anything was done."""
        if super().step(threads):
            return True
        self._ask_about_new_items()
        lacking = self._target() - self.live.store.pool.size(self.live.record, self.session.n_fits)
        asked = self._asked(lacking)
        self._put(asked)
        return bool(asked)

    def _ask_about_new_items(self) -> None:
        """Put questions that place new items before all others."""
        specs: list[Spec] = []
        while self.session.is_placing and len(specs) < AT_ONCE:
            specs.append(self._spec(self.session.ask()))
        self._put(specs)

    def _adopt(self, fitted: Fitted) -> None:
        """Adopt a fit: its questions go before those of older fits.

        Older questions are served if no better one is left, and noted when answered.
        """
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
