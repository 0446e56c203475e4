"""Some eigenvectors of a large matrix, reproducible from a seed."""

from inspect import signature
from typing import Any

import numpy as np
from scipy.sparse.linalg import eigsh


def some_eigenvectors(A: Any, k: int, rng: np.random.Generator, **how: Any) -> Any:
    """Return what SciPy's `eigsh` does, starting from a vector drawn by `rng`.

    ARPACK restarts from a random vector if a Krylov space is exhausted early. SciPy 1.17 draws it
    from its own generator unless it is given one; older versions use a fixed seed.
    """
    drawn = {"rng": rng} if "rng" in signature(eigsh).parameters else {}
    return eigsh(A, k=k, v0=rng.standard_normal(A.shape[0]), **drawn, **how)
