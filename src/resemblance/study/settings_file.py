"""Reading ``study.toml``: every error names the file, the line and the remedy."""

import difflib
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from resemblance.errors import FileError, SettingError
from resemblance.study.files import read_text
from resemblance.study.settings import Settings

FILE = "study.toml"
Key = tuple[str | int, ...]

_HEADER = re.compile(r"\s*(\[\[?)\s*([^\]]+?)\s*\]\]?\s*(?:#.*)?$")
_KEY = re.compile(r"""\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=""")


def read_settings(path: Path) -> Settings:
    """Read and check the settings of a study.

    Raises
    ------
    FileError
        If the file is missing or no TOML.
    SettingError
        If a key is unknown (the nearest known one is named), missing or of the wrong type; every
        problem has a line of its own, with the file and its line.
    """
    text = read_text(path)
    try:
        return Settings.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise FileError(
            f"{path}, {_place(str(error))}: mend that line (text stands in quotes; true and false "
            "in small letters, without)"
        ) from None
    except ValidationError as error:
        lines = lines_of(text)
        told = (at(path, lines, *sentence(problem)) for problem in error.errors())
        raise SettingError("\n".join(dict.fromkeys(told))) from None


def _place(message: str) -> str:
    """Put the line first: `Invalid value (at line 3, column 5)` becomes `line 3: Invalid value`."""
    found = re.fullmatch(r"(.*) \(at line (\d+), column \d+\)", message)
    return f"line {found[2]}: {found[1]}" if found else f"last line: {message}"


def at(path: Path, lines: dict[Key, int], key: Key, problem: str) -> str:
    """Say where a problem is: at the line of its key, or of the nearest table above it."""
    known = next((key[:n] for n in range(len(key), 0, -1) if key[:n] in lines), None)
    return f"{path}, line {lines[known] if known else 1}: {problem}"


def lines_of(text: str) -> dict[Key, int]:
    r"""Find the line of every table and key.

    Examples
    --------
    >>> lines_of('[study]\nname = "ties"\n[[quality.rules]]')
    {('study',): 1, ('study', 'name'): 2, ('quality', 'rules', 0): 3}
    """
    found: dict[Key, int] = {}
    table: Key = ()
    for number, line in _outside_strings(text):
        if header := _HEADER.match(line):
            table = _names(header[2])
            if header[1] == "[[":
                table += (sum(key[:-1] == table for key in found),)
            found[table] = number
        elif key := _KEY.match(line):
            found[table + _names(key[1])] = number
    return found


def _outside_strings(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines that do not begin within a string of several lines."""
    inside = ""
    for number, line in enumerate(text.splitlines(), 1):
        if not inside:
            yield number, line
        for mark in re.findall(r'"""|' + r"'''", line):
            inside = "" if inside == mark else inside or mark


def _names(dotted: str) -> Key:
    return tuple(part.strip().strip("\"'") for part in dotted.split("."))


def sentence(problem: Any) -> tuple[Key, str]:
    """Say what pydantic found in words of the file."""
    key: Key = tuple(part for part in problem["loc"] if part not in _TYPES)
    name, kind = ".".join(map(str, key)), problem["type"]
    if kind == "extra_forbidden":
        return key, f"unknown key {name!r}: {_nearest(key)}"
    if kind == "missing":
        return key, f"{name} is missing: add it"
    if kind == "value_error":
        return key, f"{name}: {problem['ctx']['error']}"
    return key, f"{name} is {problem['input']!r}: {_WORDS.get(kind, problem['msg'])}"


_TYPES = {"datetime", "date"}  # which branch of a union pydantic looked at
_WORDS = {
    "int_type": "give a whole number",
    "float_type": "give a number",
    "bool_type": "give true or false",
    "string_type": "give text in quotes",
    "list_type": "give a list, [...]",
    "model_type": "give a table",
    "date_type": "give a date without quotes, as 2031-05-01",
    "datetime_type": "give a date without quotes, as 2031-05-01",
    "int_from_float": "give a whole number",
}


def _nearest(key: Key) -> str:
    """Name the known key that an unknown one resembles, or all that the table has."""
    try:
        known = list(_section(key[:-1]).model_fields)
    except KeyError:
        return "remove it"
    close = difflib.get_close_matches(str(key[-1]), known, n=1)
    return f"did you mean {close[0]!r}?" if close else f"known here: {', '.join(known)}"


def _section(key: Key) -> type[BaseModel]:
    """Find the model of a table."""
    model: type[BaseModel] = Settings
    for part in key:
        if isinstance(part, str):
            inner: Any = model.model_fields[part].annotation
            model = inner if isinstance(inner, type) else inner.__args__[0]
    return model
