"""Bind the grammar of all papers to this one, and load the data."""

import argparse
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

import resemblance as rs

sys.path.append(str(Path(__file__).parents[1]))  # the grammar of all papers
import grammar
from grammar import Program as Program, run as run

command_line = partial(
    grammar.command_line, paper="things", data="things/ and cfd36/", needs_data=True
)
CEILING = 0.672  # published noise ceiling of the whole data


@dataclass(frozen=True)
class Run:
    """Where data are read and results written, and whether the run is a small one."""

    data: Path
    out: Path
    quick: bool = False

    @classmethod
    def of(cls, chosen: argparse.Namespace) -> "Run":
        """Make the folder of the results if need be; a small run has one of its own."""
        return cls(chosen.data, grammar.results_folder(chosen), chosen.quick)

    def array(self, name: str) -> np.ndarray:
        """Read a table of vectors."""
        return np.load(self.data / "things" / f"{name}.npy").astype(float)

    def items(self) -> rs.Items:
        """Give the objects with their network features."""
        names = pd.read_csv(self.data / "things" / "objects.csv")["name"].astype(str)
        unique = [f"{name} {at}" for at, name in enumerate(names)]  # some names occur twice
        return rs.Items(unique, features=self.array("clip_vit_b32"), titles=names)

    def answers(self, part: str, share: float = 1.0) -> rs.OddOneOuts:
        """Read odd ones out, or the first share of them; rows are in random order."""
        table = self.table(part)
        rows = table[["kept_a", "kept_b", "odd"]].to_numpy()[: round(share * len(table))]
        return rs.OddOneOuts(rows, rows[:, 2], self.items())

    def table(self, part: str) -> pd.DataFrame:
        """Read a file of answers."""
        return pd.read_csv(self.data / "things" / f"odd_one_out_{part}.csv.gz")

    def write(self, name: str, rows: list[dict[str, object]]) -> pd.DataFrame:
        """Write a table as CSV and as Markdown, and show it."""
        table = pd.DataFrame(rows)
        table.to_csv(self.out / f"{name}.csv", index=False)
        text = table.to_csv(sep="|", index=False, float_format="%.4f").strip().split("\n")
        lines = [f"| {line.replace('|', ' | ')} |" for line in text]
        lines.insert(1, "|" + "---|" * len(table.columns))
        (self.out / f"{name}.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
        print("\n".join(lines), flush=True)
        return table


def known_question(answers: rs.OddOneOuts, others: rs.OddOneOuts) -> np.ndarray:
    """Say of each answer whether its question is among those of others."""
    asked = {tuple(sorted(row)) for row in others.index.tolist()}
    return np.array([tuple(sorted(row)) in asked for row in answers.index.tolist()])
