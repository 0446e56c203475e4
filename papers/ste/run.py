"""Make every figure of the paper; a second run continues an interrupted one."""

from collections.abc import Sequence

import comparison
import digit_maps
import generalisation
import gradient_fields
import music_map
from settings import command_line

FIGURES = {
    "figure1": gradient_fields,
    "figure4": music_map,
    "figure3": digit_maps,
    "figure2": generalisation,
    "comparison": comparison,
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the scripts; what `run.py` does not know (such as --jobs) goes to figure 2."""
    parser = command_line(__doc__ or "")
    parser.add_argument("--only", nargs="+", choices=FIGURES, default=list(FIGURES))
    chosen, others = parser.parse_known_args(arguments)
    shared = ["--data", str(chosen.data), "--out", str(chosen.out)]
    shared += ["--quick"] if chosen.quick else []
    for name in chosen.only:
        print(f"== {name}", flush=True)
        FIGURES[name].main([*shared, *(others if name == "figure2" else [])])


if __name__ == "__main__":
    main()
