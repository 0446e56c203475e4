"""Define the command-line options of the scripts in this folder, and cache results."""

import argparse
import csv
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pandas as pd
from joblib import Parallel, delayed

Cell = dict[str, Any]


def command_line(what: str) -> argparse.ArgumentParser:
    """Give a parser with the options that all scripts share."""
    parser = argparse.ArgumentParser(description=what.splitlines()[0])
    parser.add_argument("--data", type=Path, help="folder with mfeat/, music/ and alien_eggs/")
    parser.add_argument("--out", type=Path, default=Path("out/multimodal"), help="the results")
    parser.add_argument("--quick", action="store_true", help="a small run that shows it works")
    parser.add_argument("--jobs", type=int, default=1, help="cells at a time")
    return parser


def results_folder(chosen: argparse.Namespace) -> Path:
    """Make the folder of the results if need be; a small run has one of its own."""
    folder = Path(chosen.out / "quick" if chosen.quick else chosen.out)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def fill(
    path: Path, key: list[str], tasks: Iterable[tuple], work: Callable[..., list[Cell]], jobs: int
) -> pd.DataFrame:
    """Do what a file of cells lacks, each at once when it is found; give all that it holds then.

    The first entries of a task are its key; ``work`` takes all of them.
    """
    done = set()
    if path.exists():
        done = set(map(tuple, pd.read_csv(path)[key].astype(str).to_numpy()))
    missing = [task for task in tasks if tuple(map(str, task[: len(key)])) not in done]
    runs = Parallel(n_jobs=jobs, return_as="generator_unordered")(
        delayed(work)(*task) for task in missing
    )
    for number, cells in enumerate(runs, 1):
        _keep(path, cells)
        told = " ".join(f"{value}" for value in cells[0].values())
        print(f"{number}/{len(missing)}: {told}", flush=True)
    return pd.read_csv(path)


def _keep(path: Path, cells: list[Cell]) -> None:
    new = not path.exists()
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, cells[0])
        if new:
            writer.writeheader()
        writer.writerows(cells)


def markdown(title: str, rows: Iterable[Iterable[str]]) -> str:
    """Write a table, its first row being the head."""
    head, *body = [list(row) for row in rows]
    shape = [head, ["---"] * len(head), *body]
    return "\n".join([f"## {title}", "", *(f"| {' | '.join(row)} |" for row in shape), ""])
