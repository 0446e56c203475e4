"""Run every script of this folder."""

import argparse
from collections.abc import Sequence

import learning_search
import online
import pairs
import pictures
import plan
import rates
import replay
import search_study
import svm
import twenty

SCRIPTS = {
    "figure2": twenty,
    "figure3": pairs,
    "figures4to7": pictures,
    "figure8": svm,
    "replay": replay,
    "rates": rates,
    "plan": plan,
    "theorem1": online,
    "search_study": search_study,
    "learning_search": learning_search,
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the scripts into one folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True, help="folder with alien_eggs/")
    parser.add_argument("--out", default="out/crowd-kernel", help="folder of the results")
    parser.add_argument("--quick", action="store_true", help="a small run that shows it works")
    parser.add_argument("--only", nargs="+", choices=SCRIPTS, default=list(SCRIPTS))
    chosen = parser.parse_args(arguments)
    shared = ["--out", chosen.out, *(["--quick"] if chosen.quick else [])]
    for name in chosen.only:
        print(f"== {name}", flush=True)
        script = SCRIPTS[name]
        script.main(shared if script is online else ["--data", chosen.data, *shared])


if __name__ == "__main__":
    main()
