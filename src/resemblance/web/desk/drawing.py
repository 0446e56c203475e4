"""Render the pages of the desk from templates."""

import hashlib
import json
import re
from datetime import datetime
from functools import cache, lru_cache
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from resemblance.web.routes import STATIC

TEMPLATES = Path(__file__).parent / "templates"
_TAG = re.compile(r"<(?:link|script)\b[^>]*>(?:</script>)?")


def draw(template: str, static: Path = STATIC, **values: Any) -> str:
    """Render a page from a template, even if styles and scripts are not built."""
    head = head_of(static / "desk.html")
    return str(_environment().get_template(f"{template}.html").render(head=head, **values))


def etag_of(html: str) -> str:
    return f'"{hashlib.sha256(html.encode()).hexdigest()[:32]}"'


def head_of(built: Path) -> str:
    return _head(built, built.stat().st_mtime_ns) if built.is_file() else ""


@lru_cache(maxsize=4)
def _head(built: Path, written: int) -> str:
    return "\n".join(_TAG.findall(built.read_text(encoding="utf-8").partition("<body")[0]))


@cache
def _environment() -> Any:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "when": when,
        "share": share,
        "number": number,
        "span": span,
        "points": points,
        "data": data,
        "money": money,
    }
    environment.globals["account"] = ""
    return environment


def when(seconds: float, zone: str = "UTC") -> str:
    return datetime.fromtimestamp(seconds, ZoneInfo(zone)).strftime("%Y-%m-%d %H:%M")


def share(part: float | None, digits: int = 0) -> str:
    return "–" if part is None else f"{100 * part:.{digits}f}\u00a0%".replace("-", "−")


def points(part: float | None, digits: int = 1) -> str:
    if part is None:
        return "–"
    rounded = round(100 * part, digits) + 0.0  # Adding 0.0 turns -0.0 into 0.0.
    return f"{rounded:.{digits}f}\u00a0points".replace("-", "−")


def span(seconds: float | None) -> str:
    """Format a duration such as 24 s, 4 min, or 2 h 10 min."""
    if seconds is None:
        return "–"
    if round(seconds) < 60:
        return f"{seconds:.{int(0 < seconds < 1)}f}\u00a0s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes}\u00a0min"
    hours, minutes = divmod(minutes, 60)
    rest = f" {minutes}\u00a0min" if minutes and hours < 10 else ""
    return f"{number(hours)}\u00a0h{rest}"


def number(n: float | None, digits: int = 0) -> str:
    return "–" if n is None else f"{n:,.{digits}f}".replace(",", "\u202f")


def money(amount: float, currency: str) -> str:
    return f"{currency} {amount:,.2f}"


def data(value: Any) -> Any:
    """Return JSON that is safe inside a script element."""
    from markupsafe import Markup

    safe = json.dumps(value, separators=(",", ":")).replace("<", "\\u003c").replace("&", "\\u0026")
    return Markup(safe)
