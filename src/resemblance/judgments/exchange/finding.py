"""Which columns of a raw file hold what."""

from __future__ import annotations

from dataclasses import dataclass

from resemblance.errors import FileError, SettingError
from resemblance.judgments import named
from resemblance.judgments.exchange.tools import LAYOUTS, OPPOSITE, SPELLINGS, TABLE, Tool, bare
from resemblance.judgments.rows import NOTES
from resemblance.judgments.tables import ACCEPTED, Table

READ = {kind: getattr(named, f"read_{kind}").__self__ for kind, _ in LAYOUTS}


@dataclass(frozen=True)
class Layout:
    """What kind of judgments a table holds, and the column of each part of a question."""

    kind: str
    roles: tuple[str, ...]
    columns: dict[str, str]


def find(table: Table, tool: Tool, kind: str | None, given: dict[str, str]) -> Layout:
    """Find the first layout whose columns are all there; those given come first."""
    roles = {role for of_kind, layout in LAYOUTS if kind in (None, of_kind) for role in layout}
    for role, column in given.items():
        if role not in {*roles, *NOTES}:
            raise SettingError(
                f"columns= names {role!r}: it may name {', '.join(sorted({*roles, *NOTES}))}",
                setting="columns",
            )
        if column not in table.frame and not (role == "points" and column.isdigit()):
            table.need([column], "columns=", "columns")
    filled = [name for name in table.frame.columns if table.frame[name].notna().any()]
    free = [name for name in filled if name not in given.values()]
    asked = {role for role in given if role not in NOTES}
    nearest = Layout("", (), {})
    for of_kind, layout in LAYOUTS:
        if kind not in (None, of_kind) or not asked <= set(layout):
            continue
        columns = {role: given.get(role) or _column(role, free) for role in layout}
        present = {role: column for role, column in columns.items() if column is not None}
        if len(present) == len(layout):
            _refuse_opposite(present)
            notes = {role: given[role] for role in NOTES if role in given}
            return Layout(of_kind, layout, {**present, **notes, **_people(table, tool, given)})
        if len(present) > len(nearest.columns):
            nearest = Layout(of_kind, layout, present)
    if len(nearest.columns) > (kind is None) and tool is TABLE:  # which is told in fewer words
        raise FileError(_lacking(table, nearest), setting="columns")
    raise FileError(_lost(table, tool, kind))


def _refuse_opposite(columns: dict[str, str]) -> None:
    """Refuse ratings of how unlike two items are: the highest means the most similar."""
    if bare(name := columns.get("rating", "")) in OPPOSITE:
        raise SettingError(
            f"columns= takes {name!r} as the rating, whose highest point means most similar: turn "
            "it round (points + 1 - rating) in a column rating of the file",
            setting="columns",
        )


def _lacking(table: Table, nearest: Layout) -> str:
    """Say what the nearest layout has, and what it lacks."""
    columns = ", ".join(f"{role}={name}" for role, name in nearest.columns.items())
    missing = [role for role in nearest.roles if role not in nearest.columns]
    present = ", ".join(map(repr, table.frame.columns))
    number = ", or say how many the scale has, columns={'points': '7'}"
    others = [
        ", ".join(layout)
        for kind, layout in LAYOUTS
        if kind == nearest.kind and layout != nearest.roles
    ]
    return (
        f"{table.name} could hold {nearest.kind} ({columns}), but no column is called "
        f"{' or '.join(missing)}; it has {present}: name it with columns={{{missing[0]!r}: ...}}"
        f"{number if 'points' in missing else ''}"
        f"{'; or name ' if others else ''}{'; or '.join(others)}; or name another kind"
    )


def _column(role: str, free: list[str]) -> str | None:
    """Find the column of a role: called so, or with more words around it."""
    for spelling in (*ACCEPTED.get(role, ()), *SPELLINGS.get(role, (bare(role),))):
        if spelling in free:
            return spelling
        match = [name for name in free if bare(name) == spelling]
        if len(match) == 1:
            return match[0]
    return None


def _people(table: Table, tool: Tool, given: dict[str, str]) -> dict[str, str]:
    """Find the column that says who answered."""
    filled = [name for name in table.frame.columns if table.frame[name].notna().any()]
    column = next((name for name in ACCEPTED["observer"] if name in filled), None)
    who = given.get("observer") or tool.person(filled) or column
    return {} if who is None else {"observer": who}


def _lost(table: Table, tool: Tool, kind: str | None) -> str:
    """Say that no columns tell what was asked, and show what there is."""
    layouts = [", ".join(layout) for of_kind, layout in LAYOUTS if kind in (None, of_kind)]
    filled = table.frame.dropna(axis=1, how="all").head(3)
    rows = filled.to_string(max_cols=12, max_colwidth=18, index=False)
    return (
        f"{table.name} looks like {tool.name}, and no columns say what was asked "
        f"({'; or '.join(layouts)}). Name them: columns={{'head': ..., 'left': ...}}, at the "
        f"command line --columns head=...,left=...,right=...,chosen=... It has "
        f"{', '.join(map(str, table.frame.columns))}. The first rows:\n{rows}"
    )
