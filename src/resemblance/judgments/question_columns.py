"""Find the columns of a raw file that hold the parts of a question."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from resemblance.errors import FileError, SettingError
from resemblance.judgments.column_names import (
    ACCEPTED,
    COUNTED,
    LAYOUTS,
    OPPOSITE,
    SHORT,
    SPELLINGS,
    SURE_WEIGHTS,
    TABLE,
    WORDS,
    Tool,
    bare,
)
from resemblance.judgments.labels import texts_of
from resemblance.judgments.rows import NOTES
from resemblance.judgments.tables import Table, typed
from resemblance.optional import pd

ANSWERS = ("chosen", "odd", "rating", "similar")  # parts of a question that hold the answer
# frequent answers, as words and as keys
KEYS = frozenset((*WORDS, *"0123fjkalsd", "arrowup", "arrowdown"))
NUMBERED = 0.5  # A column numbers rows if at least this share of steps from row to row are 1.
LONG = 10  # With this many rows or more, counts are unlikely to be all distinct.
MOST_NAMED = 5  # largest number of columns that a message suggests
_MEDIA = r"png|jpe?g|gif|bmp|svg|webp|avif|mp4|mov|webm|ogv|mp3|wav|ogg|m4a|flac"
_FILE = re.compile(rf"\S(.*\S)?\.({_MEDIA})", re.IGNORECASE)
_BLOCKS = {"br", "p", "div", "li", "h1", "h2", "h3"}


@dataclass(frozen=True)
class Layout:
    kind: str
    roles: tuple[str, ...]
    columns: dict[str, str]

    @property
    def answer(self) -> str | None:
        return next((role for role in ANSWERS if role in self.roles), None)


def find(
    table: Table, tool: Tool, kind: str | None, given: dict[str, str], is_reversed: bool = False
) -> Layout:
    roles = {role for of_kind, layout in LAYOUTS if kind in (None, of_kind) for role in layout}
    for role, column in given.items():
        if role not in {*roles, *NOTES}:
            raise SettingError(
                f"columns= names {role!r}: it may name {', '.join(sorted({*roles, *NOTES}))}",
                setting="columns",
            )
        if column not in table.frame and not (role == "points" and column.isdigit()):
            table.need([column], "columns=", "columns")
    _refuse_named_twice(given)
    filled = [name for name in table.frame.columns if table.frame[name].notna().any()]
    free = [name for name in filled if name not in given.values()]
    asked = {role for role in given if role not in NOTES}
    nearest = Layout("", (), {})
    for of_kind, layout in LAYOUTS:
        if kind not in (None, of_kind) or not asked <= set(layout):
            continue
        columns = {role: given.get(role) or _column(role, free) for role in layout}
        if "rating" in layout and columns["rating"] is None:
            columns["rating"] = next(filter(_says_different, free), None)
        present = {role: column for role, column in columns.items() if column is not None}
        if len(present) == len(layout):
            if not is_reversed:
                _refuse_opposite(present)
            if of_kind == "quadruplets" and kind is None:
                _refuse_answered(table, present, free)
            notes = {role: given[role] for role in NOTES if role in given}
            who = given.get("observer") or tool.person(filled)
            people = {} if who is None else {"observer": who}
            weight = given.get("weight") or _weight(table, tool, free, who)
            weights = {} if weight is None or "trials" in layout else {"weight": weight}
            return Layout(of_kind, layout, {**present, **notes, **people, **weights})
        if len(present) > len(nearest.columns):
            nearest = Layout(of_kind, layout, present)
    if table.lacks_header():
        raise FileError(f"{table.name}: {table.no_header()}")
    if len(nearest.columns) > (kind is None):
        raise FileError(_lacking(table, tool, nearest), setting="columns")
    raise FileError(_lost(table, tool, kind), setting="columns")


def _refuse_named_twice(given: Mapping[str, str]) -> None:
    roles: dict[str, list[str]] = {}
    for role, column in given.items():
        roles.setdefault(column, []).append(role)
    for column, named in roles.items():
        if len(named) > 1:
            raise SettingError(
                f"columns= names {column!r} as {' and as '.join(named)}: give each a column of its "
                "own, or leave one out",
                setting="columns",
            )


def _weight(table: Table, tool: Tool, free: list[str], who: str | None) -> str | None:
    """Find the column of weights in a table that no tool wrote; avoid ambiguous names."""
    if tool is not TABLE:
        return None
    names = (*SURE_WEIGHTS, *COUNTED, *(SHORT if who is None else ()))
    by_name = {bare(name): name for name in reversed(free)}
    for name in (by_name[name] for name in names if name in by_name):
        cells = typed(table.frame[name], table.decimal)
        if bare(name) in SURE_WEIGHTS:
            return name
        if pd.api.types.is_numeric_dtype(cells) and not cells.isna().any() and (cells >= 0).all():
            is_counter = (cells.diff().iloc[1:] == 1).mean() >= NUMBERED
            is_order = len(cells) >= LONG and cells.nunique() == len(cells)
            if len(cells) < 3 or not (is_counter or is_order):
                return name
    return None


def _says_different(column: str) -> bool:
    return any(word in column.lower() for word in OPPOSITE)


def _refuse_answered(table: Table, columns: dict[str, str], free: list[str]) -> None:
    others = [name for name in free if name not in columns.values()]
    answer = _column("chosen", others) or _column("odd", others)
    if answer is not None:
        raise FileError(
            f"{table.name} has the columns a, b, c, d, of which a and b are the more similar pair, "
            f"and {answer!r}, which says what was answered: put the pair that was chosen into a "
            "and b and take the answer out, or, where it is there already, kind='quadruplets'",
            setting="kind",
        )


def _refuse_opposite(columns: dict[str, str]) -> None:
    name = columns.get("rating", "")
    if _says_different(name):
        raise SettingError(
            f"the column {name!r} says how different two items are, but high ratings must "
            "mean similar: reverse them with reversed=True, or, if high means similar "
            "anyway, rename the column to rating in the file",
            setting="reversed",
        )


def _lacking(table: Table, tool: Tool, nearest: Layout) -> str:
    columns = ", ".join(
        role if role == name else f"{role}={name}" for role, name in nearest.columns.items()
    )
    missing = [role for role in nearest.roles if role not in nearest.columns]
    role = missing[0]
    could_be = _candidates(table, nearest, role)
    is_whole = len(could_be) == len(missing)
    example = dict(zip(missing, could_be, strict=True)) if is_whole else {role: "..."}
    if could_be and not is_whole:
        example = {role: could_be[0]}
    has = f"{', '.join(map(repr, could_be))} could be it" if could_be else _columns_of(table)
    number = " (or how many points the scale has: columns={'points': '7'})"
    others = [
        ", ".join(layout)
        for kind, layout in LAYOUTS
        if kind == nearest.kind and layout != nearest.roles
    ]
    looks = "" if tool is TABLE else f" looks like {tool.name}, and"
    return (
        f"{table.name}{looks} could hold {nearest.kind} ({columns}), but no column is called "
        f"{' or '.join(map(repr, missing))}; {has}: name {'them' if len(example) > 1 else 'it'} "
        f"with columns={example}{number if 'points' in missing else ''}"
        f"{'; or name ' if others else ''}{'; or '.join(others)}; or name another kind"
    )


def _columns_of(table: Table) -> str:
    return f"it has {', '.join(map(repr, table.frame.columns))}"


def _candidates(table: Table, nearest: Layout, role: str) -> list[str]:
    used = [name for part, name in nearest.columns.items() if part not in ANSWERS]
    items = {text for name in used for text in _texts(table, name)}
    fitting = KEYS | items if role in ANSWERS else items
    candidates = []
    for name in table.frame.columns.difference(list(nearest.columns.values()), sort=False):
        texts = _texts(table, name)
        share = len(texts & fitting) / max(1, len(texts))
        if len(texts) > 1 and share >= (0.8 if role in ANSWERS else 0.3):
            candidates.append(str(name))
    return candidates[:MOST_NAMED]


def _texts(table: Table, column: str) -> set[str]:
    if column not in table.frame:
        return set()
    texts = set(texts_of(table.frame[column]).unique()) - {""}
    return texts | {text.lower() for text in texts & KEYS}


def _column(role: str, free: Iterable[str]) -> str | None:
    for spelling in (*ACCEPTED.get(role, ()), *SPELLINGS.get(role, (bare(role),))):
        if spelling in free:
            return spelling
        match = [name for name in free if bare(name) == spelling]
        if len(match) == 1:
            return match[0]
    return None


def _lost(table: Table, tool: Tool, kind: str | None) -> str:
    layouts = [", ".join(layout) for of_kind, layout in LAYOUTS if kind in (None, of_kind)]
    filled = table.frame.dropna(axis=1, how="all").head(3)
    rows = filled.to_string(max_cols=12, max_colwidth=18, index=False)
    proposal = None if kind else _proposal(table)
    example = proposal or dict.fromkeys(("head", "left", "right", "chosen"), "...")
    parts = "" if proposal else f" ({'; or '.join(layouts)})"
    meaning = "; head is the item asked about, near the one chosen as more similar"
    return (
        f"{table.name} looks like {tool.name}, and no columns say what was asked{parts}. Name "
        f"them{', such as' if proposal else ':'} columns={example}"
        f"{meaning if 'near' in example else ''}; {_columns_of(table)}. The first rows:\n{rows}"
    )


def _proposal(table: Table) -> dict[str, str] | None:
    texts = {str(name): _texts(table, str(name)) for name in table.frame.columns}
    items = [
        name
        for name, own in texts.items()
        if len(own) > 2
        and any(2 * len(own & texts[other]) >= len(own) for other in texts if other != name)
    ]
    keys = [name for name, own in texts.items() if len(own) > 1 and own <= KEYS]
    if len(items) == 3 and len(keys) == 1:
        return dict(zip(("head", "left", "right", "chosen"), (*items, keys[0]), strict=True))
    if len(items) == 3:
        items[1:] = sorted(items[1:], key=_says_different)
        return dict(zip(("head", "near", "far"), items, strict=True))
    if len(items) == 4:
        *asked, answer = items
        for head in asked:
            left, right = (name for name in asked if name != head)
            cells = table.frame[[left, right]].eq(table.frame[answer], axis=0)
            if cells.any(axis=1).all():
                return {"head": head, "left": left, "right": right, "chosen": answer}
    return None


@dataclass(frozen=True)
class Target:
    """The content of an HTML snippet: the address of a picture or film, or else the text.

    >>> Target.read("<b>Bode</b> Miller").words
    'Bode Miller'
    >>> Target.read("<img width='300px' src='/static/targets/tie%203.png' />").name
    'tie 3'
    """

    html: str
    words: str
    source: str | None = None

    @classmethod
    def read(cls, html: str) -> Target:
        """Read HTML, or the plain file name of a picture or film."""
        parser = _Parser()
        parser.feed(html)
        parser.close()
        words = " ".join("".join(parser.texts).split())
        source = parser.source or (words if _FILE.fullmatch(words) else None)
        return cls(html, words, source)

    @property
    def file(self) -> str:
        return PurePosixPath(unquote(urlsplit(self.source or "").path)).name

    @property
    def name(self) -> str:
        return PurePosixPath(self.file).stem if self.source else self.words


class _Parser(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.source: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.texts.append(" " if tag in _BLOCKS else "")
        self.source = self.source or dict(attrs).get("src")

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def target_names(targets: Mapping[str, str]) -> dict[str, str]:
    """Return the name of each target by id; repeated and empty names get the id appended.

    >>> target_names({"0": "<i>tie</i>", "1": "bow", "2": "bow"})
    {'0': 'tie', '1': 'bow (1)', '2': 'bow (2)'}
    """
    names = {id_: Target.read(html).name for id_, html in targets.items()}
    counts = Counter(names.values())
    return {
        id_: (name if counts[name] == 1 else f"{name} ({id_})") if name else id_
        for id_, name in names.items()
    }
