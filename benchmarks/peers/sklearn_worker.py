"""Fits by scikit-learn's MDS of how often pairs were judged the farther ones, for serve.py."""

import numpy as np
from serve import serve
from sklearn.manifold import MDS


def fit(method: str, triplets: np.ndarray, n_items: int, seed: int) -> tuple[np.ndarray, int]:
    """Scale the share of comparisons in which a pair was the farther; pairs never met have 1/2."""
    far, met = np.zeros((n_items, n_items)), np.zeros((n_items, n_items))
    head, near, other = triplets.T
    np.add.at(far, (head, other), 1.0)
    for end in (near, other):
        np.add.at(met, (head, end), 1.0)
    D = (far + far.T + 0.5) / (met + met.T + 1.0)
    np.fill_diagonal(D, 0.0)
    ordinal = method == "nonmetric"
    model = MDS(
        2,
        metric_mds=not ordinal,
        metric="precomputed",
        n_init=4,
        init="random",
        random_state=seed,
        normalized_stress="auto",
    )
    return model.fit_transform(D), model.n_iter_


serve(fit)
