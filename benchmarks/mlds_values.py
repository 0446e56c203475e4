"""Difference scales of the R package MLDS beside the values that its paper prints.

    python mlds_values.py --data FOLDER [--draws 10000]

FOLDER has kk1.csv, kk2.csv and kk3.csv: the data sets of the package (CRAN, GPL-2), written by
write.csv(kk1, "kk1.csv", row.names = FALSE) with the columns resp, S1, S2, S3, S4. Printed values
are those of Knoblauch & Maloney 2008, Journal of Statistical Software 25(2), section 4.
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd

import resemblance as rs

LEVELS = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.98]
SCALE = [0, -0.0454, 0.0439, -0.0863, 0.5682, 1.4234, 2.0695, 2.6661, 3.5527, 4.4297, 5.5739]
ERRORS = [0.0, 0.0245, 0.0252, 0.0278, 0.0246]  # of the scale from 0 to 1; the rest is not printed


def main() -> None:
    """Fit the three sessions together; print each value beside the printed one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--draws", type=int, default=10_000)
    told = parser.parse_args()
    sessions = [quadruples(told.data / f"kk{k}.csv") for k in (1, 2, 3)]
    trials = rs.Quadruplets(np.vstack(sessions), items=len(LEVELS))
    model = rs.MLDS(levels=LEVELS, lapse=0.0).fit(trials)  # as the paper
    rows = [
        (f"scale at r = {at:g}", *pair)
        for at, *pair in zip(LEVELS, model.scale_, SCALE, strict=True)
    ]
    rows += [
        ("log-likelihood", model.log_likelihood_, -306),
        ("AIC", model.aic_, 633),
        ("deviance accounted for", model.deviance_accounted_for_, 0.55),
        ("sigma, 1 / the highest value", model.sigma_, 0.179),
    ]
    drawn = {"n_draws": told.draws, "random_state": 0}
    sure = rs.scale_intervals(model, trials, normalised=True, **drawn)
    rows += [
        (f"standard error at r = {at:g}", ours, theirs)
        for at, ours, theirs in zip(LEVELS, sure.deviation, ERRORS, strict=False)
    ]
    found = rs.scale_diagnostics(model, trials, **drawn)
    rows += [("changes of sign: runs - 1", found.n_runs - 1, 173), ("p", found.p_runs, 0.0159)]
    first = rs.six_point_test(model, rs.Quadruplets(sessions[0], items=len(LEVELS)), n_draws=20)
    rows.append(("six points, log-likelihood of session 1", first.log_likelihood, -425))
    six = rs.six_point_test(model, trials, **drawn)
    rows += [("the same, all sessions", six.log_likelihood, np.nan), ("p", six.p_value, np.nan)]
    table = pd.DataFrame(rows, columns=["", "here", "printed"])
    print(table.to_string(index=False, float_format="{:.4f}".format))


def quadruples(path: Path) -> np.ndarray:
    """Read trials, the interval judged the smaller one first; resp 1 is the second one larger."""
    trials = pd.read_csv(path)
    items = trials[["S1", "S2", "S3", "S4"]].to_numpy() - 1
    return np.where(trials[["resp"]] == 1, items, items[:, [2, 3, 0, 1]])


if __name__ == "__main__":
    main()
