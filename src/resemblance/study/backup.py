"""A backup of a study in one file: its folder, its accounts, and all rows of its database."""

import hashlib
import json
import os
import tempfile
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from resemblance import __version__
from resemblance.errors import FileError, SettingError
from resemblance.files import is_there, lend, whole
from resemblance.store import Store
from resemblance.store.backup import read_rows, write_rows
from resemblance.store.migration import HEAD
from resemblance.study.folder import SQLITE, StudyFolder
from resemblance.study.settings_file import FILE, read_settings

MANIFEST, ROWS, FOLDER = "manifest.json", "rows.jsonl", "folder/"
FORMAT = 1
PRIVATE = ("secret", "identity.key")  # of the study's folder: for the owner of the server alone
PASSING = ("one-time-secret",)
BROKEN = (zipfile.BadZipFile, OSError, ValueError, KeyError, EOFError)


def back_up(study: Path, file: Path, database: str | None = None) -> dict[str, Any]:
    """Write a backup of a study, which may be running; read it again, and return its manifest.

    Parameters
    ----------
    study : Path
        The study's folder.
    file : Path
        What to write, as .zip; only its owner may read it. It appears once it is whole.
    database : str, optional
        Where the study is served from; default: as the study says.

    Raises
    ------
    SettingError
        If the file is there already.
    StoreError
        If the database cannot be read, or has no such study.
    """
    if is_there(file):
        raise SettingError(f"{file} is there already: give another name")
    if file.absolute().is_relative_to(study.absolute()):
        raise SettingError(
            f"{file} lies in the study: keep backups in another place, best on another machine"
        )
    folder = StudyFolder.open(study)
    with whole(file) as part:
        part.touch(mode=0o600)
        with Store.open(database or folder.database) as store:
            _write(part, folder, store)
        manifest = verify(part)
        _sync(part)
    return manifest


def _write(part: Path, folder: StudyFolder, store: Store) -> None:
    told: dict[str, Any] = {
        "format": FORMAT,
        "version": __version__,
        "tables": HEAD,
        "study": folder.name,
        "made": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }
    counts: dict[str, int] = {}
    digests: dict[str, str] = {}
    with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as packed:
        digest = hashlib.sha256()
        with packed.open(ROWS, "w", force_zip64=True) as rows:
            for table, row in read_rows(store, folder.name):
                line = json.dumps([table, row], ensure_ascii=True).encode() + b"\n"
                digest.update(line)
                rows.write(line)
                counts[table] = counts.get(table, 0) + 1
        digests[ROWS] = digest.hexdigest()
        for path in files_of(folder):
            name = FOLDER + path.relative_to(folder.path).as_posix()
            packed.write(path, name)
            with packed.open(name) as kept:
                digests[name] = _digest(kept)
        told |= {"rows": counts, "files": digests}
        packed.writestr(MANIFEST, json.dumps(told, indent=1))


def files_of(folder: StudyFolder) -> Iterator[Path]:
    """Yield the files of a study: all but databases, what can be made again, and hidden ones."""
    for root, below, names in os.walk(folder.path):
        below[:] = sorted(name for name in below if not name.startswith("."))
        for name in sorted(names):
            if not name.startswith(".") and ".sqlite" not in name and name not in PASSING:
                yield Path(root) / name


def verify(file: Path) -> dict[str, Any]:
    """Read a backup from end to end, and return its manifest.

    Raises
    ------
    FileError
        If it is no backup, is cut off or changed, or is of a later version.
    """
    try:
        with zipfile.ZipFile(file) as packed:
            manifest: dict[str, Any] = json.loads(packed.read(MANIFEST))
            later = manifest["format"] > FORMAT or manifest["tables"] > HEAD
            for name, digest in manifest["files"].items():
                with packed.open(name) as kept:
                    if _digest(kept) != digest:
                        raise ValueError(f"{name} was changed")
            with packed.open(ROWS) as rows:
                if sum(1 for _ in rows) != sum(manifest["rows"].values()):
                    raise ValueError("rows are missing")
    except BROKEN as error:
        raise FileError(
            f"{file} is no whole backup ({error}): take another copy of it, or an earlier one"
        ) from None
    if later:
        raise SettingError(
            f"{file} was made by version {manifest['version']} of resemblance: restore it with "
            "that version or a later one"
        )
    return manifest


def restore(file: Path, study: Path, database: str | None = None) -> dict[str, Any]:
    """Put a study back from a backup: its folder, and its rows into a database without it.

    Parameters
    ----------
    file : Path
        A backup.
    study : Path
        The folder to make; one that is there must be empty, or that of the same study.
    database : str, optional
        Where the rows go; default: as the study says. It may be of another kind than before.

    Returns
    -------
    dict
        The manifest of the backup.

    Raises
    ------
    FileError
        As :func:`verify`.
    SettingError
        If the folder holds something else.
    StoreError
        If the database has the study already.
    """
    manifest = verify(file)
    _refuse_others(study, manifest["study"])
    with zipfile.ZipFile(file) as packed, tempfile.TemporaryDirectory(dir=study.parent) as made:
        for name in manifest["files"]:
            if name.startswith(FOLDER):
                _extract(packed, name, Path(made))
        settings = read_settings(Path(made) / FILE)
        url = database or settings.server.database or f"{SQLITE}study.sqlite"
        if url.startswith(SQLITE) and database is None:
            url = f"{SQLITE}{(study / url.removeprefix(SQLITE)).absolute()}"
        with _new_or_there(study), Store.open(url) as store, packed.open(ROWS) as rows:
            lines = ((table, row) for table, row in map(json.loads, rows))
            write_rows(store, manifest["study"], lines, "server")
        for path in sorted(Path(made).rglob("*")):
            if path.is_file():
                target = study / path.relative_to(made)
                target.parent.mkdir(parents=True, exist_ok=True)
                os.replace(path, target)
    for path in (study, *sorted(study.rglob("*"))):
        lend(path)
    return manifest


@contextmanager
def _new_or_there(study: Path) -> Iterator[None]:
    """Make a folder that is not there; where what follows is refused, it goes again."""
    new = not study.exists()
    study.mkdir(exist_ok=True)
    try:
        yield
    except Exception:
        if new and not any(study.iterdir()):
            study.rmdir()
        raise


def _refuse_others(study: Path, name: str) -> None:
    """Refuse a folder that holds something else than the study of a backup."""
    if not study.exists():
        if not study.absolute().parent.is_dir():
            raise SettingError(f"{study.parent} is no folder: make it first")
        return
    file = study / FILE
    if any(study.iterdir()) and not file.is_file():
        raise SettingError(f"{study} is not empty, and no study: give another folder")
    if file.is_file() and (other := read_settings(file).study.name) != name:
        raise SettingError(f"{study} is the study {other!r}, the backup that of {name!r}")


def _extract(packed: zipfile.ZipFile, name: str, to: Path) -> None:
    """Write a file of a backup; one that would lie outside is refused."""
    target = Path(os.path.normpath(to / name.removeprefix(FOLDER)))
    if not target.is_relative_to(to):
        raise FileError(f"the backup names a file outside of the study: {name!r}")
    target.parent.mkdir(parents=True, exist_ok=True)
    private = target.name in PRIVATE
    with packed.open(name) as kept, open(target, "wb") as out:
        os.fchmod(out.fileno(), 0o600 if private else 0o644)
        while block := kept.read(1 << 20):
            out.write(block)


def _sync(path: Path) -> None:
    """Bring a file to the disk."""
    with open(path, "rb") as file:
        os.fsync(file.fileno())


def _digest(file: IO[bytes]) -> str:
    """Digest a file bit by bit."""
    digest = hashlib.sha256()
    while block := file.read(1 << 20):
        digest.update(block)
    return digest.hexdigest()
