"""An export for the desk, made by a process of its own."""

from pathlib import Path

from resemblance.study.export.apart import made_apart, write_apart
from resemblance.study.live import LiveStudy


def archive(study: Path, database: str | None, format: str) -> bytes:
    """Return a study's answers as a zip archive.

    Raises
    ------
    UnavailableError
        With what the process said, if it failed.
    """
    return made_apart("resemblance.study.export.archive", study, database, format=format)


def packed(live: LiveStudy, format: str) -> bytes:
    """Pack the export of a study."""
    from resemblance.study.export import Export, as_archive

    return as_archive(Export(live), format)


if __name__ == "__main__":
    write_apart(packed)
