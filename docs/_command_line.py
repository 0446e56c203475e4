"""Write guide/command-line.md: every command and its options, from the program itself.

python docs/_command_line.py
"""

from enum import Enum
from pathlib import Path
from typing import Any

import typer

from resemblance.cli.app import EXAMPLES, app

PAGE = Path(__file__).parent / "guide" / "command-line.md"
OPENING = """\
# The command line

What `resemblance --help` and `resemblance COMMAND --help` print; `resemblance --version` prints
the version. The guide tells what commands are for: [A first map](first-map.md) has `fit`, [Run your
first study](first-study.md) has `new` and `serve`.

An error is one line that names the file, the place and the remedy. The exit code is then 1, or 2
where an option is invalid, and 130 after Ctrl-C.
"""


def page() -> str:
    """Return the page, as Markdown."""
    commands = typer.main.get_command(app).commands
    summaries = [(f"[{name}](#{name})", paragraphs(c.help)[0]) for name, c in commands.items()]
    parts = [OPENING, table(("command", "what it does"), summaries)]
    return "\n".join([*parts, *(section(name, command) for name, command in commands.items())])


def section(name: str, command: Any) -> str:
    """Return what is told of one command."""
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    pieces = [placeholder(p) + "..." * (p.nargs == -1) for p in arguments]
    usage = " ".join(["resemblance", name, "[OPTIONS]", *pieces])
    parts = [f"## {name}\n", *(f"{text}\n" for text in paragraphs(command.help)[:-1])]
    parts.append(f"```text\n{usage}\n```\n\nExample: `resemblance {EXAMPLES[name]}`\n")
    panels: dict[str, list[tuple[str, str, str]]] = {}
    for parameter in command.params:
        if parameter.name != "help":
            panel = getattr(parameter, "rich_help_panel", None) or ""
            row = (names(parameter), default(parameter), shown(parameter.help))
            panels.setdefault(panel, []).append(row)
    for panel in sorted(panels, key=bool):  # first those without a heading
        if panel:
            parts.append(f"**{panel}**\n")
        parts.append(table(("option", "default", "meaning"), panels[panel]))
    return "\n".join(parts)


def paragraphs(text: str) -> list[str]:
    """Return the paragraphs of a help text, each in one line."""
    return [shown(" ".join(part.split())) for part in text.strip().split("\n\n")]


def shown(text: str) -> str:
    """Return a help text without what marks brackets for the terminal, for a cell of a table."""
    return text.replace(r"\[", "[").replace("|", r"\|")


def placeholder(argument: Any) -> str:
    """Return what stands for an argument."""
    return str(argument.metavar or argument.name.upper()).strip("{}.")


def names(parameter: Any) -> str:
    """Return how an option or argument is written."""
    if parameter.param_type_name == "argument":
        return f"`{placeholder(parameter)}`"
    value = "" if parameter.is_flag else f" {parameter.metavar or 'TEXT'}"
    return ", ".join(f"`{name}{value}`" for name in [*parameter.opts, *parameter.secondary_opts])


def default(parameter: Any) -> str:
    """Return the value of an option that is not given, where the help text does not tell it."""
    value = parameter.default.value if isinstance(parameter.default, Enum) else parameter.default
    if parameter.required or value is None or value is False or "Default:" in parameter.help:
        return "required" if parameter.required else ""
    return "yes" if value is True else f"`{value}`"


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """Return a table in Markdown."""
    lines = [head, ("---",) * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
