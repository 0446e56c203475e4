"""Publish a study's data: an archive for a repository, or a data set with its card."""

import hashlib
import json
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from resemblance import __version__
from resemblance.errors import FileError, SettingError, count
from resemblance.licenses import License, find_license
from resemblance.study.export.files import pack, write_all, write_images, write_json, write_table
from resemblance.study.export.package import FILE, data_package
from resemblance.study.export.tables import REASONS, Export
from resemblance.study.files import new_folder
from resemblance.study.kinds import Kind
from resemblance.study.publication import Publication

if TYPE_CHECKING:
    from resemblance.judgments.card import Card

SUMS = "SHA256SUMS"
PIXELS = (".png", ".jpg", ".jpeg", ".webp", ".gif")  # pictures that hubs show


def write_archive(
    export: Export, path: Path, format: str = "csv", with_pictures: bool = False
) -> list[str]:
    """Write a study as one zip file for a repository of data, whole or not at all.

    It holds the tables in ``data/`` with their codebook, the settings without secrets,
    ``README.md``, ``LICENSE``, ``CITATION.cff``, ``datapackage.json`` where the tables are CSV, and
    the checksums of all; the stimuli, if they are asked for.

    Parameters
    ----------
    export : Export
        What is written: one that may be published.
    path : Path
        Where: a file that is not there, whose name ends in .zip.
    format : "csv", "parquet" or "json"
        The type of the tables.
    with_pictures : bool
        Whether the stimuli themselves are in it; else they are listed, with their checksums.

    Returns
    -------
    list of str
        What is in it.

    Raises
    ------
    FileError
        If the file is there or is no zip, or two stimuli have one file name.
    SettingError
        If ``[publication]`` lacks a title, authors or a licence.
    """
    about = publication_of(export)
    if path.suffix != ".zip":
        raise FileError(f"{path} is written as a zip file: give it a name that ends in .zip")
    if path.exists():
        raise FileError(f"{path} is there already: name a new file")
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home) / export.live.folder.name
        (folder / "data").mkdir(parents=True)
        codebook = write_all(export, folder / "data", format)
        (folder / "data" / "study.toml").rename(folder / "study.toml")
        if with_pictures:
            copy_stimuli(export, folder / "stimuli")
        license = _license(about)
        words = {
            "README.md": readme(export, _files_of(codebook)),
            "LICENSE": f"{license.name} ({license.spdx})\n\nThe terms: {license.address}\n",
            "CITATION.cff": "\n".join(_citation(about)) + "\n",
        }
        for name, text in words.items():
            (folder / name).write_text(text, encoding="utf-8")
        if format == "csv":
            write_json(folder / FILE, data_package(card_of(export), codebook))
        (folder / SUMS).write_text("\n".join(_sums(folder)) + "\n", encoding="utf-8")
        return pack(folder, path)


def write_study_dataset(export: Export, folder: Path, with_pictures: bool = False) -> None:
    """Write the judgments and items of a study as a data set with its card, whole or not at all.

    With pictures the column ``file`` of the items holds them, as hubs show them.

    Raises
    ------
    FileError
        If the folder holds something, or cannot be written.
    SettingError
        If ``[publication]`` lacks a title, authors or a licence; if pictures are asked for, and an
        item is none of pixels.
    """
    from resemblance.judgments.card import DataTable, write_card

    card = card_of(export)
    named = {"items", *(table.name for table in export.kind.tables)}
    tables = [table for table in export.tables() if table.name in named]
    with new_folder(folder) as part:
        for table in tables:
            write_table(table, part, "parquet")
        write_images(export, part)
        if with_pictures:
            _put_pictures(export, part / "items.parquet")
        write_card(part, card, [DataTable(t.name, t.about, t.columns) for t in tables])


def _put_pictures(export: Export, path: Path) -> None:
    """Put each picture, with its name, where the items name its file."""
    import pyarrow as pa
    from pyarrow import parquet

    files = [stimulus.path for stimulus in export.live.folder.stimuli]
    for name, file in zip(export.live.folder.names, files, strict=True):
        if file is None or file.suffix.lower() not in PIXELS:
            raise SettingError(
                f"{name} is no {', '.join(PIXELS)}, which hubs show: leave out --with-pictures"
            )
    table, kind = parquet.read_table(path), pa.struct({"bytes": pa.binary(), "path": pa.string()})
    cells = [{"bytes": file.read_bytes(), "path": file.name} for file in files if file is not None]
    at = table.schema.get_field_index("file")
    parquet.write_table(table.set_column(at, "file", pa.array(cells, kind)), path)


def card_of(export: Export) -> "Card":
    """Return what a study says of itself as a card; refuse it where something is missing."""
    from resemblance.judgments.card import Card

    about = publication_of(export)
    return Card(
        title=str(about.title),
        asked=export.asked,
        license=_license(about),
        authors=about.authors,
        options=f"Kind of question: {export.kind.about}. {about.description}".strip(),
        people=_people(export),
        excluded=exclusions(export),
        use="\n".join(_reading(export.kind)),
        doi=about.doi,
    )


def exclusions(export: Export) -> str:
    """Say which answers are not among the judgments, and which are of simulated people."""
    left_out = ", ".join(f"{export.left_out[reason]} {reason}" for reason in REASONS)
    rules = len(export.live.settings.quality.rules)
    kept = "Their answers are kept" if export.with_excluded else "Their answers are left out"
    simulated = export.live.store.people.simulated(export.live.record)
    there = len({answer.code for answer in export.answered() if answer.simulated})
    marked = f" {there} simulated people are among them (column `simulated`)." if there else ""
    return (
        f"Excluded: {len(export.excluded - simulated)} people, by a researcher or by the study's "
        f"{rules} rules (study.toml). {kept}.{marked} Answers that are not among the judgments: "
        f"{left_out}."
    )


def publication_of(export: Export) -> Publication:
    """Return what a study says of itself; refuse it where something is missing."""
    assert export.published
    about = export.live.settings.publication
    about.refuse_unfinished()
    return about


def _license(about: Publication) -> License:
    return find_license(str(about.license))


def _people(export: Export) -> int:
    """Count who gave a judgment, without simulated people."""
    return len({answer.code for answer in export.answered() if not answer.simulated})


def _reading(kind: Kind) -> list[str]:
    """Return the lines of code that read the first table of a kind of question."""
    from resemblance.judgments.dataset import KINDS, reading

    name = kind.tables[0].name
    if name in {entry.name for entry in KINDS}:
        return reading(name).split("\n")
    return ["import pandas as pd", "", f'{name} = pd.read_parquet("{name}.parquet")']


def copy_stimuli(export: Export, folder: Path) -> None:
    """Copy the files of the stimuli into a folder."""
    folder.mkdir()
    for stimulus in export.live.folder.stimuli:
        if stimulus.path is not None:
            if (folder / stimulus.path.name).exists():
                raise FileError(f"two stimuli have the file name {stimulus.path.name}: rename one")
            shutil.copyfile(stimulus.path, folder / stimulus.path.name)


def _citation(about: Publication) -> Iterator[str]:
    """Write how it is cited, in the citation file format; what stands in it is JSON."""
    yield "cff-version: 1.2.0"
    yield "message: If you use these data, please cite them as below."
    yield "type: dataset"
    yield f"title: {_quoted(about.title)}"
    yield "authors:"
    for author in about.authors:
        family, comma, given = (part.strip() for part in author.partition(","))
        if comma:
            yield f"  - family-names: {_quoted(family)}"
            yield f"    given-names: {_quoted(given)}"
        else:
            yield f"  - name: {_quoted(author)}"
    yield f"license: {about.license}"
    if about.doi:
        yield f"doi: {about.doi}"
    yield f"date-released: {_today()}"


def _quoted(text: str | None) -> str:
    return json.dumps(text, ensure_ascii=False)


def _today() -> str:
    return datetime.now(UTC).date().isoformat()


def readme(export: Export, files: Sequence[str]) -> str:
    """Write what a data set is: how it was asked, who answered, who was left out, its files."""
    about = publication_of(export)
    doi = [f"DOI: https://doi.org/{about.doi}", ""] if about.doi else []
    lines = [
        f"# {about.title}",
        "",
        f"By {'; '.join(about.authors)}. Licence: {about.license} ({_license(about).address}).",
        f"Exported {_today()} by resemblance {__version__}.",
        "",
        *doi,
        *([about.description, ""] if about.description else []),
        "## How it was asked",
        "",
        f"> {export.asked}",
        "",
        f"Kind of question: {export.kind.about}. {_people(export)} people gave answers that count.",
        exclusions(export),
        "",
        "## Files",
        "",
        *files,
        "",
        "People go by pseudonyms. What they filled in on pages, the audit trail, and settings that "
        "tell of people or machines are not published.",
    ]
    return "\n".join(lines) + "\n"


def _files_of(codebook: dict[str, Any]) -> list[str]:
    """Say what is in an archive."""
    package = f"- `{FILE}`: the same for programs, a tabular data package of Frictionless."
    return [
        *(
            f"- `data/{table['file']}`: {table['row']} {count(table['rows'], 'row')}."
            for table in codebook["tables"].values()
        ),
        "- `data/codebook.md`, `data/codebook.json`: what each column is.",
        *([package] if codebook["free_text"] else []),  # data packages describe CSV alone
        "- `study.toml`: the settings of the study as it ran.",
        f"- `{SUMS}`: checksums; `sha256sum --check {SUMS}` compares them.",
        "",
        f"Use it: `cd data; {codebook['use']}`",
    ]


def _sums(folder: Path) -> Iterator[str]:
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
            yield f"{digest}  {path.relative_to(folder).as_posix()}"
