"""An export for the desk, made by a process of its own: it may be long, and load what is large."""

import json
import subprocess
import sys
from pathlib import Path

from resemblance.errors import ResemblanceError, UnavailableError


def archive(study: Path, database: str | None, format: str) -> bytes:
    """Return a study's answers as a zip archive.

    Raises
    ------
    UnavailableError
        With what the process said, if it failed.
    """
    task = {"study": str(study), "database": database, "format": format}
    command = [sys.executable, "-m", "resemblance.study.export.archive"]
    made = subprocess.run(
        command, input=json.dumps(task).encode(), capture_output=True, check=False
    )
    if made.returncode:
        raise UnavailableError(made.stderr.decode(errors="replace").strip().rpartition("\n")[2])
    return made.stdout


def main() -> None:
    """Write the archive that the standard input asks for to the standard output."""
    from resemblance.study.export import Export, as_archive
    from resemblance.study.live import open_stored

    task = json.loads(sys.stdin.buffer.read())
    try:
        with open_stored(Path(task["study"]), task["database"]) as live:
            sys.stdout.buffer.write(as_archive(Export(live), task["format"]))
    except ResemblanceError as error:
        raise SystemExit(str(error)) from None


if __name__ == "__main__":
    main()
