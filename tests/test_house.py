"""Check the rules of CONTRIBUTING.md, and the budgets of `tests/budgets.toml`."""

import ast
import importlib
import inspect
import json
import re
import subprocess
import sys
import tokenize
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest

import resemblance as rs

ROOT = Path(__file__).parents[1]
SOURCES = sorted((ROOT / "src").rglob("*.py"))
PROGRAMS = sorted(p for d in ("tests", "benchmarks", "papers") for p in (ROOT / d).rglob("*.py"))


@cache
def nodes_of(path):
    return [*ast.walk(ast.parse(path.read_text(encoding="utf-8")))]


def functions(path):
    for node in nodes_of(path):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            documented = ast.get_docstring(node) is not None
            body = node.body[1:] if documented else node.body
            yield node.name, (node.end_lineno - body[0].lineno + 1) if body else 0


def test_files_can_be_read():
    """Most are shorter than 400 lines; a class that is one idea may be longer, not endless."""
    frontend = (ROOT / "src").rglob("*.js")
    long = {
        str(p.relative_to(ROOT)): n
        for p in (*SOURCES, *frontend)
        if (n := len(p.read_text().splitlines())) > 600
    }
    assert not long


def test_functions_are_short():
    assert not {
        f"{path.relative_to(ROOT)}:{name}": n
        for path in SOURCES
        if path.name not in ("_loops.py", "_kernels.py")
        for name, n in functions(path)
        if n > 50
    }


@cache
def first_words(path):
    """Return the docstring of a module, or "", without parsing the rest."""
    with path.open("rb") as file:
        for token in tokenize.tokenize(file.readline):
            if token.type == tokenize.STRING:
                return ast.literal_eval(token.string).strip()
            if token.type not in (tokenize.ENCODING, tokenize.COMMENT, tokenize.NL):
                return ""
    return ""


QUESTIONS = re.compile(r"(what|who|whom|whose|which|how|where|whether|when|why)\b", re.IGNORECASE)
CLAUSES = re.compile(
    r"((by|beyond|in|from|to) which|of|so that|that|which|whose|as|where)\b", re.IGNORECASE
)
LIKE_CLAUSES = re.compile("#[: #]*" + CLAUSES.pattern, re.IGNORECASE)


def test_first_lines_of_modules_name_a_thing_or_begin_with_a_verb():
    assert not {
        str(path.relative_to(ROOT)): first
        for path in (*SOURCES, *PROGRAMS)
        if QUESTIONS.match(first := first_words(path))
    }


def test_first_lines_of_modules_have_no_question_after_a_colon():
    lines = {path: first_words(path).partition("\n")[0].partition(": ")[2] for path in SOURCES}
    assert not {str(path): line for path, line in lines.items() if QUESTIONS.match(line)}


def comments(path):
    """Give the number and the text of each comment; lines below each other are one comment."""
    last = 0
    with path.open("rb") as file:
        tokens = list(tokenize.tokenize(file.readline))
    for token in tokens:
        if token.type != tokenize.COMMENT:
            continue
        number, whole_line = token.start[0], token.line.strip().startswith("#")
        if not (whole_line and number == last + 1):
            yield number, token.string.lstrip("#: ")
        last = number if whole_line else 0


def test_comments_are_no_loose_clauses():
    assert not [
        f"{path.relative_to(ROOT)}:{number}: {text}"
        for path in SOURCES
        if LIKE_CLAUSES.search(path.read_text(encoding="utf-8"))
        for number, text in comments(path)
        if CLAUSES.match(text)
    ]


VAGUE = {"told", "found", "known", "some", "one", "shown"}
NAMED_SO_FOR_OTHERS = {
    "asking/fit_job.py: told",  # logs of sessions have it
    "asking/search.py: shown",  # public
    "judgments/classifications.py: shown",  # public
    "observers/machines.py: shown",  # public
    "store/records.py: told",  # a column
    "study/protocol.py: shown",  # pages send it
}


def test_names_say_what_they_hold():
    """What is assigned, or taken one by one, is called by what it is."""
    vague = {
        f"{path.relative_to(ROOT / 'src' / 'resemblance')}: {name}"
        for path in SOURCES
        for node in nodes_of(path)
        if isinstance(getattr(node, "ctx", None), ast.Store)
        if (name := getattr(node, "id", getattr(node, "attr", ""))).strip("_") in VAGUE
    }
    assert vague == NAMED_SO_FOR_OTHERS


def test_fitting_asks_for_no_kind_of_judgments_and_others_seldom():
    kinds = {
        name
        for name, thing in vars(rs.judgments).items()
        if inspect.isclass(thing) and issubclass(thing, rs.judgments.base.OneKind)
    }
    assert {"Triplets", "Ratings", "Arrangements"} <= kinds
    kinds.discard("OneKind")
    asking = [
        str(path.relative_to(ROOT / "src" / "resemblance"))
        for path in SOURCES
        if "judgments" not in path.parts
        for node in nodes_of(path)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "isinstance"
        if kinds & {getattr(part, "attr", getattr(part, "id", "")) for part in ast.walk(node)}
    ]
    assert not [path for path in asking if path.startswith("fitting/")]
    assert len(asking) <= 8, asking


def test_what_is_called_slow_is_there():
    for test in (ROOT / "tests" / "slow.txt").read_text().split():
        path, *_, name = test.split("::")
        assert f" {name.rpartition('.')[2]}" in (ROOT / path).read_text(), test


def public_names():
    return [name for name in rs.__all__ if not inspect.ismodule(getattr(rs, name))]


def lacks(thing):
    """Say what the documentation of a public thing lacks, if anything."""
    doc = inspect.getdoc(thing) or ""
    if ">>>" not in doc:
        yield "an example"
    if inspect.isclass(thing):
        methods = [m for n, m in inspect.getmembers(thing, callable) if not n.startswith("_")]
        own = [m for m in methods if getattr(m, "__module__", "").startswith("resemblance")]
        yield from (m.__qualname__ for m in own if not inspect.getdoc(m))
    yield from (p for p in inspect.signature(thing).parameters if p not in doc)


def test_every_public_name_is_documented():
    missing = {name: list(lacks(getattr(rs, name))) for name in public_names()}
    assert len(missing) > 100
    assert not {name: what for name, what in missing.items() if what}


def test_every_public_name_is_in_the_reference():
    pages = "\n".join(p.read_text() for p in (ROOT / "docs" / "api").glob("*.rst"))
    assert not [name for name in public_names() if f"   {name}\n" not in pages]


def test_unknown_names_are_refused():
    with pytest.raises(AttributeError, match="nonsense"):
        rs.nonsense  # noqa: B018


def test_importing_loads_nothing_heavy():
    code = "import sys, json, resemblance; print(json.dumps(sorted(sys.modules)))"
    loaded = json.loads(subprocess.check_output([sys.executable, "-c", code]))
    heavy = {"numpy", "scipy", "sklearn", "numba", "pandas", "matplotlib", "typer"}
    assert not heavy & set(loaded)


def signatures(thing):
    methods = inspect.getmembers(thing, inspect.isfunction) if inspect.isclass(thing) else []
    own = [f for n, f in methods if not n.startswith("_") and f.__module__.startswith("resemb")]
    return [str(inspect.signature(callable_)) for callable_ in (thing, *own)]


def test_signatures_are_short_enough_to_read():
    """Aliases of types are shown by their names, not written out."""
    told = {name: signatures(getattr(rs, name)) for name in public_names()}
    assert not [name for name, own in told.items() if max(map(len, own)) >= 800]
    assert not [name for name, own in told.items() if "NestedSequence" in " ".join(own)]


def test_programs_use_what_there_is():
    """Benchmarks need peers or data to run: what they take of this package is there at least."""
    lacking = []
    programs = [*(ROOT / "benchmarks").rglob("*.py"), *(ROOT / "papers").rglob("*.py")]
    for path in programs:
        for node in nodes_of(path):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("resemblance"):
                wanted = [(node.module, name.name) for name in node.names]
            elif isinstance(node, ast.Attribute) and ast.unparse(node.value) == "rs":
                wanted = [("resemblance", node.attr)]
            else:
                continue
            lacking += [(path.name, *names) for names in wanted if not importable(*names)]
    assert len(programs) > 50
    assert not lacking


def importable(module, name):
    there = importlib.import_module(module)
    package = hasattr(there, "__path__")
    return hasattr(there, name) or (package and find_spec(f"{module}.{name}") is not None)
