"""A new ``study.toml``, with a comment for every setting, written from the settings themselves."""

import json
from collections.abc import Mapping
from inspect import getdoc
from typing import Any

from pydantic import BaseModel

from resemblance.study.kinds import DEFAULT, KINDS
from resemblance.study.settings import Rule, Settings

HEADING = """\
# A study of perceived similarity. `resemblance check` reads this file and says what is wrong;
# `resemblance serve` runs the study. What stands behind a # is what holds without it.
"""
TIE_SHOP = """\
# A concrete question is answered more gladly, and more alike, than "which is more similar?". For
# example: "Someone went shopping at a tie store and wanted to buy the item on top, but it was not
# available. Click on the one below that would be the best substitute."
"""
RULES = (
    {"measure": "gold", "below": 0.6, "after": 20, "action": "flag"},
    {"measure": "fast", "above": 0.5, "after": 20, "action": "flag"},
)


COLUMN = 34  # where a comment beside a value begins


def study_toml(given: Mapping[str, Mapping[str, Any]]) -> str:
    """Write the file: what is given as it is, and every other setting as a comment.

    Examples
    --------
    >>> print(study_toml({"study": {"name": "ties"}}).splitlines()[4])
    name = "ties"                     # In addresses: small letters, digits, - and _.
    """
    own = KINDS[given["study"].get("kind", DEFAULT)].section
    sections = {name: Settings.model_fields[name].annotation for name in Settings.__annotations__}
    written: list[str] = [HEADING]
    for name, model in sections.items():
        written.append(_section(name, model, given.get(name, {})))
        if name == "asking" and own is not None:
            written.append(_section(*own, given.get(own[0], {})))
        if name == "quality":
            written += [_rules_help(), *map(_rule, RULES)]
    return "\n".join(written)


def _section(name: str, model: Any, given: Mapping[str, Any]) -> str:
    lines, tables = [f"[{name}]  # {getdoc(model)}"], []
    for key, field in model.model_fields.items():
        if isinstance(field.default, BaseModel):
            values = field.default.model_dump() | given.get(key, {})
            tables.append("\n" + _section(f"{name}.{key}", type(field.default), values))
        elif key != "rules":
            lines += [TIE_SHOP.rstrip()] if key == "wording" else []
            value = toml(given.get(key, field.default))
            setting = f"{'' if key in given else '# '}{key} = {value}".rstrip()
            lines.append(_beside(setting, field.description or ""))
    return "\n".join(lines) + "\n" + "".join(tables)


def _beside(setting: str, comment: str) -> str:
    """Put a comment beside a setting, or above it where the line would be long."""
    line = f"{setting:<{COLUMN - 1}} # {comment}"
    return line if len(line) <= 100 else f"# {comment}\n{setting}"


def _rules_help() -> str:
    described = [f"# {key}: {field.description}" for key, field in Rule.model_fields.items()]
    return "\n".join([f"# {getdoc(Rule)}", *described]) + "\n"


def _rule(values: Mapping[str, Any]) -> str:
    lines = (f"{key} = {toml(value)}" for key, value in values.items())
    return "\n".join(["[[quality.rules]]", *lines]) + "\n"


def toml(value: Any) -> str:
    """Write a value as TOML does; nothing where there is none.

    Examples
    --------
    >>> toml(True), toml(None), toml(["a", "b"])
    ('true', '', '["a", "b"]')
    """
    return "" if value is None else json.dumps(value, ensure_ascii=False)
