"""Kill a writing process again and again: python benchmarks/crash.py [URL] [--kills 200].

Each life of the process opens the store, lets its people answer, and says on a pipe which answers
were acknowledged; then comes kill -9, at a random moment. In the end every answer that was ever
acknowledged must be in the log, once. Without an address: SQLite in a temporary folder.
PostgreSQL must have an empty database at the address.
"""

import argparse
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from threading import Thread

import psycopg  # noqa: F401  (loaded here once, not in every life)
from sqlalchemy import func, select

from resemblance.store import AnswerIn, Store, Wanted, schema

PEOPLE = 6
UNDER_LOAD = 0.8  # of the kills, after the first answer; the others come while the store opens too
GONE = os.WEXITED | os.WNOHANG | os.WNOWAIT
SPEC = {"kind": "triplet", "head": 4, "options": [1, 2]}


def live(url: str, pipe: int, life: int) -> None:
    """Answer until the end comes."""
    store = Store.open(url)
    study = store.study("crash") or store.add_study("crash", "", {})
    for number in range(PEOPLE):
        Thread(target=answer, args=(store, study, pipe, f"{number}", f"{life} {number}")).start()
    while True:
        if store.pool_size(study) < 100:
            store.pool_put(study, [SPEC] * 100, life)
        time.sleep(0.01)


def answer(store: Store, study: object, pipe: int, who: str, token: str) -> None:
    """Answer what is out and what comes then; send each answer twice."""
    person = store.enter(study, "simulated", who, token)
    wanted = [Wanted(SPEC, pool=True), Wanted(SPEC)]
    served = store.outstanding(person) or store.serve(person, wanted, 2)
    while True:
        given = [AnswerIn(question.id, {"chosen": 0}) for question in served]
        for _ in range(2):
            acknowledged, more = store.answer(person, given, wanted, 2)
            lines = [f"{one.question_id} {int(one.new)}\n" for one in acknowledged]
            os.write(pipe, "".join(lines).encode())  # short enough for a pipe to take it whole
            served = more or served


def one_life(url: str, life: int, longest: float) -> list[str]:
    """Start a process, kill it at a random moment, and give the lines that it said."""
    ear, mouth = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(ear)
        try:
            live(url, mouth, life)
        finally:
            os._exit(1)
    os.close(mouth)
    os.set_blocking(ear, False)
    said = b""
    if random.random() < UNDER_LOAD:
        while not said and os.waitid(os.P_PID, child, GONE) is None:
            time.sleep(0.001)
            said += heard(ear)
    end = time.monotonic() + random.uniform(0, longest)
    while time.monotonic() < end:
        time.sleep(0.001)
        said += heard(ear)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if not os.WIFSIGNALED(status):
        sys.exit("the process ended by itself: see its error above")
    said += heard(ear)
    os.close(ear)
    return said.decode().splitlines()


def heard(ear: int) -> bytes:
    """Give what is in the pipe."""
    said = b""
    try:
        while more := os.read(ear, 1 << 16):
            said += more
    except BlockingIOError:
        pass
    return said


def verdict(url: str, lines: list[str]) -> dict[str, int]:
    """Compare what was acknowledged with what is stored."""
    acknowledged = {line.split()[0] for line in lines}
    new = Counter(line.split()[0] for line in lines if line.endswith(" 1"))
    with Store.open(url) as store:
        study = store.study("crash") or store.add_study("crash", "", {})
        stored: Counter[str] = Counter()
        last = 0
        while page := store.answers_after(study, last):
            stored.update(row.question for row in page)
            last = page[-1].id
        questions = list(store.questions_of(study))
        taken = store._rows(select(func.count()).where(schema.pool.c.taken.is_not(None)))[0][0]
    answered = {question.id for question in questions if question.state == "answered"}
    drawn = [question.pool_id for question in questions if question.pool_id is not None]
    return {
        "acknowledged": len(acknowledged),
        "stored": len(stored),
        "lost": len(acknowledged - stored.keys()),
        "doubled": sum(n > 1 for n in stored.values()) + sum(n > 1 for n in new.values()),
        "marked wrongly": len(answered ^ stored.keys()),
        "pool rows lost": taken - len(set(drawn)),
        "pool rows served twice": len(drawn) - len(set(drawn)),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url", nargs="?")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--longest", type=float, default=0.3, help="seconds before a kill")
    parser.add_argument("--seed", type=int, default=None)
    told = parser.parse_args()
    random.seed(told.seed)
    with tempfile.TemporaryDirectory() as folder:
        url = told.url or f"sqlite:///{folder}/study.sqlite"
        lives = [one_life(url, life, told.longest) for life in range(told.kills)]
        counts = verdict(url, [line for life in lives for line in life])
    said = sum(bool(life) for life in lives)
    print(json.dumps({"kills": told.kills, "lives that answered": said, **counts}))
    wrong = set(counts) - {"acknowledged", "stored"}
    sys.exit(any(counts[name] for name in wrong))


if __name__ == "__main__":
    main()
