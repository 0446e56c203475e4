"""Measure the time per question and answer, and memory, in sessions of very many items.

Each session runs in a separate process, to measure its peak memory. With `--features Q` items have
Q mixed features, of which two explain .98 of the positions.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from resemblance import Items, SpaceObserver, Triplets
from resemblance.asking import InformationGain, PredictiveGain, Session, UncertainQuestions
from resemblance.choice import StudentT

STRATEGIES = {
    "PredictiveGain": PredictiveGain,
    "InformationGain": InformationGain,
    "UncertainQuestions": UncertainQuestions,
}
Row = dict[str, Any]


@threadpool_limits.wrap(limits=1)
def measured(
    strategy: str, n_items: int, start: int, n_asked: int, keep_log: bool, n_features: int = 0
) -> Row:
    """Answer the start, fit twice, and time ``n_asked`` questions and answers after each fit."""
    space = np.random.default_rng(0).normal(size=(n_items, 2))
    observer = SpaceObserver(space, StudentT(1.0), random_state=0)
    items = Items(n_items, features=_features(space, n_features) if n_features else None)
    session = Session(
        items, STRATEGIES[strategy](), start_per_head=start, auto_refit=False, keep_log=keep_log
    )
    start_asks, start_tells = _answered(session, observer, start * n_items)
    rows: Row = {"start ask": _summed(start_asks), "start tell": _summed(start_tells)}
    began = _peak()
    asks, tells, told, fits, adopted = [], [], [], [], []
    for _ in range(2):
        job_took, job = _timed(session.fit_job)
        took, result = _timed(job.run)
        fits.append(took)
        told.append(job_took)
        adopted.append(_timed(lambda result=result: session.adopt(result))[0])
        more = _answered(session, observer, n_asked)
        asks += more[0]
        tells += more[1]
    rows |= {"ask": _summed(asks), "tell": _summed(tells), "fit job": _summed(told)}
    rows |= {"fit": _summed(fits), "adopt": _summed(adopted)}
    if n_features:
        rows |= {"map": session.model_.form_.map.name, "share": session.model_.form_.share}
    return rows | {"MB after the start": began, "peak MB": _peak()}


def _features(space: np.ndarray, n_features: int) -> np.ndarray:
    rng = np.random.default_rng(1)
    Z = rng.normal(size=(len(space), n_features))
    Z[:, :2] = np.sqrt(0.98) * space + np.sqrt(0.02) * Z[:, :2]
    return Z @ np.linalg.qr(rng.normal(size=(n_features, n_features)))[0]


def _answered(session: Session, observer: SpaceObserver, n: int) -> tuple[list[float], list[float]]:
    """Ask and tell n times; return the processor seconds of each call."""
    asks, tells = [], []
    for _ in range(n):
        took, question = _timed(session.ask)
        asks.append(took)
        shown = Triplets([[question.head, *question.options]], session.items)
        picked = observer.pick(shown)[0]
        chosen = question.options[picked]
        tells.append(_timed(lambda q=question, c=chosen: session.tell(q, c))[0])
    return asks, tells


def _timed(task: Callable[[], Any]) -> tuple[float, Any]:
    start = time.process_time()
    found = task()
    return time.process_time() - start, found


def _summed(seconds: list[float]) -> Row:
    ms = 1e3 * np.array(seconds)
    return {"median": np.median(ms), "p99": np.quantile(ms, 0.99), "worst": ms.max()}


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--start", type=int, default=3, help="questions about each item beforehand")
    parser.add_argument("--asked", type=int, default=1000)
    parser.add_argument("--strategies", default="PredictiveGain,InformationGain")
    parser.add_argument(
        "--log", action="store_true", help="keep the log, as sessions do by default"
    )
    parser.add_argument("--features", type=int, default=0, help="2 or more; 0: none")
    parser.add_argument("--alone", action="store_true")
    given = parser.parse_args()
    names = given.strategies.split(",")
    if given.alone:
        settings = given.items, given.start, given.asked, given.log, given.features
        row = measured(names[0], *settings)
        print(json.dumps({"strategy": names[0], "items": given.items} | row), flush=True)
        return
    rest = [word for word in sys.argv[1:] if word != "--alone"]
    for name in names:
        subprocess.run(
            [sys.executable, __file__, *rest, "--strategies", name, "--alone"], check=True
        )


if __name__ == "__main__":
    main()
