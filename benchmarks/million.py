"""Who is near in a million items: the search server's scan, beside scikit-learn's.

python benchmarks/million.py [--items 1000000] [--queries 300]
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
        for name, taken in (("ours", ours), ("scikit-learn, brute", theirs)):
            median, worst = 1e3 * np.percentile(taken, [50, 99])
            print(f"{d} dimensions, {name}: median {median:.1f} ms, p99 {worst:.1f} ms", flush=True)


if __name__ == "__main__":
    main()
