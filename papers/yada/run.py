"""Run every script of this folder; a second run continues an interrupted one."""

from collections.abc import Sequence

import adaptive
import figures
import tables
from settings import command_line

SCRIPTS = {"tables": tables, "figures": figures, "adaptive": adaptive}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the scripts; what `run.py` does not know (such as --seeds) goes to the tables."""
    parser = command_line(__doc__ or "")
    parser.add_argument("--jobs", type=int, default=1, help="cells at a time")
    parser.add_argument("--only", nargs="+", choices=SCRIPTS, default=list(SCRIPTS))
    chosen, others = parser.parse_known_args(arguments)
    shared = ["--out", str(chosen.out), "--jobs", str(chosen.jobs)]
    shared += ["--data", str(chosen.data)] if chosen.data else []
    shared += ["--quick"] if chosen.quick else []
    for name in chosen.only:
        print(f"== {name}", flush=True)
        SCRIPTS[name].main([*shared, *(others if name == "tables" else [])])


if __name__ == "__main__":
    main()
