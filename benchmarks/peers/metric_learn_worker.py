"""Fits by metric-learn of a metric on features, for serve.py."""

import numpy as np
from metric_learn import LSML, SCML
from serve import serve


def fit(
    method: str, triplets: np.ndarray, n_items: int, seed: int, features: str
) -> tuple[np.ndarray, int]:
    X = np.load(features)
    if method == "SCML":
        model = SCML(preprocessor=X, random_state=seed).fit(triplets)
    else:
        head, near, far = triplets.T
        model = LSML(preprocessor=X, random_state=seed)
        model.fit(np.column_stack([head, near, head, far]))
    return model.transform(X), int(getattr(model, "n_iter_", 0))


serve(fit)
