"""Files of JSON lines that survive a crash or a full disk."""

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from resemblance.errors import FileError


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Keep other processes that ask for it away from a file, where the system can.

    Raises
    ------
    OSError
        If the file beside it, which is locked, cannot be made.
    """
    with path.with_name(f".{path.name}.lock").open("a") as lock:
        with suppress(ImportError):
            from fcntl import LOCK_EX, flock

            flock(lock, LOCK_EX)
        yield


def append(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Put rows on the disk at the end of a file: all of them, or none.

    Raises
    ------
    OSError
        If they cannot be written; the file is as it was.
    """
    left = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()
    with path.open("ab", buffering=0) as file:
        whole = file.tell()
        try:
            while left:
                left = left[file.write(left) :]
            os.fsync(file.fileno())
        except OSError:
            file.truncate(whole)
            raise


def read(path: Path, start: int = 0) -> Iterator[dict[str, Any]]:
    """Read the rows of a file from a byte on; a last one that was not written whole is cut off.

    Raises
    ------
    FileError
        If another line is broken; it names the line.
    """
    with path.open("r+b") as file:
        before = file.read(start).count(b"\n")
        for number, line in enumerate(file, before + 1):
            try:
                yield json.loads(line)
            except ValueError:
                if line.endswith(b"\n"):
                    raise FileError(f"{path}, line {number} is no JSON: correct it") from None
                file.truncate(file.tell() - len(line))
            else:
                if not line.endswith(b"\n"):
                    file.write(b"\n")
