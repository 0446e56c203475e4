"""The search page itself: one shell, for a model and for a study."""

import json
from html import escape
from pathlib import Path

from fastapi.responses import HTMLResponse

from resemblance.study.failures import Failure


def search_page(static: Path, title: str, keeps: bool, api: str) -> HTMLResponse:
    """Draw the page.

    Parameters
    ----------
    static : Path
        Where the built pages are.
    title : str
        What it is called.
    keeps : bool
        Whether it asks for leave to keep clicks.
    api : str
        Where its routes begin.
    """
    shell = static / "search.html"
    if not shell.is_file():
        raise Failure("not_built")
    config = json.dumps({"title": title, "keeps": keeps, "api": api}).replace("<", "\\u003c")
    html = shell.read_text(encoding="utf-8").replace("__TITLE__", escape(title), 1)
    html = html.replace("__CONFIG__", config, 1)
    return HTMLResponse(html, headers={"Cache-Control": "no-cache"})
