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
    """The words of a language.

    Attributes
    ----------
    name : str
        As its speakers call it.
    direction : str
        ltr or rtl: from which side it is written.
    reviewed : bool
        Whether a native speaker has read it.
    title, heading, listening, placeholder : str
        A study's title unless it has its own, the heading of instructions, what they say of sounds,
        and what the pages of a new study say where the researcher's own text is to be.
    pages : dict of str to str
        The pages of a new study, as Markdown.
    kinds : dict of str to dict
        Of each kind of question the wording, the instructions, and words of its settings.
    strings : dict of str to str, or to one text for each plural
        What the page itself says.
    """

    name: str
    direction: Literal["ltr", "rtl"]
    reviewed: bool
    title: str
    heading: str
    listening: str
    placeholder: str
    pages: Mapping[str, str]
    kinds: Mapping[str, Mapping[str, Any]]
    strings: Strings

    def new_pages(self, kind: str, sounds: bool = False, promises: bool = True) -> dict[str, str]:
        """Return the pages of a new study of a kind, as Markdown.

        Without ``promises`` the page of consent has its heading and the mark where the researcher's
        own text is to be, and no more: a researcher may not read the language.
        """
        instructions = f"# {self.heading}\n\n{self.kinds[kind]['instructions']}"
        instructions += f"\n{self.listening}\n" if sounds else ""
        pages = {**self.pages, "instructions": instructions}
        if not promises:
            parts = pages["consent"].strip().split("\n\n")
            kept = [part for part in parts if part.startswith("#") or self.placeholder in part]
            pages["consent"] = "\n\n".join(kept) + "\n"
        return pages


def find_language(code: str) -> Language:
    """Return a language by its code, without a region; English where there is none of that code.

    Examples
    --------
    >>> find_language("de-CH").name, find_language("ar").direction, find_language("tlh").name
    ('Deutsch', 'rtl', 'English')
    """
    base = base_of(code)
    return _read(base if base in LANGUAGES else DEFAULT)


def known_language(code: str) -> Language:
    """Return a language by its code.

    Raises
    ------
    SettingError
        If there is none of that code; the message lists all.
    """
    if base_of(code) not in LANGUAGES:
        raise SettingError(f"unknown language {code!r}: choose {', '.join(LANGUAGES)}")
    return find_language(code)


def base_of(code: str) -> str:
    """Return a code without its region."""
    return code.split("-")[0].lower()


def chosen(accepted: str, offered: Sequence[str]) -> str:
    """Choose among the languages offered by what a browser accepts (Accept-Language), in its order.

    Examples
    --------
    >>> chosen("fr-CA,de;q=0.7", ["en", "de"]), chosen("nl", ["de", "en"])
    ('de', 'de')
    """
    bases = [base_of(code) for code in offered]
    wanted = (base_of(part.partition(";")[0].strip()) for part in accepted.split(","))
    return next((offered[bases.index(base)] for base in wanted if base in bases), offered[0])


@cache
def _read(code: str) -> Language:
    fields = tomllib.loads((FOLDER / f"{code}.toml").read_text(encoding="utf-8"))
    return Language(reviewed=fields.pop(REVIEWED) != "no", **fields)
