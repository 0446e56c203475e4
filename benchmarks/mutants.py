"""Test mutants of store and sessions: ``make mutants ARGS="--sample 150 --seed 1"``.

Lines are changed by the operators of Cosmic Ray, and by one that removes a statement. Each mutant,
in a copy of the tree, must fail a test; docs/promises.md lists those that survive, and why.
"""

import argparse
import ast
import atexit
import difflib
import importlib
import os
import random
import select
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import Manager, get_context
from pathlib import Path

import cosmic_ray.mutating as mutating
import cosmic_ray.plugins as plugins
import pytest
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.operators.operator import Operator
from parso.python.tree import Name

HERE = Path(__file__).parents[1]
SOURCE = HERE / "src" / "resemblance"
FILES = {  # mutated files, with the tests to run first
    "store/people.py": "web/test_withdrawal.py attacks/test_erasure.py "
    "attacks/test_before_consent.py",
    "store/engines.py": "attacks/test_erasure.py",
    "store/retention.py": "attacks/test_retention.py",
    "store/questions.py": "store/test_turns.py attacks/test_withdrawal.py",
    "store/pool.py": "attacks/test_withdrawal.py",
    "store/lease.py": "contracts/test_store_contract.py study/test_worker.py",
    "store/database.py": "store/test_writer.py",
    "store/schema.py": "store/test_migrations.py attacks/test_operations.py",
    "store/backup.py": "study/test_backup.py attacks/test_newer_tables.py",
    "study/participation.py": "web/test_participants.py web/test_withdrawal.py study/test_days.py "
    "attacks/test_unearned.py study/test_languages.py web/test_conditions.py "
    "web/test_languages.py",
    "study/entry.py": "web/test_participants.py attacks/test_entry.py study/test_conditions.py "
    "web/test_languages.py web/test_conditions.py attacks/test_networks.py "
    "attacks/test_retention.py",
    "web/accounts.py": "web/test_accounts.py attacks/test_accounts.py",
    "web/participants.py": "web/test_participants.py web/test_guards.py",
}
ALL = (
    "contracts/test_store_contract.py attacks/test_withdrawal.py web/test_participants.py "
    "simulation/test_simulation.py::test_no_seed_breaks_a_promise[0]"
)
FEW = "Add_Sub", "Sub_Add", "BitOr_BitAnd"  # replacements of binary operators to use
PRELOADED = (  # modules imported before forking a process for each run
    *("alembic.command", "fastapi.testclient", "httpx", "numba", "pandas", "psycopg"),
    *("scipy.optimize", "sklearn.base", "sqlalchemy.dialects.postgresql", "uvicorn"),
)
SURVIVES = "survives"
PLACES = {}  # places of mutants, with operators and occurrences; inherited by forks
LANES = "not postgresql", "postgresql"  # the fast tests first


class LeaveOut(Operator):
    """Remove a statement: a call, an assignment, or a raise."""

    def mutation_positions(self, node):
        said = node.get_code(include_prefix=False) if node.type == "simple_stmt" else "pass"
        if node.start_pos[1] and not said.startswith(("import", "from", '"""', "pass")):
            yield node.start_pos, node.end_pos

    def mutate(self, node, index):
        node.children = [
            Name("pass", node.start_pos, node.children[0].get_first_leaf().prefix),
            node.children[-1],
        ]
        return node

    @classmethod
    def examples(cls):
        return ()


def operators():
    """Return the operators, with only a few replacements of binary operators."""
    yield LeaveOut()
    for name in plugins.operator_names():
        seldom = "BinaryOperator" in name and not name.endswith(
            ("Add_Sub", "Sub_Add", "BitOr_BitAnd")
        )
        if not seldom and "Variable" not in name:
            yield plugins.get_operator(name)()


def types_in(text):
    for node in ast.walk(ast.parse(text)):
        for one in (getattr(node, name, None) for name in ("annotation", "returns")):
            if one is not None:
                yield (one.lineno, one.col_offset), (one.end_lineno, one.end_col_offset)


def mutants_of(name):
    """Return the mutants of a file by place: operator, occurrence and lines."""
    file = SOURCE / name
    text, places = file.read_text(), {}
    apart = list(types_in(text))
    for operator in operators():
        number = 0
        for node in ast_nodes(get_ast(text)):
            for begin, end in operator.mutation_positions(node):
                if not any(low <= begin and end <= high for low, high in apart):
                    places.setdefault((name, begin, end), []).append((operator, number))
                number += 1
    return places


def tests(name):
    """Return the tests for a file, starting with those listed in ``FILES``."""
    return list(dict.fromkeys(f"tests/{one}" for one in f"{FILES[name]} {ALL}".split()))


def outcome(tree, name, limit):
    """Run the tests in a tree; return the first failed test, or ``SURVIVES``."""
    for lane in LANES:
        found = first_failure(tree, ["-k", lane, *tests(name)], limit)
        if found != SURVIVES:
            return found
    return SURVIVES


def first_failure(tree, arguments, limit):
    """Run tests in a fork of this process, which has imported other packages already."""
    ear, mouth = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            play(tree, arguments, mouth)
        finally:
            os._exit(1)
    os.close(mouth)
    with open(ear) as told:
        in_time, *_ = select.select([told], [], [], limit)
        if not in_time:
            os.killpg(child, signal.SIGKILL)
        os.waitpid(child, 0)
        found = told.read().split()
    return ([*found, "does not load"] if in_time else ["too slow"])[0]


def play(tree, arguments, mouth):
    """Run tests, and write the first that fails to a pipe."""
    os.setsid()
    os.chdir(tree)
    atexit._clear()
    sys.path[:0] = [f"{tree}/src", f"{tree}/tests"]
    os.environ["PYTHONPATH"] = ":".join(sys.path[:2])
    for stream in (1, 2):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream)

    class First:
        def pytest_runtest_logreport(self, report):
            if report.failed:
                os.write(mouth, f"{report.nodeid.replace(' ', '_')}\n".encode())

    code = pytest.main(["-x", "-q", "-p", "no:cacheprovider", *arguments], plugins=[First()])
    if code in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        os.write(mouth, SURVIVES.encode())
    atexit._run_exitfuncs()  # stops PostgreSQL


def judge(place, limit, trees):
    """Test one of the mutants of a place, in a free tree."""
    name, (line, _), _ = place
    operator, number = random.Random(f"{place}").choice(PLACES[place])
    tree, began = trees.get(), time.monotonic()
    file = Path(tree) / "src" / "resemblance" / name
    with mutating.use_mutation(file, operator, number) as (before, after):
        found = outcome(tree, name, limit)
    trees.put(tree)
    lines = difflib.unified_diff(before.split("\n"), after.split("\n"), n=0)
    took = f"{found} ({time.monotonic() - began:.0f} s)"
    print(f"{name}:{line}", took, *list(lines)[3:], sep="\n    ", flush=True)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sample", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--limit", type=float, default=900.0, help="seconds for the tests of one")
    parser.add_argument("--files", nargs="*", default=list(FILES))
    chosen = parser.parse_args()
    chance = random.Random(chosen.seed)
    for name in chosen.files:
        PLACES.update(mutants_of(name))
    drawn = chance.sample(sorted(PLACES), min(chosen.sample, len(PLACES)))
    print(f"{len(drawn)} of {len(PLACES)} places", flush=True)
    for library in PRELOADED:
        importlib.import_module(library)
    with tempfile.TemporaryDirectory() as home, Manager() as manager:
        trees = manager.Queue()
        for number in range(chosen.jobs):
            left = shutil.ignore_patterns("node_modules", ".git", ".venv*", "dist", "_build")
            trees.put(shutil.copytree(HERE, f"{home}/{number}", ignore=left))
        with ProcessPoolExecutor(chosen.jobs, get_context("fork")) as pool:
            under_way = [pool.submit(judge, place, chosen.limit, trees) for place in drawn]
            found = Counter(one.result() for one in under_way)
    print(f"{len(drawn) - found[SURVIVES]} killed, {found[SURVIVES]} survive")


if __name__ == "__main__":
    main()
