"""Reproduce table 2: a taxonomy of digits, five kernels of pixels and five of noise."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
from learning import BETAS, about, learned, native
from settings import Cell, command_line, fill, markdown, results_folder, shown
from sklearn.preprocessing import StandardScaler

import resemblance as rs

TAXONOMY = (((0, 8), (6, 9)), (((1, 7), 4), (2, (3, 5))))  # by the shapes of digits
PER_CLASS, NOISE = 20, 5
PER_LEVEL = 5  # comparisons per item at each level of the taxonomy
VIEWS = {
    "pixels": "pix",
    "Fourier": "fou",
    "Karhunen": "kar",
    "Zernike": "zer",
    "morphology": "mor",
}
KEY = ["split", "kernels", "form"]
PUBLISHED = {  # accuracy in the native and the learned space
    "best single kernel": (0.862, 0.951),
    "sum": (0.718, 0.861),
    "MKPOE": (None, 0.984),
}


def spans(tree: object) -> Iterator[tuple[int, ...]]:
    """Give the classes under each node of the taxonomy."""
    if isinstance(tree, int):
        yield (tree,)
        return
    below = [list(spans(branch)) for branch in tree]
    for branch in below:
        yield from branch
    yield tuple(digit for branch in below for digit in branch[-1])


def comparisons(digits: np.ndarray, seed: int) -> rs.Triplets:
    """Say for each item, and each node above it, that one under the node is nearer than one beside.

    Only neighbouring levels are compared, as what is farther follows; so many of each are drawn.
    """
    rng, rows = np.random.default_rng(seed), []
    nodes = list(spans(TAXONOMY))
    for head, digit in enumerate(digits):
        above = sorted((node for node in nodes if digit in node), key=len)
        for inner, outer in pairwise(above):
            near = np.flatnonzero(np.isin(digits, inner))
            far = np.flatnonzero(np.isin(digits, np.setdiff1d(outer, inner)))
            drawn = rng.choice(near[near != head], PER_LEVEL), rng.choice(far, PER_LEVEL)
            rows += [(head, a, b) for a, b in zip(*drawn, strict=True)]
    return rs.Triplets(np.unique(rows, axis=0), items=len(digits))


def kernels_of(
    folder: Path, seed: int, dimensions: int
) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Draw the items; give their digits, and the kernels that see them and noise."""
    rng = np.random.default_rng(seed)
    table = pd.read_csv(folder / "mfeat" / "mfeat-pix.csv").iloc[:, -1].to_numpy()
    chosen = np.concatenate(
        [
            rng.choice(np.flatnonzero(table == digit), PER_CLASS, replace=False)
            for digit in range(10)
        ]
    )
    kernels = {}
    for name, file in VIEWS.items():
        X = pd.read_csv(folder / "mfeat" / f"mfeat-{file}.csv").iloc[chosen, :-1].to_numpy(float)
        if name == "pixels":
            kernels[name] = rs.geometry.kernel_matrix(
                X / np.sqrt((X**2).sum(1).mean()), kernel="linear"
            )
        else:
            X = StandardScaler().fit_transform(X)
            kernels[name] = rs.geometry.kernel_matrix(X, bandwidth="median")
    for k in range(NOISE):
        points = rng.normal(size=(len(chosen), dimensions))
        kernels[f"noise {k + 1}"] = rs.geometry.kernel_matrix(points, kernel="cosine")
    return table[chosen], kernels


def cell(
    split: int, which: str, form: str, folder: Path, dimensions: int, quick: bool
) -> list[Cell]:
    """Do one cell: some kernels, by themselves or learned, on one split of the items."""
    digits, kernels = kernels_of(folder, split, dimensions)
    rng = np.random.default_rng([split, 1])
    parts = [rng.permutation(np.flatnonzero(digits == digit)) for digit in range(10)]
    known = np.sort(np.concatenate([part[PER_CLASS // 5 :] for part in parts]))
    triplets = comparisons(digits, split)
    new = np.setdiff1d(np.arange(len(digits)), known)
    test = triplets[about(triplets, known, new)]
    some = kernels if which in ("sum", "MKPOE") else {which: kernels[which]}
    found: Cell = {"accuracy": native(some, test)}
    if form != "native":
        found = learned(
            some,
            triplets,
            test,
            known,
            2 if quick else 5,
            split,
            BETAS[2:7:2] if quick else BETAS,
            diagonal=form == "diagonal",
            combine="sum" if which == "sum" else "concatenate",
        )
    empty = dict.fromkeys(("beta", "tuning", "weights", "dimensions", "gap", "seconds"))
    return [
        {"split": split, "kernels": which, "form": form, **{"accuracy": None}, **empty, **found}
    ]


def report(found: pd.DataFrame) -> str:
    """Write table 2: native, diagonal and full, and the paper's numbers (native, diagonal)."""
    table = found.pivot_table(index="kernels", columns="form", values="accuracy")
    errors = found.pivot_table(
        index="kernels", columns="form", values="accuracy", aggfunc="sem", dropna=False
    )
    forms = [form for form in ("native", "diagonal", "full") if form in table]
    order = [*VIEWS, *(f"noise {k + 1}" for k in range(NOISE)), "sum", "MKPOE"]
    rows: list[list[str]] = [["", *forms, "paper: native", "paper: learned"]]
    for name in (name for name in order if name in table.index):
        paper = PUBLISHED.get(name, (None, None))
        sem = errors.reindex(columns=forms).loc[name]
        ours = [shown(table.loc[name, form], sem[form]) for form in forms]
        rows.append([name, *ours, *("" if value is None else f"{value:.3f}" for value in paper)])
    best = table.drop(["sum", "MKPOE"], errors="ignore").max()
    told = [f"{best[form]:.3f}" for form in forms]
    rows.append(
        ["best single kernel", *told, *(f"{v:.3f}" for v in PUBLISHED["best single kernel"])]
    )
    return markdown("Table 2: accuracy on new items", rows) + "\n" + weights(found)


def weights(found: pd.DataFrame) -> str:
    """Write the share of each kernel in MK-POE, the mean of the splits."""
    rows = [["form", "kernel", "mean share", "largest"]]
    for form, cells in found[found["kernels"] == "MKPOE"].groupby("form"):
        if cells["weights"].isna().all():
            continue
        shares = pd.DataFrame(
            [dict(p.rsplit("=", 1) for p in split_shares(w)) for w in cells["weights"]]
        )
        for name, values in shares.astype(float).items():
            numbers = [f"{values.mean():.4f}", f"{values.max():.4f}"]
            rows.append([str(form), str(name).strip(), *numbers])
    return markdown("Weights of the kernels", rows)


def split_shares(told: str) -> list[str]:
    """Cut "pixels=0.3 noise 1=0.2" into its parts."""
    return re.findall(r"[^=]+=[0-9.]+", told.strip())


def main(arguments: Sequence[str] | None = None) -> None:
    """Fill the cells that are missing, and write the table."""
    parser = command_line(__doc__ or "")
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--noise-dimensions", type=int, default=3, help="of the sphere")
    parser.add_argument("--forms", nargs="+", default=["native", "diagonal", "full"])
    chosen = parser.parse_args(arguments)
    out = results_folder(chosen)
    names = [*VIEWS, "noise 1", "sum", "MKPOE"] if not chosen.quick else ["pixels", "MKPOE"]
    splits = 1 if chosen.quick else chosen.splits
    settings = chosen.data, chosen.noise_dimensions, chosen.quick
    tasks = [
        (split, name, form, *settings)
        for form in chosen.forms
        for split in range(splits)
        for name in names
    ]
    found = fill(out / "taxonomy.csv", KEY, tasks, cell, chosen.jobs)
    text = report(found)
    (out / "taxonomy.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
