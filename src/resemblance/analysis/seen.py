"""Which rows a fit has seen, so that nobody takes a training error for one on new answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from resemblance.judgments import OneKind

KEPT = 2000  # hashes of different rows that a report keeps, the smallest ones


def rows_part(judgments: OneKind) -> dict[str, Any]:
    """Return what tells these rows from others, and how often each is there.

    The smallest hashes are those of a random sample of the different rows, whatever file they are
    in: "all" says whether they are all there are.
    """
    hashes, counts = np.unique(judgments.row_hashes(), return_counts=True)
    return {
        "copies": int(np.gcd.reduce(counts)) if len(hashes) > 1 else 1,
        "fingerprint": {
            "hashes": [f"{number:016x}" for number in hashes[:KEPT]],
            "all": len(hashes) <= KEPT,
        },
    }


def share_seen(judgments: OneKind, data: Mapping[str, Any]) -> float | None:
    """Return the share of rows that equal rows of a fit; None where its report does not say.

    Where the report keeps a sample of its rows, it is the share of those rows that could be in it.

    Parameters
    ----------
    judgments : OneKind
        The rows (m of them).
    data : mapping
        The part "data" of the report of the fit.
    """
    kept = data.get("fingerprint")
    if kept is None or not kept["hashes"]:
        return None
    seen = np.array([int(number, 16) for number in kept["hashes"]], dtype=np.uint64)
    hashes = judgments.row_hashes()
    if not kept["all"]:
        hashes = hashes[hashes <= seen.max()]
    return float(np.isin(hashes, seen).mean()) if len(hashes) else 0.0
