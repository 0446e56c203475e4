"""Back up a study in one file: its folder, its accounts, and its rows of the database."""

import hashlib
import json
import os
import secrets
import shutil
import stat
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, Any

from resemblance import __version__
from resemblance.catalog import DATABASE as VARIABLE
from resemblance.errors import FileError, ResemblanceError, SettingError
from resemblance.files import is_there, whole
from resemblance.store import Store
from resemblance.store.backup import read_rows, write_rows
from resemblance.store.engines import checked_url, file_of
from resemblance.store.errors import ContentError
from resemblance.store.lease import LEASE
from resemblance.store.people import RELEASED
from resemblance.store.schema import HEAD
from resemblance.study.folder import DATABASE, SQLITE, StudyFolder
from resemblance.study.settings import Settings, database_of_environment
from resemblance.study.settings_file import FILE, read_settings

MANIFEST, ROWS, FOLDER = "manifest.json", "rows.jsonl", "folder/"
FORMAT = 2  # Format 2 added folders and file modes.
# files of the study's folder that only the server's user may read
PRIVATE = ("secret", "identity.key")
PASSING = ("one-time-secret",)  # short-lived files, which are not backed up
MAGIC = b"SQLite format 3\0"  # first bytes of a SQLite database
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
MOST_MANIFEST = 200 << 20  # largest manifest in bytes; each listed file takes about 150 bytes
# Longest row in bytes. The row of a map of 10^5 items in 20 dimensions has 40 million bytes.
LONGEST = 64 << 20
# Largest unpacked size, against zip bombs: SMALL bytes plus RATIO times the packed size.
SMALL, RATIO = 256 << 20, 100


def back_up(study: Path, file: Path) -> dict[str, Any]:
    """Write a backup of a study, even of a running study; return the backup's manifest.

    The backup is first restored on trial, and must give the same people, answers and stimuli. The
    zip file then gets its name; only the owner of the file may read it.
    """
    if is_there(file):
        raise SettingError(f"{file} exists already: give another name")
    if os.path.abspath(file).startswith(f"{os.path.abspath(study)}/"):
        raise SettingError(
            f"{file} is inside the study's folder: keep backups elsewhere, best on another machine"
        )
    folder = StudyFolder.open(study)
    with whole(file) as part:
        part.touch(mode=0o600)
        with Store.open(folder.database) as store:
            _write(part, folder, store)
        manifest = verify(part)
        with _unpacked(part, manifest, file.with_name(folder.name)) as (trial, packed):
            _refuse_incomplete(trial, packed, manifest)
        with part.open("rb") as written:
            os.fsync(written.fileno())
    return manifest


def _write(part: Path, folder: StudyFolder, store: Store) -> None:
    files, left_out = files_of(folder)
    manifest: dict[str, Any] = {
        "format": FORMAT,
        "version": __version__,
        "tables": HEAD,
        "study": folder.name,
        "made": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "left_out": [path.relative_to(folder.path).as_posix() for path in left_out],
    }
    counts: dict[str, int] = {}
    digests: dict[str, str] = {}
    with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED, strict_timestamps=False) as packed:
        digest = hashlib.sha256()
        with packed.open(ROWS, "w", force_zip64=True) as rows:
            for table, row in read_rows(store, folder.name):
                line = json.dumps([table, row], ensure_ascii=True).encode() + b"\n"
                digest.update(line)
                rows.write(line)
                counts[table] = counts.get(table, 0) + 1
        digests[ROWS] = digest.hexdigest()
        for path in files:
            packed.write(path, Path(FOLDER, path.relative_to(folder.path)).as_posix())
            name = packed.infolist()[-1].filename  # The zip file adds / to names of folders.
            with packed.open(name) as kept:
                digests[name] = _digest(kept)
        people, answers = counts.get("participants", 0), counts.get("answers", 0)
        expected = {"people": people, "answers": answers, "stimuli": len(folder.stimuli)}
        manifest |= {"rows": counts, "files": digests, "counts": expected}
        packed.writestr(MANIFEST, json.dumps(manifest, indent=1))


def files_of(folder: StudyFolder) -> tuple[list[Path], list[Path]]:
    """Return a study's files and folders to back up, and the paths that are left out.

    Links are followed. Neither list contains the study's own database or hidden files.
    """
    own, kept, left_out = _files_of_database(folder.database), [], []

    def visit(here: Path, above: set[str]) -> None:
        kept.append(here)
        for path in sorted(here.iterdir()):
            place = os.path.realpath(path)
            if path.name.startswith(".") or path.name in PASSING or LEASE in path.name:
                continue
            if path.is_dir() and place not in above and not (path / FILE).is_file():
                visit(path, above | {place})
            elif path.is_file() and place not in own and not _is_database(path):
                kept.append(path)
            elif place not in own:
                left_out.append(path)

    home = os.path.realpath(folder.path)
    visit(folder.path, {home, *map(str, Path(home).parents)})
    return kept, left_out


def _files_of_database(url: str) -> set[str]:
    if (file := file_of(checked_url(url))) is None:
        return set()
    return {f"{os.path.realpath(file)}{end}" for end in ("", "-wal", "-shm", "-journal")}


def _is_database(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def verify(file: Path) -> dict[str, Any]:
    try:
        with zipfile.ZipFile(file) as packed:
            _refuse_hostile(packed)
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
            f"{file} is not a complete backup ({error}): copy it again, or use an earlier backup"
        ) from None
    if later:
        raise SettingError(
            f"{file} was made by version {manifest['version']} of resemblance: restore it with "
            "that version or a later one"
        )
    return manifest


def _refuse_incomplete(trial: Path, packed: zipfile.ZipFile, manifest: dict[str, Any]) -> None:
    with Store.open(f"{SQLITE}{trial.absolute()}/.trial.sqlite") as store:
        write_rows(store, manifest["study"], partial(_rows, packed), "server")
        record = store.studies.named(manifest["study"])
        assert record is not None
        people, answers = len(store.people.all(record)), store.answers.count(record)
    try:
        n_stimuli = len(StudyFolder.open(trial).stimuli)
    except ResemblanceError as error:
        raise FileError(f"a trial restore of the backup failed ({error})") from None
    restored = {"people": people, "answers": answers, "stimuli": n_stimuli}
    if restored != manifest["counts"]:
        raise FileError(
            f"the backup would restore {restored}, but the study has {manifest['counts']}: back up "
            "again while nobody changes the folder"
        )


def restore(file: Path, study: Path, settle: Callable[[Path], None]) -> dict[str, Any]:
    """Restore a study's folder and database rows from a backup; return the manifest.

    ``study`` must be new or empty. The files are unpacked into a hidden folder beside ``study``,
    and ``settle`` may change them. Renaming this folder to ``study`` is the last step, so an error
    or a kill before it changes nothing. Participants' tokens become invalid.
    """
    study = Path(os.path.abspath(study))
    if not study.parent.is_dir():
        raise SettingError(f"{study.parent} is not a folder: create it first")
    if is_there(study) and not (study.is_dir() and not any(study.iterdir())):
        raise SettingError(
            f"{study} is not empty: stop its server and move it away, or give another name"
        )
    manifest = verify(file)
    name, digest = manifest["study"], manifest["files"].get(ROWS, "")
    try:
        with _unpacked(file, manifest, study) as (part, packed):
            settings = read_settings(part / FILE)
            if settings.study.name != name:
                raise FileError(f"{file}: study.toml names {settings.study.name!r}, not {name!r}")
            url = _address(study, part, settings)
            database = [Path(path) for path in _files_of_database(url)]
            for path in database:
                # Earlier versions packed the database into backups.
                if path.is_relative_to(os.path.realpath(part)):
                    path.unlink(missing_ok=True)
            is_new = not any(path.exists() for path in database)
            settle(part)
            try:
                with Store.open(url) as store:
                    write_rows(store, name, partial(_rows, packed), "server", digest)
                _hand_over(part, study, packed)
            except BaseException:
                for path in database if is_new else ():
                    path.unlink(missing_ok=True)
                raise
    except OSError as error:
        raise FileError(f"{study} cannot be written ({error}): nothing was changed") from error
    return manifest


@contextmanager
def _unpacked(
    file: Path, manifest: dict[str, Any], beside: Path
) -> Iterator[tuple[Path, zipfile.ZipFile]]:
    part = beside.with_name(f".part-{beside.name}")
    shutil.rmtree(part, ignore_errors=True)  # An interrupted run left this folder.
    with zipfile.ZipFile(file) as packed:
        needed = sum(entry.file_size for entry in packed.infolist())
        if needed > (free := shutil.disk_usage(beside.parent).free):
            raise FileError(
                f"{file} unpacks to {needed:,} bytes, but {beside.parent} has {free:,} bytes free: "
                "free some space first"
            )
        part.mkdir(mode=0o700)
        try:
            for name in manifest["files"]:
                if name.startswith(FOLDER):
                    _extract(packed, name, part)
            yield part, packed
        finally:
            shutil.rmtree(part, ignore_errors=True)


def _address(study: Path, part: Path, settings: Settings) -> str:
    """Return the database's address; the environment must give an address outside the folder."""
    given = database_of_environment()
    url = given or settings.server.database or f"{SQLITE}{DATABASE}"
    file = Path(os.path.normpath((Path.cwd() if given else study) / url.removeprefix(SQLITE)))
    if url.startswith(SQLITE) and file.is_relative_to(study):
        return f"{SQLITE}{part / file.relative_to(study)}"
    if not given:
        raise SettingError(
            f"the backup's study.toml names a database outside {study}: set the variable "
            f"{VARIABLE} to the address of the database to restore into"
        )
    return given


def _hand_over(part: Path, study: Path, packed: zipfile.ZipFile) -> None:
    there = study.stat() if study.exists() else study.parent.stat()
    # The folder changes its owner last, so that until then nobody else can enter it.
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        for path in (*part.rglob("*"), part):
            os.chown(path, there.st_uid, there.st_gid, follow_symlinks=False)
    if FOLDER in packed.namelist():
        part.chmod(_mode(packed, FOLDER) & (there.st_mode if study.exists() else 0o755) | 0o700)
    part.replace(study)


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


def _refuse_hostile(packed: zipfile.ZipFile) -> None:
    entries = packed.infolist()
    for entry in entries:
        parts = entry.filename.removesuffix("/").split("/")
        if {"", ".", ".."}.intersection(parts) or stat.S_ISLNK(entry.external_attr >> 16):
            raise ValueError(f"{entry.filename!r} is a link, or lies outside the study's folder")
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
                    if not str(row.get("token_hash") or RELEASED).startswith(RELEASED):
                        row["token_hash"] = secrets.token_hex(32)  # No token has this hash.
                    yield table, row
                case _:
                    raise ContentError(f"row {number} of the backup is {str(record)[:60]!r}")


def _extract(packed: zipfile.ZipFile, name: str, to: Path) -> None:
    target, mode = to / name.removeprefix(FOLDER), _mode(packed, name)
    if name.endswith("/"):
        target.mkdir(exist_ok=True)
        if target != to:  # The top folder is private until all files are unpacked.
            target.chmod(mode & 0o755 | 0o700)
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    with packed.open(name) as kept, open(target, "wb") as out:
        os.fchmod(out.fileno(), mode & (0o600 if target.name in PRIVATE else 0o644))
        shutil.copyfileobj(kept, out, 1 << 20)


def _mode(packed: zipfile.ZipFile, name: str) -> int:
    return stat.S_IMODE(packed.getinfo(name).external_attr >> 16)


def _digest(file: IO[bytes]) -> str:
    digest = hashlib.sha256()
    while block := file.read(1 << 20):
        digest.update(block)
    return digest.hexdigest()
