"""A study's CSV tables as a tabular data package of Frictionless."""

from typing import TYPE_CHECKING, Any

from resemblance.study.export.columns import type_of

if TYPE_CHECKING:
    from resemblance.judgments.card import Card

FILE = "datapackage.json"


def data_package(card: "Card", codebook: dict[str, Any]) -> dict[str, Any]:
    """Return what the tables in ``data/`` are, as version 1 of the specification has it."""
    license = card.license
    return {
        "profile": "tabular-data-package",
        "name": codebook["study"],
        **({"id": card.doi} if card.doi else {}),
        "title": card.title,
        "description": f"{card.asked}\n\n{card.options} {card.excluded}",
        "keywords": card.keywords,
        "created": codebook["exported"],
        "licenses": [{"name": license.spdx, "title": license.name, "path": license.address}],
        "contributors": [{"title": author, "role": "author"} for author in card.authors],
        "resources": [
            {
                "profile": "tabular-data-resource",
                "name": name,
                "path": f"data/{table['file']}",
                "description": table["row"],
                "format": "csv",
                "mediatype": "text/csv",
                "encoding": "utf-8",
                "schema": {
                    "fields": [
                        {"name": column, "type": type_of(name, column), "description": words}
                        for column, words in table["columns"].items()
                    ]
                },
            }
            for name, table in codebook["tables"].items()
        ],
    }
