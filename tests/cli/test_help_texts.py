"""The command line explains itself, at once."""

import re
import runpy
import subprocess
import sys
from pathlib import Path

import typer
from typer.testing import CliRunner

import resemblance
from resemblance.cli import app
from resemblance.cli.app import EXAMPLES
from resemblance.study.kinds import KINDS

GROUP = typer.main.get_command(app)
HEAVY = {"numpy", "scipy", "sklearn", "numba", "pandas", "matplotlib", "PIL"}


DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_of_the_guide_is_what_the_commands_say_of_themselves():
    written = runpy.run_path(str(DOCS / "_command_line.py"))["page"]()
    page = (DOCS / "guide" / "command-line.md").read_text(encoding="utf-8")
    assert page == written, "run: python docs/_command_line.py"


def test_every_command_and_option_has_a_help_text():
    commands = [GROUP, *GROUP.commands.values()]
    assert not [command.name for command in commands if not command.help]
    parameters = [(c.name, p.name, p.help) for c in commands for p in c.params if p.name != "help"]
    assert not [(command, name) for command, name, text in parameters if not text]


def test_help_needs_no_heavy_package():
    words = [[], *([name] for name in GROUP.commands)]
    code = (
        "import sys, typer\nfrom resemblance.cli import app\n"
        "command = typer.main.get_command(app)\n"
        f"for words in {words}: command([*words, '--help'], standalone_mode=False)\n"
        f"print(sorted({HEAVY} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("Usage:") == len(words)
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_real_process_tells_the_version():
    command = [sys.executable, "-m", "resemblance", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == f"resemblance {resemblance.__version__}\n"


def test_square_brackets_of_a_help_text_are_shown():
    texts = {name: [c.help, *(p.help for p in c.params)] for name, c in GROUP.commands.items()}
    bracketed = {
        name: set(re.findall(r"\[[a-z_]+\]", " ".join(filter(None, parts))))
        for name, parts in texts.items()
    }
    assert bracketed["features"] == {"[features]"}
    for name in filter(bracketed.get, bracketed):
        shown = CliRunner().invoke(app, [name, "--help"]).output
        assert not [word for word in bracketed[name] if word not in shown], name


def test_every_command_has_an_example_that_it_takes():
    for name, command in GROUP.commands.items():
        called, *words = EXAMPLES[name].split()
        assert called == name
        assert command.help.endswith(f"resemblance {EXAMPLES[name]}")
        with command.make_context(name, words) as context:
            assert context.params.keys() >= {p.name for p in command.params if p.required}


def test_help_of_new_names_every_kind_of_question():
    named = next(p.help for p in GROUP.commands["new"].params if p.name == "kind")
    assert {kind for kind in KINDS if kind not in named} == set()
