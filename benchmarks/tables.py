"""Summarise repeats in rows of results, and print them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

Row = dict[str, Any]


def spread(name: str, values: Sequence[float]) -> Row:
    figures = zip(("min", "median", "max"), np.quantile(values, (0.0, 0.5, 1.0)), strict=True)
    return {f"{name} {word}": float(value) for word, value in figures}


def show(title: str, rows: list[Row]) -> None:
    """Print rows as a table, transposed if there are more columns than rows."""
    table = pd.DataFrame(rows)
    wide = table.shape[1] > len(table)
    table = table.T if wide else table
    text = table.to_string(index=wide, header=not wide, float_format="{:.4g}".format, na_rep="")
    print(f"\n{title}\n{text}", flush=True)
