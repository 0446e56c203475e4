"""Run the programs of this folder; a second run continues an interrupted one."""

from collections.abc import Sequence

import adaptive
import closed_loop
import figures
import tables
from settings import Program, command_line, run

PROGRAMS = {
    "tables": Program(tables, "--techniques Yada --seeds 3"),
    "figures": Program(figures),
    "adaptive": Program(adaptive),
    "closed_loop": Program(closed_loop),
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the programs."""
    run(command_line(__doc__ or ""), PROGRAMS, arguments)


if __name__ == "__main__":
    main()
