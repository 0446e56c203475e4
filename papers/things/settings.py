"""Define the command-line options of the scripts in this folder, and load the data."""

import argparse
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

import resemblance as rs

CEILING = 0.672  # published noise ceiling of the whole data


def command_line(what: str) -> argparse.ArgumentParser:
    """Give a parser with the options that all scripts share."""
    parser = argparse.ArgumentParser(description=what)
    parser.add_argument("--data", type=Path, required=True, help="folder with things/ and cfd36/")
    parser.add_argument("--out", type=Path, default=Path("out/things"), help="folder of results")
    parser.add_argument("--quick", action="store_true", help="a small run that shows it works")
    return parser


@dataclass(frozen=True)
class Run:
    """Where data are read and results written, and whether the run is a small one."""

    data: Path
    out: Path
    quick: bool = False

    @classmethod
    def of(cls, chosen: argparse.Namespace) -> "Run":
        """Make the folder of the results if need be; a small run has one of its own."""
        out = chosen.out / "quick" if chosen.quick else chosen.out
        out.mkdir(parents=True, exist_ok=True)
        return cls(chosen.data, out, chosen.quick)

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
