"""Estimate templates of simulated exemplar and prototype observers, by number of trials.

Every observer does 4,000 trials of the four-square task on a 3-down 1-up staircase; the shorter
studies are the first trials of the same session. The full procedure (`DecisionTemplates`) does not
know the places of the squares. It is compared with the paper's algorithm (`TemplateClassifier`).
"""

import warnings
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment
from settings import (
    LAPSE,
    NOISE,
    SIDE,
    START,
    STEPS,
    TRIALS,
    command_line,
    fill,
    results_folder,
)

import resemblance as rs

KINDS = {"exemplar": 4, "prototype": 2}  # number of templates of each observer
KEY = ("observer", "trials", "seed")
TASK = rs.stimuli.FourSquares(SIDE)


def session(
    kind: str, n_trials: int, seed: int, noise: float = NOISE
) -> tuple[rs.TemplateObserver, rs.Classifications]:
    """Let one observer do the task; the same seed begins with the same trials."""
    person = rs.TemplateObserver(
        TASK.signals, TASK.labels, kind, noise=noise, lapse=LAPSE, random_state=seed
    )
    stairs = rs.Staircase(START, STEPS)
    longest = max(TRIALS[-1], n_trials)
    trials = rs.observers.run_staircase(person, TASK, stairs, longest, random_state=1000 + seed)
    return person, trials[:n_trials]


def correlations(templates: np.ndarray, labels: np.ndarray, person: rs.TemplateObserver) -> list:
    """Correlate templates found with the observer's own of the same class, each with one."""
    found = []
    for name in person.classes:
        ours, own = templates[labels == name], person.templates[person.labels == name]
        r = np.corrcoef(ours, own)[: len(ours), len(ours) :]
        found += list(r[linear_sum_assignment(-r)])
    return found


def cell(kind: str, n_trials: int, seed: int, noise: float = NOISE) -> list[dict[str, Any]]:
    """Study one observer; give what was found."""
    warnings.simplefilter("ignore", rs.errors.ResemblanceWarning)
    person, trials = session(kind, n_trials, seed, noise)
    started = perf_counter()
    model = rs.DecisionTemplates(random_state=seed).fit(trials)
    seconds = perf_counter() - started
    verdict = model.strategy_comparison()
    r = correlations(model.templates_, model.labels_, person)
    row = dict(zip(KEY, (kind, n_trials, seed), strict=True))
    row |= {
        "correct": round(float(trials.correct.mean()), 4),
        "templates": model.n_templates_,
        "least_correlation": round(min(r), 4),
        "mean_correlation": round(float(np.mean(r)), 4),
        "verdict": verdict.verdict,
        "difference": round(verdict.difference, 5),
        "low": round(verdict.interval[0], 5),
        "high": round(verdict.interval[1], 5),
        "smoothness": model.smoothness_,
        "penalty": round(model.penalty_, 3),
        "start": model.start_,
        "seconds": round(seconds, 1),
    }
    alone = model.classifier_
    r = correlations(alone.templates_, alone.labels_, person)
    row["paper"] = len(alone.labels_)
    row["paper_correlation"] = round(min(r, default=np.nan), 4)
    return [row]


def summary(found: Any) -> str:
    """Count how often each procedure is right."""
    lines = [
        "| observer | trials | runs | right number | and each r > 0.8 | right verdict "
        "| wrong verdict | paper alone: right number | and each r > 0.8 | median seconds |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for (kind, n), rows in found.groupby(["observer", "trials"]):
        right = rows["templates"] == KINDS[kind]
        alike = right & (rows["least_correlation"] > 0.8)
        alone = rows["paper"] == KINDS[kind]
        near = alone & (rows["paper_correlation"] > 0.8)
        said = rows["verdict"]
        lines.append(
            f"| {kind} | {n:,} | {len(rows)} | {right.sum()} | {alike.sum()} | "
            f"{(said == kind).sum()} | {(~said.isin([kind, 'undecided'])).sum()} | {alone.sum()} | "
            f"{near.sum()} | {rows['seconds'].median():.0f} |"
        )
    return "\n".join(lines) + "\n"


def main(arguments: list[str] | None = None) -> None:
    """Fill the table of all observers, and count."""
    parser = command_line((__doc__ or "").splitlines()[0])
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--noise", type=float, default=NOISE, help="internal noise")
    parser.add_argument("--trials", type=int, nargs="+", default=list(TRIALS))
    chosen = parser.parse_args(arguments)
    out = results_folder(chosen)
    seeds, sizes = (1, [500]) if chosen.quick else (chosen.seeds, chosen.trials)
    tasks = [(kind, n, seed) for n in sizes for seed in range(seeds) for kind in KINDS]
    name = "simulated" if chosen.noise == NOISE else f"simulated_noise_{chosen.noise:g}"
    do = partial(cell, noise=chosen.noise)
    found = fill(out / f"{name}.csv", KEY, tasks, do, chosen.jobs)
    (out / f"{name}.md").write_text(summary(found), encoding="utf-8")
    print(summary(found))


if __name__ == "__main__":
    main()
