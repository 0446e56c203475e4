"""Define the command-line options of the scripts in this folder, and common settings."""

import argparse
import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from joblib import Parallel, delayed

# our own choices, since those of the paper are unknown
SIDE = 8  # pixels along a square: 256 in all
NOISE = 0.5  # internal noise, half the standard deviation of a match by pixel noise
LAPSE = 0.02
TRIALS = (500, 1000, 2000, 4000)
START, STEPS = 0.4, (0.1, 0.05, 0.02)  # first contrast, and steps of the staircase


def command_line(what: str) -> argparse.ArgumentParser:
    """Give a parser with the options that all scripts share."""
    parser = argparse.ArgumentParser(description=what)
    parser.add_argument("--data", type=Path, help="folder with gabor_classification_image/")
    parser.add_argument(
        "--out", type=Path, default=Path("out/templates"), help="folder of the results"
    )
    parser.add_argument("--jobs", type=int, default=1, help="cells at a time")
    parser.add_argument("--quick", action="store_true", help="a small run that shows it works")
    return parser


def results_folder(chosen: argparse.Namespace) -> Path:
    """Make the folder of the results if need be; a small run has one of its own."""
    folder = Path(chosen.out / "quick" if chosen.quick else chosen.out)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def fill(
    path: Path, key: Sequence[str], tasks: Iterable[tuple], do: Any, jobs: int = 1
) -> pd.DataFrame:
    """Do the tasks that the file lacks, keep each result at once; give all that it holds then."""
    found = pd.read_csv(path) if path.exists() else pd.DataFrame(columns=list(key))
    done = set(found[list(key)].itertuples(index=False, name=None))
    missing = [task for task in tasks if task not in done]
    for row in Parallel(n_jobs=jobs, return_as="generator_unordered")(
        delayed(do)(*task) for task in missing
    ):
        new = not path.exists()
        with path.open("a", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(row))
            if new:
                writer.writeheader()
            writer.writerow(row)
        print(" ".join(f"{name}={value}" for name, value in row.items()), flush=True)
    return pd.read_csv(path)
