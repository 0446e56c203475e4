"""Draw figure 3: maps of 5,000 digits from 1,000,000 triplets, by four techniques."""

import warnings
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from music_map import map_errors
from settings import HERE, code_state, command_line, results_folder
from studies import principal_components, some_digits
from techniques import TECHNIQUES

import resemblance as rs

STRENGTHS = {"GNMDS-X": 0.0, "CKL-X": 0.05, "STE-X": 0.0, "t-STE": 0.0}


def in_the_papers_words(digits: rs.Items, n_triplets: int) -> rs.Triplets:
    """Draw near among the 50 nearest digits of the head, and far among all that are further."""
    return rs.datasets.sample_triplets(digits, n_triplets, random_state=0)


def as_released(digits: rs.Items, n_triplets: int) -> rs.Triplets:
    """Draw near among a twentieth of the digits, and far among a twentieth that follow it."""
    return rs.datasets.sample_triplets(
        principal_components(digits), n_triplets, len(digits) // 20, "release", random_state=0
    )


PROTOCOLS = {"paper": in_the_papers_words, "release": as_released}


def fit_map(triplets: rs.Triplets, name: str, out: Path) -> np.ndarray:
    """Fit two dimensions and write the positions; read them when this code wrote them."""
    path, state = out / f"{name}.csv", f"# code {code_state(HERE)}"
    if not path.exists() or path.read_text(encoding="utf-8").split("\n", 1)[0] != state:
        started = perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", rs.errors.NotConvergedWarning)
            X = TECHNIQUES[name].fit(triplets, 2, STRENGTHS[name]).embedding_
        print(f"{name}: {perf_counter() - started:.0f} s", flush=True)
        np.savetxt(path, X, fmt="%.5g", delimiter=",", header=f"{state}\nx,y", comments="")
    return np.loadtxt(path, delimiter=",", skiprows=2)


def draw_maps(triplets: rs.Triplets, out: Path) -> pd.DataFrame:
    """Fit and draw the four maps; write the errors of each."""
    out.mkdir(exist_ok=True)
    labels = np.asarray(triplets.items.labels).astype(int)
    figure, axes = plt.subplots(2, 2, figsize=(11, 11), layout="constrained")
    errors = {}
    for ax, name in zip(axes.flat, STRENGTHS, strict=True):
        X = fit_map(triplets, name, out)
        errors[name] = map_errors(X, triplets)
        violated, neighbour = errors[name].iloc[:2]
        title = f"{name}: {violated:.1%} violated, {neighbour:.1%} wrong neighbours"
        draw_digits(ax, X, labels, title)
    figure.savefig(out / "maps.png", dpi=110)
    plt.close(figure)
    subtitle = f"{name} of {len(triplets):,} triplets; colours are classes, which it never saw"
    rs.save_map(X, out / "map.html", triplets.items, title="Digits", subtitle=subtitle)
    table = pd.DataFrame(errors).T
    table.to_csv(out / "errors.csv", index_label="technique")
    return table


def draw_digits(ax: Axes, X: np.ndarray, labels: np.ndarray, title: str) -> None:
    """Draw each digit as its numeral, without the farthest one in a hundred."""
    reach = np.quantile(np.abs(X - np.median(X, axis=0)), 0.995, axis=0)
    shades = plt.get_cmap("tab10")
    for digit in range(10):
        mine = X[labels == digit]
        ax.scatter(*mine.T, s=14, marker=f"${digit}$", color=shades(digit), lw=0.2)
    centre = np.median(X, axis=0)
    ax.set(xlim=centre[0] + reach[0] * np.array([-1.05, 1.05]), xticks=[], yticks=[], title=title)
    ax.set_ylim(centre[1] + reach[1] * np.array([-1.05, 1.05]))


def main(arguments: Sequence[str] | None = None) -> None:
    """Draw the maps; `--quick` takes 300 digits and 20,000 triplets."""
    parser = command_line(__doc__ or "")
    parser.add_argument("--protocols", nargs="+", choices=PROTOCOLS, default=list(PROTOCOLS))
    chosen = parser.parse_args(arguments)
    n_digits, n_triplets = (300, 20_000) if chosen.quick else (5_000, 1_000_000)
    digits = some_digits(chosen.data, n_digits)
    for protocol in chosen.protocols:
        triplets = PROTOCOLS[protocol](digits, n_triplets)
        errors = draw_maps(triplets, results_folder(chosen) / f"digit_maps_{protocol}")
        print(f"{protocol}:\n{errors.round(3).to_string()}", flush=True)


if __name__ == "__main__":
    main()
