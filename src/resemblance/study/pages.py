"""Pages of a study: Markdown rendered as safe HTML, with fields of a form below."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field as made_by
from functools import cache
from html import escape
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import unquote

from pydantic import Field, TypeAdapter, ValidationError, model_validator

from resemblance.errors import FileError
from resemblance.study.files import read_text
from resemblance.study.sections import Section
from resemblance.study.settings_file import sentence
from resemblance.study.stimuli import MEDIA, digest_of

_FORM = re.compile(r"^```form\n(.*?)^```\s*$", re.M | re.S)
_TITLE = re.compile(r"\A\s*# (.+)\n")


class _Asked(Section):
    type: str
    label: str
    required: bool = False


class TextField(_Asked):
    """A field for text."""

    type: Literal["text"]
    lines: int = Field(default=1, ge=1, le=20)
    max_length: int = Field(default=2000, ge=1, le=10_000)

    def allows(self, value: Any) -> bool:
        return isinstance(value, str) and len(value) <= self.max_length


class NumberField(_Asked):
    """A field for a number."""

    type: Literal["number"]
    min: float | None = None
    max: float | None = None
    step: float | None = Field(default=None, gt=0)

    def allows(self, value: Any) -> bool:
        if isinstance(value, bool) or not isinstance(value, int | float):
            return False
        low = float("-inf") if self.min is None else self.min
        return low <= value <= (float("inf") if self.max is None else self.max)


class ChoiceField(_Asked):
    """A field for one option, or for several options if ``multiple``."""

    type: Literal["choice"]
    options: list[str] = Field(min_length=2)
    multiple: bool = False

    def allows(self, value: Any) -> bool:
        chosen = value if self.multiple and isinstance(value, list) else [value]
        return all(isinstance(choice, str) and choice in self.options for choice in chosen)


class ScaleField(_Asked):
    """A field for a point of a scale."""

    type: Literal["scale"]
    min: int = 1
    max: int = 7
    low: str = ""
    high: str = ""

    @model_validator(mode="after")
    def _points(self) -> "ScaleField":
        if not 1 <= self.max - self.min <= 20:
            raise ValueError(f"the scale goes from {self.min} to {self.max}: give 2 to 21 points")
        return self

    def allows(self, value: Any) -> bool:
        return type(value) is int and self.min <= value <= self.max


AnyField = TextField | NumberField | ChoiceField | ScaleField


@cache
def _fields() -> TypeAdapter[dict[str, AnyField]]:
    return TypeAdapter(dict[str, Annotated[AnyField, Field(discriminator="type")]])


@dataclass(frozen=True)
class Page:
    name: str
    kind: str
    title: str
    html: str
    fields: dict[str, AnyField]
    pictures: Mapping[str, Path] = made_by(default_factory=dict)

    def for_browser(self) -> dict[str, Any]:
        fields = [{"name": name, **field.model_dump()} for name, field in self.fields.items()]
        words = {"name": self.name, "kind": self.kind, "title": self.title, "html": self.html}
        return words | {"fields": fields}

    def asks_as(self, other: "Page") -> bool:
        return {name: _asked(field) for name, field in self.fields.items()} == {
            name: _asked(field) for name, field in other.fields.items()
        }

    def as_in(self, other: "Page", values: dict[str, Any]) -> dict[str, Any]:
        """Replace chosen options by the same options on this page, which has another language."""
        kept = dict(values)
        for name, field in self.fields.items():
            its = other.fields[name]
            if isinstance(field, ChoiceField) and isinstance(its, ChoiceField) and values.get(name):
                words, chosen = dict(zip(field.options, its.options, strict=True)), values[name]
                several = isinstance(chosen, list)
                kept[name] = [words[option] for option in chosen] if several else words[chosen]
        return kept

    def problem(self, values: dict[str, Any]) -> str | None:
        if strays := set(values) - set(self.fields):
            return f"no field {sorted(strays)[0]!r} on this page"
        for name, field in self.fields.items():
            value = values.get(name)
            if value is None or value in ("", []):
                if field.required:
                    return f"{name!r} is needed"
            elif not field.allows(value):
                return f"{name!r} cannot be {value!r}"
        return None


def _asked(field: AnyField) -> dict[str, Any]:
    asked = field.model_dump(exclude={"label", "low", "high"})
    return asked | {"options": len(asked.get("options", ()))}


_MINUTES = "{minutes}"


def read_page(path: Path, name: str, kind: str, minutes: int = 10) -> Page:
    """Read a page: the first heading is the title; blocks ```form define fields in TOML."""
    text = read_text(path).replace(_MINUTES, str(minutes))
    fields: dict[str, AnyField] = {}
    for block in _FORM.finditer(text):
        fields |= _read_fields(path, text[: block.start()].count("\n") + 2, block[1])
    body = _FORM.sub("", text)
    title = _TITLE.match(body)
    pictures: dict[str, Path] = {}
    html = _markdown().render(_TITLE.sub("", body), {"pictures": pictures, "of": path})
    return Page(name, kind, title[1].strip() if title else "", html, fields, pictures)


def _read_fields(path: Path, line: int, block: str) -> dict[str, AnyField]:
    where = f"{path}, form from line {line}"
    try:
        return _fields().validate_python(tomllib.loads(block))
    except tomllib.TOMLDecodeError as error:
        raise FileError(f"{where}: {error}: write each field as a TOML table") from None
    except ValidationError as error:
        key, problem = sentence(error.errors()[0])
        raise FileError(f"{where}, {'.'.join(map(str, key))}: {problem}") from None


@cache
def _markdown() -> Any:
    """Return a Markdown renderer that escapes HTML, and links only to web and mail addresses."""
    from markdown_it import MarkdownIt

    rendered = MarkdownIt("commonmark", {"html": False}).enable("table")
    rendered.add_render_rule("image", _picture)
    return rendered


def _picture(of: Any, tokens: Any, place: int, options: Any, env: Any) -> str:
    token = tokens[place]
    source = unquote(token.attrs["src"])
    words = of.renderInlineAsText(token.children or [], options, env)
    path = env["of"].parent / source
    if path.name != source or MEDIA.get(path.suffix.lower(), "")[:6] != "image/":
        raise FileError(
            f"{env['of']}: {source} is not a picture in the page's own folder: put one there"
        )
    try:
        name = f"{digest_of(path.read_bytes())}{path.suffix.lower()}"
    except OSError as error:
        raise FileError(
            f"{env['of']}: {source} cannot be read ({error.strerror}): put it beside the page"
        ) from None
    env["pictures"][name] = path
    return f'<img src="media:{name}" alt="{escape(words)}">'
