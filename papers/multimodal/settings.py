"""Bind the grammar of all papers, and their ledger, to this one; write tables."""

import math
import sys
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[1]))  # the grammar of all papers
import grammar
import ledger
from grammar import Program as Program, results_folder as results_folder, run as run

Cell = dict[str, Any]
command_line = partial(
    grammar.command_line, paper="multimodal", data="mfeat/, music/ and alien_eggs/"
)
fill = partial(ledger.fill, Path(__file__).parent)


def shown(mean: float, error: float) -> str:
    """Write a mean and its standard error; of a single run there is none."""
    return f"{mean:.3f}" if math.isnan(error) else f"{mean:.3f} ± {error:.3f}"


def markdown(title: str, rows: Iterable[Iterable[str]]) -> str:
    """Write a table, its first row being the head."""
    head, *body = [list(row) for row in rows]
    shape = [head, ["---"] * len(head), *body]
    return "\n".join([f"## {title}", "", *(f"| {' | '.join(row)} |" for row in shape), ""])
