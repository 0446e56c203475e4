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
    """Say how well a fit predicts answers, and which of them it has seen.

    Parameters
    ----------
    model : OrdinalEmbedding
        The fitted model.
    judgments : OneKind
        The answers.
    report : mapping
        Of the fit, as ``report.json`` has it.
    by : str, optional
        What is resampled for the interval: as of :func:`~resemblance.evaluate`.

    Returns
    -------
    dict
        As :meth:`Analysis.as_dict` has it, with "seen": the share of rows that equal rows of the
        fit, and the error on all as it is. Where all were fitted, everything else is what the
        report says, whose error is of answers held out.
    """
    new = replace(on_new(model, judgments, by), door="command").as_dict()
    if (new["seen"] or {}).get("share") != 1.0:
        return new
    return {name: report.get(name) for name in new} | {"seen": new["seen"]}
