"""The lanes of the tests, one thread for each of their processes, and other seeds for all.

A test is in the lane of what it starts: ``browser``, ``server`` (another process: a server, a
worker, a command, a cluster, PostgreSQL) or ``paper``. Which one is read off its code, its fixtures
and the helpers that these call; a test whose command starts a server out of sight says so by a
marker. The functions of ``tests/slow.txt`` are ``slow``.
"""

import gc
import os
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from inspect import unwrap
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import pytest
from hypothesis import settings

# How long an example takes says nothing on a busy machine.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")

# Tests run beside each other: what is left to threads of BLAS is spent on waiting for each other.
for library in ("OMP", "OPENBLAS", "MKL", "NUMBA"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

# What tests write goes to memory where there is room: to wait until a disk has what it is told to
# keep takes as long as all else where the disk is busy.
MEMORY, ROOM = "/dev/shm", 4 << 30  # bytes; all tests together write half a gigabyte
if "TMPDIR" not in os.environ and os.access(MEMORY, os.W_OK):
    there = os.statvfs(MEMORY)
    if there.f_bavail * there.f_frsize > ROOM and not there.f_flag & os.ST_NOEXEC:
        os.environ["TMPDIR"], tempfile.tempdir = MEMORY, None

# Before anything is imported that draws numbers: every seed of tests and product is another one
# under SEED_SHIFT, and what is drawn without a seed is the same in every run.
import numpy as np  # noqa: E402
import sklearn.utils  # noqa: E402

SHIFT = 1_000_003 * int(os.environ.get("SEED_SHIFT", "0"))


def shifted(made_of: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Shift an integer seed, the first of several too; None is 0, a generator stays."""

    def maker(seed: Any = None) -> Any:
        if isinstance(seed, list | tuple | np.ndarray):
            return made_of([int(seed[0]) + SHIFT, *seed[1:]])
        if seed is None or isinstance(seed, int | np.integer):
            return made_of((int(seed or 0) + SHIFT) % 2**32)
        return made_of(seed)

    return maker


np.random.default_rng = shifted(np.random.default_rng)  # type: ignore[assignment]
sklearn.utils.check_random_state = shifted(sklearn.utils.check_random_state)

HERE = Path(__file__).parent
PAPERS = HERE / "tests" / "papers"
TESTS = str(HERE / "tests")
SLOW = HERE / "tests" / "slow.txt"  # made by make slow
STARTERS = (
    *("subprocess", "multiprocessing", "distributed", "uvicorn"),
    *("postgres", "resemblance.web.supervisor"),
)


@pytest.fixture(autouse=True, scope="session")
def _same_questions() -> Iterator[None]:
    """Draw the questions of studies alike in every run, those that several tests share too.

    They hang on a study's secret, and on pseudonyms, which are P0001, P0002, ... here.
    """
    from resemblance.store import people, studies

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(people, "drawn", lambda: "")
        patch.setattr(studies, "new_secret", lambda: "the same in every run")
        yield


# Some million objects of thousands of tests stay until the end: to look through them again and
# again takes a seventh of the time in which they are made, and some of each test's.
gc.disable()


def pytest_collection_finish() -> None:
    """Let the collection of garbage pass over what is there before the first test."""
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put every test into its lane."""
    slow = set(SLOW.read_text(encoding="utf-8").split())
    for item in items:
        if item.nodeid.partition("[")[0] in slow:
            item.add_marker("slow")
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker("browser")
        elif item.path.is_relative_to(PAPERS):
            item.add_marker("paper")
        elif isinstance(item, pytest.Function) and starts_processes(item):
            item.add_marker("server")
    # The longest tests come first, so that no process works on them alone at the end.
    items.sort(key=lambda item: item.get_closest_marker("guide") is None)


def starts_processes(item: pytest.Function) -> bool:
    """Say whether a test, or a fixture or helper of it, mentions what starts processes."""
    on_sqlite = "sqlite" in item.name.partition("[")[2]
    fixtures = item._fixtureinfo.name2fixturedefs.values()
    used = (one.func for defs in fixtures for one in defs)
    return lead_to_processes((item.function, *used), on_sqlite)


@cache
def lead_to_processes(functions: tuple[object, ...], on_sqlite: bool) -> bool:
    """Say so of functions and of all that they mention."""
    todo = list(functions)
    seen: set[int] = set()
    while todo:
        thing = todo.pop()
        room = thing.__name__ if isinstance(thing, ModuleType) else getattr(thing, "__module__", "")
        if room == "postgres" and on_sqlite:
            continue
        if isinstance(room, str) and room.startswith(STARTERS):
            return True
        if id(thing) not in seen:
            seen.add(id(thing))
            todo += mentioned(thing)
    return False


def mentioned(thing: object) -> Iterator[object]:
    """Give what a function of the tests, or the functions of a class, mention by global names."""
    for part in vars(thing).values() if isinstance(thing, type) else [thing]:
        function = unwrap(part) if isinstance(part, FunctionType) else None
        if function and function.__code__.co_filename.startswith(TESTS):
            for name in names_in(function.__code__):
                yield function.__globals__.get(name)


def names_in(code: CodeType) -> Iterator[str]:
    """Give the names that code looks up, those of the functions inside it too."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from names_in(constant)


@pytest.fixture(autouse=True)
def same_draws(request: pytest.FixtureRequest) -> None:
    """Let a test draw the same numbers of its file's RNG, whichever tests ran before it."""
    file = request.node.getparent(pytest.Module)
    rng = getattr(file and file.obj, "RNG", None)
    if rng is not None:
        rng.bit_generator.state = np.random.default_rng([0, 1]).bit_generator.state
