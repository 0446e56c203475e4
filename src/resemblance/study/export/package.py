"""Describe a study's CSV tables as a Frictionless data package."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from resemblance.study.export.columns import type_of

if TYPE_CHECKING:
    from resemblance.judgments.card import Card

FILE = "datapackage.json"
CSV = {"format": "csv", "mediatype": "text/csv", "encoding": "utf-8"}


def data_package(card: "Card", codebook: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the tables in ``data/`` are, as version 1 of the specification has it."""
    terms = card.license
    return {
        "profile": "tabular-data-package",
        "name": codebook["study"],
        **({"id": card.doi} if card.doi else {}),
        "title": card.title,
        "description": card.description,
        "keywords": card.keywords,
        "created": codebook["exported"],
        "licenses": [{"name": terms.spdx, "title": terms.name, "path": terms.address}],
        "contributors": [{"title": author, "role": "author"} for author in card.authors],
        "resources": [_resource(name, table) for name, table in codebook["tables"].items()],
    }


def _resource(name: str, table: Mapping[str, Any]) -> dict[str, Any]:
    fields = [
        {"name": column, "type": type_of(name, column), "description": words}
        for column, words in table["columns"].items()
    ]
    about = {"profile": "tabular-data-resource", "name": name, "description": table["row"]}
    return about | {"path": f"data/{table['file']}", **CSV, "schema": {"fields": fields}}
