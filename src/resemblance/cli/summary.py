"""A short summary for the terminal."""

from collections.abc import Iterable

from rich.console import Console
from rich.table import Table
from rich.text import Text


def print_lines(console: Console, lines: Iterable[tuple[str, str]]) -> None:
    """Print names and what is said of them, in two columns."""
    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for name, said in lines:
        table.add_row(name, Text(said))
    console.print(table)
