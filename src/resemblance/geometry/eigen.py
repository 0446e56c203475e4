"""Some eigenvectors of a large matrix, reproducible from a seed."""

from inspect import signature
from typing import Any

import numpy as np
from scipy.sparse.linalg import eigsh


def some_eigenvectors(A: Any, k: int, rng: np.random.Generator, **how: Any) -> Any:
    """Return what SciPy's `eigsh` does, from a first vector that `rng` draws.

    Where a Krylov space closes before its time (parts of a graph that hang on nothing, a few
    items), ARPACK goes on from another random vector: SciPy 1.17 draws it of a generator of its
    own unless it is given one, older ones of a fixed seed.

    Parameters
    ----------
    A : sparse array or LinearOperator (n, n)
        Symmetric.
    k : int
        How many.
    rng : Generator
        What vectors are drawn from.
    **how
        Settings of `eigsh`: `which`, `tol`, `sigma`, `return_eigenvectors`.
    """
    drawn = {"rng": rng} if "rng" in signature(eigsh).parameters else {}
    return eigsh(A, k=k, v0=rng.standard_normal(A.shape[0]), **drawn, **how)
