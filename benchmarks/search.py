"""Measure searches (clicks to the target, time per page) and the placing of new items."""

import argparse
import json
import time
from collections.abc import Callable, Iterator
from statistics import median
from typing import Any

import numpy as np
from tables import Row, show
from threadpoolctl import threadpool_limits

import resemblance as rs

MU, TILES, MOST, CRUDE = 0.05, 9, 60, 120
Page = Callable[[rs.Search], tuple[int, ...]]


def run(sizes: tuple[int, ...] = (433, 10_000), worlds: int = 10, targets: int = 40) -> list[Row]:
    rows = []
    for n in sizes:
        pages: dict[str, Page] = {"ours": rs.Search.show}
        if n <= 433:
            pages |= {"exhaustive greedy": exhaustive, f"best of {CRUDE} random": crude}
        found = {name: play(page, n, worlds, targets) for name, page in pages.items()}
        rows += [row(name, n, *result) for name, result in found.items()]
    return rows


def row(name: str, n: int, clicks: np.ndarray, seconds: list[float]) -> Row:
    """Summarise clicks, and the time of each page after the first."""
    own = clicks.mean(axis=1)
    half = 1.96 * own.std(ddof=1) / np.sqrt(len(own)) if len(own) > 1 else np.nan
    return {
        "items": n,
        "pages": name,
        "median clicks": float(np.median(clicks)),
        "mean": float(clicks.mean()),
        "95 %": float(half),
        "ms median": 1e3 * median(seconds),
        "ms 99 %": 1e3 * float(np.quantile(seconds, 0.99)),
    }


def play(page: Page, n: int, worlds: int, targets: int) -> tuple[np.ndarray, list[float]]:
    """Search for targets in generated worlds; return clicks (worlds, targets) and times."""
    clicks, seconds = np.zeros((worlds, targets)), []
    for seed in range(worlds):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(n, 3))
        model = rs.CKL(3, mu=MU).set_positions(X)
        person = rs.SpaceObserver(X, rs.choice.Relative(MU), random_state=seed)
        for turn, target in enumerate(rng.choice(n, targets, replace=False)):
            search = rs.Search(model, TILES, random_state=[seed, turn])
            for _ in range(MOST):
                start = time.perf_counter()
                shown = page(search)
                seconds.append(time.perf_counter() - start)
                if target in shown:
                    break
                answer = person.answer(rs.Choices([target], [shown], [shown[0]]))
                search.choose(int(answer.index[0, 1]), shown)
            clicks[seed, turn] = len(search.answers)
    return clicks, seconds


def exhaustive(search: rs.Search) -> tuple[int, ...]:
    """Choose tile after tile from all items, by the exact information of the answer.

    The answer is "this is it", or which of the tiles is most similar.
    """
    X, tau = search.model.embedding_, search.posterior()
    s = 1.0 / (MU + ((X[:, None] - X) ** 2).sum(axis=2))
    page: list[int] = []
    while len(page) < TILES:
        gains = information(s, tau, page)
        gains[page] = -np.inf
        page.append(int(gains.argmax()))
    return tuple(page)


def information(s: np.ndarray, tau: np.ndarray, page: list[int]) -> np.ndarray:
    """Return the information of a page with each further item; s is (hypotheses, items)."""
    unseen = tau[:, None] * (1.0 - np.eye(len(tau)))
    unseen[page] = 0.0
    total = s[:, page].sum(axis=1)[:, None] + s
    share = unseen / total
    by_tile = np.vstack([s[:, page].T @ share, (s * share).sum(axis=0)])
    logs = s * np.log(s)
    known = unseen * np.log(total) - (logs[:, page].sum(axis=1)[:, None] + logs) * share
    seen = entropy(tau[None]) + entropy(tau[page])
    return np.asarray(entropy(by_tile) + seen - known.sum(axis=0))


def entropy(p: np.ndarray) -> Any:
    return -(p * np.log(np.maximum(p, 1e-300))).sum(axis=0)


def crude(search: rs.Search) -> tuple[int, ...]:
    X, tau = search.model.embedding_, search.posterior()
    rng = np.random.default_rng(len(search.answers))
    pages = np.array([rng.choice(len(X), TILES, replace=False) for _ in range(CRUDE)])
    log_s = -np.log(MU + ((X[:, None] - X) ** 2).sum(axis=2))
    return tuple(int(item) for item in pages[rs.asking.information(log_s, tau, pages).argmax()])


def place(
    worlds: int = 20, n: int = 200, new: int = 20, marks: tuple[tuple[bool, int], ...] = ()
) -> Iterator[Row]:
    """Place new items among fitted ones by adaptive and by random questions."""
    marks = marks or ((True, 12), (False, 12), (False, 20))
    ranks = {mark: [_placed(seed, n, new, *mark) for seed in range(worlds)] for mark in marks}
    for (adaptive, answers), found in ranks.items():
        half = 1.96 * np.std(found, ddof=1) / np.sqrt(worlds)
        name = "adaptive" if adaptive else "random"
        yield {"questions": f"{answers} {name}", "mean log rank": np.mean(found), "95 %": half}
    best, other = (np.array(ranks[mark]) for mark in (marks[0], marks[-1]))
    half = 1.96 * np.std(best - other, ddof=1) / np.sqrt(worlds)
    yield {"questions": "first less last", "mean log rank": np.mean(best - other), "95 %": half}


def _placed(seed: int, n: int, new: int, adaptive: bool, answers: int) -> float:
    """Return the mean log rank of a new item's true nearest neighbour at its placed position."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n + new, 3))
    person = rs.SpaceObserver(X, rs.choice.Relative(MU), random_state=seed)
    model = rs.CKL(3, mu=MU).set_positions(X[:n])
    logs = []
    for item in range(n, n + new):
        session = rs.OutOfSampleSession(model, adaptive=adaptive, random_state=[seed, item])
        for _ in range(answers):
            options = session.ask()
            session.tell(options[person.pick([[item, *options]])[0]])
        apart = ((X[:n] - session.place().position) ** 2).sum(axis=1)
        nearest = ((X[:n] - X[item]) ** 2).sum(axis=1).argmin()
        logs.append(np.log(1 + (apart < apart[nearest]).sum()))
    return float(np.mean(logs))


@threadpool_limits.wrap(limits=1)
def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="*", default=[433, 10_000])
    parser.add_argument("--worlds", type=int, default=10)
    parser.add_argument("--targets", type=int, default=40)
    parser.add_argument("--placing-worlds", type=int, default=20)
    chosen = parser.parse_args(words)
    if chosen.sizes:
        rows = run(tuple(chosen.sizes), chosen.worlds, chosen.targets)
        show("Clicks until the target is shown", rows)
        print(json.dumps(rows))
    if chosen.placing_worlds:
        rows = list(place(chosen.placing_worlds))
        show("A new item: rank of its nearest item", rows)
        print(json.dumps(rows))


if __name__ == "__main__":
    main()
