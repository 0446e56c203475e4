"""Run the paper's algorithm with thresholds other than 0.25, and with the rule of CART."""

import warnings
from typing import Any

import numpy as np
from settings import TRIALS, command_line, fill, results_folder
from simulated import KINDS, correlations, session

import resemblance as rs

KEY = ("observer", "seed", "threshold", "rule")
RULES = ("both", "cart")
THRESHOLDS = (0.15, 0.2, 0.25, 0.3, 0.35, 0.4)


def cell(kind: str, seed: int, threshold: float, rule: str) -> list[dict[str, Any]]:
    """Find the prototypes of one observer."""
    person, trials = session(kind, TRIALS[-1], seed)
    warnings.simplefilter("ignore", rs.errors.ResemblanceWarning)
    model = rs.TemplateClassifier(threshold, rule=rule, random_state=seed).fit(trials)
    r = correlations(model.templates_, model.labels_, person)
    found = {"templates": len(model.labels_), "least_correlation": round(min(r), 4)}
    found["stalled"] = model.n_stalled_
    return [dict(zip(KEY, (kind, seed, threshold, rule), strict=True)) | found]


def main(arguments: list[str] | None = None) -> None:
    """Fill the table, and count."""
    parser = command_line(__doc__ or "")
    parser.add_argument("--seeds", type=int, default=20)
    chosen = parser.parse_args(arguments)
    out, seeds = results_folder(chosen), 1 if chosen.quick else chosen.seeds
    some = THRESHOLDS[2:3] if chosen.quick else THRESHOLDS
    tasks = [
        (kind, seed, t, rule)
        for seed in range(seeds)
        for kind in KINDS
        for t in some
        for rule in RULES
    ]
    found = fill(out / "thresholds.csv", KEY, tasks, cell, chosen.jobs)
    number = found["observer"].map(KINDS)
    found["right"] = found["templates"] == number
    found["alike"] = found["right"] & (found["least_correlation"] > 0.8)
    lines = [
        "| observer | threshold | rule | runs | right number | and each r > 0.8 | some stalled |",
        "|---|---|---|---|---|---|---|",
    ]
    for (kind, threshold, rule), rows in found.groupby(["observer", "threshold", "rule"]):
        counts = np.array(
            [len(rows), rows["right"].sum(), rows["alike"].sum(), (rows["stalled"] > 0).sum()]
        )
        lines.append(f"| {kind} | {threshold} | {rule} | {' | '.join(map(str, counts))} |")
    (out / "thresholds.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
