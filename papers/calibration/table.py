"""Format rows of tables, and define the command line of all programs in this folder."""

import argparse
from collections.abc import Callable

import numpy as np
import pandas as pd


def row(about: str, what: str, claimed: str, values: pd.Series, share: bool = False) -> dict:
    """Return the mean of some values and its standard error; of shares, in per cent."""
    x = 100 * values.astype(float) if share else values.astype(float)
    error = x.std(ddof=1) / np.sqrt(len(x)) if len(x) > 1 else np.nan
    digits = 1 if share else 4
    found = f"{x.mean():.{digits}f}{' %' if share else ''}"
    return {
        "condition": about,
        "what": what,
        "claimed": claimed,
        "found": found,
        "standard error": f"{error:.{digits}f}",
        "worlds": len(x),
    }


def markdown(table: pd.DataFrame) -> str:
    """Write a table as Markdown has it, numbers with three digits."""
    rows = [list(table.columns), ["---"] * table.shape[1], *table.to_numpy().tolist()]
    cells = [[f"{x:.3f}" if isinstance(x, float) else str(x) for x in row] for row in rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in cells)


def main(make: Callable[[int, int], pd.DataFrame], about: str | None) -> None:
    """Make a table and print it."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--worlds", type=int, default=200, help="how many worlds")
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time")
    told = parser.parse_args()
    print(markdown(make(told.worlds, told.jobs)))
