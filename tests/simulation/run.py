"""Play seeds until one breaks a promise: ``python tests/simulation/run.py --seeds 10000``.

A failing seed is one line to play again (``--first 4711 --seeds 1``), cut as short as it breaks
still. ``--mutants`` puts the defects back instead, and counts the seeds that it takes to find each.
"""

import argparse
import logging
import shutil
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from simulation.mutants import MUTANTS
from simulation.promises import broken
from simulation.world import make_template, play, program

MEMORY = Path("/dev/shm")  # where there is one: no disk has to turn for a simulation


@contextmanager
def workplace():
    """Lend a folder with the template of all worlds in it."""
    with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as home:
        make_template(Path(home) / "template")
        yield Path(home)


def look(home, seed, steps=None):
    """Play a seed, or some of its steps; give what it broke."""
    folder = home / "world"  # the same for all: what is built for a database is built once
    try:
        with contextmanager(play)(seed, home / "template", folder, steps) as world:
            return broken(world)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def shorten(home, seed):
    """Leave out steps, in ever smaller stretches, as long as a promise is broken without them."""
    steps = program(seed)
    size = len(steps) // 2
    while size:
        for begin in range(0, len(steps), size):
            fewer = steps[:begin] + steps[begin + size :]
            if look(home, seed, fewer):
                steps = fewer
                break
        else:
            size //= 2
    return steps


def look_alone(seed):
    """Play a seed in a process of its own kind, quietly."""
    logging.disable(logging.CRITICAL)
    with workplace() as home:
        seen = look(home, seed)
        return seed, seen, shorten(home, seed) if seen else []


def needed(home, name, most):
    """Count the seeds until a defect that is put back is found; None where it is not."""
    with pytest.MonkeyPatch.context() as patch:
        MUTANTS[name](patch)
        for seed in range(most):
            if seen := look(home, seed):
                return seed, seen[0]
    return None


def main(arguments=None):
    """Play, and say what was found."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--mutants", nargs="*", help="defects to put back; none named: all")
    chosen = parser.parse_args(arguments)
    logging.disable(logging.CRITICAL)
    began = time.monotonic()
    if chosen.mutants is not None:
        print("| defect put back | found by seed | by the promise |\n|---|---|---|")
        with workplace() as home:
            for name in chosen.mutants or MUTANTS:
                found = needed(home, name, chosen.seeds)
                seed, promise = (found[0], found[1][0]) if found else ("-", "not found")
                print(f"| {name} | {seed} | {promise} |", flush=True)
        return 0
    seeds, failed = range(chosen.first, chosen.first + chosen.seeds), 0
    with ProcessPoolExecutor(chosen.jobs) as pool:
        for done, (seed, seen, steps) in enumerate(pool.map(look_alone, seeds), 1):
            if seen:
                failed += 1
                print(f"\npython tests/simulation/run.py --first {seed} --seeds 1")
                print(*(f"  {name}: {what}" for name, what in seen), sep="\n")
                print(*(f"    {step}" for step in steps), sep="\n", flush=True)
            elif not done % 100:
                print(f"{done} of {len(seeds)} seeds", flush=True)
    print(f"{failed} of {len(seeds)} seeds broke a promise, {time.monotonic() - began:.0f} s")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
