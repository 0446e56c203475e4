"""Assemble the tables from their cells, with the paper's numbers beside ours."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd
from published import TABLE_1, TABLE_2, TABLE_3
from techniques import TECHNIQUES

PAPER = list(dict.fromkeys(world for world, _ in TABLE_1))
SYNTHETIC = list(dict.fromkeys(world for world, _ in TABLE_2))
REAL = ["Faces a", "Faces b", "Morse"]


@dataclass(frozen=True)
class Table:
    """What a table shows: a value of the cells, by one choice model, in some worlds."""

    number: str
    title: str
    choice: str
    value: str
    worlds: Sequence[str]
    published: Mapping[tuple[str, str], float] = field(default_factory=dict)


TABLES = [
    Table("1", "log-likelihood, Gaussian", "gaussian", "log_likelihood", PAPER, TABLE_1),
    Table("2", "recovery error, Gaussian", "gaussian", "recovery", SYNTHETIC, TABLE_2),
    Table("3", "log-likelihood, exponential", "exponential", "log_likelihood", PAPER, TABLE_3),
    Table("4a", "real confusions, Gaussian", "gaussian", "log_likelihood", REAL),
    Table("4b", "real confusions, exponential", "exponential", "log_likelihood", REAL),
]


def summary(found: pd.DataFrame, table: Table) -> pd.DataFrame:
    """Give mean, standard error over seeds and number of seeds of each cell, and the paper's."""
    rows = found[(found["choice"] == table.choice) & found["world"].isin(table.worlds)]
    means = rows.groupby(["world", "technique"])[table.value].agg(["mean", "sem", "count"])
    return means.assign(paper=[table.published.get(cell, np.nan) for cell in means.index])


def seen_by_most(found: pd.DataFrame) -> pd.DataFrame:
    """Give the cells of those counts that most techniques have seen, to compare like on like."""
    techniques = found.groupby(["world", "seed"])["technique"].transform("nunique")
    return found[techniques == techniques.groupby(found["world"]).transform("max")]


def lines(table: Table, means: pd.DataFrame) -> Iterator[list[str]]:
    """Give the lines of a table: ours, and the paper's in brackets; what rounds best is bold."""
    names = [name for name in TECHNIQUES if name in means.index.unique("technique")]
    yield ["", *names]
    for world in table.worlds:
        if world in means.index:
            row = means.loc[world].reindex(names)
            rounded = row["mean"].round(2)
            best = rounded.min() if table.value == "recovery" else rounded.max()
            yield [world, *map(shown, row["mean"], row["paper"], rounded == best)]


def shown(ours: float, paper: float, best: bool) -> str:
    """Write a cell."""
    number = "" if np.isnan(ours) else f"**{ours:.3f}**" if best else f"{ours:.3f}"
    return number if np.isnan(paper) else f"{number} ({paper:.2f})"


def column_of_yada(found: pd.DataFrame) -> Iterator[list[str]]:
    """Give Yada's column of tables 1, 2 and 3, over all its seeds."""
    yield ["", "seeds", *(table.title for table in TABLES[:3])]
    of_yada = found[found["technique"] == "Yada"]
    summaries = [summary(of_yada, table) for table in TABLES[:3]]
    for world in PAPER:
        rows = [means[means.index.isin([world], "world")] for means in summaries]
        if len(rows[0]):
            yield [world, f"{rows[0]['count'].iloc[0]:.0f}", *map(with_error, rows)]


def with_error(rows: pd.DataFrame) -> str:
    """Write a mean and its standard error, of a world that a table may not have."""
    if not len(rows):
        return ""
    row = rows.iloc[0]
    error = "" if np.isnan(row["sem"]) else f" ± {row['sem']:.3f}"
    return f"{row['mean']:.3f}{error} ({row['paper']:.2f})"


def markdown(title: str, rows: Iterable[list[str]]) -> str:
    """Write a table, its first row being the head."""
    head, *body = rows
    shape = [head, ["---"] * len(head), *body]
    return "\n".join([f"## {title}", "", *(f"| {' | '.join(row)} |" for row in shape), ""])


def report(found: pd.DataFrame, out: Path) -> str:
    """Write every table as csv; give all of them as markdown."""
    common, text = seen_by_most(found), [markdown("Yada's column", column_of_yada(found))]
    for table in TABLES:
        means = summary(common, table)
        if len(means):
            means.to_csv(out / f"table{table.number}.csv", float_format="%.4f")
            text.append(markdown(f"Table {table.number}: {table.title}", lines(table, means)))
    return "\n".join(text)
