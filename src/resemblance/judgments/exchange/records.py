"""Tables out of the files of other systems, whose rows know where they stood."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from resemblance.errors import FileError


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Tell a file that cannot be read."""
    try:
        yield
    except FileNotFoundError:
        raise FileError(f"{path} is not there: check the path") from None
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"{path} cannot be read ({error}): name a UTF-8 text file") from None


def read_lines(path: Path) -> list[tuple[str, str]]:
    """Read the lines of a text file that are not blank, and where each stands."""
    with reading(path):
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    return [(f"line {number}", line) for number, line in enumerate(lines, 1) if line.strip()]


def read_json(path: Path) -> Any:
    """Read a JSON file."""
    with reading(path):
        text = path.read_text(encoding="utf-8-sig")
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise FileError(
            f"{path}, line {error.lineno}: {error.msg}: check that the file is whole JSON"
        ) from None


def need(record: Any, keys: Sequence[str], where: str) -> list[Any]:
    """Take values out of a JSON object; each key may be one of several, parted by bars."""
    if not isinstance(record, dict):
        raise FileError(f"{where} is no JSON object: check that the file is of the right kind")
    values = []
    for key in keys:
        present = [name for name in key.split("|") if record.get(name) is not None]
        if not present:
            has = ", ".join(map(repr, record)) or "nothing"
            wanted = " or ".join(map(repr, key.split("|")))
            raise FileError(f"{where} has no {wanted}; it has {has}: add it or remove the record")
        values.append(record[present[0]])
    return values


def plain(record: dict[str, Any], without: Sequence[str]) -> dict[str, Any]:
    """Keep the entries of a JSON object that a column can hold."""
    return {
        key: value
        for key, value in record.items()
        if key not in without and isinstance(value, str | int | float | bool)
    }
