"""Run every script of this folder; a second run continues an interrupted one."""

from collections.abc import Sequence

import human
import intervals
import pictures
import sequential
import simulated
import synthetic
import thresholds
from settings import command_line

SCRIPTS = {
    "synthetic": synthetic,
    "human": human,
    "pictures": pictures,
    "simulated": simulated,
    "thresholds": thresholds,
    "intervals": intervals,
    "sequential": sequential,
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the scripts."""
    parser = command_line(__doc__ or "")
    parser.add_argument("--only", nargs="+", choices=SCRIPTS, default=list(SCRIPTS))
    chosen = parser.parse_args(arguments)
    shared = ["--out", str(chosen.out), "--jobs", str(chosen.jobs)]
    shared += ["--data", str(chosen.data)] if chosen.data else []
    shared += ["--quick"] if chosen.quick else []
    for name in chosen.only:
        print(f"== {name}", flush=True)
        SCRIPTS[name].main(shared)


if __name__ == "__main__":
    main()
