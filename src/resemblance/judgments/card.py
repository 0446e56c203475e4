"""Describe a published data set: for people (README.md), and for machines (Croissant)."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from resemblance.errors import FileError
from resemblance.judgments.tables import need_pyarrow
from resemblance.licenses import License

FILE = "croissant.json"
_TERMS = (
    "citeAs column equivalentProperty extract field fileObject fileProperty fileSet format "
    "includes isLiveDataset jsonPath key md5 parentField path recordSet references regex repeated "
    "replace samplingRate separator source subField transform"
)
CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    **{term: f"cr:{term}" for term in _TERMS.split()},
}
FORMATS = {".parquet": "application/x-parquet", ".csv": "text/csv"}
TYPES = {"int": "sc:Integer", "uint": "sc:Integer", "float": "sc:Float", "bool": "sc:Boolean"}
TAGS = ("similarity", "psychophysics", "human-judgments")
SIZES = ("1K", "10K", "100K", "1M", "10M", "100M", "1B")


def schema_org(card: "Card") -> dict[str, Any]:
    named = [  # a person where family and given name stand with a comma between
        {"@type": "Person" if "," in author else "Organization", "name": author}
        for author in card.authors
    ]
    return {
        "name": card.title,
        "description": card.description,
        "license": card.license.address,
        **({"author": named, "creator": named} if named else {}),
        **(dict.fromkeys(("url", "identifier"), card.address) if card.doi else {}),
        "keywords": card.keywords,
        "datePublished": datetime.now(UTC).date().isoformat(),
    }


def croissant(folder: Path, card: "Card", tables: Sequence["DataTable"]) -> dict[str, Any]:
    """Return a data set as Croissant 1.0 has it: its files, and the columns of each."""
    said = (f"{'; '.join(card.authors)}:" if card.authors else "", f"{card.title}.", card.address)
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        **schema_org(card),
        "citeAs": " ".join(filter(None, said)),
        "distribution": [_file(folder, table.path) for table in tables],
        "recordSet": [
            {"@type": "cr:RecordSet", "@id": table.name, "name": table.name}
            | {"description": table.about}
            | {"field": [_field(table, feature) for feature in table.features]}
            for table in tables
        ],
    }


def _file(folder: Path, path: str) -> dict[str, str]:
    with (folder / path).open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    about = {"@type": "cr:FileObject", "@id": path, "name": path, "contentUrl": path}
    return about | {"encodingFormat": FORMATS[Path(path).suffix], "sha256": digest}


def _field(table: "DataTable", feature: Mapping[str, str]) -> dict[str, Any]:
    name, kind = feature["name"], feature.get("list") or feature["dtype"]
    return {
        "@type": "cr:Field",
        "@id": f"{table.name}/{name}",
        "name": name,
        "description": table.columns[name],
        "dataType": TYPES.get(kind.rstrip("0123456789"), "sc:Text"),
        **({"repeated": True} if "list" in feature else {}),
        "source": {"fileObject": {"@id": table.path}, "extract": {"column": name}},
    }


@dataclass(frozen=True)
class DataTable:
    """A table of a data set in its own file; ``about`` describes a row."""

    name: str
    about: str
    columns: Mapping[str, str]  # a description of each
    path: str  # the file, relative to the data set: .parquet or .csv
    features: Sequence[Mapping[str, str]]  # name and type of each column
    rows: int
    sizes: Mapping[str, int] = field(default_factory=dict)  # in bytes, of a Parquet file

    @classmethod
    def of_parquet(
        cls, folder: Path, name: str, about: str, columns: Mapping[str, str]
    ) -> "DataTable":
        """Read the types, rows and bytes of a Parquet file; refuse columns without description."""
        need_pyarrow()
        from pyarrow import parquet

        path = folder / f"{name}.parquet"
        schema, data = parquet.read_schema(path), parquet.read_metadata(path)
        if lacking := [column for column in schema.names if column not in columns]:
            raise FileError(
                f"{path.name}: nothing says what the column {lacking[0]!r} is: describe it in "
                "columns="
            )
        features = [{"name": column.name, **_feature(column, path)} for column in schema]
        size = sum(data.row_group(group).total_byte_size for group in range(data.num_row_groups))
        sizes = {"download_size": path.stat().st_size, "dataset_size": size}
        return cls(name, about, columns, path.name, features, data.num_rows, sizes)

    @property
    def config(self) -> dict[str, Any]:
        files = [{"split": "train", "path": self.path}]
        return {"config_name": self.name, "data_files": files}

    @property
    def info(self) -> dict[str, Any]:
        """The metadata of a Parquet file for data hubs."""
        split = {
            "name": "train",
            "num_bytes": self.sizes["dataset_size"],
            "num_examples": self.rows,
        }
        return {
            "config_name": self.name,
            "features": list(self.features),
            "splits": [split],
            **self.sizes,
        }


@dataclass(frozen=True)
class Card:
    title: str  # the name of the data set
    asked: str  # the question, as people read it
    license: License
    authors: Sequence[str]
    options: str  # the things among which people chose
    people: int | None  # None if not recorded
    excluded: str  # people and answers left out, in words
    use: str  # Python code that reads the data
    doi: str | None = None
    tags: Sequence[str] = ()  # further keywords
    notes: str = ""  # the last paragraph

    @property
    def keywords(self) -> list[str]:
        return list(dict.fromkeys((*TAGS, *self.tags)))

    @property
    def description(self) -> str:
        return " ".join(f"{self.asked} {self.options} {self.excluded}".split())

    @property
    def address(self) -> str:
        return f"https://doi.org/{self.doi}" if self.doi else ""


def write_card(folder: Path, card: Card, tables: Sequence[DataTable]) -> None:
    """Write ``README.md`` and ``croissant.json`` beside the tables, the main one first."""
    infos = [table.info for table in tables if table.sizes]
    front = {
        "pretty_name": card.title,
        "license": card.license.hub,
        "task_categories": ["other"],
        "tags": card.keywords,
        "size_categories": [size_category(tables[0].rows)],
        "configs": [tables[0].config | {"default": True}, *(t.config for t in tables[1:])],
        **({"dataset_info": infos} if infos else {}),
    }
    lines = ["---", *_yaml(front), "---", "", *_text(card), *_tables(tables), *_use(card)]
    (folder / "README.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    words = json.dumps(croissant(folder, card, tables), indent=2, ensure_ascii=False)
    (folder / FILE).write_text(words + "\n", encoding="utf-8")


def size_category(rows: int) -> str:
    """Name the size of a data set as hubs do.

    >>> size_category(999), size_category(1000), size_category(2_000_000)
    ('n<1K', '1K<n<10K', '1M<n<10M')
    """
    at = sum(rows >= 1000 * 10**step for step in range(len(SIZES)))
    if at == 0:
        return f"n<{SIZES[0]}"
    return f"{SIZES[at - 1]}<n<{SIZES[at]}" if at < len(SIZES) else f"{SIZES[-1]}<n<10B"


def _feature(column: Any, path: Path) -> dict[str, str]:
    """Return the type of a column in the words of the data sets library."""
    from pyarrow import types

    kind = column.type
    if types.is_list(kind) or types.is_large_list(kind):
        return {"list": _plain(kind.value_type)}
    if types.is_nested(kind) or types.is_dictionary(kind):
        raise FileError(
            f"{path.name}: the column {column.name!r} is of type {kind}, which cards cannot "
            "describe: make it plain"
        )
    return {"dtype": _plain(kind)}


def _plain(kind: Any) -> str:
    names = {"double": "float64", "float": "float32", "large_string": "string"}
    return names.get(str(kind), str(kind))


def _yaml(value: Any, indent: str = "") -> Iterator[str]:
    """Write mappings and lists as YAML, with JSON for scalars, which YAML contains."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if isinstance(inner, dict | list) and inner:
                yield f"{indent}{key}:"
                yield from _yaml(inner, indent + "  ")
            else:
                yield f"{indent}{key}: {json.dumps(inner, ensure_ascii=False)}"
    else:
        for entry in value:
            lines = list(_yaml(entry)) if isinstance(entry, dict) else [json.dumps(entry)]
            yield f"{indent}- {lines[0]}"
            yield from (f"{indent}  {line}" for line in lines[1:])


def _text(card: Card) -> list[str]:
    people = "It is not recorded how many people answered."
    if card.people is not None:
        people = f"{card.people:,} {'person' if card.people == 1 else 'people'} answered."
    by = [f"By {'; '.join(card.authors)}.", ""] if card.authors else []
    doi = [f"DOI: [{card.doi}]({card.address})", ""] if card.doi else []
    licence = f"Licence: [{card.license.name} ({card.license.spdx})]({card.license.address})"
    asked = ["## How it was asked", "", f"> {_line(card.asked)}", "", card.options, people]
    return [f"# {_line(card.title)}", "", *by, *doi, licence, "", *asked, card.excluded]


def _tables(tables: Sequence[DataTable]) -> Iterator[str]:
    for table in tables:
        yield from ("", f"## {table.path}", "", f"{table.about} {table.rows:,} rows.", "")
        yield from ("| column | type | what it is |", "| --- | --- | --- |")
        for feature in table.features:
            kind = feature.get("dtype") or f"list of {feature['list']}"
            yield f"| {feature['name']} | {kind} | {_line(table.columns[feature['name']])} |"


def _use(card: Card) -> list[str]:
    notes = ["", card.notes] if card.notes else []
    return ["", "## Read it", "", "```python", card.use, "```", *notes]


def _line(text: str) -> str:
    """Put text on one line, without bars, which would end a table's cell."""
    return " ".join(text.split()).replace("|", "\\|")
