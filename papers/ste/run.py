"""Make every figure of the paper; a second run continues an interrupted one."""

from collections.abc import Sequence

import comparison
import digit_maps
import generalisation
import gradient_fields
import music_map
from settings import Program, command_line, run

# Gram matrices, which take hours, and digits are left out.
MAIN = "--studies music --dims 2 10 30 --techniques GNMDS-X CKL-X STE-X t-STE"
PROGRAMS = {
    "figure1": Program(gradient_fields, ""),
    "figure4": Program(music_map, ""),
    "figure3": Program(digit_maps),
    "figure2": Program(generalisation, MAIN),
    "comparison": Program(comparison, ""),
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the programs."""
    run(command_line(__doc__ or ""), PROGRAMS, arguments)


if __name__ == "__main__":
    main()
