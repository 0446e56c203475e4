"""Salmon's targets of styled HTML, drawn as SVG: pictures in which nothing runs or loads."""

import re
from html.parser import HTMLParser
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

SIDE = 300  # pixels, unless the styles of the target say their own
VOID = ("br", "hr")
TAGS = (
    *("div", "span", "p", "b", "i", "u", "em", "strong", "small", "sub", "sup", "center"),
    *("h1", "h2", "h3", "ul", "ol", "li", "table", "tbody", "tr", "td", "th", *VOID),
)
_STYLED = re.compile(r"<[^>]*\sstyle\s*=", re.IGNORECASE)
_PIXELS = r"(?<![-\w]){}\s*:\s*(\d+)px"
_DRAWING = """\
<svg xmlns="http://www.w3.org/2000/svg" width="{w}" height="{h}" viewBox="0 0 {w} {h}">
<foreignObject width="{w}" height="{h}"><div xmlns="http://www.w3.org/1999/xhtml"
style="width:{w}px;height:{h}px;display:grid;place-items:center;font-family:sans-serif">{inner}</div>
</foreignObject></svg>
"""


def is_styled(html: str) -> bool:
    """Say whether more than the words of a target are to be seen.

    Examples
    --------
    >>> is_styled("<p style='color: red'>bow</p>"), is_styled("<b>bow</b>")
    (True, False)
    """
    return bool(_STYLED.search(html))


def draw(html: str, path: Path) -> Path:
    """Draw a target into a file.

    Only elements of a text and their styles are kept; what else there is raises ValueError with
    its name, such as a script, an address or a drawing within.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     box = "<p style='width: 90px; height: 60px'>"
    ...     path = draw(box, Path(folder) / "a.svg")
    ...     print(path.read_text().splitlines()[0])
    <svg xmlns="http://www.w3.org/2000/svg" width="90" height="60" viewBox="0 0 90 60">
    """
    parser = _Elements()
    parser.feed(html)
    parser.close()
    inner = "".join(parser.parts + [f"</{tag}>" for tag in reversed(parser.open)])
    width, height = (
        max(map(int, re.findall(_PIXELS.format(side), html)), default=SIDE)
        for side in ("width", "height")
    )
    path.write_text(_DRAWING.format(w=width, h=height, inner=inner), encoding="utf-8")
    return path


class _Elements(HTMLParser):
    """Writes elements as XML, which closes all."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        style = dict(attrs).get("style") or ""
        if tag not in TAGS or "url(" in style:
            raise ValueError(tag if tag not in TAGS else "an address")
        self.parts.append(f"<{tag} style={quoteattr(style)}{'/' if tag in VOID else ''}>")
        self.open += [] if tag in VOID else [tag]

    def handle_endtag(self, tag: str) -> None:
        while tag in self.open:
            closed = self.open.pop()
            self.parts.append(f"</{closed}>")
            if closed == tag:
                break

    def handle_data(self, data: str) -> None:
        self.parts.append(escape(data))
