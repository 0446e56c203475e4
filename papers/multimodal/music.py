"""Reproduce section 5.2.3: artists by tags, in the native space and in learned ones."""

from collections.abc import Sequence
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from learning import BETAS, about, learned, native, restricted
from settings import Cell, command_line, fill, markdown, results_folder, shown
from sklearn.manifold import TSNE

import resemblance as rs

KEY = ["split", "training", "form"]
NEW = 80  # held-out artists in each split
LEVELS = {  # levels of cleaning the training comparisons
    "as they are": None,
    "consistent": {"contradictions": "none"},
    "reduced": {"contradictions": "none", "reduce": True},
}
PUBLISHED = {"native": 0.752, "diagonal": 0.773, "full": 0.796}  # social tags, table 3


def tag_kernel(folder: Path, names: Sequence[str]) -> np.ndarray:
    """Give the cosine of the tags under TF-IDF; an artist without any is only like itself."""
    table = pd.read_csv(folder / "music" / "artists_derived.csv").set_index("artist")
    counts = table["tags"].fillna("").str.get_dummies(";").loc[list(names)].to_numpy(float)
    K = rs.geometry.kernel_matrix(counts, kernel="tfidf")
    K[np.diag_indices_from(K)] = 1.0
    return K


def study(folder: Path) -> tuple[rs.Triplets, dict[str, np.ndarray]]:
    """Give the answers of people, and the kernel of their artists."""
    music = rs.datasets.fetch_music_artists(folder / "music")
    return music.judgments, {"tags": tag_kernel(folder, music.items.names)}


def cleaned(triplets: rs.Triplets, rows: np.ndarray, level: str) -> rs.Triplets:
    """Clean some rows as the level says."""
    settings, some = LEVELS[level], triplets[rows]
    return some if settings is None else rs.clean(some, random_state=0, **settings)[0]


def cell(split: int, level: str, form: str, folder: Path, quick: bool) -> list[Cell]:
    """Do one cell: one split of the artists, one level of cleaning, one form."""
    triplets, kernels = study(folder)
    new = np.random.default_rng(split).choice(triplets.n_items, NEW, replace=False)
    known = np.setdiff1d(np.arange(triplets.n_items), new)
    test = triplets[about(triplets, known, new)]
    train = cleaned(triplets, about(triplets, known, known), level)
    empty = dict.fromkeys(("beta", "tuning", "weights", "dimensions", "gap", "seconds"))
    found: Cell = {"accuracy": native(kernels, test), **empty}
    if form != "native":
        folds, betas = (2, BETAS[3:6]) if quick else (5, BETAS[1:8])
        settings = {"diagonal": form == "diagonal", "tuning_steps": 500}
        found = learned(kernels, train, test, known, folds, split, betas, **settings)
    sizes = {"rows": len(train), "tested": len(test)}
    return [{"split": split, "training": level, "form": form, **sizes, **found}]


def report(found: pd.DataFrame) -> str:
    """Write the accuracies, the mean and standard error of the splits."""
    grouped = found.groupby(["form", "training"])[["accuracy", "rows"]].agg(["mean", "sem"])
    rows = [["", "training comparisons", "rows", "accuracy", "paper: social tags"]]
    for form in PUBLISHED:
        for level in LEVELS:
            if (form, level) in grouped.index:
                at = grouped.loc[(form, level)]
                ours = shown(at["accuracy", "mean"], at["accuracy", "sem"])
                count = f"{at['rows', 'mean']:.0f}"
                rows.append([form, level, count, ours, f"{PUBLISHED[form]:.3f}"])
    return markdown("Music: accuracy on new artists, by their tags", rows)


def draw(folder: Path, beta: float, path: Path) -> None:
    """Draw the learned space of all artists by t-SNE, coloured by genre (figure 6)."""
    triplets, kernels = study(folder)
    everyone = np.arange(triplets.n_items)
    fitted = restricted(triplets, kernels, everyone)
    model = rs.MKPOE(kernels="precomputed", beta=beta, tol=1e-2).fit(fitted)
    points = TSNE(random_state=0, init="pca").fit_transform(model.embedding_)
    items = rs.Items(triplets.items.names, labels=triplets.items.labels)
    rs.save_map(points, path, items, title="Artists by what people and tags say")
    plt.close("all")


def main(arguments: Sequence[str] | None = None) -> None:
    """Fill the cells that are missing, write the table, and draw the space."""
    parser = command_line(__doc__ or "")
    parser.add_argument("--splits", type=int, default=5)
    chosen = parser.parse_args(arguments)
    out = results_folder(chosen)
    splits, levels = (1, ["reduced"]) if chosen.quick else (chosen.splits, list(LEVELS))
    tasks = [
        (split, level, form, chosen.data, chosen.quick)
        for split in range(splits)
        for form in PUBLISHED
        for level in (levels if form != "native" else levels[-1:])
    ]
    found = fill(out / "music.csv", KEY, tasks, cell, chosen.jobs)
    text = report(found)
    (out / "music.md").write_text(text, encoding="utf-8")
    print(text)
    beta = found.loc[found["form"] == "full", "beta"].median()
    draw(chosen.data, float(beta), out / "figure6.png")


if __name__ == "__main__":
    main()
