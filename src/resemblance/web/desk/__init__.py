"""The researcher's desk, drawn from templates that escape their values."""

from resemblance.web.desk.drawing import draw, etag_of

__all__ = ["draw", "etag_of"]
