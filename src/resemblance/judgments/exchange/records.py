"""Read records from files of other systems, with their place for error messages."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from resemblance.errors import FileError
from resemblance.files import lines_of, reading


def text_of(path: Path) -> str:
    with reading(path, "name a UTF-8 text file"):
        return path.read_text(encoding="utf-8-sig")


def read_lines(path: Path) -> list[tuple[str, str]]:
    lines = enumerate(lines_of(text_of(path)), 1)
    return [(f"line {number}", line) for number, line in lines if line.strip()]


def read_json(path: Path) -> Any:
    try:
        return json.loads(text_of(path))
    except json.JSONDecodeError as error:
        raise FileError(
            f"{path}, line {error.lineno}: {error.msg}: check that the file is whole JSON"
        ) from None


def need(record: Any, keys: Sequence[str], where: str) -> list[Any]:
    """Return values of a JSON object; a key may list alternatives, separated by bars."""
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
    return {
        key: value
        for key, value in record.items()
        if key not in without and isinstance(value, str | int | float | bool)
    }
