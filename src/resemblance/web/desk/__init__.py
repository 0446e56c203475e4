"""The researcher's desk: what it shows, drawn from templates that escape what they are given."""

from resemblance.web.desk.drawing import draw, etag_of

__all__ = ["draw", "etag_of"]
