"""What a page of the guide teaches, and what to read before it: told below its title.

The tables of guide/index.md are the only place where this is written.
"""

import re
from pathlib import Path
from typing import Any, NamedTuple

GUIDE = Path(__file__).parent / "guide"
LINK = re.compile(r"\[([^\]]+)\]\(([\w-]+)\.md\)")


class Page(NamedTuple):
    """A row of the tables."""

    name: str
    learn: str
    after: list[str]


def reading_order() -> list[Page]:
    """List the pages in the order in which they are to be read."""
    rows = (GUIDE / "index.md").read_text(encoding="utf-8").splitlines()
    return [_page(row) for row in rows if row.startswith("| [")]


def _page(row: str) -> Page:
    first, learn, after = (cell.strip() for cell in row.strip("|").split("|"))
    return Page(LINK.findall(first)[0][1], learn, [name for _, name in LINK.findall(after)])


def opening(page: Page) -> str:
    """Return what stands below the title of a page."""
    words = f"**You learn** {page.learn}."
    if page.after:
        words += " **After:** " + ", ".join(f"[]({name}.md)" for name in page.after) + "."
    return f"```{{container}} reading\n{words}\n```"


def add_opening(app: Any, docname: str, source: list[str]) -> None:
    """Put what a page teaches below its title; a handler of Sphinx's `source-read`."""
    for page in reading_order():
        if docname == f"guide/{page.name}":
            title, rest = source[0].split("\n", 1)
            source[0] = f"{title}\n\n{opening(page)}\n{rest}"
            app.env.note_dependency("guide/index.md")  # read again when the tables change
