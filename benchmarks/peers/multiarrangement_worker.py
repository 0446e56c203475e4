"""Lift-the-weakest of multiarrangement, and its estimates: trials in, the next set out."""

import json
import sys

import numpy as np
from multiarrangement.adaptive.lift_weakest import (
    TrialArrangement,
    estimate_rdm_weighted_average,
    refine_rdm_inverse_mds,
    select_next_subset_lift_weakest,
)

for line in sys.stdin:
    told = json.loads(line)
    n = told["n_items"]
    trials = [
        TrialArrangement(
            subset=shown, positions={i: tuple(at) for i, at in zip(shown, places, strict=True)}
        )
        for shown, places in told["trials"]
    ]
    D, W = estimate_rdm_weighted_average(n, trials)
    refined = refine_rdm_inverse_mds(D, trials)
    upper = np.triu_indices(n, 1)
    print(
        json.dumps(
            {
                "next": [int(i) for i in select_next_subset_lift_weakest(D, W)],
                "mean": D[upper].tolist(),
                "refined": np.asarray(refined)[upper].tolist(),
            }
        ),
        flush=True,
    )
