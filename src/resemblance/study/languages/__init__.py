"""The texts that participants read, with one file per language."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from resemblance.errors import SettingError

FOLDER = Path(__file__).parent
DEFAULT = "en"
LANGUAGES = tuple(sorted(path.stem for path in FOLDER.glob("*.toml")))
REVIEWED = "reviewed by a native speaker"

Strings = Mapping[str, str | dict[str, str]]


@dataclass(frozen=True)
class Language:
    name: str  # the language's own name, such as Deutsch
    direction: Literal["ltr", "rtl"]
    reviewed: bool  # whether a native speaker has reviewed the texts
    title: str  # default title of a study
    heading: str  # heading of instructions
    listening: str  # instructions about sounds
    placeholder: str
    pages: Mapping[str, str]  # pages of a new study, as Markdown
    # wording, instructions and words of settings, by kind of question
    kinds: Mapping[str, Mapping[str, Any]]
    strings: Strings  # texts of the page itself, some by plural form

    def new_pages(self, kind: str, sounds: bool = False, promises: bool = True) -> dict[str, str]:
        """Return the pages of a new study; without ``promises``, consent has only placeholders."""
        instructions = f"# {self.heading}\n\n{self.kinds[kind]['instructions']}"
        instructions += f"\n{self.listening}\n" if sounds else ""
        pages = {**self.pages, "instructions": instructions}
        if not promises:
            parts = pages["consent"].strip().split("\n\n")
            kept = [part for part in parts if part.startswith("#") or self.placeholder in part]
            pages["consent"] = "\n\n".join(kept) + "\n"
        return pages


def find_language(code: str) -> Language:
    base = base_of(code)
    return _read(base if base in LANGUAGES else DEFAULT)


def known_language(code: str) -> Language:
    if base_of(code) not in LANGUAGES:
        raise SettingError(f"unknown language {code!r}: choose {', '.join(LANGUAGES)}")
    return find_language(code)


def base_of(code: str) -> str:
    return code.split("-")[0].lower()


def chosen(accepted: str, offered: Sequence[str]) -> str:
    """Choose the offered language that a browser prefers (Accept-Language), else the first one."""
    bases = [base_of(code) for code in offered]
    wanted = (base_of(part.partition(";")[0].strip()) for part in accepted.split(","))
    return next((offered[bases.index(base)] for base in wanted if base in bases), offered[0])


@cache
def _read(code: str) -> Language:
    fields = tomllib.loads((FOLDER / f"{code}.toml").read_text(encoding="utf-8"))
    return Language(reviewed=fields.pop(REVIEWED) != "no", **fields)
