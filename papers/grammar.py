"""Define the command line that all papers share, and run the programs of a paper.

--only names programs, --jobs says how many cells are computed at a time, --quick makes small
runs that show that all works, and --main makes the main tables of the paper in minutes.
"""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType


@dataclass(frozen=True)
class Program:
    """A program of a paper.

    Attributes
    ----------
    module : module
        Its ``main`` takes the arguments of a command line.
    main : str, optional
        What it is given beside the shared arguments for main tables in minutes; empty, if it makes
        them in full; None, if it makes none.
    """

    module: ModuleType
    main: str | None = None


def command_line(
    what: str, paper: str, data: str, *, needs_data: bool = False
) -> argparse.ArgumentParser:
    """Give a parser with the options that all programs of a paper share."""
    parser = argparse.ArgumentParser(description=what.splitlines()[0])
    parser.add_argument("--data", type=Path, required=needs_data, help=f"folder with {data}")
    parser.add_argument(
        "--out", type=Path, default=Path("out", paper), help="folder of the results"
    )
    parser.add_argument("--jobs", type=int, default=1, help="cells at a time, of what has cells")
    parser.add_argument("--quick", action="store_true", help="a small run that shows it works")
    return parser


def results_folder(chosen: argparse.Namespace) -> Path:
    """Make the folder of the results if need be; a small run has one of its own."""
    folder = Path(chosen.out / "quick" if chosen.quick else chosen.out)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def run(
    parser: argparse.ArgumentParser,
    programs: Mapping[str, Program],
    arguments: Sequence[str] | None = None,
) -> None:
    """Run the programs of a paper.

    With ``--main``, results go to a folder ``main``, unless all that runs makes its tables in full.
    """
    parser.add_argument("--only", nargs="+", choices=programs, help="programs; default: all")
    parser.add_argument("--main", action="store_true", help="the main tables, in minutes")
    chosen = parser.parse_args(arguments)
    of_main = [name for name, program in programs.items() if program.main is not None]
    names = chosen.only or (of_main if chosen.main else list(programs))
    if chosen.main and chosen.quick:
        parser.error("--main and --quick exclude each other: leave one out")
    if chosen.main and (others := [name for name in names if name not in of_main]):
        parser.error(f"--main has no {', '.join(others)}: leave it out, or choose {of_main}")
    reduced = chosen.main and any(programs[name].main for name in of_main)
    shared = ["--out", str(chosen.out / "main" if reduced else chosen.out)]
    shared += ["--jobs", str(chosen.jobs)]
    shared += ["--data", str(chosen.data)] if chosen.data else []
    shared += ["--quick"] if chosen.quick else []
    for name in names:
        print(f"== {name}", flush=True)
        program = programs[name]
        program.module.main([*shared, *((program.main or "").split() if chosen.main else ())])
