"""Bind the grammar of all papers, and their ledger, to this one; hold common settings."""

import sys
from functools import partial
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))  # the grammar of all papers
import grammar
import ledger
from grammar import Program as Program, results_folder as results_folder, run as run

# our own choices, since those of the paper are unknown
SIDE = 8  # pixels along a square: 256 in all
NOISE = 0.5  # internal noise, half the standard deviation of a match by pixel noise
LAPSE = 0.02
TRIALS = (500, 1000, 2000, 4000)
START, STEPS = 0.4, (0.1, 0.05, 0.02)  # first contrast, and steps of the staircase

command_line = partial(grammar.command_line, paper="templates", data="gabor_classification_image/")
fill = partial(ledger.fill, Path(__file__).parent)
