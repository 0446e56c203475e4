"""Write the tables of an export and their codebook."""

import csv
import json
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from resemblance.errors import FileError, SettingError, count
from resemblance.files import safe
from resemblance.optional import require
from resemblance.study.export.tables import REASONS, Export, Table, when
from resemblance.study.files import new_folder
from resemblance.study.kinds.base import Row

FORMATS = {"csv": "csv", "parquet": "parquet", "json": "jsonl"}  # suffixes of files by format


SAFE_TEXT = (
    "In CSV, an apostrophe is put before texts and names that begin with = + - @ ' a tab or a line "
    "break, unless they are numbers: a spreadsheet would run them as formulas. Remove the first "
    "apostrophe to get the original text. Line breaks are line feeds."
)


def write_export(export: Export, folder: Path, format: str = "csv") -> dict[str, Any]:
    """Write a study's tables into a new folder, completely or not at all; return the codebook."""
    if format not in FORMATS:
        raise SettingError(f"format is {format!r}: choose {', '.join(FORMATS)}")
    with new_folder(folder) as part:
        return write_all(export, part, format)


def as_archive(export: Export, format: str = "csv") -> bytes:
    return zipped(lambda folder: write_export(export, folder, format), export.live.folder.name)


def zipped(write: Callable[[Path], object], name: str) -> bytes:
    """Return the content of the file that ``write`` makes; a folder is packed as a zip file."""
    with tempfile.TemporaryDirectory() as home:
        path = Path(home) / name
        write(path)
        if path.is_dir():
            pack(path, path := Path(home) / "packed.zip")
        return path.read_bytes()


def pack(folder: Path, path: Path) -> list[str]:
    """Pack a folder as a zip file, completely or not at all; return the names of its files."""
    part = path.with_name(f".part-{path.name}")
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    names = [file.relative_to(folder.parent).as_posix() for file in files]
    try:
        with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as packed:
            for file, name in zip(files, names, strict=True):
                packed.write(file, name)
        part.replace(path)
    except OSError as error:
        raise FileError(f"{path} cannot be written ({error}): name another file") from None
    finally:
        part.unlink(missing_ok=True)
    return names


def write_all(export: Export, folder: Path, format: str) -> dict[str, Any]:
    tables = export.tables()
    counts = {table.name: write_table(table, folder, format) for table in tables}
    write_images(export, folder)
    (folder / "study.toml").write_text(export.settings(), encoding="utf-8")
    codebook = _codebook(export, tables, counts, format)
    write_json(folder / "codebook.json", codebook)
    (folder / "codebook.md").write_text(_as_markdown(codebook), encoding="utf-8")
    return codebook


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    text = json.dumps(value, indent=2, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")


def write_images(export: Export, folder: Path) -> None:
    for name, draw in export.images():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(draw())


def write_table(table: Table, folder: Path, format: str) -> int:
    writers: dict[str, Callable[[Path, Table, Iterator[Row]], int]] = {
        "csv": _write_csv,
        "parquet": _write_parquet,
        "json": _write_json,
    }
    rows = ({name: row.get(name) for name in table.columns} for row in table.rows())
    return writers[format](folder / f"{table.name}.{FORMATS[format]}", table, rows)


def _write_csv(path: Path, table: Table, rows: Iterator[Row]) -> int:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(table.columns)
        return sum(bool(writer.writerow(map(_cell, row.values()))) for row in rows)


def _cell(value: Any) -> Any:
    text = isinstance(value, str)  # The csv module does not quote \r.
    return safe(value.replace("\r\n", "\n").replace("\r", "\n") if text else value)


def _write_json(path: Path, table: Table, rows: Iterator[Row]) -> int:
    with path.open("w", encoding="utf-8") as file:
        return sum(bool(file.write(json.dumps(row, ensure_ascii=False) + "\n")) for row in rows)


def _write_parquet(path: Path, table: Table, rows: Iterator[Row]) -> int:
    pa = require("Parquet needs", "pyarrow", "or export csv or json")
    parquet = require("Parquet needs", "pyarrow.parquet")
    kept = list(rows)
    columns = {name: [row[name] for row in kept] for name in table.columns}
    parquet.write_table(pa.table(columns), path)
    return len(kept)


def _codebook(
    export: Export, tables: list[Table], counts: dict[str, int], format: str
) -> dict[str, Any]:
    settings = export.live.settings
    mapped = " --features features.{0}" if settings.features.file else ""
    return {
        "study": settings.study.name,
        "title": settings.study.title,
        "question": export.asked,
        "kind": export.kind.name,
        "exported": when(time.time()),
        "last_answer": export.quality.last,
        "identified": export.identified,
        "not_among_the_judgments": {
            reason: export.left_out[reason]
            for reason in REASONS
            if reason != "simulated" or not export.hides_simulated
        },
        "free_text": SAFE_TEXT if format == "csv" else None,
        "judgments": export.kind.judgment,
        "use": (export.kind.command + mapped).format(FORMATS[format]),
        "tables": {
            table.name: {
                "file": f"{table.name}.{FORMATS[format]}",
                "row": table.about,
                "rows": counts[table.name],
                "columns": table.columns,
            }
            for table in tables
        },
    }


def _as_markdown(codebook: dict[str, Any]) -> str:
    left_out = codebook["not_among_the_judgments"]
    lines = [
        f"# {codebook['title']}",
        "",
        f"The study `{codebook['study']}`, exported {codebook['exported']}. The question was:",
        f"*{codebook['question']}*",
        "",
        f"Use it: `{codebook['use']}`",
        "",
        "Left out of the judgments, but kept in `answers`: "
        + ", ".join(f"{n} {reason}" for reason, n in left_out.items())
        + ".",
    ]
    lines += ["", codebook["free_text"]] if codebook["free_text"] else []
    for table in codebook["tables"].values():
        rows = count(table["rows"], "row")
        lines += ["", f"## {table['file']}", "", f"{table['row']} {rows}.", ""]
        lines += ["| column | description |", "| --- | --- |"]
        lines += [f"| {name} | {words} |" for name, words in table["columns"].items()]
    return "\n".join(lines) + "\n"
