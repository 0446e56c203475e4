"""Read, write and publish ``study.toml``."""

import difflib
import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from datetime import date
from inspect import getdoc
from pathlib import Path
from typing import Any, get_origin

from pydantic import BaseModel, ValidationError

from resemblance.catalog import RANDOM
from resemblance.errors import FileError, SettingError
from resemblance.study.files import read_text
from resemblance.study.kinds import DEFAULT, KINDS, Kind
from resemblance.study.sections import Quality, Rule
from resemblance.study.settings import Settings

FILE = "study.toml"
Key = tuple[str | int, ...]

HEADING = """\
# A study of perceived similarity. `resemblance check` finds errors in this file. Lines that begin
# with # show defaults; `resemblance check FOLDER --settings` shows all settings.
"""
TIE_SHOP = """\
# A concrete question works best, such as "Someone wanted to buy the item on top, but it was not
# available. Click on the one below that would be the best substitute."
"""
# For the rates of false alarms see tests/study/test_default_rules.py, docs/guide/good-answers.md
RULES = (
    {"measure": "gold", "below": 0.55, "action": "flag"},
    {"measure": "fast", "above": 0.5, "action": "flag"},
    {"measure": "answered", "below": 0.5, "action": "hold"},
)
# rules that apply if study.toml has no rules
RULES_IN_FORCE = tuple(rule.model_dump(exclude_defaults=True) for rule in Quality().rules)
SIDE_RULE = {"measure": "side", "above": 0.85, "action": "flag"}
COLUMN = 34  # column at which the comment after a value begins

_HEADER = re.compile(r"\s*(\[\[?)\s*([^\]]+?)\s*\]\]?\s*(?:#.*)?$")
_KEY = re.compile(r"""\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=""")
MAY_CHANGE: dict[str, tuple[str, ...]] = {
    "recruitment": ("max_participants", "close"),
    "quality": ("fast_ms", "rules"),
    "asking": ("strategy", "random_share", "contradiction_share"),
    "search": ("public", "keep_clicks"),
}
ANEW = "change it back, or begin a new study under another name"
WHY = {  # reasons why other keys of a section must not change, and the remedy
    "study": f"the answers so far depend on it: {ANEW}",
    "conditions": f"people's questions depend on it: {ANEW}",
    "stimuli": "the answers so far are about them: `resemblance add-items` adds new ones",
}
AT_THE_START = (
    "people have begun with the old value: stop the server, change the file, and start it again"
)
Secrets = dict[str, tuple[str, ...]]
SECRETS: Secrets = {
    "server": ("database",),  # The address may contain a password.
    "recruitment": ("completion_code", "redirect"),  # The redirect may contain the completion code.
}
# Published files also lack addresses, contacts and ids at recruiting services.
UNPUBLISHED: Secrets = {
    "": ("server",),
    "study": ("contact",),
    "recruitment": (*SECRETS["recruitment"], "study_ids", "exclude"),
}
EXPORTED = "# The settings with which the study ran, without secrets and comments.\n"


def read_settings(path: Path, text: str | None = None) -> Settings:
    """Read and check the settings of a study, from its file or from ``text``.

    SettingError lists all problems: unknown keys (with the most similar key), missing keys and
    values of wrong types.
    """
    text = read_text(path) if text is None else text
    try:
        return Settings.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        remedy = "correct that line (write text in quotes, but true and false without quotes)"
        if "twice" in str(error):
            remedy = "put these settings under the first heading of that name"
        raise FileError(f"{path}, {_place(str(error))}: {remedy}") from None
    except ValidationError as error:
        lines = lines_of(text)
        problems = (at(path, lines, *sentence(problem)) for problem in error.errors())
        raise SettingError("\n".join(dict.fromkeys(problems))) from None


def _place(message: str) -> str:
    match = re.fullmatch(r"(.*) \(at line (\d+), column \d+\)", message)
    return f"line {match[2]}: {match[1]}" if match else f"last line: {message}"


def at(path: Path, lines: dict[Key, int], key: Key, problem: str) -> str:
    """Prefix a problem with the line of the key, or of the table in which the key is missing."""
    nearest = next((key[:n] for n in range(len(key), 0, -1) if key[:n] in lines), None)
    return f"{path}, line {lines[nearest] if nearest else 1}: {problem}"


def lines_of(text: str) -> dict[Key, int]:
    """Return the number of the line of each table and key, such as ('quality', 'rules', 0)."""
    lines: dict[Key, int] = {}
    table: Key = ()
    for number, line in _outside_strings(text):
        if header := _HEADER.match(line):
            table = _names(header[2])
            if header[1] == "[[":
                table += (sum(key[:-1] == table for key in lines),)
            lines[table] = number
        elif key := _KEY.match(line):
            lines[table + _names(key[1])] = number
    return lines


def _outside_strings(text: str) -> Iterator[tuple[int, str]]:
    inside = ""
    for number, line in enumerate(text.splitlines(), 1):
        if not inside:
            yield number, line
        for mark in re.findall(r'"""|' + r"'''", line):
            inside = "" if inside == mark else inside or mark


def _names(dotted: str) -> Key:
    return tuple(part.strip().strip("\"'") for part in dotted.split("."))


def sentence(problem: Any) -> tuple[Key, str]:
    """Turn an error of pydantic into a key of the file and a message."""
    key: Key = tuple(part for part in problem["loc"] if part not in _TYPES)
    name, kind = ".".join(map(str, key)), problem["type"]
    if kind == "extra_forbidden":
        return key, f"unknown key {name!r}: {_nearest(key)}"
    if kind == "missing":
        return key, f"{name} is missing: add it"
    if kind == "value_error":
        return key, f"{name}: {problem['ctx']['error']}"
    return key, f"{name} is {problem['input']!r}: {_WORDS.get(kind, problem['msg'])}"


_TYPES = {"datetime", "date", ""}  # parts of pydantic's paths that are not keys of the file
_WORDS = {
    "int_type": "give a whole number",
    "float_type": "give a number",
    "bool_type": "give true or false",
    "string_type": "give text in quotes",
    "list_type": "give a list, [...]",
    "model_type": "give a table",
    "date_type": "give a date without quotes, such as 2031-05-01",
    "datetime_type": "give a date without quotes, such as 2031-05-01",
    "int_from_float": "give a whole number",
}


def _nearest(key: Key) -> str:
    try:
        names = list(_section(key[:-1]).model_fields)
    except (AttributeError, KeyError):
        return "remove it"
    close = difflib.get_close_matches(str(key[-1]), names, n=1)
    return f"did you mean {close[0]!r}?" if close else f"use one of {', '.join(names)}"


def _section(key: Key) -> type[BaseModel]:
    model: Any = Settings
    names = 0  # number of following parts of the key that may be names chosen by the researcher
    for part in key:
        if isinstance(part, int) or (names and part not in model.model_fields):
            names = max(0, names - 1)
            continue
        model, names = model.model_fields[part].annotation, 0
        while not isinstance(model, type):
            names += get_origin(model) is dict
            model = model.__args__[-1]
    return model


def study_toml(given: Mapping[str, Mapping[str, Any]], whole: bool = False) -> str:
    """Return the text of a study.toml with the given settings.

    Other settings are comments that show the defaults: all settings if ``whole``, else only the
    settings that users change most often.
    """
    kind = KINDS[given["study"].get("kind", DEFAULT)]
    own = kind.section
    sections = {name: Settings.model_fields[name].annotation for name in Settings.__annotations__}
    for name in given:
        if name not in sections and (own is None or name != own[0]):
            raise SettingError(f"unknown table [{name}]: {_nearest((name,))}", setting=name)
    written: list[str] = [HEADING]
    for name, model in sections.items():
        written.append(_written(name, model, given.get(name, {}), whole))
        if name == "asking" and own is not None:
            written.append(_written(*own, given.get(own[0], {}), whole=True))
        if name == "quality":
            rules = given.get(name, {}).get("rules", RULES_IN_FORCE if whole else usual_rules(kind))
            about = _rules_help() if whole else f"# {getdoc(Quality)}\n" if rules else ""
            written.append(about + "".join(map(_rule, rules)))
    return "\n".join(filter(None, written))


def usual_rules(kind: Kind) -> tuple[dict[str, Any], ...]:
    return (*RULES, SIDE_RULE) if kind.sides_drawn else RULES


def _written(name: str, model: Any, given: Mapping[str, Any], whole: bool) -> str:
    for key in given:
        if key not in model.model_fields and key != "rules":
            raise SettingError(f"[{name}] has no setting {key!r}", setting=key)
    lines, tables = [f"[{name}]  # {getdoc(model)}"], []
    for key, field in model.model_fields.items():
        if key == "translations" and given.get(key):
            each = _section((name, key, ""))
            tables += [
                "\n" + _written(f"{name}.{key}.{code}", each, words, whole)
                for code, words in given[key].items()
            ]
        elif key == "rules":  # Rules are written as tables below this section.
            lines += ["rules = []"] if given.get(key) == [] else []
        elif whole or key in given or field.json_schema_extra:
            lines += [TIE_SHOP.rstrip()] if (name, key) == ("study", "wording") else []
            value = toml(given.get(key, field.default))
            setting = f"{'' if key in given else '# '}{key} = {value}".rstrip()
            lines.append(_beside(setting, field.description or ""))
    return "\n".join(lines) + "\n" + "".join(tables) if len(lines) > 1 or tables else ""


def _beside(setting: str, comment: str) -> str:
    line = f"{setting:<{COLUMN - 1}} # {comment}"
    return line if len(line) <= 100 else f"# {comment}\n{setting}"


def _rules_help() -> str:
    described = [f"# {key}: {field.description}" for key, field in Rule.model_fields.items()]
    return "\n".join([f"# {getdoc(Rule)}", *described]) + "\n"


def _rule(values: Mapping[str, Any]) -> str:
    lines = (f"{key} = {toml(value)}" for key, value in values.items())
    return "\n".join(["[[quality.rules]]", *lines]) + "\n"


def toml(value: Any) -> str:
    if isinstance(value, Mapping):
        given = {key: entry for key, entry in value.items() if entry is not None}
        pairs = (f"{json.dumps(key)} = {toml(entry)}" for key, entry in given.items())
        return "{" + ", ".join(pairs) + "}"
    if isinstance(value, date):
        return value.isoformat()
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def refused_changes(before: Settings, after: Settings) -> Iterator[tuple[Key, str]]:
    """Yield the changed keys that may not change while a study runs, with the reason."""
    old, new = before.plain(), after.plain()
    for section, values in new.items():
        for key, value in values.items():
            if value != old[section].get(key) and key not in MAY_CHANGE.get(section, ()):
                why = WHY.get(section, AT_THE_START)
                name = f"{section}.{key}"
                yield (section, key), f"{name} cannot be changed while the study runs: {why}"
    if before.asking.adaptive != after.asking.adaptive:
        yield (
            ("asking", "strategy"),
            f"asking.strategy cannot be changed from or to {RANDOM} while the study runs: "
            f"{AT_THE_START}",
        )


def with_changes(settings: Settings, edited: Settings) -> Settings:
    """Return ``settings`` with the edited values of keys that may change while a study runs."""
    sections = {}
    for section, keys in MAY_CHANGE.items():
        now = {key: getattr(getattr(edited, section), key) for key in keys}
        sections[section] = getattr(settings, section).model_copy(update=now)
    return settings.model_copy(update=sections)


def alone(settings: Settings, condition: str) -> Settings:
    """Check the settings of a condition as if the study had no conditions."""
    fields = settings.in_condition(condition).model_dump(exclude_unset=True)
    return Settings.model_validate(fields | {"conditions": {}})


def told_changes(before: Settings, after: Settings) -> dict[str, list[Any]]:
    """Return the changed keys with [old value, new value], for the audit trail."""
    pairs = zip(_values(before), _values(after), strict=True)
    return {name: [old, new] for (name, old), (_, new) in pairs if old != new}


def _values(settings: Settings) -> Iterator[tuple[str, Any]]:
    plain = settings.plain()
    for section, keys in MAY_CHANGE.items():
        for key in keys:
            yield f"{section}.{key}", plain[section][key]


def without_secrets(text: str, published: bool = False) -> str:
    """Remove secrets, and if ``published`` private settings; comments name the removed keys."""
    secrets = UNPUBLISHED if published else SECRETS
    return f"{EXPORTED}\n{written(tomllib.loads(text), secrets)}"


def written(settings: dict[str, Any], secrets: Secrets | None = None) -> str:
    return "\n".join(_table((), settings, secrets or {})) + "\n"


def _table(name: tuple[str, ...], values: dict[str, Any], secrets: Secrets) -> Iterator[str]:
    secret = secrets.get(".".join(name), ())
    inner = {key: value for key, value in values.items() if _is_table(value) and key not in secret}
    yield from (f"# {key}: left out of the export" for key in values if key in secret)
    for key, value in values.items():
        if key not in secret and key not in inner:
            yield f"{_name(key)} = {toml(value)}"
    for key, value in inner.items():
        header = ".".join(map(_name, (*name, key)))
        for entry in value if isinstance(value, list) else [value]:
            yield f"[[{header}]]" if isinstance(value, list) else f"[{header}]"
            yield from _table((*name, key), entry, secrets)


def _is_table(value: Any) -> bool:
    several = isinstance(value, list) and value and all(isinstance(entry, dict) for entry in value)
    return isinstance(value, dict) or bool(several)


def _name(key: str) -> str:
    bare = key.isascii() and key.replace("_", "").replace("-", "").isalnum()
    return key if bare else toml(key)
