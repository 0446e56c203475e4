"""An export for the desk, made by a process of its own."""

from pathlib import Path

from resemblance.catalog import EXPORTS
from resemblance.study.export.apart import made_apart, write_apart
from resemblance.study.live import LiveStudy


def archive(study: Path, database: str | None, what: str) -> bytes:
    """Return a study as a zip archive: its tables in a format, or what others get of it.

    Raises
    ------
    UnavailableError
        With what the process said, if it failed.
    """
    return made_apart("resemblance.study.export.archive", study, database, what=what)


def packed(live: LiveStudy, what: str) -> bytes:
    """Pack an export of a study: one of ``FORMATS``, or of ``EXPORTS``."""
    from resemblance.study.export import FORMATS, Export, as_archive, publish
    from resemblance.study.export.files import zipped

    if what in FORMATS:
        return as_archive(Export(live), what)
    export, name = Export(live, published=True), f"{live.folder.name}{EXPORTS[what].suffix}"
    return zipped(lambda path: publish(export, path, what), name)


if __name__ == "__main__":
    write_apart(packed)
