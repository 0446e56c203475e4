"""What an installation takes on the disk, and how soon it answers.

    python benchmarks/installed_size.py [--source .] [--extras "" web] [--repeats 5]

Each set of extras is installed into an environment of its own, without pip and setuptools in the
count; sizes are those of `du -m`, blocks and all.
"""

import argparse
import compileall
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from statistics import median

from tables import Row, show

ROOT = Path(__file__).parents[1]
TOOLS = ("pip", "setuptools", "pkg_resources", "_distutils_hack", "distutils-precedence.pth")
FIRST_USE = """
import resemblance as rs
rows = [[0, 1, 2], [1, 0, 2], [2, 1, 0], [0, 1, 3], [3, 2, 0]]
rs.STE(n_components=1, n_init=1, random_state=0).fit(rows)
"""
OTHERS = "import numba, sklearn.base"  # what any estimator of ours has to load
TIMED = "import time as t; a, b = t.perf_counter(), t.process_time()\n{}\n"
TIMED += "print(t.perf_counter() - a, t.process_time() - b)"


def install(source: str, folder: Path) -> Path:
    """Make an environment with what a source needs, without bytecode; return its Python."""
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    python = folder / "bin" / "python"
    pip = [python, "-m", "pip", "install", "-q", "--no-compile", source]
    subprocess.run(pip, check=True, stderr=subprocess.DEVNULL)
    return python


def sizes(packages: Path) -> Counter[str]:
    """Return the megabytes (2**20) of each package in a folder, as `du` counts."""
    found: Counter[str] = Counter()
    for entry in packages.iterdir():
        if not entry.name.startswith(TOOLS):
            files = [entry, *entry.rglob("*")] if entry.is_dir() else [entry]
            found[entry.name] = sum(file.lstat().st_blocks for file in files) * 512 / 2**20
    return found


def import_seconds(python: Path) -> float:
    """Return what `-X importtime` tells of `import resemblance`."""
    command = [python, "-X", "importtime", "-c", "import resemblance"]
    told = subprocess.run(command, check=True, capture_output=True, text=True, cwd="/").stderr
    return float(told.splitlines()[-1].split("|")[1]) / 1e6


def seconds(python: Path, code: str) -> list[float]:
    """Return what some code takes in a fresh process: on the clock, and of the processor."""
    command = [python, "-c", TIMED.format(code)]
    told = subprocess.run(command, check=True, capture_output=True, text=True, cwd="/").stdout
    return [float(figure) for figure in told.split()]


def medians(python: Path, code: str, name: str, repeats: int) -> Row:
    """Return the medians of those seconds over some processes."""
    columns = zip(*(seconds(python, code) for _ in range(repeats)), strict=True)
    clock, cpu = (median(column) for column in columns)
    return {f"s of {name}": clock, f"processor s of {name}": cpu}


def measure(extra: str, source: str, repeats: int) -> Row:
    """Install with some extras, and tell sizes and seconds; list the ten largest packages."""
    with tempfile.TemporaryDirectory() as folder:
        python = install(f"{source}[{extra}]" if extra else source, Path(folder))
        (packages,) = Path(folder).glob("lib/python*/site-packages")
        bare = sizes(packages)
        compileall.compile_dir(packages, quiet=2, workers=0)
        compiled = sizes(packages)
        seconds(python, FIRST_USE)  # leaves the compiled loops in their cache
        row: Row = {
            "extras": extra or "none",
            "MB without bytecode": bare.total(),
            "MB with bytecode": compiled.total(),
            "s to import": median(import_seconds(python) for _ in range(repeats)),
        }
        row |= medians(python, FIRST_USE, "a first fit", repeats)
        row |= medians(python, OTHERS, "numba, sklearn alone", repeats)
    largest = [{"package": name, "MB": size} for name, size in compiled.most_common(10)]
    show(f"the ten largest, with bytecode: {row['extras']}", largest)
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--source", default=str(ROOT), help="a wheel or a folder of sources")
    parser.add_argument("--extras", nargs="*", default=["", "web"])
    parser.add_argument("--repeats", type=int, default=5)
    asked = parser.parse_args()
    rows = [measure(extra, asked.source, asked.repeats) for extra in asked.extras]
    show("an installation", rows)


if __name__ == "__main__":
    main()
