"""Make an export for the desk in a process of its own."""

import json
import subprocess
import sys
from pathlib import Path

from resemblance.catalog import EXPORTS
from resemblance.errors import ResemblanceError, UnavailableError
from resemblance.study.live import LiveStudy, open_stored


def archive(study: Path, database: str | None, what: str) -> bytes:
    """Return a study as a zip archive: its tables in a format, or what others get of it.

    Raises
    ------
    UnavailableError
        With what the process said, if it failed.
    """
    task = {"study": str(study), "database": database, "what": what}
    made = subprocess.run(
        [sys.executable, "-m", "resemblance.study.export.archive"],
        input=json.dumps(task).encode(),
        capture_output=True,
        check=False,
    )
    if made.returncode:
        raise UnavailableError(made.stderr.decode(errors="replace").strip().rpartition("\n")[2])
    return made.stdout


def packed(live: LiveStudy, what: str) -> bytes:
    """Pack an export of a study: one of ``FORMATS``, or of ``EXPORTS``."""
    from resemblance.study.export import FORMATS, Export, as_archive, publish
    from resemblance.study.export.files import zipped

    if what in FORMATS:
        return as_archive(Export(live), what)
    export, name = Export(live, published=True), f"{live.folder.name}{EXPORTS[what].suffix}"
    return zipped(lambda path: publish(export, path, what), name)


def main() -> None:
    """Read what to export, and write the archive."""
    task = json.loads(sys.stdin.buffer.read())
    try:
        with open_stored(Path(task["study"]), task["database"]) as live:
            sys.stdout.buffer.write(packed(live, task["what"]))
    except ResemblanceError as error:
        raise SystemExit(str(error)) from None


if __name__ == "__main__":
    main()
