"""Write the archive of a study for a data repository.

The layout is Psych-DS. ``datapackage.json`` (Frictionless), Croissant metadata and a ``README.md``
for data hubs describe the same tables.
"""

import hashlib
import json
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from resemblance import __version__
from resemblance.errors import FileError, SettingError
from resemblance.licenses import find_license
from resemblance.study.export import columns
from resemblance.study.export.columns import type_of
from resemblance.study.export.files import pack, write_images, write_json, write_table
from resemblance.study.export.tables import REASONS, Export, Table
from resemblance.study.kinds import Kind
from resemblance.study.kinds.base import Row
from resemblance.study.sections import Publication
from resemblance.study.settings_file import FILE, read_settings

if TYPE_CHECKING:
    from resemblance.judgments.dataset import Card, DataTable

EVENT = {
    "participant_id": columns.ANSWER["observer"],
    "onset": "Seconds from this person's first question to the display of this one, estimated as "
    "the server's time of the answer minus the response time; too late if the network was slow.",
    "duration": "Seconds for which the question was shown: until the answer.",
    "trial_type": columns.ANSWER["purpose"],
    "response_time": "Seconds from the display of the question to the answer.",
    "stim_file": "File of the head.",
    "answer": columns.LOG["answer"],
}
SUMS = "SHA256SUMS"
# Croissant's type for each of our types of columns; columns of other types are text ("string").
DTYPES = {"boolean": "bool", "integer": "int64", "number": "float64"}
CSV = {"format": "csv", "mediatype": "text/csv", "encoding": "utf-8"}


def card_of(export: Export, files: dict[str, str]) -> "Card":
    """Return the data card of a study; raise an error without authors or a licence."""
    from resemblance.judgments.dataset import Card

    about = publication_of(export)
    return Card(
        title=str(export.live.settings.study.title),
        asked=export.asked,
        license=find_license(str(about.license)),
        authors=about.authors,
        options=f"Kind of question: {export.kind.about}. {about.description}".strip(),
        people=len({answer.code for answer in export.answered() if not answer.simulated}),
        excluded=exclusions(export),
        use=reading_code(export.kind, files),
        doi=about.doi,
        notes=f"Exported {today()} by resemblance {__version__}. People have pseudonyms. Their "
        "entries on pages, the audit trail, and settings about people or machines are not "
        "published.",
    )


def publication_of(export: Export) -> Publication:
    assert export.published
    about = export.live.settings.publication
    about.refuse_unfinished()
    return about


def unpublished_because(study: Path) -> str:
    """Return why ``study.toml`` does not allow publishing the study; "" if it does."""
    try:
        read_settings(study / FILE).publication.refuse_unfinished()
    except (FileError, SettingError) as error:
        return str(error)
    return ""


def exclusions(export: Export) -> str:
    """Return sentences on the answers that are left out, and on the answers that are simulated."""
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


def reading_code(kind: Kind, files: dict[str, str]) -> str:
    from resemblance.judgments.dataset import KINDS, reading

    name = kind.tables[0].name
    if name in {entry.name for entry in KINDS}:
        return reading(name, files[name], files["items"])
    return f'import pandas as pd\n\n{name} = pd.read_csv("{files[name]}")'


def citation(title: str | None, about: Publication) -> Iterator[str]:
    """Yield the lines of a citation file (CFF); texts are quoted as in JSON."""
    yield "cff-version: 1.2.0"
    yield "message: If you use these data, please cite them as below."
    yield "type: dataset"
    yield f"title: {_quoted(title)}"
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
    yield f"date-released: {today()}"


def today() -> str:
    return datetime.now(UTC).date().isoformat()


def _quoted(text: str | None) -> str:
    return json.dumps(text, ensure_ascii=False)


def events(answers: Iterable[Row], files: Mapping[str, str]) -> Iterator[Row]:
    """Yield answers and skips as events, grouped by person and sorted by time of onset."""
    of = itemgetter("observer")
    for observer, rows in groupby(sorted(answers, key=of), of):
        timed = [(_painted(row), row["answer"], row) for row in rows]
        timed.sort(key=itemgetter(0, 1))
        for painted, answer, row in timed:
            seconds = None if row["rt_ms"] is None else round(row["rt_ms"] / 1000, 4)
            yield {
                "participant_id": observer,
                "onset": round(painted - timed[0][0], 3),
                "duration": seconds,
                "trial_type": row["purpose"],
                "response_time": seconds,
                "stim_file": files.get(row["head"] or ""),
                "answer": answer,
            }


def _painted(row: Row) -> float:
    return datetime.fromisoformat(row["time"]).timestamp() - (row["rt_ms"] or 0.0) / 1000


def write_archive(export: Export, path: Path, with_pictures: bool = False) -> list[str]:
    """Write a study as a zip file for a data repository; return the names of its files.

    Without ``with_pictures``, the archive lists stimuli with their checksums, but does not contain
    them.
    """
    publication_of(export)
    if path.suffix != ".zip":
        raise FileError(f"{path} will be a zip file: give it a name that ends in .zip")
    if path.exists():
        raise FileError(f"{path} exists already: name a new file")
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home) / export.live.folder.name
        tables = _write_data(export, folder)
        _write_materials(export, folder / "materials", with_pictures)
        _describe(export, folder, tables)
        (folder / SUMS).write_text("\n".join(_sums(folder)) + "\n", encoding="utf-8")
        return pack(folder, path)


def _write_data(export: Export, folder: Path) -> "list[DataTable]":
    from resemblance.judgments.dataset import DataTable

    study = re.sub(r"[^0-9A-Za-z]", "", export.live.settings.study.name)
    (folder / "data").mkdir(parents=True)
    described = []
    for table in [*export.tables(), _events(export)]:
        keyword = re.sub(r"[^0-9A-Za-z]", "", table.name)
        file = f"study-{study}_description-{keyword}_data"
        rows = write_table(replace(table, name=file), folder / "data", "csv")
        features = [
            {"name": column, "dtype": DTYPES.get(type_of(table.name, column), "string")}
            for column in table.columns
        ]
        path = f"data/{file}.csv"
        described.append(DataTable(table.name, table.about, table.columns, path, features, rows))
    write_images(export, folder / "data")
    return described


def _events(export: Export) -> Table:
    [answers] = [table for table in export.tables() if table.name == "answers"]
    stimuli = export.live.folder.stimuli
    files = {item.name: item.path.name for item in stimuli if item.path is not None}

    def rows() -> Iterator[dict[str, Any]]:
        kept = (row for row in answers.rows() if export.with_excluded or not row["excluded"])
        yield from events(kept, files)

    return Table("bids_events", "An answer, or a skip, as an event of BIDS.", EVENT, rows)


def _write_materials(export: Export, folder: Path, with_pictures: bool) -> None:
    folder.mkdir()
    (folder / "study.toml").write_text(export.settings(), encoding="utf-8")
    if not with_pictures:
        return
    (folder / "stimuli").mkdir()
    for stimulus in export.live.folder.stimuli:
        if stimulus.path is not None:
            copy = folder / "stimuli" / stimulus.path.name
            if copy.exists():
                raise FileError(f"two stimuli have the file name {stimulus.path.name}: rename one")
            shutil.copyfile(stimulus.path, copy)


def _describe(export: Export, folder: Path, tables: "list[DataTable]") -> None:
    from resemblance.judgments.dataset import schema_org, write_card

    card = card_of(export, {table.name: table.path for table in tables})
    terms = f"{card.license.name} ({card.license.spdx})\n\nThe terms: {card.license.address}\n"
    (folder / "LICENSE").write_text(terms, encoding="utf-8")
    cited = "\n".join(citation(card.title, publication_of(export))) + "\n"
    (folder / "CITATION.cff").write_text(cited, encoding="utf-8")
    write_card(folder, card, tables)
    head = {"@context": "https://schema.org/", "@type": "Dataset", **schema_org(card)}
    write_json(folder / "dataset_description.json", head | {"variableMeasured": variables(tables)})
    package = data_package(card, export.live.settings.study.name, tables)
    write_json(folder / "datapackage.json", package)


def variables(tables: "Sequence[DataTable]") -> list[dict[str, str]]:
    """Describe each column once, as Psych-DS requires, or by table if descriptions differ."""
    words: dict[str, dict[str, list[str]]] = {}
    for table in tables:
        for column, text in table.columns.items():
            words.setdefault(column, {}).setdefault(text, []).append(table.name)
    described = []
    for column, said in words.items():
        each = " ".join(f"{', '.join(names)}: {text}" for text, names in said.items())
        text = each if len(said) > 1 else next(iter(said))
        described.append({"@type": "PropertyValue", "name": column, "description": text})
    return described


def data_package(card: "Card", name: str, tables: "Sequence[DataTable]") -> dict[str, Any]:
    """Describe the tables as a Tabular Data Package (Frictionless, version 1)."""
    terms = card.license
    return {
        "profile": "tabular-data-package",
        "name": name,
        **({"id": card.doi} if card.doi else {}),
        "title": card.title,
        "description": card.description,
        "keywords": card.keywords,
        "created": f"{today()}T00:00:00Z",
        "licenses": [{"name": terms.spdx, "title": terms.name, "path": terms.address}],
        "contributors": [{"title": author, "role": "author"} for author in card.authors],
        "resources": [_resource(table) for table in tables],
    }


def _resource(table: "DataTable") -> dict[str, Any]:
    fields = [
        {"name": column, "type": type_of(table.name, column), "description": words}
        for column, words in table.columns.items()
    ]
    about = {"profile": "tabular-data-resource", "name": table.name, "description": table.about}
    return about | {"path": table.path, **CSV, "schema": {"fields": fields}}


def _sums(folder: Path) -> Iterator[str]:
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
            yield f"{digest}  {path.relative_to(folder).as_posix()}"
