"""Test whether adaptive asking is ever worse than random, if answers come faster than fits.

Answers arrive at a steady rate on a simulated clock. Fitting and choosing questions take their real
time on this clock, and until then questions come from the previous fit. The difference of held-out
errors between adaptive and random asking has a simultaneous 95 % band over all marks: the quantile
of the largest standardised difference, by resampling worlds.
"""

import warnings
from pathlib import Path
from time import perf_counter

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from settings import command_line, results_folder

import resemblance as rs

N_ITEMS, START, RATES, EVERY = 30, 5, (1, 5, 10, 50), 100


def world(seed: int) -> tuple[np.ndarray, rs.SpaceObserver, np.ndarray]:
    """Give positions, a crowd with lapses, and triplets that the positions order for certain."""
    rng = np.random.default_rng(seed)
    X = 1.5 * rng.normal(size=(N_ITEMS, 2))
    asked = np.array([rng.choice(N_ITEMS, 3, replace=False) for _ in range(4000)])
    truth = rs.SpaceObserver(1e3 * X, random_state=seed).answer(asked).index
    crowd = rs.SpaceObserver(X, rs.choice.StudentT(1.0), lapse=0.1, random_state=seed)
    return X, crowd, truth


def study(seed: int, rate: float, adaptive: bool, budget: int) -> list[tuple[int, float]]:
    """Run one study on the simulated clock; give error against the number of answers."""
    warnings.simplefilter("ignore")
    _, crowd, truth = world(seed)
    strategy = rs.PredictiveGain() if adaptive else rs.RandomQuestions()
    session = rs.Session(
        N_ITEMS, strategy, start_per_head=START, auto_refit=False, random_state=seed
    )
    result, ready, curve = None, 0.0, []
    for count in range(1, budget + 1):
        clock = count / rate
        if result is not None and clock >= ready:
            session.adopt(result)
            result = None
        if result is None and session.is_due:
            started = perf_counter()
            result = session.fit_job().run()
            ready = clock + 2.0 * (perf_counter() - started)  # choosing takes about as long
        question = session.ask()
        session.tell(question, question.answered_by(crowd))
        if count >= 200 and count % EVERY == 0:
            final = rs.TSTE(2, alpha=1.0, penalty=0.3).fit(session.judgments("all"))
            curve.append((count, rs.triplet_error(final.embedding_, truth)))
    return curve


def simultaneous_band(difference: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Give the half width of a 95 % band of the mean over worlds (rows), for all marks at once."""
    mean, error = difference.mean(axis=0), difference.std(axis=0, ddof=1)
    error = np.maximum(error / np.sqrt(len(difference)), 1e-12)
    draws = rng.integers(len(difference), size=(4000, len(difference)))
    largest = np.abs((difference[draws].mean(axis=1) - mean) / error).max(axis=1)
    return np.asarray(np.quantile(largest, 0.95) * error)


def main(arguments: list[str] | None = None) -> None:
    """Run all rates in all worlds; write the differences and a picture."""
    parser = command_line(__doc__ or "")
    parser.add_argument("--worlds", type=int, default=20)
    parser.add_argument("--budget", type=int, default=1200)
    chosen = parser.parse_args(arguments)
    chosen.out = results_folder(chosen)
    worlds, budget = (2, 300) if chosen.quick else (chosen.worlds, chosen.budget)
    tasks = [(seed, rate, True) for rate in RATES for seed in range(worlds)]
    tasks += [(seed, 50, False) for seed in range(worlds)]
    runs = Parallel(n_jobs=chosen.jobs, verbose=5)(delayed(study)(*task, budget) for task in tasks)
    errors = {task: np.array(run)[:, 1] for task, run in zip(tasks, runs, strict=True)}
    counts = np.array(runs[0])[:, 0].astype(int)
    rng, rows = np.random.default_rng(0), []
    for rate in RATES:
        pairs = [errors[s, rate, True] - errors[s, 50, False] for s in range(worlds)]
        band = simultaneous_band(np.array(pairs), rng)
        rows += list(zip([rate] * len(counts), counts, np.mean(pairs, axis=0), band, strict=True))
    table = pd.DataFrame(rows, columns=["rate", "answers", "difference", "band"])
    table.to_csv(chosen.out / "rates.csv", index=False)
    print(table.pivot(index="answers", columns="rate").round(4).to_string())
    worse = table[table["difference"] - table["band"] > 0]
    print(f"worse than random outside the band: {len(worse)} of {len(table)} marks")
    draw(table, chosen.out / "rates.png")


def draw(table: pd.DataFrame, path: Path) -> None:
    """Draw the difference to random questions at every rate, with its band."""
    figure, axes = plt.subplots(1, len(RATES), figsize=(12, 3), layout="constrained", sharey=True)
    for ax, (rate, rows) in zip(axes, table.groupby("rate"), strict=True):
        low, high = rows["difference"] - rows["band"], rows["difference"] + rows["band"]
        ax.axhline(0, color="0.7", lw=1)
        ax.fill_between(rows["answers"], low, high, alpha=0.2)
        ax.plot(rows["answers"], rows["difference"])
        ax.set(title=f"{rate} answers a second", xlabel="answers")
    axes[0].set_ylabel("error, adaptive - random")
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    main()
