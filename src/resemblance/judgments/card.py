"""The card (README.md) of a published data set."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from resemblance.errors import FileError
from resemblance.judgments.croissant import FILE, croissant
from resemblance.judgments.tables import need_pyarrow
from resemblance.licenses import License

TAGS = ("similarity", "psychophysics", "human-judgments")
SIZES = ("1K", "10K", "100K", "1M", "10M", "100M", "1B")


@dataclass(frozen=True)
class DataTable:
    """A table of a data set, in a file of its own.

    Attributes
    ----------
    name, about : str
        What it is called, and what a row is.
    columns : dict of str to str
        What each column is.
    path : str
        Its file, from the folder of the data set on: .parquet or .csv.
    features : list of dict
        Its columns with their types, in the words of the data sets library.
    rows : int
        How many rows it has.
    sizes : dict of str to int
        What a hub is told of the bytes of a Parquet file.
    """

    name: str
    about: str
    columns: Mapping[str, str]
    path: str
    features: Sequence[Mapping[str, str]]
    rows: int
    sizes: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of_parquet(
        cls, folder: Path, name: str, about: str, columns: Mapping[str, str]
    ) -> "DataTable":
        """Read the types, rows and bytes of a Parquet file.

        Raises
        ------
        FileError
            If a column has no words, or is of a type that cards cannot tell.
        """
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
        """What a hub loads."""
        files = [{"split": "train", "path": self.path}]
        return {"config_name": self.name, "data_files": files}

    @property
    def info(self) -> dict[str, Any]:
        """What a hub is told before it loads a Parquet file."""
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
    """Content of a data set's card, besides its tables."""

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
    notes : str
        What else people should know, as the last paragraph.
    """

    title: str
    asked: str
    license: License
    authors: Sequence[str]
    options: str  # the things among which people chose
    people: int | None  # None if not recorded
    excluded: str  # people and answers left out, in words
    use: str  # Python code that reads the data
    doi: str | None = None
    tags: Sequence[str] = ()
    notes: str = ""

    @property
    def keywords(self) -> list[str]:
        return list(dict.fromkeys((*TAGS, *self.tags)))

    @property
    def description(self) -> str:
        return " ".join(f"{self.asked} {self.options} {self.excluded}".split())

    @property
    def address(self) -> str:
        """The address of its DOI, or an empty text."""
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
        raise FileError(f"{path.name}: the column {column.name!r} is of type {kind}: make it plain")
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
