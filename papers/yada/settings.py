"""Bind the grammar of all papers, and their ledger, to this one."""

import sys
from functools import partial
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))  # the grammar of all papers
import grammar
import ledger
from grammar import Program as Program, results_folder as results_folder, run as run

command_line = partial(
    grammar.command_line, paper="yada", data="face_confusions_grt/ and morse_rothkopf/"
)
fill = partial(ledger.fill, Path(__file__).parent)
