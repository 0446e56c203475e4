"""Compiled loops of the fits: which items a chain of pairs joins."""

import numpy as np
from numba import njit


@njit(cache=True, inline="always")
def _root(parent, i):
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


@njit(cache=True, nogil=True)
def join(parent, a, b):
    """Unite the sets of a[r] and b[r], for every r: the smaller root becomes the parent."""
    for r in range(a.size):
        i, j = _root(parent, a[r]), _root(parent, b[r])
        parent[max(i, j)] = min(i, j)


@njit(cache=True)
def roots(parent):
    """Return the smallest member of each item's set."""
    out = np.empty_like(parent)
    for i in range(parent.size):
        out[i] = _root(parent, i)
    return out
