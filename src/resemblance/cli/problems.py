"""How errors and warnings are told at the command line."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typer

from resemblance.errors import ResemblanceError

# What settings of the library are called here.
_OPTIONS = (
    (r"columns=\S*(?: \.\.\.\})? \((--columns[^)]*)\)", r"\1"),
    (r"set it apart with \w+\.split_catches\(\.\.\.\), ", ""),
    (r'catches="(\w+)"', r"--catches \1"),
    (r'by="(\w+)"', r"--by \1"),
    (r"\bn_components\b", "--dims"),
    (r"\bn_splits\b", "--folds"),
    (r"\bn_init\b", "--n-init"),
    (r"\bmax_iter, or tol\b", "--max-iter"),
    (r"\bmax_iter=", "--max-iter "),
    (r"\ba small penalty\b", "a small --penalty"),
)


def in_options(message: str) -> str:
    """Name the options of the command line where a message names settings of the library.

    Examples
    --------
    >>> in_options("n_components is 9: choose a whole number from 1 to 4.")
    '--dims is 9: choose a whole number from 1 to 4.'
    """
    for setting, option in _OPTIONS:
        message = re.sub(setting, option, message)
    return message


@contextmanager
def told(debug: bool, file: Path, *others: Path | None) -> Iterator[None]:
    """Tell an error of the package in one line that names a file, and exit with 1."""
    try:
        yield
    except ResemblanceError as error:
        if debug:
            raise
        message = in_options(str(error))
        named = any(str(path) in message for path in (file, *others) if path is not None)
        where = "" if named else f"{file}: "
        _tell(where + message)
        raise typer.Exit(1) from None


def _tell(message: str) -> None:
    from rich.console import Console
    from rich.text import Text

    line = Text.assemble(("error: ", "bold red"), (message, "red"))
    Console(stderr=True).print(line, soft_wrap=True)
