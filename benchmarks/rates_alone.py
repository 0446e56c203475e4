"""As rates.py, in processor time: python benchmarks/rates_alone.py [--rate 100] [--answers 2500].

The worker and the store are real ones, people and pages are called without HTTP, and a clock of its
own stands still while nobody but this process computes: a step of the worker takes as long as its
processor time, twice that while a fit runs beside it (both share the interpreter), and a fit twice
its own. So other work on the machine does not count, and answers come at any rate.
"""

import argparse
import heapq
import json
import random
import tempfile
import time
from concurrent.futures import Future
from pathlib import Path
from types import SimpleNamespace

from rates import course, numbers
from serving import Eyes, write_study

from resemblance.store import AnswerIn, Store
from resemblance.study.live import LiveStudy
from resemblance.study.questions import next_questions
from resemblance.study.worker import learner, loop, report
from resemblance.study.worker.warm_up import warm_up

SHARED = 2.0  # how many times as long a thread takes beside another one
THINKS = 1.5  # seconds of an answer


class Clock:
    """The time that passed, and the processor time that fits took within a step."""

    def __init__(self) -> None:
        self.now, self.fitted, self.busy = 1.8e9, 0.0, 0.0

    def __call__(self) -> float:
        return self.now


class Thread:
    """An executor of one thread: computes at once, and is done when it would have been."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock

    def submit(self, work, *arguments) -> Future:
        began, future = time.thread_time(), Later()
        try:
            future.set_result(work(*arguments))
        except Exception as problem:
            future.set_exception(problem)
        used = time.thread_time() - began
        self.clock.fitted += used
        self.clock.busy = max(self.clock.busy, self.clock.now) + SHARED * used
        future.clock, future.at = self.clock, self.clock.busy
        return future


class Later(Future):
    """What is done at a time of the clock."""

    clock, at = None, 0.0

    def done(self) -> bool:
        return self.clock is not None and self.clock.now >= self.at


class Page:
    """Somebody's page, which holds as many questions as the server gives it."""

    def __init__(self, live: LiveStudy, name: str, eyes: Eyes) -> None:
        people = live.store.people
        entered = people.enter(live.record, "simulated", name, name)
        self.live, self.eyes, self.person = live, eyes, people.set_state(entered, "consented")
        self.held, self.asked = [], 0

    def turn(self) -> None:
        """Send the answer to the first question, if there is one, and take more."""
        answers = []
        if self.held:
            first, names = self.held.pop(0), self.live.folder.names
            shown = [first.spec["head"], *first.spec["options"]]
            texts = [{"text": f"dot {names.index(name)}"} for name in shown]
            answer = self.eyes.choose({"head": texts[0], "options": texts[1:]})
            answers.append(AnswerIn(first.id, answer, 900.0))
        ahead = self.live.ahead(None) + 1
        wanted = next_questions(self.live, self.person, self.asked, ahead - len(self.held))
        _, served = self.live.store.answers.take(self.person, answers, wanted, ahead)
        self.held += served
        self.asked += len(served)


def arm(rate: float, n: int, n_items: int, seed: int, adaptive: bool) -> dict:
    """Run one study; give the error after each prefix, and how the worker kept up."""
    random.seed(seed)
    eyes, clock = Eyes(n_items, seed), Clock()
    ours = SimpleNamespace(**{**vars(time), "monotonic": clock, "time": clock})
    for module in (learner, loop, report):
        module.time = ours
    with tempfile.TemporaryDirectory() as name:
        folder = write_study(Path(name), n_items, adaptive=str(adaptive).lower(), gold=0.0)
        store = Store.open(f"sqlite:///{name}/study.sqlite", clock)
        live = LiveStudy.open(folder, store)
        live.clock = clock
        with store:
            play(live, eyes, clock, rate, n, adaptive)
            log = store.answers.after(live.record, 0, 10**6)
            fits = [event.details for event in store.events.audit(live.record, "fit")]
    about = {"rate": rate, "asked": "adaptive" if adaptive else "random", "seed": seed}
    return about | course(log, fits, live.folder.names, eyes)


def play(live: LiveStudy, eyes: Eyes, clock: Clock, rate: float, n: int, adaptive: bool) -> None:
    """Let people come in, and answer until there are n answers; random ones need no worker."""
    people = max(2, round(THINKS * rate))
    work, thread = loop.StudyWork(live), Thread(clock)
    thinks, answered = people / rate, 0
    while adaptive and work.step(thread):  # the worker is at work when people come
        clock.now += loop.BREATH_S
    free = clock.now if adaptive else float("inf")
    due = [(clock.now + random.uniform(0, thinks), k) for k in range(people)]
    pages = [Page(live, f"{k}", eyes) for k in range(people)]
    for page in pages:
        page.turn()
    heapq.heapify(due)
    while answered < n:
        if free <= due[0][0]:
            clock.now, clock.fitted = free, 0.0
            began, beside = time.thread_time(), clock.busy > free
            done = work.step(thread)
            used = time.thread_time() - began - clock.fitted
            pause = loop.BREATH_S if done else loop.PAUSE_S
            free = clock.now + used * (SHARED if beside else 1.0) + pause
            continue
        clock.now, k = heapq.heappop(due)
        pages[k].turn()
        answered += 1
        heapq.heappush(due, (clock.now + thinks, k))
    work.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rate", type=float, default=100.0)
    parser.add_argument("--answers", type=int, default=2500)
    parser.add_argument("--seeds", type=numbers, default=[0, 1])
    parser.add_argument("--items", type=int, default=60)
    parser.add_argument("--asked", default="adaptive,random")
    told = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        warm_up([write_study(Path(name), told.items).settings])
    for seed in told.seeds:
        for asked in told.asked.split(","):
            row = arm(told.rate, told.answers, told.items, seed, asked == "adaptive")
            print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
