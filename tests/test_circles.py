"""No module imports itself by way of others, for type hints alone included."""

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src"
MODULES = {
    ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__"): path
    for path in SOURCE.rglob("*.py")
}
PACKAGES = ("analysis", "asking", "catalog", "cli", "fitting", "staircase", "store", "study", "web")


def imports_of(name):
    found = set()
    for node in ast.walk(ast.parse(MODULES[name].read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {one.name for one in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            whole = (f"{node.module}.{one.name}" for one in node.names)
            found |= {one if one in MODULES else node.module for one in whole}
    return found & MODULES.keys() - {name}


@pytest.mark.parametrize("package", PACKAGES)
def test_no_import_goes_round_in_a_circle(package):
    inside = f"resemblance.{package}"
    names = {name for name in MODULES if name == inside or name.startswith(f"{inside}.")}
    assert names
    try:
        TopologicalSorter({name: imports_of(name) & names for name in names}).prepare()
    except CycleError as circle:
        pytest.fail(" imports ".join(circle.args[1]))
