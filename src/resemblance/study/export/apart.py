"""Files for the desk, each made by a process of its own: it may be long, and load what is large."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from resemblance.errors import ResemblanceError, UnavailableError
from resemblance.study.live import open_stored


def made_apart(module: str, study: Path, database: str | None, **more: Any) -> bytes:
    """Return what the program of a module makes of a study.

    Raises
    ------
    UnavailableError
        With what the process said, if it failed.
    """
    task = {"study": str(study), "database": database, **more}
    command = [sys.executable, "-m", module]
    made = subprocess.run(
        command, input=json.dumps(task).encode(), capture_output=True, check=False
    )
    if made.returncode:
        raise UnavailableError(made.stderr.decode(errors="replace").strip().rpartition("\n")[2])
    return made.stdout


def write_apart(make: Callable[..., bytes]) -> None:
    """Be such a program: read the task, and write what ``make`` returns of the study and the rest.

    Parameters
    ----------
    make : callable
        Takes the study, and what else the task says.
    """
    task = json.loads(sys.stdin.buffer.read())
    try:
        with open_stored(Path(task.pop("study")), task.pop("database")) as live:
            sys.stdout.buffer.write(make(live, **task))
    except ResemblanceError as error:
        raise SystemExit(str(error)) from None
