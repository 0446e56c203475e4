"""Every program of this folder, one after the other: the tables of the README."""

import argparse
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from table import markdown

SCRIPTS = "errors", "ellipses", "dimensions", "screening", "people", "forecasts", "plans"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the programs, and write each table into a folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", help="not needed: all worlds are simulated")
    parser.add_argument("--out", default="out/calibration", help="folder of the tables")
    parser.add_argument("--worlds", type=int, default=200, help="how many worlds")
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time")
    told = parser.parse_args(arguments)
    folder = Path(told.out)
    folder.mkdir(parents=True, exist_ok=True)
    for name in SCRIPTS:
        print(f"== {name}", flush=True)
        text = markdown(import_module(name).table(told.worlds, told.jobs))
        (folder / f"{name}.md").write_text(f"{text}\n")
        print(text, flush=True)


if __name__ == "__main__":
    main()
