"""Metadata of a data set for machines: schema.org, and Croissant of ML Commons."""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from resemblance.judgments.card import Card, DataTable

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
