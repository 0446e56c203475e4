"""The asking side of one study: the pool of questions, filled by what was answered."""

import secrets
from concurrent.futures import Executor

from resemblance.asking import Question
from resemblance.catalog import NEW, START
from resemblance.store import Answer
from resemblance.study.kinds import Spec
from resemblance.study.worker.fitting import Fitted
from resemblance.study.worker.learner import Learner
from resemblance.study.worker.session import ALL_ROUNDS, Replay

KEPT = (START,)  # asked for once; of others a new share is asked for after each fit
LEAST = 40  # questions that wait when nobody is there
EACH = 4  # questions that wait for each active person: what a page holds
ACTIVE_S = 60.0  # how long after an answer a person is active
AT_ONCE = 50  # questions chosen before the log is read again


class Asker(Learner):
    """Learns, and puts what its session asks into the pool; the parameters are a learner's."""

    def _begin_from(self, past: Replay) -> None:
        """Take the questions that are out, and put back those that wait."""
        self._life = secrets.token_hex(4)  # tells the questions of this process from earlier ones
        self._seen: dict[str, float] = {}  # when each person answered last
        self._numbers = past.numbers
        self._put(past.waiting)

    def take(self, answer: Answer) -> None:
        """Tell the session an answer; its person is there."""
        if answer.purpose == "main":
            self._seen[answer.code] = answer.received
        super().take(answer)

    def _number(self, spec: Spec) -> int:
        """Find a question; the session may not know it, if the web process made it."""
        number = self._numbers.pop(spec["session"], None)
        if number is None or number not in self.session.pending:
            return super()._number(spec)
        return number

    def step(self, threads: Executor) -> bool:
        """Begin or adopt a fit, and fill the pool; say whether anything was done."""
        if super().step(threads):
            return True
        self._ask_about_new_items()
        lacking = self._target() - self.live.store.pool.size(self.live.record)
        self._put(self._asked(lacking))
        return lacking > 0

    def _ask_about_new_items(self) -> None:
        """Put the questions that place new items before all that wait."""
        specs: list[Spec] = []
        while self.session.is_placing and len(specs) < AT_ONCE:
            specs.append(self._spec(self.session.ask()))
        if specs:
            self._put(specs + self.live.store.pool.withdraw(self.live.record, ALL_ROUNDS))

    def _adopt(self, fitted: Fitted) -> None:
        """Go on from a fit: what was chosen by an older one gives way to better questions."""
        self._take_back()
        super()._adopt(fitted)
        better = self._asked(AT_ONCE)
        left = self.live.store.pool.withdraw(self.live.record, ALL_ROUNDS)
        self._put([spec for spec in left if spec["session"] in self._numbers] + better)

    def _take_back(self) -> None:
        """Let the session forget what it chose by an older fit and nobody was shown.

        The pool keeps it until better is there, as that can take a second to choose. What is
        served meanwhile is noted when its answer comes.
        """
        waiting = self.live.store.pool.withdraw(self.live.record, ALL_ROUNDS)
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
        spec = self.live.kind.new(
            None if question.head is None else self.names[question.head],
            [self.names[option] for option in question.options],
            strategy=question.strategy,
            held_out=question.held_out,
            session=key,
        )
        return spec | self.live.kind.besides(self.live.folder.material, len(question.options))

    def _put(self, specs: list[Spec]) -> None:
        """Let questions wait, those about new items before others."""
        if specs:
            specs = sorted(specs, key=lambda spec: spec["strategy"] != NEW)
            self.live.store.pool.put(self.live.record, specs, self.session.n_fits)
