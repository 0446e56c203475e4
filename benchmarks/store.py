"""How fast the store takes answers: python benchmarks/store.py [URL] [--clients 200].

Each client answers a question and is served the next one from the pool, as a participant's page
does. First one answer per client and 1.5 s, then as fast as the store goes. Without an address:
SQLite in a temporary folder. PostgreSQL must have an empty database at the address.
"""

import argparse
import asyncio
import json
import random
import resource
import statistics
import tempfile
import time

from resemblance.store import AnswerIn, Participant, Store, Wanted

SPEC = {"kind": "triplet", "head": 4, "options": [1, 2], "strategy": "predictive", "session": 17}
CLIENT = {"focus": True, "screen": [1280, 720], "painted": 1763718000.123}
EACH = 1.5  # seconds between two answers of a person


async def client(
    store: Store, person: Participant, pause: float, until: float, times: list[float]
) -> None:
    """Answer until the end; note how long each answer-and-next took."""
    wanted = [Wanted(SPEC, pool=person.study)]
    served = await store.questions.serve.soon(person, wanted, 1) or store.questions.outstanding(
        person
    )
    await asyncio.sleep(random.uniform(0, pause))
    due = time.perf_counter()
    while due < until:
        started = time.perf_counter()
        answer = AnswerIn(served[0].id, {"chosen": 0}, 812.5, CLIENT)
        _, served = await store.answers.take.soon(person, [answer], wanted, 1)
        times.append(time.perf_counter() - started)
        due = max(due + pause, time.perf_counter())
        await asyncio.sleep(due - time.perf_counter())


async def load(store: Store, people: list[Participant], pause: float, seconds: float) -> dict:
    """Run all clients; give the rate and the quantiles of the times in milliseconds."""
    times: list[float] = []
    started = time.perf_counter()
    until = started + seconds
    await asyncio.gather(*(client(store, person, pause, until, times) for person in people))
    hundredths = statistics.quantiles(times, n=100)
    return {
        "answers": len(times),
        "per second": round(len(times) / (time.perf_counter() - started), 1),
        "p50 ms": round(1e3 * hundredths[49], 2),
        "p99 ms": round(1e3 * hundredths[98], 2),
        "max ms": round(1e3 * max(times), 2),
        "cpu s": round(time.process_time(), 2),
    }


def run(url: str, n_clients: int, seconds: float) -> dict[str, dict]:
    """Measure both loads on a database."""
    with Store.open(url) as store:
        study = store.studies.add(f"load {time.time()}", "", {})
        people = [
            store.people.enter(study, "simulated", None, f"{study.name} {i}")
            for i in range(n_clients)
        ]
        for _ in range(40):
            store.pool.put(study, [SPEC] * 500, round=1)
        rows = {
            "one per 1.5 s": asyncio.run(load(store, people, EACH, seconds)),
            "as fast as it goes": asyncio.run(load(store, people, 0.0, seconds)),
        }
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        return rows | {"memory": {"peak MB": round(peak, 1)}}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url", nargs="?")
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=20.0)
    told = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        url = told.url or f"sqlite:///{folder}/study.sqlite"
        for name, row in run(url, told.clients, told.seconds).items():
            print(name, json.dumps(row))


if __name__ == "__main__":
    main()
