"""Define the command-line options of the scripts in this folder."""

import argparse
from pathlib import Path


def command_line(what: str) -> argparse.ArgumentParser:
    """Give a parser with the options that all scripts share."""
    parser = argparse.ArgumentParser(description=what)
    parser.add_argument("--data", type=Path, required=True, help="folder with music/ and mnist/")
    parser.add_argument("--out", type=Path, default=Path("out/ste"), help="folder of the results")
    parser.add_argument("--quick", action="store_true", help="a small run that shows it works")
    return parser


def results_folder(chosen: argparse.Namespace) -> Path:
    """Make the folder of the results if need be; a small run has one of its own."""
    folder = chosen.out / "quick" if chosen.quick else chosen.out
    folder.mkdir(parents=True, exist_ok=True)
    return Path(folder)
