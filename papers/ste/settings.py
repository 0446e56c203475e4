"""Bind the grammar of all papers, and their ledger, to this one."""

import sys
from functools import partial
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))  # the grammar of all papers
import grammar
from grammar import Program as Program, results_folder as results_folder, run as run
from ledger import Ledger as Ledger, code_state as code_state

command_line = partial(grammar.command_line, paper="ste", data="music/ and mnist/", needs_data=True)
HERE = Path(__file__).parent
