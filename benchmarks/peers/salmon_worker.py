"""Fits by Salmon's offline embedding with its own optimizer, for serve.py."""

import contextlib
import io
from typing import Any

import numpy as np
from salmon.triplets.offline import OfflineEmbedding
from serve import serve


def fit(
    method: str, triplets: np.ndarray, n_items: int, seed: int, max_epochs: int = 200
) -> tuple[np.ndarray, int]:
    """Take so many passes; its own default, 400,000, takes hours."""
    model = OfflineEmbedding(
        n=n_items, d=2, max_epochs=max_epochs, noise_model=method, random_state=seed, verbose=10**9
    )
    model.fit(triplets, triplets[:10])
    return np.asarray(model.embedding_, dtype=float), max_epochs


def quiet(*arguments: Any, **settings: Any) -> tuple[np.ndarray, int]:
    """Keep what it prints away from the answers."""
    with contextlib.redirect_stdout(io.StringIO()):
        return fit(*arguments, **settings)


serve(quiet)
