"""Tell below the title of a page of the guide what the page teaches.

The lists of guide/index.md are the only place where this is written.
"""

import re
from pathlib import Path
from typing import Any, NamedTuple

GUIDE = Path(__file__).parent / "guide"
LINE = re.compile(r"^- \[[^\]]+\]\(([\w-]+)\.md\): (.+)$", re.M)


class Page(NamedTuple):
    """A line of the lists."""

    name: str
    learn: str


def reading_order() -> list[Page]:
    """List the pages in the order in which they are to be read."""
    text = (GUIDE / "index.md").read_text(encoding="utf-8")
    return [Page(*found) for found in LINE.findall(text)]


def opening(page: Page) -> str:
    """Return what stands below the title of a page."""
    return f"```{{container}} reading\n**On this page:** {page.learn}.\n```"


def add_opening(app: Any, docname: str, source: list[str]) -> None:
    """Put what a page teaches below its title; a handler of Sphinx's `source-read`."""
    for page in reading_order():
        if docname == f"guide/{page.name}":
            title, rest = source[0].split("\n", 1)
            source[0] = f"{title}\n\n{opening(page)}\n{rest}"
            app.env.note_dependency("guide/index.md")  # read again when the lists change
