"""Run every program of this folder, for the tables of the README."""

import argparse
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).parent
HELPERS = {"run", "table", "worlds"}
SCRIPTS = sorted({path.stem for path in HERE.glob("*.py")} - HELPERS)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the programs, and write what each prints into a folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", help="not needed: all worlds are simulated")
    parser.add_argument("--out", default="out/calibration", help="folder of the tables")
    parser.add_argument("--worlds", type=int, help="how many worlds; default: as each program says")
    told = parser.parse_args(arguments)
    folder = Path(told.out)
    folder.mkdir(parents=True, exist_ok=True)
    more = [] if told.worlds is None else ["--worlds", str(told.worlds)]
    for name in SCRIPTS:
        print(f"== {name}", flush=True)
        command = [sys.executable, HERE / f"{name}.py", *more]
        text = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        (folder / f"{name}.md").write_text(text)
        print(text, flush=True)


if __name__ == "__main__":
    main()
