"""Cleaning and reducing comparisons of which a fifth are wrong: how many stay, seconds, memory.

Each problem is measured in a fresh process. Positions are normal in three dimensions, triplets are
random, and a fifth of the answers are turned around; so the truth itself keeps four fifths.
"""

import multiprocessing
import resource
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from time import perf_counter, process_time

import numpy as np
from tables import Row, spread

import resemblance as rs

PROBLEMS = ((300, 100_000), (1_000, 1_000_000))


def answers(n_items: int, m: int, wrong: float = 0.2, seed: int = 0) -> rs.Triplets:
    """Give m triplets of random items, some of them answered the wrong way around."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n_items, 3))
    head = rng.integers(n_items, size=m)
    near, far = ((head + rng.integers(1, n_items, size=m)) % n_items for _ in range(2))
    asked = np.column_stack([head, near, far])[near != far]
    gap = [((points[asked[:, 0]] - points[asked[:, k]]) ** 2).sum(axis=1) for k in (1, 2)]
    turn = (gap[0] > gap[1]) ^ (rng.random(len(asked)) < wrong)
    asked[turn] = asked[turn][:, [0, 2, 1]]
    return rs.Triplets(asked, n_items)


def win_loss(graph: rs.SimilarityGraph) -> float:
    """Give the weight kept by the order of the share of comparisons that a pair has won."""
    tail, head = graph.edges.T
    won, lost = (np.bincount(ends, graph.weights, graph.n_vertices) for ends in (tail, head))
    share = won / np.maximum(won + lost, 1e-300)
    place = np.argsort(np.argsort(-share, kind="stable"))
    return float(graph.weights[place[tail] < place[head]].sum())


def kept_by(graph: rs.SimilarityGraph) -> Iterator[Row]:
    """Give what each way of breaking cycles keeps, and its seconds of processor time."""
    yield {"method": "win-loss order", "kept": win_loss(graph)}
    for method in ("greedy", "sifting"):
        start = process_time()
        kept = float(graph.acyclic(method, random_state=0).weights.sum())
        yield {"method": method, "kept": kept, "cpu s": process_time() - start}


def compare(n_items: int, m: int) -> list[Row]:
    """Compare the ways of breaking cycles once contradictions have gone."""
    graph = rs.SimilarityGraph(answers(n_items, m)).prune_contradictions("majority")
    known = {"items": n_items, "comparisons": graph.n_edges}
    return [known | row for row in kept_by(graph)]


def whole(n_items: int, m: int, repeats: int) -> Row:
    """Time `clean` with all its steps."""
    judgments, seconds, cpu = answers(n_items, m), [], []
    rs.clean(judgments[:1000], reduce=True)  # compiles
    for seed in range(repeats):
        start = perf_counter(), process_time()
        _, report = rs.clean(judgments, reduce=True, random_state=seed)
        seconds.append(perf_counter() - start[0])
        cpu.append(process_time() - start[1])
    return {
        "method": "clean, all steps",
        "items": n_items,
        "rows": len(judgments),
        "pairs": report.n_pairs,
        "largest component": int(report.components[0]),
        "kept": float(report.steps["weight"]["acyclic"]),
        "reduced to": int(report.steps["comparisons"]["reduced"]),
        **spread("s", seconds),
        **spread("cpu s", cpu),
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def run(problems: tuple[tuple[int, int], ...] = PROBLEMS, repeats: int = 3) -> list[Row]:
    """Measure every problem in processes of its own."""
    rows: list[Row] = []
    for problem in problems:
        for measure, settings in ((whole, (*problem, repeats)), (compare, problem)):
            fresh = multiprocessing.get_context("spawn")
            with ProcessPoolExecutor(1, fresh) as process:
                found = process.submit(measure, *settings).result()
            rows += found if isinstance(found, list) else [found]
    return rows
