"""The command line explains itself, at once."""

import subprocess
import sys

import pytest
import typer

import resemblance
from resemblance.cli import app

GROUP = typer.main.get_command(app)
HEAVY = {"numpy", "scipy", "sklearn", "numba", "pandas", "matplotlib", "PIL"}


def test_the_commands_are_those_of_the_guide():
    assert list(GROUP.commands) == ["fit", "score", "convert", "demo"]


@pytest.mark.parametrize("command", [GROUP, *GROUP.commands.values()], ids=lambda c: c.name)
def test_every_command_and_option_has_a_help_text(command):
    assert command.help
    for parameter in command.params:
        if parameter.name != "help":
            assert parameter.help, f"{command.name} {parameter.name} has no help text"


@pytest.mark.parametrize("words", [[], ["fit"], ["score"], ["convert"], ["demo", "--help"]])
def test_help_needs_no_heavy_package(words):
    code = (
        "import sys\nfrom resemblance.cli import app\n"
        f"try: app({[*words, '--help']!r})\n"
        f"except SystemExit as end: assert not end.code\n"
        f"loaded = {HEAVY!r} & set(sys.modules)\n"
        "assert not loaded, loaded\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "Usage: resemblance" in done.stdout.replace("-c", "resemblance")


def test_a_real_process_tells_the_version():
    command = [sys.executable, "-m", "resemblance.cli", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == f"resemblance {resemblance.__version__}\n"
