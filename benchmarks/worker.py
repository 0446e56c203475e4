"""Memory of the worker, and how soon it asks: python benchmarks/worker.py [--items 1000].

A study is filled with answers, then a worker process is started on it, while further answers come.
Memory is what the kernel counts: rss, pss (shared pages divided among those who share them), and
the peak of rss.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random

import numpy as np

from resemblance.store import AnswerIn, Participant, Store, Wanted
from resemblance.web.kinds.base import new_spec
from resemblance.web.live import LiveStudy
from resemblance.web.study import StudyFolder

TOML = '[study]\nname = "dots"\n[stimuli]\nitems = "items.csv"\n'
BATCH = 100  # answers in one transaction


class People:
    """People who see points on a plane."""

    def __init__(self, live: LiveStudy, n: int) -> None:
        self.live, self.random = live, Random(0)
        points = np.random.default_rng(0).normal(size=(len(live.folder.names), 2))
        self.points = dict(zip(live.folder.names, points, strict=True))
        store, record = live.store, live.record
        people = [store.enter(record, "simulated", f"{i}", f"{i}") for i in range(n)]
        self.persons = [store.set_participant_state(one, "consented") for one in people]

    def choose(self, spec: dict) -> int:
        head = self.points[spec["head"]]
        near, far = (np.sum((head - self.points[name]) ** 2) for name in spec["options"])
        return int(self.random.random() > far / (near + far))

    def answer(self, person: Participant, wanted: list[Wanted]) -> None:
        served = self.live.store.serve(person, wanted)
        answers = [AnswerIn(q.id, {"chosen": self.choose(q.spec)}, 900.0) for q in served]
        self.live.store.answer(person, answers)

    def fill(self, n: int) -> None:
        """Answer n random questions, one in twenty held out."""
        for start in range(0, n, BATCH):
            wanted = []
            for _ in range(min(BATCH, n - start)):
                head, *options = self.random.sample(self.live.folder.names, 3)
                held_out = self.random.random() < 0.05
                strategy = "held out" if held_out else "random"
                more = {"strategy": strategy, "held_out": held_out}
                wanted.append(Wanted(new_spec("triplet", head, options, **more)))
            self.answer(self.persons[start // BATCH % len(self.persons)], wanted)


def memory(pid: int) -> dict[str, int]:
    """Give the megabytes of a process."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    status = Path(f"/proc/{pid}/status").read_text().splitlines()
    told = dict(line.split(":", 1) for line in lines + status if line.count(":") == 1)
    names = {"rss": "Rss", "pss": "Pss", "private": "Private_Dirty", "peak": "VmHWM"}
    return {name: int(told[key].split()[0]) // 1024 for name, key in names.items()}


def start(folder: Path) -> subprocess.Popen:
    """Start a worker as the supervisor does."""
    command = [sys.executable, "-m", "resemblance.web.process"]
    worker = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    task = {"role": "worker", "studies": [str(folder)], "database": None, "log": "WARNING"}
    worker.stdin.write(json.dumps(task).encode() + b"\n")
    worker.stdin.flush()
    return worker


def main() -> None:
    """Fill, start, watch."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=1000)
    parser.add_argument("--answers", type=int, default=50_000)
    parser.add_argument("--rate", type=float, default=10.0, help="answers a second meanwhile")
    parser.add_argument("--seconds", type=float, default=60.0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home)
        rows = [f"i{n:04d},dot {n}" for n in range(options.items)]
        (folder / "items.csv").write_text("\n".join(["name,text", *rows]) + "\n")
        toml = TOML + '[pages]\nconsent = "p.md"\ninstructions = "p.md"\ndebrief = "p.md"\n'
        (folder / "p.md").write_text("# A page\n")
        (folder / "study.toml").write_text(toml)
        study = StudyFolder.open(folder)
        with Store.open(study.database) as store:
            watch(LiveStudy.open(study, store), options)


def watch(live: LiveStudy, options: argparse.Namespace) -> None:
    """Answer beside a worker, and tell its memory."""
    people = People(live, 100)
    began = time.perf_counter()
    if options.answers:
        people.fill(options.answers)
    print(f"filled in {time.perf_counter() - began:.0f} s", flush=True)
    worker, began = start(live.folder.path), time.perf_counter()
    while not live.store.pool_size(live.record):
        time.sleep(0.05)
    print(f"a pool after {time.perf_counter() - began:.1f} s", memory(worker.pid), flush=True)
    began = time.perf_counter()
    for turn in range(int(options.seconds * options.rate)):
        spec = live.kind.spec(live.folder, people.random)
        people.answer(people.persons[turn % 100], [Wanted(spec, pool=True)])
        due = began + (turn + 1) / options.rate
        time.sleep(max(0.0, due - time.perf_counter()))
        if turn % max(1, int(options.rate * options.seconds / 6)) == 0:
            print(f"{time.perf_counter() - began:5.0f} s", memory(worker.pid), flush=True)
    served = [one.spec for one in live.store.questions_of(live.record)]
    last = [spec["session"] is not None for spec in served[-len(served) // 2 :]]
    if options.answers == 0:
        print(f"chosen by the worker: {sum(last) / len(last):.0%} of the second half")
    fits = [event.details for event in live.store.audit(live.record, "fit")]
    print(f"fits: {len(fits)}; the last: {fits[-1] if fits else None}")
    print(memory(worker.pid))
    worker.kill()
    worker.wait()


if __name__ == "__main__":
    main()
