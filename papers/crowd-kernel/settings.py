"""Bind the grammar of all papers to this one."""

import sys
from functools import partial
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))  # the grammar of all papers
import grammar
from grammar import Program as Program, results_folder as results_folder, run as run

command_line = partial(grammar.command_line, paper="crowd-kernel", data="alien_eggs/")
