"""Run the programs of this folder; a second run continues an interrupted one."""

from collections.abc import Sequence

import human
import intervals
import pictures
import sequential
import simulated
import synthetic
import thresholds
from settings import Program, command_line, run

PROGRAMS = {
    "synthetic": Program(synthetic, ""),
    "human": Program(human, ""),
    "pictures": Program(pictures),
    "simulated": Program(simulated, "--seeds 5 --trials 500 1000"),
    "thresholds": Program(thresholds),
    "intervals": Program(intervals),
    "sequential": Program(sequential),
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the programs."""
    run(command_line(__doc__ or ""), PROGRAMS, arguments)


if __name__ == "__main__":
    main()
