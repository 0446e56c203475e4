"""Measure theorem 1: the average regret of the online algorithm against the true kernel."""

from collections.abc import Sequence
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from settings import command_line, results_folder

import resemblance as rs

N_ITEMS, N_COMPONENTS, MU = 20, 3, 0.05


def world(seed: int, n_answers: int) -> tuple[rs.Triplets, np.ndarray]:
    """Give answers of a person who sees items on a unit sphere, and the losses of that sphere."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N_ITEMS, N_COMPONENTS))
    X /= np.linalg.norm(X, axis=1, keepdims=True)  # K* = X X' has a unit diagonal
    questions = np.argsort(rng.uniform(size=(n_answers, N_ITEMS)), axis=1)[:, :3]
    person = rs.SpaceObserver(X, rs.choice.Relative(MU), random_state=seed)
    answers = person.answer(rs.Triplets(questions, N_ITEMS))
    return answers, -np.log(person.probability(answers))


def average_regret(
    answers: rs.Triplets, losses_of_truth: np.ndarray, eta: float | None, checkpoints: np.ndarray
) -> np.ndarray:
    """Give (1/T) sum_t l_t(K_t) - l_t(K*) at some T, in nats."""
    model, regret = rs.CKL(N_COMPONENTS, mu=MU, form="gram", eta=eta), []
    for first, last in zip([0, *checkpoints[:-1]], checkpoints, strict=True):
        model.partial_fit(answers[first:last])
        regret.append((model.cumulative_loss_ - losses_of_truth[:last].sum()) / last)
    return np.array(regret)


def regret_table(n_answers: int, n_worlds: int) -> pd.DataFrame:
    """Run every step size in every world, and none: K_0 = I finds every answer as likely."""
    steps = {"n / (2 sqrt(t))": None, "1 / sqrt(T)": 1.0 / np.sqrt(n_answers)}
    checkpoints = np.unique(np.geomspace(10, n_answers, 31).round().astype(int))
    parts = []
    for seed in range(n_worlds):
        answers, losses = world(seed, n_answers)
        runs = {
            step: average_regret(answers, losses, eta, checkpoints) for step, eta in steps.items()
        }
        runs["none"] = np.log(2) - np.cumsum(losses)[checkpoints - 1] / checkpoints
        for step, regret in runs.items():
            columns = {"world": seed, "step": step, "answers": checkpoints, "regret": regret}
            parts.append(pd.DataFrame(columns))
            print(f"world {seed}, step {step}: {regret[-1]:.4f} nats", flush=True)
    return pd.concat(parts, ignore_index=True)


def printed_bound(n_answers: int) -> float:
    """Give sqrt(8 / (T alpha^3)) of lemma 1, with the alpha that the proof can promise.

    Scaled to unit length, w = (mu + 2, K) and x = (1, -1, -1) have w.x >= alpha =
    mu / (sqrt(3) sqrt(n^2 + (2 + mu)^2)).
    """
    alpha = MU / np.sqrt(3.0 * (N_ITEMS**2 + (2.0 + MU) ** 2))
    return float(np.sqrt(8.0 / (n_answers * alpha**3)))


def summary(table: pd.DataFrame) -> pd.DataFrame:
    """Give mean and standard error over the worlds at powers of ten."""
    powers = table[table["answers"].isin([100, 1_000, 10_000])]
    return powers.groupby(["step", "answers"], sort=False)["regret"].agg(["mean", "sem"])


def draw(table: pd.DataFrame, path: Path) -> None:
    """Draw the mean regret over the worlds, two standard errors up and down."""
    figure, ax = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
    for step, part in table.groupby("step", sort=False):
        by_answers = part.groupby("answers")["regret"]
        mean, error = by_answers.mean(), 2.0 * by_answers.sem()
        ax.plot(mean.index, mean, label=f"step {step}")
        ax.fill_between(mean.index, mean - error, mean + error, alpha=0.2, lw=0)
    ax.axhline(0.0, color="#888888", lw=0.8)
    ax.set(xscale="log", xlabel="answers T", ylabel="average regret against K* (nats)")
    ax.legend(frameon=False)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the table and the figure; `--quick` takes 1,000 answers in two worlds."""
    chosen = command_line(__doc__ or "").parse_args(arguments)
    out = results_folder(chosen)
    n_answers, n_worlds = (1_000, 2) if chosen.quick else (10_000, 10)
    table = regret_table(n_answers, n_worlds)
    table.to_csv(out / "online.csv", index=False, float_format="%.5g")
    draw(table, out / "online.png")
    print(summary(table).round(4).to_string())
    print(f"printed bound at T = {n_answers:,}: {printed_bound(n_answers):,.0f} nats; "
          f"guessing costs {np.log(2):.3f} an answer")  # fmt: skip


if __name__ == "__main__":
    main()
