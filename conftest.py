"""Sort tests into lanes, limit each process to one thread, and shift all seeds.

The lane of a test is ``browser``, ``server`` (it starts another process: a server, a worker, a
command, a cluster, PostgreSQL) or ``paper``. It is derived from the code of the test, its fixtures
and the helpers that these call, or set by a marker. The functions in ``tests/slow.txt`` are
``slow``.
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

# no deadline of examples, since times vary on a busy machine
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")

# Tests run in parallel processes, so further threads of BLAS would only wait for each other.
for library in ("OMP", "OPENBLAS", "MKL", "NUMBA"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

# Temporary files go to memory if there is room, because syncing to a busy disk would double the
# time of the tests.
MEMORY, ROOM = "/dev/shm", 4 << 30  # bytes; all tests together write half a gigabyte
if "TMPDIR" not in os.environ and os.access(MEMORY, os.W_OK):
    there = os.statvfs(MEMORY)
    if there.f_bavail * there.f_frsize > ROOM and not there.f_flag & os.ST_NOEXEC:
        os.environ["TMPDIR"], tempfile.tempdir = MEMORY, None

# Before other imports: shift every seed of tests and package by SEED_SHIFT, and make draws without
# a seed the same in every run.
import numpy as np  # noqa: E402
import sklearn.utils  # noqa: E402

SHIFT = 1_000_003 * int(os.environ.get("SEED_SHIFT", "0"))


def shifted(made_of: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Shift an integer seed, or the first of several; None counts as 0, generators are kept."""

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
    """Make the questions of studies the same in every run, also those that tests share.

    They depend on a study's secret, and on pseudonyms, which are P0001, P0002, ... here.
    """
    from resemblance.store import people, studies

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(people, "drawn", lambda: "")
        patch.setattr(studies, "new_secret", lambda: "the same in every run")
        yield


# Thousands of tests keep some million objects until the end. Garbage collections of these would
# take a seventh of the time for collecting tests, and some time in each test.
gc.disable()


def pytest_collection_finish() -> None:
    """Exclude objects that exist before the first test from garbage collection."""
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
    # The longest tests run first, so that no process works alone at the end.
    items.sort(key=lambda item: item.get_closest_marker("guide") is None)


def starts_processes(item: pytest.Function) -> bool:
    """Return whether a test, or a fixture or helper of it, mentions a way to start processes."""
    on_sqlite = "sqlite" in item.name.partition("[")[2]
    fixtures = item._fixtureinfo.name2fixturedefs.values()
    used = (one.func for defs in fixtures for one in defs)
    return lead_to_processes((item.function, *used), on_sqlite)


@cache
def lead_to_processes(functions: tuple[object, ...], on_sqlite: bool) -> bool:
    """Return whether functions, or anything that they mention, start processes."""
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
    """Yield the global objects that a function, or the functions of a class, mention."""
    for part in vars(thing).values() if isinstance(thing, type) else [thing]:
        function = unwrap(part) if isinstance(part, FunctionType) else None
        if function and function.__code__.co_filename.startswith(TESTS):
            for name in names_in(function.__code__):
                yield function.__globals__.get(name)


def names_in(code: CodeType) -> Iterator[str]:
    """Yield the names that code looks up, also in inner functions."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from names_in(constant)


@pytest.fixture(autouse=True)
def same_draws(request: pytest.FixtureRequest) -> None:
    """Reset the RNG of a test's file, so that draws do not depend on earlier tests."""
    file = request.node.getparent(pytest.Module)
    rng = getattr(file and file.obj, "RNG", None)
    if rng is not None:
        rng.bit_generator.state = np.random.default_rng([0, 1]).bit_generator.state
