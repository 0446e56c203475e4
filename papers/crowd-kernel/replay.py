"""Replay answers of 416 people, to compare random and adaptive questions.

Two further ways are adaptive with features of the pictures (`resemblance features`): right ones,
and permuted ones. A question is answered by one of the human answers to the same triplet, drawn
without replacement; all ways may only ask questions with an answer left. The held-out error is on
the answers that the study labelled Test.
"""

import json
import warnings
from collections import defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZipFile

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from settings import command_line, results_folder

import resemblance as rs
from resemblance.asking import PredictiveGain, RandomQuestions, Session

N_ITEMS = 30
EARLY, EVERY, MARKS = (60, 100, 150), 100, (600, 1200, 1800, 3000)
STRATEGIES = {
    "random": RandomQuestions,
    "adaptive": PredictiveGain,
    "features": PredictiveGain,
    "shuffled features": PredictiveGain,
}


def human_answers(data: Path) -> tuple[np.ndarray, np.ndarray]:
    """Give the answers to draw from and the test answers, (m, 3) of head, near, far."""
    table = pd.read_csv(data / "alien_eggs" / "triplets_n30_derived.csv")
    rows = table[["head", "winner", "loser"]].to_numpy(np.int32)
    test = (table["alg_label"] == "Test").to_numpy()
    return rows[~test], rows[test]


def features_of_pictures(data: Path) -> np.ndarray:
    """Describe the pictures, in the order of the answers' numbers."""
    files = pd.read_csv(data / "alien_eggs" / "targets_n30_derived.csv")["file"]
    with TemporaryDirectory() as folder, ZipFile(data / "alien_eggs" / "alienegg30.zip") as packed:
        packed.extractall(folder, files)
        items = rs.describe_stimuli(folder)
    return items.features[items.positions(files.str.removesuffix(".png"))]


def items_of(name: str, features: np.ndarray, seed: int) -> rs.Items | int:
    """Give the items as a strategy sees them."""
    if "features" not in name:
        return N_ITEMS
    if name != "features":
        features = np.random.default_rng([seed, 1]).permutation(features)
    return rs.Items([f"egg {k}" for k in range(N_ITEMS)], features=features)


def replay(
    answers: np.ndarray,
    test: np.ndarray,
    name: str,
    seed: int,
    budget: int,
    items: rs.Items | int = N_ITEMS,
) -> list[tuple[int, float]]:
    """Ask one simulated study of recorded answers; give held-out error every 100 answers.

    With features it begins with two random questions about each item, else with five.
    """
    warnings.simplefilter("ignore")
    left = defaultdict(list)
    for head, near, far in np.random.default_rng(seed).permutation(answers).tolist():
        left[head, *sorted((near, far))].append(near)
    informed = isinstance(items, rs.Items)
    settings = {"start_per_head": 2 if informed else 5, "refit_every": N_ITEMS}
    session = Session(items, STRATEGIES[name](), offer=answers, random_state=seed, **settings)
    form = rs.FeaturePrior("auto", standardised=True) if informed else "coordinates"
    curve = []
    for asked in range(1, budget + 1):
        question = session.ask()
        session.tell(question, left[question.head, *sorted(question.options)].pop())
        if asked in EARLY or (asked >= 200 and asked % EVERY == 0):
            model = rs.TSTE(2, alpha=1.0, penalty="auto", form=form)
            final = model.fit(session.judgments("all"))
            curve.append((asked, rs.triplet_error(final.embedding_, test)))
    return curve


def answers_needed(counts: np.ndarray, errors: np.ndarray, target: float) -> float:
    """Give the number of answers at which a mean curve first is at or below a target."""
    below = np.flatnonzero(errors <= target)
    if not below.size:
        return np.inf
    at = below[0]
    if at == 0:
        return float(counts[0])
    share = (errors[at - 1] - target) / (errors[at - 1] - errors[at])
    return float(counts[at - 1] + share * (counts[at] - counts[at - 1]))


def savings(
    curves: pd.DataFrame, rng: np.random.Generator, n_draws: int = 2000, name: str = "adaptive"
) -> dict[str, dict[str, float]]:
    """Say which share of random's answers a strategy needs, with a bootstrap interval."""
    table = {
        name: t.pivot(index="answers", columns="seed", values="error")
        for name, t in curves.groupby("strategy")
    }
    counts = table["random"].index.to_numpy()
    seeds = table["random"].columns.to_numpy()
    found = {}
    for mark in MARKS:
        if mark not in counts:
            continue
        shares = []
        for draw in [seeds, *rng.choice(seeds, (n_draws, len(seeds)))]:
            target = table["random"][draw].mean(axis=1)[mark]
            mean = table[name][draw].mean(axis=1).to_numpy()
            shares.append(answers_needed(counts, mean, target) / mark)
        low, high = np.quantile(shares[1:], [0.025, 0.975], method="nearest")
        target = table["random"].mean(axis=1)[mark]
        found[str(mark)] = {"error": target, "share": shares[0], "low": low, "high": high}
    return found


def main(arguments: list[str] | None = None) -> None:
    """Replay, and write the curves, the picture and the savings."""
    parser = command_line(__doc__ or "", needs_data=True)
    parser.add_argument("--replays", type=int, default=20)
    parser.add_argument("--budget", type=int, default=max(MARKS), help="answers of a replay")
    chosen = parser.parse_args(arguments)
    chosen.out = results_folder(chosen)
    answers, test = human_answers(chosen.data)
    budget = 400 if chosen.quick else chosen.budget
    tasks = [(n, seed) for seed in range(2 if chosen.quick else chosen.replays) for n in STRATEGIES]
    features = features_of_pictures(chosen.data)
    runs = Parallel(n_jobs=chosen.jobs, verbose=5)(
        delayed(replay)(answers, test, name, seed, budget, items_of(name, features, seed))
        for name, seed in tasks
    )
    curves = pd.DataFrame(
        [
            (name, seed, *point)
            for (name, seed), run in zip(tasks, runs, strict=True)
            for point in run
        ],
        columns=["strategy", "seed", "answers", "error"],
    )
    curves.to_csv(chosen.out / "replay.csv", index=False)
    found = {
        name: savings(curves, np.random.default_rng(0), name=name) for name in list(STRATEGIES)[1:]
    }
    (chosen.out / "replay.json").write_text(json.dumps(found, indent=1))
    print(curves.groupby(["strategy", "answers"])["error"].mean().unstack(0).round(4).to_string())
    print(json.dumps(found, indent=1))
    draw(curves, chosen.out / "replay.png")


def draw(curves: pd.DataFrame, path: Path) -> None:
    """Draw the mean error of each strategy, with a band of two standard errors."""
    figure, ax = plt.subplots(figsize=(6, 4), layout="constrained")
    for name, table in curves.groupby("strategy"):
        by = table.groupby("answers")["error"]
        mean, error = by.mean(), by.sem()
        ax.plot(mean.index, mean, label=name)
        ax.fill_between(mean.index, mean - 2 * error, mean + 2 * error, alpha=0.2)
    ax.set(xlabel="answers", ylabel="held-out error", title="Alien eggs: replayed human answers")
    ax.legend(frameon=False)
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    main()
