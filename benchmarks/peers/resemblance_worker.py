"""Fits by resemblance, for serve.py."""

from typing import Any

import numpy as np
from serve import serve

import resemblance as rs


def fit(
    method: str, triplets: np.ndarray, n_items: int, seed: int, **settings: Any
) -> tuple[np.ndarray, int]:
    if method == "map":
        items = rs.Items(n_items, features=np.load(settings["features"]))
        model = rs.STE(10, form=rs.forms.LinearMap(), random_state=seed)
        return model.fit(rs.Triplets(triplets, items)).embedding_, model.n_iter_
    model = getattr(rs, method)(random_state=seed, **settings)
    model.fit(rs.Triplets(triplets, items=n_items))
    return model.embedding_, model.n_iter_


serve(fit)
