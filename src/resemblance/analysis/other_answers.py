"""Score a fit on the answers of another file, some of which it may have been fitted to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from resemblance.analysis.workflow import on_new
from resemblance.fitting import OrdinalEmbedding
from resemblance.judgments import OneKind


def scored(
    model: OrdinalEmbedding, judgments: OneKind, report: Mapping[str, Any], by: str | None = None
) -> dict[str, Any]:
    """Return how well a fit predicts answers, in the form of :meth:`Analysis.as_dict`.

    "seen" is the share of rows that were fitted, with the error on all rows; the other scores are
    of new rows alone.
    """
    new = replace(on_new(model, judgments, by), door="command").as_dict()
    if (new["seen"] or {}).get("share") != 1.0:
        return new
    return {name: report.get(name) for name in new} | {"seen": new["seen"]}
