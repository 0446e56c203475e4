"""How long people's RDMs take to be compared with a model: python benchmarks/comparing_rdms.py.

Random positions in five dimensions; each person's matrix is that of the model with noise.
"""

import argparse
import time

import numpy as np

import resemblance as rs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=1854)
    parser.add_argument("--people", type=int, default=2)
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--methods", nargs="+", default=["spearman"])
    asked = parser.parse_args()
    rng = np.random.default_rng(0)
    model = rs.rdm(rng.normal(size=(asked.items, 5)))
    noise = rng.normal(size=(asked.people, model.dissimilarities.shape[1]))
    people = rs.RDMs(model.dissimilarities + 0.5 * noise)
    for method in asked.methods:
        began = time.process_time()
        found = rs.compare_rdms(people, model, method, random_state=0, n_resamples=asked.draws)
        row = found.table.iloc[0]
        print(
            f"{method}: {time.process_time() - began:.0f} s of processor, "
            f"{row.estimate:.4f} ({row.low:.4f} to {row.high:.4f})"
        )


if __name__ == "__main__":
    main()
