"""Play seeds until one breaks a promise: ``python tests/simulation/run.py --seeds 10000``.

A failing seed is one line to play again (``--first 4711 --seeds 1``), cut as short as it breaks
still. ``--postgresql`` plays on that database. ``--mutants`` puts the defects back instead, and
counts the seeds that it takes to find each.
"""

import argparse
import logging
import shutil
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import pytest

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from postgres import postgresql
from simulation.mutants import MUTANTS
from simulation.promises import broken
from simulation.template import make_template
from simulation.world import play, program

MEMORY = Path("/dev/shm")  # where there is one: no disk has to turn for a simulation


@dataclass(frozen=True)
class Home:
    """Where worlds are: a folder with the template of all, and perhaps PostgreSQL's address."""

    path: Path
    database: str | None = None


@contextmanager
def workplace(database=None):
    """Lend a home of worlds."""
    with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as path:
        make_template(Path(path) / "template", database)
        yield Home(Path(path), database)


def look(home, seed, steps=None):
    """Play a seed, or some of its steps; give what it broke."""
    folder = home.path / "world"  # the same for all: what is built for a database is built once
    made = contextmanager(play)(seed, home.path / "template", folder, steps, home.database)
    try:
        with made as world:
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


class Player:
    """A process of its own kind, which plays seeds in a home of its own."""

    home = None

    @classmethod
    def begin(cls, homes):
        """Take a home."""
        logging.disable(logging.CRITICAL)
        cls.home = homes.get()

    @classmethod
    def look(cls, seed):
        """Play a seed, and cut one that breaks a promise short."""
        seen = look(cls.home, seed)
        return seed, seen, shorten(cls.home, seed) if seen else []


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
    parser.add_argument("--postgresql", action="store_true", help="on a cluster made for it")
    parser.add_argument("--mutants", nargs="*", help="defects to put back; none named: all")
    chosen = parser.parse_args(arguments)
    logging.disable(logging.CRITICAL)
    began = time.monotonic()
    with ExitStack() as stack:
        of = postgresql().create if chosen.postgresql else lambda: None
        homes = [stack.enter_context(workplace(of())) for _ in range(chosen.jobs)]
        if chosen.mutants is not None:
            print("| defect put back | found by seed | by the promise |\n|---|---|---|")
            for name in chosen.mutants or MUTANTS:
                found = needed(homes[0], name, chosen.seeds)
                seed, promise = (found[0], found[1][0]) if found else ("-", "not found")
                print(f"| {name} | {seed} | {promise} |", flush=True)
            return 0
        return play_all(homes, range(chosen.first, chosen.first + chosen.seeds), began)


def play_all(homes, seeds, began):
    """Play seeds, in as many processes as there are homes; say whether none breaks a promise."""
    failed, context = 0, get_context("fork")
    free = context.SimpleQueue()
    for home in homes:
        free.put(home)
    with ProcessPoolExecutor(len(homes), context, Player.begin, (free,)) as pool:
        for done, (seed, seen, steps) in enumerate(pool.map(Player.look, seeds), 1):
            if seen:
                failed += 1
                database = " --postgresql" if homes[0].database else ""
                print(f"\npython tests/simulation/run.py --first {seed} --seeds 1{database}")
                print(*(f"  {name}: {what}" for name, what in seen), sep="\n")
                print(*(f"    {step}" for step in steps), sep="\n", flush=True)
            elif not done % 100:
                print(f"{done} of {len(seeds)} seeds", flush=True)
    print(f"{failed} of {len(seeds)} seeds broke a promise, {time.monotonic() - began:.0f} s")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
