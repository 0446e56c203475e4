"""Time the loops and the fits: python benchmarks/run.py --data FOLDER [--only loops,digits]."""

import argparse
import json
import os
import platform
from collections.abc import Callable
from datetime import date
from pathlib import Path

import against_cblearn
import loops
import memory
import problems
from tables import Row, show
from workers import cblearn_python

import resemblance as rs


def main() -> None:
    """Run the selected sections; keep earlier results of the others."""
    options = _options()
    report = options.out / "benchmarks.json"
    results = json.loads(report.read_text()) if report.exists() else {}
    report.parent.mkdir(parents=True, exist_ok=True)
    for name in options.only:
        rows = SECTIONS[name](options)
        show(name, rows)
        results[name] = {"machine": _machine(), "rows": rows}
        report.write_text(json.dumps(results, indent=2) + "\n")


def _loops(_: argparse.Namespace) -> list[Row]:
    return loops.run()


def _digits(options: argparse.Namespace) -> list[Row]:
    return _against(problems.digits(options.out / "benchmarks"), options)


def _music(options: argparse.Namespace) -> list[Row]:
    return _against(problems.music(options.out / "benchmarks", options.data), options)


def _against(problem: problems.Problem, options: argparse.Namespace) -> list[Row]:
    python = cblearn_python(options.cblearn_python)
    return against_cblearn.run(problem, python, options.methods, options.fits)


def _blobs(options: argparse.Namespace) -> list[Row]:
    blobs = problems.blobs(options.out / "benchmarks")
    rows = memory.run(blobs, options.methods or ["STE", "TSTE"], repeats=3)
    if options.with_cblearn:
        python = cblearn_python(options.cblearn_python)
        rows += memory.run(blobs, ["STE"], library="cblearn", python=python)
    return rows


def _memory(options: argparse.Namespace) -> list[Row]:
    many = problems.blobs(options.out / "benchmarks", n_items=10_000, n_train=10_000_000)
    return memory.run(many, options.methods or ["STE"])


def _items(options: argparse.Namespace) -> list[Row]:
    return memory.run(
        problems.far_apart(options.out / "benchmarks"), options.methods or ["STE", "TSTE"]
    )


SECTIONS: dict[str, Callable[[argparse.Namespace], list[Row]]] = {
    "loops": _loops,
    "digits": _digits,
    "music": _music,
    "blobs": _blobs,
    "memory": _memory,
    "items": _items,
}


def _machine() -> dict[str, object]:
    return {
        "date": date.today().isoformat(),
        "cores": os.cpu_count(),
        "processor": platform.machine(),
        "python": platform.python_version(),
        "resemblance": rs.__version__,
    }


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the public data")
    parser.add_argument("--out", type=Path, default=Path("out"), help="where results go")
    parser.add_argument("--only", type=_names, default=list(SECTIONS), help=", ".join(SECTIONS))
    parser.add_argument("--methods", type=_names, help="such as STE,TSTE; all by default")
    parser.add_argument("--fits", type=int, help="fits beside cblearn; 5 of STE, else 3")
    parser.add_argument("--with-cblearn", action="store_true", help="cblearn on the blobs too")
    parser.add_argument("--cblearn-python", type=Path, help="an interpreter that has cblearn")
    return parser.parse_args()


def _names(text: str) -> list[str]:
    return text.split(",")


if __name__ == "__main__":
    main()
