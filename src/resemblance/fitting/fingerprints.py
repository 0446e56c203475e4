"""Fingerprints of fitted rows, which tell training error from held-out error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from resemblance.judgments import OneKind

KEPT = 100_000  # hashes of different rows that a fit keeps, the smallest ones


def fingerprints(judgments: Sequence[OneKind]) -> dict[str, Any]:
    """Return the hashes of rows, with and without who answered; each sorted, and once.

    The smallest hashes are those of a random sample of the different rows: "all" says whether they
    are all that there are.
    """
    anonymous = hashes = _distinct(judgments, named=False)
    if any(part.observer is not None for part in judgments):
        hashes = _distinct(judgments, named=True)
    kept = {"hashes": hashes[:KEPT], "anonymous": anonymous[:KEPT]}
    return {**kept, "all": max(len(hashes), len(anonymous)) <= KEPT}


def _distinct(judgments: Sequence[OneKind], named: bool) -> NDArray[np.uint64]:
    return np.unique(np.concatenate([part.row_hashes(named) for part in judgments]))


def share_seen(judgments: OneKind, fitted: Mapping[str, Any] | None) -> float | None:
    """Return the share of rows that equal rows of a fit, whatever their order and weights.

    Rows without an observer equal those of anybody. Of a fit that keeps a sample of its rows it is
    the share of those rows that could be in it.

    Parameters
    ----------
    judgments : OneKind
        The rows (m of them).
    fitted : dict, optional
        As :func:`fingerprints` gives it.

    Returns
    -------
    float or None
        None where the fit keeps no rows, or none of these rows could be in its sample.
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
    """Return how often every row is there: the greatest number that divides how often each is."""
    counts: NDArray[np.int64] = np.unique(judgments.row_hashes(), return_counts=True)[1]
    return int(np.gcd.reduce(counts)) if len(counts) > 1 else 1
