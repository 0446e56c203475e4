"""Run the programs of this folder; a second run continues an interrupted one."""

from collections.abc import Sequence

import levels
import music
import softer
import taxonomy
from settings import Program, command_line, run

PROGRAMS = {
    "taxonomy": Program(taxonomy, "--forms native diagonal --splits 1"),
    "music": Program(music, "--splits 1"),
    "levels": Program(levels),
    "softer": Program(softer),
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the programs."""
    run(command_line(__doc__ or ""), PROGRAMS, arguments)


if __name__ == "__main__":
    main()
