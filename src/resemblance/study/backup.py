"""Back up a study in one file: its folder, its accounts, and its rows of the database."""

import hashlib
import json
import os
import shutil
import socket
import time
import zipfile
import zlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import IO, Any

from resemblance import __version__
from resemblance.catalog import DATABASE as VARIABLE
from resemblance.errors import FileError, SettingError
from resemblance.files import is_there, lend, whole
from resemblance.store import Store
from resemblance.store.backup import read_rows, refuse_taken, write_rows
from resemblance.store.errors import ContentError
from resemblance.store.lease import LEASE, is_locked
from resemblance.store.migration import HEAD
from resemblance.study.folder import DATABASE, SQLITE, StudyFolder
from resemblance.study.settings import Settings, database_of_environment
from resemblance.study.settings_file import FILE, read_settings

MANIFEST, ROWS, FOLDER = "manifest.json", "rows.jsonl", "folder/"
FORMAT = 1
# files of the study's folder that only the server's owner may read
PRIVATE = ("secret", "identity.key")
PASSING = ("one-time-secret",)
BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    OSError,
    ValueError,
    KeyError,
    EOFError,
    NotImplementedError,
)
MOST_FILES = 1_000_000
MOST_MANIFEST = 200 << 20  # bytes: some 150 for each file
LONGEST = 64 << 20  # bytes of a row: a map of 10^5 items in 20 dimensions takes some 40 million
SMALL, RATIO = 256 << 20, 100  # bytes that anything may have, and how often its size beyond


def back_up(study: Path, file: Path) -> dict[str, Any]:
    """Write a backup of a study, running or not; verify it, and return its manifest.

    The zip appears when complete, readable for its owner only. Raises SettingError if it exists,
    and StoreError if the database cannot be read or has no such study.
    """
    if is_there(file):
        raise SettingError(f"{file} is there already: give another name")
    if file.absolute().is_relative_to(study.absolute()):
        raise SettingError(
            f"{file} is inside the study: keep backups elsewhere, best on another machine"
        )
    folder = StudyFolder.open(study)
    with whole(file) as part:
        part.touch(mode=0o600)
        with Store.open(folder.database) as store:
            _write(part, folder, store)
        manifest = verify(part)
        with part.open("rb") as written:
            os.fsync(written.fileno())
    return manifest


def _write(part: Path, folder: StudyFolder, store: Store) -> None:
    manifest: dict[str, Any] = {
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
        manifest |= {"rows": counts, "files": digests}
        packed.writestr(MANIFEST, json.dumps(manifest, indent=1))


def files_of(folder: StudyFolder) -> Iterator[Path]:
    """Yield the files of a study, except databases, derived files and hidden ones."""
    for root, below, names in os.walk(folder.path):
        below[:] = sorted(name for name in below if not name.startswith("."))
        for name in sorted(names):
            if not name.startswith(".") and ".sqlite" not in name and name not in PASSING:
                yield Path(root) / name


def verify(file: Path) -> dict[str, Any]:
    """Read a backup completely, and return its manifest; raise FileError if it is damaged."""
    try:
        with zipfile.ZipFile(file) as packed:
            _refuse_swelling(packed)
            manifest = _manifest(packed)
            later = manifest["format"] > FORMAT or manifest["tables"] > HEAD
            for name, digest in manifest["files"].items():
                with packed.open(name) as kept:
                    if _digest(kept) != digest:
                        raise ValueError(f"{name} was changed")
            with packed.open(ROWS) as rows:
                if sum(1 for _ in _lines(rows)) != sum(manifest["rows"].values()):
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


def restore(file: Path, study: Path) -> dict[str, Any]:
    """Restore a study from a backup: its folder, and its rows in a database.

    Files come first, then rows in one transaction; an interrupted restore can be repeated.
    ``study`` must be a new or empty folder, or the same study's. The database is that of the
    environment, else that of the settings; it may be of another kind than before. Returns the
    manifest. Raises FileError as :func:`verify`, SettingError for other contents of the folder, a
    running server, or a foreign database address in the backup, and ContentError if the database
    has the study already.
    """
    manifest = verify(file)
    name, digest = manifest["study"], manifest["files"].get(ROWS, "")
    _refuse_others(study, name)
    part = study.with_name(f".part-{study.name}")
    shutil.rmtree(part, ignore_errors=True)  # remains of an interrupted try
    part.mkdir(mode=0o700)
    try:
        with zipfile.ZipFile(file) as packed:
            for member in manifest["files"]:
                if member.startswith(FOLDER):
                    _extract(packed, member, part)
            url = _address(study, read_settings(part / FILE))
            if not url.startswith(SQLITE) or Path(url.removeprefix(SQLITE)).exists():
                with Store.open(url) as store:
                    refuse_taken(store, name, digest)
            _take_over(part, study)
            with Store.open(url) as store:
                write_rows(store, name, partial(_rows, packed), "server", digest)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    for path in (study, *sorted(study.rglob("*"))):
        lend(path)
    return manifest


def _address(study: Path, settings: Settings) -> str:
    """Return the address of the database; a backup alone may not name one outside of the folder."""
    if given := database_of_environment():
        return given
    url = settings.server.database or f"{SQLITE}{DATABASE}"
    if not url.startswith(SQLITE):
        raise SettingError(
            "the backup's study.toml names another database server: set the variable "
            f"{VARIABLE} to the address for the rows"
        )
    folder = study.absolute()
    file = Path(os.path.normpath(folder / url.removeprefix(SQLITE)))
    if file.parent != folder and not file.is_relative_to(folder):
        raise SettingError(
            f"the backup's study.toml names {file}, outside of {study}: set the variable "
            f"{VARIABLE} to the address for the rows"
        )
    if study.exists():
        _refuse_served(file, settings)
    return f"{SQLITE}{file}"


def _refuse_served(file: Path, settings: Settings) -> None:
    """Refuse to restore a study under a running server."""
    at = settings.server
    leases = file.parent.glob(f"{file.name}{LEASE}*")
    with socket.socket() as asking:
        asking.settimeout(1.0)
        listens = at.port > 0 and asking.connect_ex((at.host, at.port)) == 0
    if listens or any(is_locked(lease) for lease in leases):
        raise SettingError(
            f"a server is at work on {file.parent}, or at its port {at.port}: stop it first"
        )


def _take_over(part: Path, study: Path) -> None:
    """Rename the new folder, or move its files into the existing one."""
    if not study.exists() or not any(study.iterdir()):
        part.replace(study)
        study.chmod(0o755)
        return
    for path in sorted(part.rglob("*")):
        if path.is_file():
            target = study / path.relative_to(part)
            target.parent.mkdir(parents=True, exist_ok=True)
            os.replace(path, target)


def _manifest(packed: zipfile.ZipFile) -> dict[str, Any]:
    manifest = json.loads(packed.read(MANIFEST))
    kinds = {"format": int, "tables": str, "study": str, "made": str, "files": dict, "rows": dict}
    for key, kind in kinds.items():
        if not isinstance(manifest, dict) or not isinstance(manifest.get(key), kind):
            raise ValueError(f"{MANIFEST} has no {key}")
    counts, digests = manifest["rows"].values(), manifest["files"].values()
    if not all(type(n) is int for n in counts) or not all(isinstance(d, str) for d in digests):
        raise ValueError(f"{MANIFEST} has odd counts")
    return manifest | {"version": manifest.get("version", "unknown")}


def _refuse_swelling(packed: zipfile.ZipFile) -> None:
    """Refuse files with an implausible compression ratio."""
    entries = packed.infolist()
    manifest = packed.getinfo(MANIFEST).file_size
    whole, small = (
        sum(size) for size in zip(*((e.file_size, e.compress_size) for e in entries), strict=True)
    )
    if whole > SMALL + RATIO * small or len(entries) > MOST_FILES or manifest > MOST_MANIFEST:
        raise ValueError(f"{small:,} bytes would become {whole:,}, in {len(entries):,} files")


def _lines(rows: IO[bytes]) -> Iterator[bytes]:
    while line := rows.readline(LONGEST + 1):
        if len(line) > LONGEST:
            raise ValueError("a row is too long")
        yield line


def _rows(packed: zipfile.ZipFile) -> Iterator[tuple[str, dict[str, Any]]]:
    with packed.open(ROWS) as rows:
        for number, line in enumerate(_lines(rows), 1):
            record = json.loads(line)
            match record:
                case [str(table), dict(row)]:
                    yield table, row
                case _:
                    raise ContentError(f"row {number} of the backup is {str(record)[:60]!r}")


def _refuse_others(study: Path, name: str) -> None:
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
    """Extract a file of a backup, refusing places outside."""
    target = Path(os.path.normpath(to / name.removeprefix(FOLDER)))
    if not target.is_relative_to(to):
        raise FileError(f"the backup names a file outside of the study: {name!r}")
    target.parent.mkdir(parents=True, exist_ok=True)
    private = target.name in PRIVATE
    with packed.open(name) as kept, open(target, "wb") as out:
        os.fchmod(out.fileno(), 0o600 if private else 0o644)
        while block := kept.read(1 << 20):
            out.write(block)


def _digest(file: IO[bytes]) -> str:
    digest = hashlib.sha256()
    while block := file.read(1 << 20):
        digest.update(block)
    return digest.hexdigest()
