"""Keep the package within its budgets: `tests/budgets.toml`."""

import inspect
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer
from pydantic import BaseModel

import resemblance as rs
from code_lines import code_lines
from resemblance.cli.app import app
from resemblance.study.settings import Settings

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "resemblance"
BUDGETS = tomllib.loads((ROOT / "tests" / "budgets.toml").read_text(encoding="utf-8"))
SLACK = 0.05  # a package that is smaller by more lowers its budget


def settings_of(section: type[BaseModel]) -> Iterator[str]:
    """Yield the settings of a section and its subsections."""
    for name, field in section.model_fields.items():
        inner = field.annotation
        if inspect.isclass(inner) and issubclass(inner, BaseModel):
            yield from settings_of(inner)
        else:
            yield name


def options() -> int:
    commands = typer.main.get_command(app).commands.values()
    parameters = [parameter for command in commands for parameter in command.params]
    return sum(p.param_type_name == "option" and p.name != "help" for p in parameters)


def words() -> int:
    """Count the words of hand-written documentation."""
    left_out = {"_build", "paper", "command-line.md"}  # docs/_command_line.py makes the last one
    pages = [path for path in (ROOT / "docs").rglob("*.md") if not left_out & {*path.parts}]
    return sum(len(page.read_text(encoding="utf-8").split()) for page in pages)


def measured() -> dict[str, int]:
    return {
        "files": len(list(PACKAGE.rglob("*.py"))),
        "public_names": len(
            [name for name in rs.__all__ if not inspect.ismodule(getattr(rs, name))]
        ),
        "settings": len(list(settings_of(Settings))),
        "options": options(),
        "words_of_docs": words(),
        "bytes_of_architecture": (ROOT / "ARCHITECTURE.md").stat().st_size,
        "bytes_of_changelog": (ROOT / "CHANGELOG.md").stat().st_size,
        "lines_of_tests": sum(map(code_lines, (ROOT / "tests").rglob("*.py"))),
    }


def lines_by_package() -> dict[str, int]:
    """Return the lines of code of each package; `modules` counts modules outside packages."""
    lines: Counter[str] = Counter()
    for path in PACKAGE.rglob("*.py"):
        package, *below = path.relative_to(PACKAGE).parts
        lines[package if below else "modules"] += code_lines(path)
    return dict(lines)


@pytest.mark.parametrize(
    ("table", "counts"), [("house", measured), ("lines", lines_by_package)], ids=["house", "lines"]
)
def test_budgets_hold_and_are_lowered(table, counts):
    budget, today = BUDGETS[table], counts()
    assert today.keys() == budget.keys()
    assert not {name: n for name, n in today.items() if n > budget[name]}, "above the budget"
    low = {name: n for name, n in today.items() if n < (1 - SLACK) * budget[name]}
    assert not low, "lower these in tests/budgets.toml"
