"""The pages of the researcher's desk, drawn from templates that escape what they are given."""

from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

TEMPLATES = Path(__file__).parent / "templates"


def draw(template: str, **values: Any) -> str:
    """Draw a page."""
    return str(_environment().get_template(f"{template}.html").render(**values))


@cache
def _environment() -> Any:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined
    )
    environment.filters["when"] = when
    environment.globals["csrf"] = ""
    return environment


def when(seconds: float) -> str:
    """Write a time of UTC.

    Examples
    --------
    >>> when(0.0)
    '1970-01-01 00:00:00'
    """
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S")
