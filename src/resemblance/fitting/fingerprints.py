"""Fingerprints of fitted rows, which tell training error from held-out error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from resemblance.judgments import OneKind

KEPT = 100_000  # hashes of different rows that a fit keeps, the smallest ones


def fingerprints(judgments: Sequence[OneKind]) -> dict[str, Any]:
    """Return sorted, distinct hashes of rows, with and without their observer.

    The smallest hashes form a random sample of the different rows; "all" says whether it is
    complete.
    """
    anonymous = hashes = _distinct(judgments, named=False)
    if any(part.observer is not None for part in judgments):
        hashes = _distinct(judgments, named=True)
    kept = {"hashes": hashes[:KEPT], "anonymous": anonymous[:KEPT]}
    return {**kept, "all": max(len(hashes), len(anonymous)) <= KEPT}


def _distinct(judgments: Sequence[OneKind], named: bool) -> NDArray[np.uint64]:
    return np.unique(np.concatenate([part.row_hashes(named) for part in judgments]))


def share_seen(judgments: OneKind, fitted: Mapping[str, Any] | None) -> float | None:
    """Return the share of rows that equal fitted rows, in any order, with any weights.

    Rows without an observer equal those of anybody. If the fit keeps a sample of its rows, the
    share is among rows that could be in the sample. None if that is empty or the fit keeps no
    rows.
    """
    if not isinstance(fitted, Mapping) or not len(fitted["hashes"]):
        return None
    named, anonymous = judgments.row_hashes(), judgments.row_hashes(named=False)
    by_whom = named != anonymous
    hashes = np.where(by_whom, named, anonymous)
    seen = np.where(
        by_whom,
        np.isin(named, fitted["hashes"]) | np.isin(anonymous, fitted["hashes"]),
        np.isin(anonymous, fitted["anonymous"]),
    )
    if not fitted["all"]:
        most = np.where(by_whom, fitted["hashes"].max(), fitted["anonymous"].max())
        seen = seen[hashes <= most]
    return float(seen.mean()) if len(seen) else None


def times_pasted(judgments: OneKind) -> int:
    """Return the greatest number that divides how often each row occurs."""
    counts: NDArray[np.int64] = np.unique(judgments.row_hashes(), return_counts=True)[1]
    return int(np.gcd.reduce(counts)) if len(counts) > 1 else 1
