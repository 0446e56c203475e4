"""Measure a server's memory, and the time until its worker asks: worker.py [--items 1000].

A study is filled with answers, then a server is started on it while further answers arrive. Shared
memory of the processes counts once.
"""

import argparse
import tempfile
import time
from pathlib import Path
from random import Random

import numpy as np
from serving import Server, open_live, until, write_study

from resemblance.store import AnswerIn, Participant, Wanted
from resemblance.study.kinds import Triplet
from resemblance.study.live import LiveStudy

BATCH = 100  # answers in one transaction


class People:
    """People who judge points in a plane."""

    def __init__(self, live: LiveStudy, n: int) -> None:
        self.live, self.random = live, Random(0)
        points = np.random.default_rng(0).normal(size=(len(live.folder.names), 2))
        self.points = dict(zip(live.folder.names, points, strict=True))
        store, record = live.store, live.record
        people = [store.people.enter(record, "open", f"{i}", f"{i}") for i in range(n)]
        self.persons = [store.people.set_state(one, "consented") for one in people]

    def choose(self, spec: dict) -> int:
        head = self.points[spec["head"]]
        near, far = (np.sum((head - self.points[name]) ** 2) for name in spec["options"])
        return int(self.random.random() > far / (near + far))

    def answer(self, person: Participant, wanted: list[Wanted]) -> None:
        served = self.live.store.questions.serve(person, wanted)
        answers = [AnswerIn(q.id, {"chosen": self.choose(q.spec)}, 900.0) for q in served]
        self.live.store.answers.take(person, answers)

    def fill(self, n: int) -> None:
        for start in range(0, n, BATCH):
            wanted = []
            for _ in range(min(BATCH, n - start)):
                head, *options = self.random.sample(self.live.folder.names, 3)
                held_out = self.random.random() < 0.05
                strategy = "held out" if held_out else "random"
                more = {"strategy": strategy, "held_out": held_out}
                wanted.append(Wanted(Triplet().new(head, options, **more)))
            self.answer(self.persons[start // BATCH % len(self.persons)], wanted)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=1000)
    parser.add_argument("--answers", type=int, default=50_000)
    parser.add_argument("--rate", type=float, default=10.0, help="answers a second meanwhile")
    parser.add_argument("--seconds", type=float, default=60.0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home)
        write_study(folder, options.items, start=10)
        live, store = open_live(folder)
        with store:
            watch(live, options)


def watch(live: LiveStudy, options: argparse.Namespace) -> None:
    """Answer while a server runs, and print its memory."""
    people = People(live, 100)
    began = time.perf_counter()
    if options.answers:
        people.fill(options.answers)
    print(f"filled in {time.perf_counter() - began:.0f} s", flush=True)
    began = time.perf_counter()
    with Server(live.folder.path) as server:
        print(f"ready after {time.perf_counter() - began:.1f} s", flush=True)
        until(lambda: live.store.pool.size(live.record), 120.0, "a pool")
        print(f"a pool after {time.perf_counter() - began:.1f} s", flush=True)
        began = time.perf_counter()
        for turn in range(int(options.seconds * options.rate)):
            spec = live.kind.spec(live.folder, people.random)
            people.answer(people.persons[turn % 100], [Wanted(spec, pool=live.record.id)])
            due = began + (turn + 1) / options.rate
            time.sleep(max(0.0, due - time.perf_counter()))
            if turn % max(1, int(options.rate * options.seconds / 6)) == 0:
                print(f"{time.perf_counter() - began:5.0f} s, MB: {server.memory()}", flush=True)
    served = [one.spec for one in live.store.questions.all(live.record)]
    last = [spec["session"] is not None for spec in served[-len(served) // 2 :]]
    if options.answers == 0:
        print(f"chosen by the worker: {sum(last) / len(last):.0%} of the second half")
    fits = [event.details for event in live.store.events.audit(live.record, "fit")]
    print(f"fits: {len(fits)}; the last: {fits[-1] if fits else None}")


if __name__ == "__main__":
    main()
