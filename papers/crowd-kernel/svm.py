"""Draw figure 8: the error of a support vector machine that predicts features from the kernel.

It is the leave-one-out error of scikit-learn's SVC on kernels learned from random and from adaptive
answers, at several budgets. K is divided by its mean diagonal and C is 1, the default of the
paper's SVM-Light. Every run uses other digits (ten of each class) and other answers. Only labels
are left out; answers about the item stay, as in the paper.
"""

import warnings
from pathlib import Path

import crowds
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from scipy.stats import t as student
from settings import command_line, results_folder
from sklearn.svm import SVC

import resemblance as rs

LOOP, STRAIGHT = (0, 6, 8, 9), (1, 4, 7)
MARKS, EGG_MARKS = (10, 35, 60), (5, 10, 20, 40)  # triples per item
LEARNED = ("random", "adaptive")
SHOWN = {  # title, and the error of always guessing the most frequent class
    "has a loop": ("digits: has a loop", 0.4),
    "is curved": ("digits: is curved", 0.3),
    "one digit, mean of ten": ("one digit against the rest", 0.1),
    "is smooth": ("eggs: the smoother half", 0.5),
}


def digit_features(digit: np.ndarray) -> dict[str, np.ndarray]:
    """Give what the digits of a class have in common; no digit is left out as ambiguous."""
    features = {"has a loop": np.isin(digit, LOOP), "is curved": ~np.isin(digit, STRAIGHT)}
    return {**features, **{f"is {c}": digit == c for c in range(10)}, "which digit": digit}


def leave_one_out_error(kernel: np.ndarray, labels: np.ndarray) -> float:
    """Give the share of items whose label is guessed wrong from all others.

    An item that is no support vector of the fit to all moves no boundary when it is left out.
    """
    K, everyone = kernel / np.diag(kernel).mean(), np.arange(len(labels))
    full = SVC(kernel="precomputed", C=1.0).fit(K, labels)
    guessed = full.predict(K)
    for one in full.support_:
        rest = everyone != one
        svm = SVC(kernel="precomputed", C=1.0).fit(K[np.ix_(rest, rest)], labels[rest])
        guessed[one] = svm.predict(K[one : one + 1, rest])[0]
    return float(np.mean(guessed != labels))


def rows_of(kernel: np.ndarray, features: dict[str, np.ndarray]) -> list[tuple[str, float]]:
    """Give the error of each feature; of "is 0" to "is 9" the mean too."""
    rows = [(name, leave_one_out_error(kernel, has)) for name, has in features.items()]
    each = [error for name, error in rows if name[-1].isdigit()]
    return rows + ([("one digit, mean of ten", float(np.mean(each)))] if each else [])


def digit_run(seed: int, each: int, marks: tuple[int, ...]) -> pd.DataFrame:
    """Learn digits by every strategy; also read the features off the crowd's own space."""
    warnings.simplefilter("ignore")
    items, parts = crowds.digits(each, seed), []
    features = digit_features(items.labels)
    for name in LEARNED:
        session, answer = crowds.digit_session(items, name, seed), crowds.digit_crowd(items, seed)
        parts += learned(session, answer, marks, features, name)
    X = items.features - items.features.mean(axis=0)
    parts += [("crowd's space", np.inf, *row) for row in rows_of(X @ X.T, features)]
    return as_table(parts, "digits", seed)


def egg_run(seed: int, answers: rs.Triplets, marks: tuple[int, ...]) -> pd.DataFrame:
    """Learn eggs by every strategy from human answers; read off which half is smoother."""
    warnings.simplefilter("ignore")
    smoother = np.arange(len(answers.items)) >= len(answers.items) // 2
    parts = []
    for name in LEARNED:
        session, answer = crowds.egg_session(answers, name, seed), crowds.egg_crowd(answers, seed)
        parts += learned(session, answer, marks, {"is smooth": smoother}, name)
    return as_table(parts, "eggs", seed)


def learned(
    session: rs.Session,
    answer: crowds.Answer,
    marks: tuple[int, ...],
    features: dict[str, np.ndarray],
    name: str,
) -> list[tuple[str, float, str, float]]:
    """Hold a session; at each mark fit the kernel and read the features off it."""
    rows = []
    for mark in marks:
        crowds.hold(session, answer, mark * len(session.items))
        kernel = crowds.crowd_kernel(session.judgments("all")).kernel_
        rows += [(name, float(mark), *row) for row in rows_of(kernel, features)]
    return rows


def as_table(rows: list[tuple[str, float, str, float]], items: str, run: int) -> pd.DataFrame:
    """Give rows of kernel, triples an item, feature and error as a table."""
    columns = ["kernel", "triples", "feature", "error"]
    return pd.DataFrame(rows, columns=columns).assign(items=items, run=run)


def summary(table: pd.DataFrame) -> pd.DataFrame:
    """Give mean errors, and adaptive less random in the same runs, with half a 95 % interval."""
    keys = ["items", "feature", "triples", "run"]
    wide = table.pivot(index=keys, columns="kernel", values="error")
    wide["difference"] = wide["adaptive"] - wide["random"]
    over_runs = wide.groupby(keys[:3], sort=False)
    quantile = student.ppf(0.975, over_runs.size().to_numpy() - 1)[:, None]
    found = {"mean": over_runs.mean(), "half": over_runs.sem() * quantile}
    return pd.concat(found, axis=1).swaplevel(axis=1).sort_index(axis=1, ascending=[True, False])


def draw(table: pd.DataFrame, path: Path) -> None:
    """Draw four features: error against triples, with 95 % bands and the crowd's own space."""
    found = summary(table)
    figure, axes = plt.subplots(1, len(SHOWN), figsize=(12, 3.2), layout="constrained")
    for ax, (feature, (title, guessing)) in zip(axes, SHOWN.items(), strict=True):
        rows = found.xs(feature, level="feature").droplevel("items")
        for kernel in LEARNED:
            by = rows[kernel].drop(np.inf, errors="ignore")
            ax.plot(by.index, by["mean"], marker=".", label=kernel)
            ax.fill_between(by.index, by["mean"] - by["half"], by["mean"] + by["half"], alpha=0.2)
        if np.inf in rows.index:
            truth = rows.loc[np.inf, ("crowd's space", "mean")]
            ax.axhline(truth, color="0.5", lw=1, ls=":", label="the crowd's own space")
        ax.axhline(guessing, color="0.5", lw=1, ls="--", label="the commoner answer")
        ax.set(title=title, xlabel="triples an item", ylim=(0, None))
    axes[0].set_ylabel("leave-one-out error")
    axes[0].legend(frameon=False, fontsize=8)
    figure.savefig(path, dpi=100)
    plt.close(figure)


def main(arguments: list[str] | None = None) -> None:
    """Learn both sets in all runs; write errors and the picture, print the table."""
    parser = command_line(__doc__ or "", needs_data=True)
    parser.add_argument("--runs", type=int, default=8)
    chosen = parser.parse_args(arguments)
    chosen.out = results_folder(chosen)
    each, runs = (3, 1) if chosen.quick else (10, chosen.runs)
    marks, egg_marks = ((10, 12), (5, 6)) if chosen.quick else (MARKS, EGG_MARKS)
    answers, _ = crowds.eggs(chosen.data, chosen.out)
    tasks = [delayed(digit_run)(seed, each, marks) for seed in range(runs)]
    tasks += [delayed(egg_run)(seed, answers, egg_marks) for seed in range(runs)]
    table = pd.concat(Parallel(n_jobs=chosen.jobs, verbose=5)(tasks))
    table.to_csv(chosen.out / "svm.csv", index=False)
    print(summary(table).round(3).to_string())
    draw(table, chosen.out / "svm.png")


if __name__ == "__main__":
    main()
