"""Do the fits keep up? python benchmarks/rates.py [--rates 100,10,1] [--answers 2500,2500,600].

Simulated people answer a real server (SQLite), each every 1.5 to 2 s, at so many answers a second
together, until there are so many answers; they come when the worker has warmed up. Beside it the
same people answer random questions. For prefixes of each log a map is fitted and tested on triplets
whose answer is known without noise.
"""

import argparse
import asyncio
import json
import os
import random
import tempfile
import time
from pathlib import Path

import numpy as np
import uvloop
from load import Page, processor
from serving import Eyes, Server, open_live, write_study

import resemblance as rs

PREFIXES = (200, 300, 450, 600, 1000, 1250, 1500, 1750, 2000, 2250, 2400)
TESTED = 20_000
IDLE = 0.1  # processor seconds of a second, at most, of a worker that waits for answers


async def collect(server: Server, eyes: Eyes, rate: float, n: int) -> None:
    """Let people answer until there are n answers."""
    people = max(2, round(1.5 * rate))
    pages = [Page(server.port, f"{i}", eyes, people / rate) for i in range(people)]
    for page in pages:
        await page.enter()
    until = time.perf_counter() + n / rate
    await asyncio.gather(*(page.stay(until) for page in pages))


def warm(server: Server) -> None:
    """Wait until the worker has nothing to do."""
    used, before = 0.0, -1.0
    while not used or used - before > IDLE:
        time.sleep(1.0)
        before, used = used, processor(server).get("worker 0", 0.0)


def course(log: list, fits: list[dict], names: list[str], eyes: Eyes) -> dict:
    """Give the error after each prefix, who chose the questions, and how often was fitted."""
    triplets = np.array([chosen(answer, names) for answer in log])
    sizes = [size for size in PREFIXES if size <= len(log)]
    points = np.array(eyes.points)
    row = {size: round(error(triplets[:size], len(points), points), 4) for size in sizes}
    told = np.diff([0, *(fit["answers"] for fit in fits)])
    return row | {
        "answers": len(log),
        "chosen by a fit": round(np.mean([a.spec["strategy"] == "predictive" for a in log]), 2),
        "made by the pages": round(np.mean([a.spec["session"] is None for a in log]), 2),
        "fits": len(fits),
        "answers between fits, median": float(np.median(told)) if len(told) else None,
    }


def arm(rate: float, n: int, n_items: int, seed: int, adaptive: bool) -> dict:
    """Run one study; give the error after each prefix, and how the worker kept up."""
    random.seed(seed)
    eyes = Eyes(n_items, seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_study(folder, n_items, adaptive=str(adaptive).lower(), gold=0.0)
        with Server(folder) as server:
            live, store = open_live(folder)
            with store:
                warm(server)
                uvloop.run(collect(server, eyes, rate, n))
                log = store.answers.after(live.record, 0, 10**6)
                fits = [event.details for event in store.events.audit(live.record, "fit")]
    about = {"rate": rate, "asked": "adaptive" if adaptive else "random", "seed": seed}
    return about | {
        **course(log, fits, live.folder.names, eyes),
        "seconds of a fit, most": max((fit["seconds"] for fit in fits), default=None),
        "load": os.getloadavg()[0],
    }


def chosen(answer, names: list[str]) -> list[int]:
    """Give head, near and far of an answer."""
    options, place = answer.spec["options"], answer.response["chosen"]
    return [names.index(name) for name in (answer.spec["head"], options[place], options[1 - place])]


def error(triplets: np.ndarray, n_items: int, truth: np.ndarray) -> float:
    """Fit a map, and give the share of random triplets that it orders otherwise than the truth."""
    told = rs.Triplets(triplets, rs.Items(n_items))
    model = rs.TSTE(2, alpha=1.0, penalty=0.3, tol=1e-3, random_state=0).fit(told)
    rng = np.random.default_rng(1)
    head, a, b = rng.permuted(np.tile(np.arange(n_items), (TESTED, 1)), axis=1)[:, :3].T
    nearer = [
        ((x[head] - x[a]) ** 2).sum(1) < ((x[head] - x[b]) ** 2).sum(1)
        for x in (truth, model.embedding_)
    ]
    return float(np.mean(nearer[0] != nearer[1]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rates", type=numbers, default=[100, 10, 1])
    parser.add_argument("--answers", type=numbers, default=[2500, 2500, 600])
    parser.add_argument("--seeds", type=numbers, default=[0, 1])
    parser.add_argument("--items", type=int, default=60)
    parser.add_argument("--asked", default="adaptive,random")
    told = parser.parse_args()
    for asked in told.asked.split(","):
        for rate, n in zip(told.rates, told.answers, strict=True):
            for seed in told.seeds:
                row = arm(rate, n, told.items, seed, asked == "adaptive")
                print(json.dumps(row), flush=True)


def numbers(text: str) -> list[int]:
    return [int(number) for number in text.split(",")]


if __name__ == "__main__":
    main()
