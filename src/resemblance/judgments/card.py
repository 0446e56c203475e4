"""The card (README.md) of a published data set."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from resemblance.errors import FileError
from resemblance.judgments.croissant import FILE, IMAGE, croissant
from resemblance.judgments.tables import need_pyarrow
from resemblance.licenses import License

TAGS = ("similarity", "psychophysics", "human-judgments")
SIZES = ("1K", "10K", "100K", "1M", "10M", "100M", "1B")


@dataclass(frozen=True)
class DataTable:
    """A Parquet file of a data set.

    Attributes
    ----------
    name, about : str
        The name of the file without suffix, and what a row is.
    columns : dict of str to str
        What each column is.
    """

    name: str
    about: str
    columns: Mapping[str, str]


@dataclass(frozen=True)
class Card:
    """What a card says besides its tables.

    Attributes
    ----------
    title, asked : str
        The name of the data set, and the question as people read it.
    license : License
        What others may do with it.
    authors : sequence of str
        Who made it.
    options : str
        What people chose among.
    people : int, optional
        How many answered; None where it was not recorded.
    excluded : str
        Who and what was left out, in words.
    use : str
        The Python code that reads it.
    doi : str, optional
        Its DOI.
    tags : sequence of str
        Further words by which it is found.
    """

    title: str
    asked: str
    license: License
    authors: Sequence[str]
    options: str
    people: int | None
    excluded: str
    use: str
    doi: str | None = None
    tags: Sequence[str] = ()

    @property
    def keywords(self) -> list[str]:
        """All words by which it is found."""
        return list(dict.fromkeys((*TAGS, *self.tags)))

    @property
    def description(self) -> str:
        """What it is, on one line."""
        return " ".join(f"{self.asked} {self.options} {self.excluded}".split())

    @property
    def address(self) -> str:
        """Where its DOI leads; nothing where it has none."""
        return f"https://doi.org/{self.doi}" if self.doi else ""


def write_card(folder: Path, card: Card, tables: Sequence[DataTable]) -> None:
    """Write ``README.md`` and ``croissant.json`` beside the Parquet files, the main one first.

    Raises
    ------
    FileError
        If a file has a column that no words describe, or of a type that cards cannot tell.
    """
    described = [_described(folder, table) for table in tables]
    front = {
        "pretty_name": card.title,
        "license": card.license.hub,
        "task_categories": ["other"],
        "tags": card.keywords,
        "size_categories": [size_category(described[0]["splits"][0]["num_examples"])],
        "configs": [_config(table, first=table is tables[0]) for table in tables],
        "dataset_info": described,
    }
    counts = [table["splits"][0]["num_examples"] for table in described]
    lines = ["---", *_yaml(front), "---", "", *_text(card), *_tables(tables, described, counts)]
    (folder / "README.md").write_text("\n".join([*lines, *_use(card)]) + "\n", encoding="utf-8")
    words = json.dumps(croissant(folder, card, tables, described), indent=2, ensure_ascii=False)
    (folder / FILE).write_text(words + "\n", encoding="utf-8")


def size_category(rows: int) -> str:
    """Name the size of a data set as hubs do.

    Examples
    --------
    >>> size_category(999), size_category(1000), size_category(2_000_000)
    ('n<1K', '1K<n<10K', '1M<n<10M')
    """
    at = sum(rows >= 1000 * 10**step for step in range(len(SIZES)))
    if at == 0:
        return f"n<{SIZES[0]}"
    return f"{SIZES[at - 1]}<n<{SIZES[at]}" if at < len(SIZES) else f"{SIZES[-1]}<n<10B"


def _config(table: DataTable, first: bool) -> dict[str, Any]:
    files = [{"split": "train", "path": f"{table.name}.parquet"}]
    return {"config_name": table.name, "data_files": files} | ({"default": True} if first else {})


def _described(folder: Path, table: DataTable) -> dict[str, Any]:
    """Return what a hub is told of a table: its columns with their types, rows and bytes."""
    need_pyarrow()
    from pyarrow import parquet

    path = folder / f"{table.name}.parquet"
    schema, about = parquet.read_schema(path), parquet.read_metadata(path)
    if lacking := [name for name in schema.names if name not in table.columns]:
        raise FileError(
            f"{path.name}: nothing says what the column {lacking[0]!r} is: describe it in columns="
        )
    features = [{"name": name, **_feature(schema.field(name), path)} for name in schema.names]
    data = sum(about.row_group(group).total_byte_size for group in range(about.num_row_groups))
    split = {"name": "train", "num_bytes": data, "num_examples": about.num_rows}
    sizes = {"download_size": path.stat().st_size, "dataset_size": data}
    return {"config_name": table.name, "features": features, "splits": [split], **sizes}


def _feature(field: Any, path: Path) -> dict[str, Any]:
    """Return the type of a column in the words of the data sets library."""
    from pyarrow import types

    kind = field.type
    if types.is_list(kind) or types.is_large_list(kind):
        return {"list": _plain(kind.value_type)}
    if types.is_struct(kind) and [field.name for field in kind] == ["bytes", "path"]:
        return {"dtype": IMAGE}
    if types.is_nested(kind) or types.is_dictionary(kind):
        raise FileError(f"{path.name}: the column {field.name!r} is of type {kind}: make it plain")
    return {"dtype": _plain(kind)}


def _plain(kind: Any) -> str:
    names = {"double": "float64", "float": "float32", "large_string": "string"}
    return names.get(str(kind), str(kind))


def _yaml(value: Any, indent: str = "") -> Iterator[str]:
    """Write mappings and lists as YAML; what stands in them is JSON, which YAML contains."""
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


def _tables(
    tables: Sequence[DataTable], described: Sequence[Mapping[str, Any]], counts: Sequence[int]
) -> Iterator[str]:
    for table, description, rows in zip(tables, described, counts, strict=True):
        yield from ("", f"## {table.name}.parquet", "", f"{table.about} {rows:,} rows.", "")
        yield from ("| column | type | what it is |", "| --- | --- | --- |")
        for feature in description["features"]:
            kind = feature.get("dtype") or f"list of {feature['list']}"
            yield f"| {feature['name']} | {kind} | {_line(table.columns[feature['name']])} |"


def _use(card: Card) -> list[str]:
    return ["", "## Read it", "", "```python", card.use, "```"]


def _line(text: str) -> str:
    """Put text on one line, where no bar ends a cell."""
    return " ".join(text.split()).replace("|", "\\|")
