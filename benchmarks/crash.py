"""Kill processes repeatedly by kill -9, and check that no acknowledged answer is lost.

    python benchmarks/crash.py [URL] [--target any] [--kills 200]

At the end every acknowledged answer must be in the log exactly once. Without an address, the store
is SQLite in a temporary folder; the address of PostgreSQL must be an empty database.

The target ``store`` is a process that opens the store, lets people answer, writes acknowledged
answers to a pipe, and is killed at a random moment, many times. The other targets are processes of
``resemblance serve``, where people answer over HTTP: ``web``, ``worker``, ``both``, a random one of
these (``any``), or the ``supervisor``. At the end the worker must fit again, and its questions must
be asked.
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
from pathlib import Path
from threading import Event, Thread

import psycopg  # noqa: F401  (loaded here once, not in every life)
from serving import NAME, Eyes, Person, Server, open_live, until, write_study
from sqlalchemy import func, select

from resemblance.errors import UnavailableError
from resemblance.store import AnswerIn, Store, Study, Wanted, schema

PEOPLE = 6
UNDER_LOAD = 0.8  # share of kills after the first answer; the others may hit the store's opening
GONE = os.WEXITED | os.WNOHANG | os.WNOWAIT
SPEC = {"kind": "triplet", "head": 4, "options": [1, 2]}
TARGETS = ("store", "web", "worker", "both", "any", "supervisor")
ITEMS = 30
WORKER_BEGINS = 10  # factor on the time until a worker is killed, since it starts slowly
WRONG = (
    "lost",
    "doubled",
    "changed",
    "marked wrongly",
    "pool rows lost",
    "pool rows served twice",
    "questions of the worker served twice",
    "people lost",
)


def live(url: str, pipe: int, life: int) -> None:
    store = Store.open(url)
    study = store.studies.named("crash") or store.studies.add("crash", "", {})
    for number in range(PEOPLE):
        Thread(target=answer, args=(store, study, pipe, f"{number}", f"{life} {number}")).start()
    while True:
        if store.pool.size(study) < 100:
            store.pool.put(study, [SPEC] * 100, life)
        time.sleep(0.01)


def answer(store: Store, study: Study, pipe: int, who: str, token: str) -> None:
    """Answer pending and further questions; send each answer twice."""
    person = store.people.enter(study, "simulated", who, token)
    wanted = [Wanted(SPEC, pool=study.id), Wanted(SPEC)]
    served = store.questions.outstanding(person) or store.questions.serve(person, wanted, 2)
    while True:
        given = [AnswerIn(question.id, {"chosen": 0}) for question in served]
        for _ in range(2):
            acknowledged, more = store.answers.take(person, given, wanted, 2)
            lines = [f"{one.question_id} {int(one.new)}\n" for one in acknowledged]
            os.write(pipe, "".join(lines).encode())  # short enough to be written atomically
            served = more or served


def one_life(url: str, life: int, longest: float) -> list[str]:
    """Start a process, kill it at a random moment, and return the lines that it wrote."""
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
    said = b""
    try:
        while more := os.read(ear, 1 << 16):
            said += more
    except BlockingIOError:
        pass
    return said


def server_kills(url: str | None, folder: Path, told: argparse.Namespace) -> dict[str, int]:
    """Kill processes of a server while people answer; compare acknowledged and stored answers."""
    write_study(folder, ITEMS)
    stop, failed = Event(), []
    with Server(folder, url) as server:
        people = [
            Person(
                *(server.address, NAME, f"{number}", Eyes(ITEMS).choose),
                took=lambda _: told.pause,
                speed=1.0,
                stop=stop,
            )
            for number in range(told.people)
        ]
        threads = [Thread(target=take_part, args=(one, failed)) for one in people]
        for thread in threads:
            thread.start()
        live, store = open_live(folder, url)
        with store:
            under_load = sum(kill(server, people, told) for _ in range(told.kills))
            last = time.time()
            until(lambda: resumed(store, live.record, last), 90.0, "a fit, and what follows of it")
            stop.set()
            for thread in threads:
                thread.join()
            acknowledged = {number for one in people for number in one.acknowledged}
            given = {number: told for one in people for number, told in one.given.items()}
            counts = verdict(store, live.record, acknowledged, Counter(), given)
    counts |= {"people lost": len(failed), "kills under load": under_load}
    return counts | {"sent again": sum(one.again for one in people)}


def take_part(person: Person, failed: list[UnavailableError]) -> None:
    """Let a person answer until the end; record the error if the server refuses."""
    try:
        person.run()
    except UnavailableError as error:
        if not person.stop.is_set():
            failed.append(error)
            print(error, file=sys.stderr)


def kill(server: Server, people: list[Person], told: argparse.Namespace) -> bool:
    """Wait until the target runs, kill it at a random moment; return whether answers came."""
    target = random.choice(("web", "worker", "both")) if told.target == "any" else told.target
    roles = ("web", "worker") if target == "both" else (target,)
    until(lambda: all(server.pids(role) for role in roles), 30.0, f"{roles} started again")
    before = n_acknowledged(people)
    if random.random() < UNDER_LOAD:
        until(lambda: n_acknowledged(people) > before, 60.0, "an acknowledgement")
    longest = told.longest * (WORKER_BEGINS if target == "worker" else 1)
    time.sleep(random.uniform(0, longest))
    server.kill(*roles)
    return n_acknowledged(people) > before


def n_acknowledged(people: list[Person]) -> int:
    return sum(len(one.acknowledged) for one in people)


def resumed(store: Store, study: Study, since: float) -> bool:
    """Return whether the worker fitted, and a question that it chose by a model was answered."""
    if not any(event.at > since for event in store.events.audit(study, "fit")):
        return False
    chosen = [one for one in store.questions.all(study) if one.spec["strategy"] == "predictive"]
    lives = {one.spec["session"].partition("-")[0] for one in chosen if one.served < since}
    return any(one.spec["session"].partition("-")[0] not in lives for one in chosen)


def verdict(
    store: Store,
    study: Study,
    acknowledged: set[str],
    new: Counter[str],
    given: dict[str, dict] | None = None,
) -> dict[str, int]:
    stored: Counter[str] = Counter()
    last = changed = 0
    while page := store.answers.after(study, last):
        stored.update(row.question for row in page)
        changed += sum(given is not None and given[row.question] != row.response for row in page)
        last = page[-1].id
    questions = list(store.questions.all(study))
    taken = store.database.rows(select(func.count()).where(schema.pool.c.taken.is_not(None)))[0][0]
    answered = {question.id for question in questions if question.state == "answered"}
    drawn = [question.pool_id for question in questions if question.pool_id is not None]
    chosen = [key for question in questions if (key := question.spec.get("session"))]
    return {
        "acknowledged": len(acknowledged),
        "stored": len(stored),
        "lost": len(acknowledged - stored.keys()),
        "doubled": sum(n > 1 for n in stored.values()) + sum(n > 1 for n in new.values()),
        "changed": changed,
        "marked wrongly": len(answered ^ stored.keys()),
        "pool rows lost": taken - len(set(drawn)),
        "pool rows served twice": len(drawn) - len(set(drawn)),
        "questions of the worker served twice": len(chosen) - len(set(chosen)),
    }


def store_kills(url: str, told: argparse.Namespace) -> dict[str, int]:
    """Kill a process that writes; compare acknowledged and stored answers."""
    lives = [one_life(url, life, told.longest) for life in range(told.kills)]
    lines = [line for life in lives for line in life]
    acknowledged = {line.split()[0] for line in lines}
    new = Counter(line.split()[0] for line in lines if line.endswith(" 1"))
    with Store.open(url) as store:
        study = store.studies.named("crash") or store.studies.add("crash", "", {})
        counts = verdict(store, study, acknowledged, new)
    return counts | {"lives that answered": sum(bool(life) for life in lives)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url", nargs="?")
    parser.add_argument("--target", choices=TARGETS, default="store")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--longest", type=float, default=0.3, help="seconds before a kill")
    parser.add_argument("--people", type=int, default=16, help="who answer a server")
    parser.add_argument("--pause", type=float, default=0.2, help="seconds that they think")
    parser.add_argument("--seed", type=int, default=None)
    told = parser.parse_args()
    random.seed(told.seed)
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if told.target == "store":
            counts = store_kills(told.url or f"sqlite:///{folder}/study.sqlite", told)
        else:
            counts = server_kills(told.url, folder, told)
    seconds = round(time.monotonic() - began)
    print(json.dumps({"kills": told.kills, "seconds": seconds, **counts}))
    sys.exit(any(counts[name] for name in WRONG if name in counts))


if __name__ == "__main__":
    main()
