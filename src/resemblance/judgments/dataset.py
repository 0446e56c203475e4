"""Write judgments as a data set to publish: Parquet files, README.md and Croissant."""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from typing import Any, Literal, TypeVar

import numpy as np

from resemblance.arrays import by_view
from resemblance.errors import FileError, JudgmentError
from resemblance.judgments.arrangements import Arrangements
from resemblance.judgments.choices import Choices, OddOneOuts
from resemblance.judgments.confusions import Confusions
from resemblance.judgments.file_io import Filed
from resemblance.judgments.items import Items
from resemblance.judgments.pairs import Ratings, SimilarPairs
from resemblance.judgments.rows import Rows
from resemblance.judgments.tables import need_pyarrow, write_table
from resemblance.judgments.triplets import Quadruplets, Triplets, WithCatches
from resemblance.licenses import License, find_license
from resemblance.optional import pd
from resemblance.ranges import check, one_of

CROISSANT_FILE = "croissant.json"
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
    # schema.org expects "family name, given name", so an author without a comma is an organisation.
    named = [
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
    """A table of a data set, in its own file; ``about`` describes a row."""

    name: str
    about: str
    columns: Mapping[str, str]  # description of each column
    path: str  # the file, relative to the data set: .parquet or .csv
    features: Sequence[Mapping[str, str]]  # name and type of each column
    rows: int
    sizes: Mapping[str, int] = field(default_factory=dict)  # sizes of Parquet files, in bytes

    @classmethod
    def of_parquet(
        cls, folder: Path, name: str, about: str, columns: Mapping[str, str]
    ) -> "DataTable":
        """Describe a Parquet file; every column needs a description."""
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
    asked: str  # the question, as participants read it
    license: License
    authors: Sequence[str]
    options: str  # the items among which people chose
    people: int | None  # number of participants; None if not recorded
    excluded: str  # people and answers left out, in words
    use: str  # Python code that reads the data
    doi: str | None = None
    tags: Sequence[str] = ()  # further keywords
    notes: str = ""  # last paragraph of the card

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
    lines = ["---", *_yaml(front), "---", "", *_text(card), *_tables(tables)]
    lines += ["", "## Read it", "", "```python", card.use, "```"]
    if card.notes:
        lines += ["", card.notes]
    (folder / "README.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    words = json.dumps(croissant(folder, card, tables), indent=2, ensure_ascii=False)
    (folder / CROISSANT_FILE).write_text(words + "\n", encoding="utf-8")


def size_category(rows: int) -> str:
    """Return the size category that data hubs use.

    >>> size_category(999), size_category(1000), size_category(2_000_000)
    ('n<1K', '1K<n<10K', '1M<n<10M')
    """
    at = sum(rows >= 1000 * 10**step for step in range(len(SIZES)))
    if at == 0:
        return f"n<{SIZES[0]}"
    return f"{SIZES[at - 1]}<n<{SIZES[at]}" if at < len(SIZES) else f"{SIZES[-1]}<n<10B"


def _feature(column: Any, path: Path) -> dict[str, str]:
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


def _line(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


R = TypeVar("R", bound=Rows)

PAIR = {"a": "One item of the pair.", "b": "The other one."}
NOTES = {
    "weight": "How much the row counts.",
    "response_id": "Rows with the same number come from one response.",
    "observer": "Pseudonym of who answered.",
}
ITEM = {
    "item": "Name, as in the judgments.",
    "name": "Title, where it is not the name.",
    "label": "Its class.",
}
MTURK = "an id of MTurk"
IDENTITIES = {  # patterns of participant ids of recruiting services
    "an id of Prolific": re.compile(r"[0-9a-f]{24}"),
    MTURK: re.compile(r"A(?=[A-Z]*[0-9])[0-9A-Z]{11,20}"),
    "an e-mail address": re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+"),
}


@dataclass(frozen=True)
class DataKind:
    kind: type[Filed]
    options: str
    about: str  # description of a row of the table
    columns: Mapping[str, str]

    @property
    def name(self) -> str:
        return self.kind.kind()


KINDS = (
    DataKind(
        Triplets,
        "Two options were compared with a head.",
        "An answer: near was judged more similar to the head than far.",
        {
            "head": "What the options were compared with.",
            "near": "The option judged more similar to the head.",
            "far": "The other option.",
        },
    ),
    DataKind(
        Quadruplets,
        "Two pairs were compared.",
        "An answer: a and b were judged more similar than c and d.",
        {
            "a": "An item of the more similar pair.",
            "b": "The other item of that pair.",
            "c": "An item of the less similar pair.",
            "d": "The other item of that pair.",
        },
    ),
    DataKind(
        Choices,
        "One of several options was chosen as the most similar to a head.",
        "An answer.",
        {
            "head": "What the options were compared with.",
            "chosen": "The option judged most similar to the head.",
            "options": "All options, the chosen one among them.",
        },
    ),
    DataKind(
        OddOneOuts,
        "Of several items the odd one out was chosen.",
        "An answer.",
        {"odd": "The item judged the odd one out.", "options": "All items, it among them."},
    ),
    DataKind(
        Confusions,
        "It was asked whether two items are the same.",
        "A pair, with how often its items were taken for each other.",
        {**PAIR, "errors": "Wrong answers.", "trials": "Answers in all."},
    ),
    DataKind(
        Ratings,
        "The similarity of two items was rated on a scale.",
        "A rating.",
        {**PAIR, "rating": "The step of the scale.", "points": "How many steps it has."},
    ),
    DataKind(
        SimilarPairs,
        "It was said whether two items are similar.",
        "A pair.",
        {**PAIR, "similar": "Whether they were called similar."},
    ),
    DataKind(
        Arrangements,
        "Several items were laid out on a plane, the alike ones close together.",
        "An item of an arrangement.",
        {
            "trial": "The same in all rows of an arrangement.",
            "item": "An item.",
            "x": "How far right it was put; the unit is that of y in the same arrangement.",
            "y": "How far up it was put.",
        },
    ),
)


def write_dataset(
    judgments: Filed,
    folder: str | PathLike[str],
    *,
    title: str,
    license: str,
    asked: str,
    authors: Sequence[str] = (),
    excluded: str = "Exclusions are unknown.",
    doi: str | None = None,
    columns: Mapping[str, str] | None = None,
    observers: Literal["keep", "number"] = "keep",
    tags: Sequence[str] = (),
) -> None:
    """Write judgments as a data set to publish: Parquet files, and a card that describes them.

    The folder gets the judgments (such as ``triplets.parquet``), all items in their order
    (``items.parquet``, with titles, labels and features, without pictures), the card ``README.md``,
    and ``croissant.json``, the same description in the Croissant format. The card begins with YAML
    for data hubs such as Hugging Face: licence, size, files, columns and types. Its text gives the
    question, the options, the number of participants, exclusions, each column, and the code that
    reads the data. :func:`read_triplets` and its siblings read the judgments back unchanged.

    Parameters
    ----------
    judgments : Triplets, Quadruplets, Choices, OddOneOuts, Confusions, Ratings, SimilarPairs \
        or Arrangements
        The judgments to write; their catch trials are written last.
    folder : path
        A folder that does not exist yet, or is empty.
    title : str
        The name of the data set.
    license : str
        The SPDX name of its licence, such as ``"CC-BY-4.0"``.
    asked : str
        The question as participants read it.
    authors : sequence of str
        The people who made it.
    excluded : str
        Excluded people and answers, in a sentence.
    doi : str, optional
        The DOI of the data set, such as ``"10.17605/OSF.IO/ABCDE"``.
    columns : dict of str to str, optional
        A description of each extra column; required for every extra column.
    observers : {"keep", "number"}
        Keep observers' names, or rename them P1, P2, ... in the order of their first row.
    tags : sequence of str
        Further keywords.

    Raises
    ------
    FileError
        If the folder is not empty, ``columns`` lacks an extra column, or names of observers are
        e-mail addresses or ids of Prolific or MTurk, which could identify people.
    JudgmentError
        If judgments of this kind cannot be written.
    SettingError
        If the licence is not an SPDX name.
    UnavailableError
        If pyarrow is not installed.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> triplets = Triplets([[0, 1, 2]], items=["jazz", "soul", "punk"], observer=["P1"])
    >>> with TemporaryDirectory() as home:
    ...     write_dataset(
    ...         triplets, home, title="Genres", license="CC0-1.0", asked="Which sounds more alike?"
    ...     )
    ...     print((Path(home) / "README.md").read_text().splitlines()[1:3])
    ['pretty_name: "Genres"', 'license: "cc0-1.0"']
    """
    folder, kind, terms = Path(folder), kind_of(judgments), find_license(license)
    check(observers=(observers, one_of("keep", "number")))
    if observers == "number":
        judgments = _numbered(judgments)
    _refuse_identities(judgments)
    about = {**kind.columns, **NOTES, **(columns or {})}
    for name in judgments.extra:
        if name not in about:
            raise FileError(f"the column {name!r} has no description: give one in columns=")
    card = Card(
        title=title,
        asked=asked,
        license=terms,
        authors=authors,
        options=kind.options,
        people=_people(judgments),
        excluded=excluded,
        use=reading(kind.name, catches=len(_parts(judgments)) > 1),
        doi=doi,
        tags=tags,
    )
    _make(folder)
    judgments.write(folder / f"{kind.name}.parquet")
    frame = _items(judgments.items)
    write_table(frame, folder / "items.parquet")
    features = {name: ITEM.get(name, "A feature of the item.") for name in frame.columns}
    tables = [
        DataTable.of_parquet(folder, kind.name, kind.about, about),
        DataTable.of_parquet(folder, "items", "An item.", features),
    ]
    write_card(folder, card, tables)


def kind_of(judgments: Filed) -> DataKind:
    kind = next((entry for entry in KINDS if isinstance(judgments, entry.kind)), None)
    if kind is None:
        names = ", ".join(entry.kind.__name__ for entry in KINDS)
        raise JudgmentError(f"a data set cannot hold {type(judgments).__name__}: give {names}")
    return kind


def reading(name: str, file: str = "", items: str = "items.parquet", catches: bool = False) -> str:
    kept = ', on_error="skip"' if catches else ""
    file = file or f"{name}.parquet"
    return f'import resemblance as rs\n\n{name} = rs.read_{name}("{file}", items="{items}"{kept})'


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise FileError(f"{folder} is there already: choose a new name, or empty it")
    except OSError as error:
        raise FileError(f"{folder} cannot be made ({error}): name another folder") from None


def _parts(judgments: Filed) -> list[Rows]:
    catches = judgments.catches if isinstance(judgments, WithCatches) else None
    return [judgments] if catches is None else [judgments, catches]


def _people(judgments: Filed) -> int | None:
    named = [part.observer for part in _parts(judgments) if part.observer is not None]
    return len(np.unique(np.concatenate(named))) if named else None


def _refuse_identities(judgments: Filed) -> None:
    for part in _parts(judgments):
        if part.observer is None:
            continue
        names, rows = np.unique(part.observer, return_index=True)
        for name, row in zip(names.astype(str), rows, strict=True):
            source = next((site for site, form in IDENTITIES.items() if form.fullmatch(name)), None)
            if source is not None:
                raise FileError(
                    f"row {row}: the observer {str(name)!r} looks like {source}, which can "
                    'identify a person: give observers="number"'
                )


def _numbered(judgments: Filed) -> Filed:
    numbers: dict[str, str] = {}

    def renamed(part: R) -> R:
        if part.observer is None:
            return part
        names = [numbers.setdefault(str(name), f"P{len(numbers) + 1}") for name in part.observer]
        return part._with(observer=np.array(names))

    first = renamed(judgments)
    catches = judgments.catches if isinstance(judgments, WithCatches) else None
    return first if catches is None else first._with(catches=renamed(catches))


def _items(items: Items) -> "pd.DataFrame":
    cells: dict[str, Any] = {"item": list(items.names)}
    if items.titles is not None:
        cells["name"] = list(items.titles)
    if items.labels is not None:
        cells["label"] = [None if label is None else str(label) for label in items.labels]
    for view, features in by_view(items.features, "x").items():
        numbered = [f"{view}{column}" for column in range(1, features.shape[1] + 1)]
        cells |= dict(zip(items.feature_names or numbered, np.asarray(features).T, strict=True))
    return pd.DataFrame(cells)
