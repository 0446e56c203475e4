"""Make an export for the desk in a separate process."""

import json
import subprocess
import sys
from pathlib import Path

from resemblance.errors import ResemblanceError, UnavailableError
from resemblance.study.live import LiveStudy, open_stored


def exported(study: Path, what: str) -> bytes:
    """Return an export as a zip file; ``what`` is a key of ``FORMATS``, or "archive"."""
    task = {"study": str(study), "what": what}
    made = subprocess.run(
        [sys.executable, "-m", "resemblance.study.export.packing"],
        input=json.dumps(task).encode(),
        capture_output=True,
        check=False,
    )
    if made.returncode:
        raise UnavailableError(made.stderr.decode(errors="replace").strip().rpartition("\n")[2])
    return made.stdout


def packed(live: LiveStudy, what: str) -> bytes:
    from resemblance.study.export import FORMATS, Export, as_archive, write_archive
    from resemblance.study.export.files import zipped

    if what in FORMATS:
        return as_archive(Export(live), what)
    export = Export(live, published=True)
    return zipped(lambda path: write_archive(export, path), f"{live.folder.name}.zip")


def main() -> None:
    task = json.loads(sys.stdin.buffer.read())
    try:
        with open_stored(Path(task["study"])) as live:
            sys.stdout.buffer.write(packed(live, task["what"]))
    except ResemblanceError as error:
        raise SystemExit(str(error)) from None


if __name__ == "__main__":
    main()
