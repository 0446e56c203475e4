"""Make every table and figure of this folder."""

from collections.abc import Sequence

import apart
import context
import dimensions
import models
import people
import rows
from settings import command_line

PARTS = {
    "models": models,
    "rows": rows,
    "dimensions": dimensions,
    "people": people,
    "context": context,
    "apart": apart,
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the scripts."""
    parser = command_line(__doc__ or "")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    chosen = parser.parse_args(arguments)
    shared = ["--data", str(chosen.data), "--out", str(chosen.out)]
    shared += ["--quick"] if chosen.quick else []
    for name in chosen.only:
        print(f"== {name}", flush=True)
        PARTS[name].main(shared)


if __name__ == "__main__":
    main()
