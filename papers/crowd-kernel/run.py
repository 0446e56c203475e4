"""Run the programs of this folder."""

from collections.abc import Sequence

import learning_search
import online
import pairs
import pictures
import plan
import rates
import replay
import search_study
import svm
import twenty
from settings import Program, command_line, run

PROGRAMS = {
    "figure2": Program(twenty, "--worlds 1"),
    "figure3": Program(pairs, ""),
    "figures4to7": Program(pictures, ""),
    "figure8": Program(svm, "--runs 2"),
    "replay": Program(replay),
    "rates": Program(rates),
    "plan": Program(plan),
    "theorem1": Program(online, ""),
    "search_study": Program(search_study),
    "learning_search": Program(learning_search),
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the programs."""
    run(command_line(__doc__ or "", needs_data=True), PROGRAMS, arguments)


if __name__ == "__main__":
    main()
