"""Tables out of the files of other systems, whose rows know where they stood."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from resemblance.errors import FileError
from resemblance.judgments.checks import refuse
from resemblance.judgments.labels import Labels


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


def sided(head: pd.Series, left: pd.Series, right: pd.Series, winner: pd.Series) -> pd.DataFrame:
    """Lay answers out as head, near, far and the side chosen: 0 is left, 1 is right."""
    cells = {"head": head, "left": left, "right": right, "winner": winner}
    text = {role: Labels.of(column, role).cells for role, column in cells.items()}
    is_left, is_right = (text["winner"] == text[side] for side in ("left", "right"))
    refuse(
        ~(is_left | is_right),
        lambda r: (
            "the winner {winner!r} is neither the left one, {left!r}, nor the right one, "
            "{right!r}: correct or remove the row"
        ).format(**{role: str(column[r]) for role, column in text.items()}),
    )
    far = np.where(is_left, text["right"], text["left"])
    columns = {"head": text["head"], "near": text["winner"], "far": far}
    return pd.DataFrame({**columns, "side": is_right.astype(int)}, index=head.index)
