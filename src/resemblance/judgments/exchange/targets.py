"""Names and contents of stimuli that are written as HTML."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

_MEDIA = r"png|jpe?g|gif|bmp|svg|webp|avif|mp4|mov|webm|ogv|mp3|wav|ogg|m4a|flac"
_FILE = re.compile(rf"\S(.*\S)?\.({_MEDIA})", re.IGNORECASE)
_BLOCKS = {"br", "p", "div", "li", "h1", "h2", "h3"}


@dataclass(frozen=True)
class Target:
    """The content of a piece of HTML: the address of a picture or film, or words.

    >>> Target.read("<b>Bode</b> Miller").words
    'Bode Miller'
    >>> Target.read("<img width='300px' src='/static/targets/tie%203.png' />").name
    'tie 3'
    """

    html: str
    words: str
    source: str | None = None

    @classmethod
    def read(cls, html: str) -> "Target":
        """Read HTML; a plain file name of a media file is an address."""
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
    """Collects the words and the first address in HTML."""

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
    """Return names of targets by id, with ids added to repeated and empty names.

    >>> target_names({"0": "<i>tie</i>", "1": "bow", "2": "bow"})
    {'0': 'tie', '1': 'bow (1)', '2': 'bow (2)'}
    """
    names = {id_: Target.read(html).name for id_, html in targets.items()}
    counts = Counter(names.values())
    return {
        id_: (name if counts[name] == 1 else f"{name} ({id_})") if name else id_
        for id_, name in names.items()
    }
