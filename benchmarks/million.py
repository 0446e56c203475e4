"""Who is near in a million items: the search server's scan, beside scikit-learn's; its pages.

python benchmarks/million.py [--items 1000000] [--queries 300] [--pages 40]
"""

import argparse
import time

import numpy as np
from sklearn.neighbors import NearestNeighbors

import resemblance as rs
from resemblance.web.search.space import Space


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=1_000_000)
    parser.add_argument("--queries", type=int, default=300)
    parser.add_argument("--pages", type=int, default=40, help="at most 40")
    given = parser.parse_args()
    rng = np.random.default_rng(0)
    for d in (10, 20):
        X = rng.normal(size=(given.items, d))
        space = Space(rs.STE(d).set_positions(X))
        peer = NearestNeighbors(n_neighbors=10, algorithm="brute").fit(X)
        queries = X[rng.integers(len(X), size=given.queries)] + 0.1 * rng.normal(size=(1, d))
        ours, theirs = [], []
        for point in queries:
            began = time.perf_counter()
            found = space.nearest(point, 10)
            ours.append(time.perf_counter() - began)
            began = time.perf_counter()
            (expected,) = peer.kneighbors(point[None], return_distance=False)
            theirs.append(time.perf_counter() - began)
            assert [one["item"] for one in found] == [space.names[i] for i in expected]
        pages, worked, clicks = [], [], ()
        space.page([0])  # which compiles
        for k in range(given.pages):  # searches of five clicks, none of them remembered
            clicks = (*clicks, int(rng.integers(space.tiles))) if k % 5 else (1 + k // 5,)
            began, busy = time.perf_counter(), time.process_time()
            space.page(clicks)
            pages.append(time.perf_counter() - began)
            worked.append(time.process_time() - busy)
        kinds = {"ours": ours, "scikit-learn, brute": theirs, "a page of search": pages}
        kinds["a page of search, processor"] = worked
        for name, taken in kinds.items():
            median, worst = 1e3 * np.percentile(taken, [50, 99])
            print(f"{d} dimensions, {name}: median {median:.1f} ms, p99 {worst:.1f} ms", flush=True)


if __name__ == "__main__":
    main()
