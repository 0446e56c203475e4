"""Rows of results: how repeats are summed up and shown."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

Row = dict[str, Any]


def spread(name: str, values: Sequence[float]) -> Row:
    """Give the least, the median and the greatest of some repeats."""
    summaries = {"min": np.min, "median": np.median, "max": np.max}
    return {f"{name} {word}": float(of(values)) for word, of in summaries.items()}


def show(title: str, rows: list[Row]) -> None:
    """Print rows as a table."""
    table = pd.DataFrame(rows).to_string(index=False, float_format="{:.4g}".format, na_rep="")
    print(f"\n{title}\n{table}", flush=True)
