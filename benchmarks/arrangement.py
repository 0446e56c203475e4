"""How near arrangements come to the truth: which sets are shown, and what is made of them.

    python benchmarks/arrangement.py [--peer PYTHON]

PYTHON is the interpreter of an environment with multiarrangement (pip install multiarrangement),
whose lift-the-weakest then asks the same people: its weighted mean / its refined estimate.
"""

import argparse
import json
import subprocess
from collections.abc import Iterator
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from scipy.spatial.distance import pdist
from tables import Row, show
from workers import PEERS

import resemblance as rs

TRIALS = (1, 2, 4, 6, 8, 12, 16, 20, 24)
Course = list[tuple[float, float, float]]  # effort, correlation of the mean, of the space


def run(dims: int, noise: float, worlds: int, n_items: int, jobs: int) -> Iterator[Row]:
    """Take both strategies through worlds; one row for each."""
    for strategy, size in (("weakest", 8), ("gain", 5), ("gain", 8)):
        tasks = [
            delayed(course)(seed, dims, noise, strategy, size, n_items) for seed in range(worlds)
        ]
        found = np.array(Parallel(jobs)(tasks))
        yield _row(found, dims, noise, strategy, size)


def _row(found: np.ndarray, dims: int, noise: float, strategy: str, size: int) -> Row:
    """Sum up the courses (worlds, trials, 3)."""
    name = strategy if strategy == "weakest" else f"{strategy} of {size}"
    return {"truth": f"{dims}-D", "noise": noise, "sets": name, **_cells(found)}


def _cells(found: np.ndarray) -> Row:
    """Give the mean over worlds after so many trials."""
    mean = found.mean(axis=0)
    return {
        f"{n}": f"{mean[n - 1, 1]:.3f} / {mean[n - 1, 2]:.3f} ({mean[n - 1, 0]:.0f})"
        for n in TRIALS
    }


def somebody(seed: int, n_items: int, dims: int) -> rs.SpaceObserver:
    """Draw a person."""
    points = np.random.default_rng(seed).normal(size=(n_items, dims))
    return rs.SpaceObserver(points, random_state=seed)


def of_peer(python: str, dims: int, noise: float, worlds: int, n_items: int) -> Row:
    """Let multiarrangement ask."""
    command = [python, "-W", "ignore", str(PEERS / "multiarrangement_worker.py")]
    pipe = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **pipe) as peer:  # type: ignore[call-overload]
        found = [peer_course(peer, somebody(seed, n_items, dims), noise) for seed in range(worlds)]
    return {"truth": f"{dims}-D", "noise": noise, "sets": "its own", **_cells(np.array(found))}


def peer_course(peer: Any, person: rs.SpaceObserver, noise: float) -> Course:
    """Ask as it says, all items first."""
    n, truth, effort, rows = len(person.points), pdist(person.points), 0.0, []
    shown, trials = list(range(n)), []
    for _ in range(max(TRIALS)):
        trials.append((shown, person.arrange([shown], noise=noise).places[0].tolist()))
        effort += len(shown) ** 1.5
        peer.stdin.write(json.dumps({"n_items": n, "trials": trials}) + "\n")
        peer.stdin.flush()
        told = json.loads(peer.stdout.readline())
        shown = told["next"]
        r = (float(np.corrcoef(truth, told[name])[0, 1]) for name in ("mean", "refined"))
        rows.append((effort, *r))
    return rows  # type: ignore[return-value]


def course(seed: int, dims: int, noise: float, strategy: str, size: int, n_items: int) -> Course:
    """Ask a simulated person, and compare with the truth after each of some trials."""
    person = somebody(seed, n_items, dims)
    session = rs.ArrangementSession(n_items, strategy, size=size, random_state=seed)
    truth, effort, rows = pdist(person.points), 0.0, []
    for _ in range(max(TRIALS)):
        shown = session.ask()
        session.tell(person.arrange([shown], noise=noise).places[0])
        effort += len(shown) ** 1.5
        told = session.arrangements_
        assert told is not None
        mean = rs.rdm_from_arrangements(told).dissimilarities[0]
        space = pdist(session.model_.embedding_)
        rows.append((effort, *(float(np.corrcoef(truth, d)[0, 1]) for d in (mean, space))))
    return rows


def main() -> None:
    """Print a table: the correlation of the weighted mean / of the space (the effort)."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worlds", type=int, default=10)
    parser.add_argument("--items", type=int, default=30)
    parser.add_argument("--dims", type=int, nargs="*", default=[2, 5])
    parser.add_argument("--noise", type=float, nargs="*", default=[0.05, 0.1])
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--peer", help="the interpreter that has multiarrangement")
    given = parser.parse_args()
    rows: list[Row] = []
    for dims in given.dims:
        for noise in given.noise:
            rows += run(dims, noise, given.worlds, given.items, given.jobs)
            if given.peer:
                rows.append(of_peer(given.peer, dims, noise, given.worlds, given.items))
    show("Correlation with the truth after so many trials: weighted mean / space (effort)", rows)
    print(json.dumps(rows))


if __name__ == "__main__":
    main()
