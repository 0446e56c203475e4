"""Fits by cblearn's SciPy backend with its own defaults, for serve.py."""

from typing import Any

import numpy as np
from cblearn import embedding
from serve import serve


def fit(
    method: str, triplets: np.ndarray, n_items: int, seed: int, **settings: Any
) -> tuple[np.ndarray, int]:
    model = getattr(embedding, method)(n_components=2, random_state=seed, **settings)
    model.fit(triplets, n_objects=n_items)
    return model.embedding_, model.n_iter_


serve(fit)
