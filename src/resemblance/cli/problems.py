"""Report errors and warnings on the command line."""

import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import MISSING, fields
from enum import StrEnum
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Any, get_args

import typer
from typer.models import OptionInfo

from resemblance.cli.options import FEATURES
from resemblance.errors import ResemblanceError, ResemblanceWarning

CALLED_BY_TYPE: dict[Any, str] = {Path: "FILE", int: "NUMBER", float: "NUMBER", bool: ""}
# Python parameters and the options with other names.
CALLED = {"estimator": "model", "n_components": "dims", "n_splits": "folds", "width": "size"}


class Stopped(Exception):
    """The error after Ctrl-C. Its message names the stopped step."""


DEBUG: ContextVar[bool] = ContextVar("DEBUG", default=False)
OPTIONS: ContextVar[frozenset[str]] = ContextVar("OPTIONS", default=frozenset())


def telling(command: Callable[..., None]) -> Callable[..., None]:
    """Make a command print the package's errors in a line and exit with code 1.

    ``resemblance --debug`` shows the traceback instead. After Ctrl-C the exit code is 130.
    """

    @wraps(command)
    def run(**given: Any) -> None:
        OPTIONS.set(frozenset(given))
        try:
            command(**given)
        except ResemblanceError as error:
            if DEBUG.get():
                raise
            _tell(located(message_of(error), given, command.__name__))
            raise typer.Exit(1) from None
        except MemoryError as error:
            if DEBUG.get():
                raise
            _tell(f"there is not enough memory ({error}): give fewer rows, or more memory")
            raise typer.Exit(1) from None
        except Stopped as stopped:
            typer.echo(f"interrupted while {stopped}: nothing was written", err=True)
            raise typer.Exit(130) from None

    run.__doc__ = as_markup(command.__doc__ or "")
    own = signature(command)
    ordered = sorted(own.parameters.values(), key=_is_of_features)
    return with_options(run, {}, own.replace(parameters=ordered))


def _is_of_features(parameter: Parameter) -> bool:
    notes = get_args(parameter.annotation)
    return any(getattr(note, "rich_help_panel", None) == FEATURES for note in notes)


def with_options(
    command: Callable[..., None],
    options: Mapping[str, tuple[Any, Any]],
    inherited: Signature,
    first: bool = False,
) -> Callable[..., None]:
    kind = Parameter.KEYWORD_ONLY
    parameters = [
        Parameter(name, kind, default=default, annotation=annotation)
        for name, (annotation, default) in options.items()
    ]
    own = [p for p in inherited.parameters.values() if p.kind is not p.VAR_KEYWORD]
    whole = [p.replace(kind=kind) for p in own]
    parameters = [*parameters, *whole] if first else [*whole, *parameters]
    for parameter in parameters:
        _follow_type(parameter)
    command.__signature__ = inherited.replace(parameters=parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {p.name: p.annotation for p in parameters}
    return command


def as_markup(text: str) -> str:
    r"""Escape square brackets in a help text, because rich reads them as markup.

    >>> as_markup("by the rules of [quality]"), as_markup(as_markup("[quality]"))
    ('by the rules of \\[quality]', '\\[quality]')
    """
    return text.replace("\\[", "[").replace("[", "\\[")


def _follow_type(parameter: Parameter) -> None:
    """Complete an option from its type: list names in the help, and set the metavar.

    Boolean options have no ``--no-...``.
    """
    kind, *notes = get_args(parameter.annotation) or (None,)
    kinds = [cls for cls in get_args(kind) or (kind,) if isinstance(cls, type)]
    for info in (note for note in notes if isinstance(note, OptionInfo)):
        if bool in kinds and info.default is ...:  # an explicit name prevents --no-...
            info.param_decls = (f"--{parameter.name.replace('_', '-')}",)
        for names in (cls for cls in kinds if issubclass(cls, StrEnum)):
            info.metavar = info.metavar or "NAME"
            if info.help and not info.help.endswith("."):
                info.help += f": {', '.join(names)}."
        info.help = as_markup(info.help or "")
        metavars = [CALLED_BY_TYPE[cls] for cls in kinds if cls in CALLED_BY_TYPE]
        info.metavar = info.metavar or next(iter(metavars), None)


def with_fields(kind: type[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Add an option or argument to a command for each field of a dataclass."""
    parts = {
        f.name: (f.type, Parameter.empty if f.default is MISSING else f.default)
        for f in fields(kind)
    }
    return lambda command: with_options(command, parts, signature(command), first=True)


def located(message: str, given: Mapping[str, Any], name: str) -> str:
    """Add a path to a message that has none: the command's first path, or its name.

    >>> located("it has no rows", {"studies": [Path("a.csv"), Path("b.csv")]}, "serve")
    'a.csv: it has no rows'
    """
    groups = (value if isinstance(value, list | tuple) else [value] for value in given.values())
    paths = [str(path) for group in groups for path in group if isinstance(path, Path)]
    named = any(path in message for path in paths)
    return message if named else f"{paths[0] if paths else name}: {message}"


def message_of(problem: Exception | str) -> str:
    """Return a message, followed by the command's option for the error's setting.

    >>> error = ResemblanceError("n_components is 9: lower it", setting="n_components")
    >>> _ = OPTIONS.set(frozenset({"dims"}))
    >>> message_of(error)
    'n_components is 9: lower it (here: --dims)'
    """
    setting = getattr(problem, "setting", None)
    option, said = CALLED.get(setting, setting) if setting else "", as_options(str(problem))
    flag = f"--{option.replace('_', '-')}"
    return f"{said} (here: {flag})" if option in OPTIONS.get() and flag not in said else said


KEYWORD = re.compile(r"""\b(\w+)=(?:\{([^{}]*)\}|"([^"]*)"|'([^']*)'|(True)\b|([\w.+-]*\w))?""")


def as_options(message: str) -> str:
    """Replace Python keyword arguments in a message by options of the command.

    >>> _ = OPTIONS.set(frozenset({"columns", "keep_marked"}))
    >>> as_options("name it with columns={'far': 'right'}, or keep_marked=True")
    'name it with --columns far=right, or --keep-marked'
    """
    return KEYWORD.sub(_as_option, message)


def _as_option(keyword: re.Match[str]) -> str:
    name, pairs, double, single, is_switch, number = keyword.groups()
    option = CALLED.get(name, name)
    # the keyword is inside a call such as STE(...)
    is_call = re.search(r"\w\([^()]*$", keyword.string[: keyword.start()])
    if option not in OPTIONS.get() or is_call:
        return keyword[0]
    flag = f"--{option.replace('_', '-')}"
    if pairs is not None:
        items = re.findall(r"""['"]([^'"]*)['"]\s*:\s*['"]?([^'",]*)['"]?""", pairs)
        return f"{flag} {','.join(f'{key}={value}' for key, value in items)}"
    value = double or single or number
    return flag if is_switch or value is None else f"{flag} {value}"


@contextmanager
def called(**options: str) -> Iterator[None]:
    """Rename settings in errors, such as `columns="item_columns"`."""
    try:
        yield
    except ResemblanceError as error:
        error.setting = options.get(error.setting or "", error.setting)
        raise


@contextmanager
def warnings_told() -> Iterator[None]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ResemblanceWarning)
        yield
    for message in dict.fromkeys(message_of(warning.message) for warning in caught):
        typer.echo(f"note: {message}", err=True)


def _tell(message: str) -> None:
    from rich.console import Console
    from rich.text import Text

    line = Text.assemble(("error: ", "bold red"), (message, "red"))
    Console(stderr=True).print(line, soft_wrap=True)
