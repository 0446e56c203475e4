"""Make every table and figure of this folder."""

from collections.abc import Sequence

import apart
import context
import dimensions
import models
import people
import rows
from settings import Program, command_line, run

PROGRAMS = {
    "models": Program(models, ""),
    "rows": Program(rows, "--shares 0.01 0.03 0.1"),
    "dimensions": Program(dimensions),
    "people": Program(people, ""),
    "context": Program(context),
    "apart": Program(apart),
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the programs."""
    run(command_line(__doc__ or ""), PROGRAMS, arguments)


if __name__ == "__main__":
    main()
