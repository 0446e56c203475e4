"""Define the steps of both experiments: fit training items with a tuned beta, place new ones."""

import warnings
from collections.abc import Iterator, Mapping
from time import perf_counter

import numpy as np
from settings import Cell

import resemblance as rs

Kernels = Mapping[str, np.ndarray]
BETAS = 10.0 ** np.arange(-2, 8)


def about(triplets: rs.Triplets, known: np.ndarray, heads: np.ndarray) -> np.ndarray:
    """Give the rows that ask of one of the heads which of two known items is more similar."""
    head, near, far = triplets.index.T
    return np.flatnonzero(np.isin(head, heads) & np.isin(near, known) & np.isin(far, known))


def item_folds(
    triplets: rs.Triplets, known: np.ndarray, n_folds: int, seed: int
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Hold out heads: what is asked of them beside items that are not held out."""
    for out in np.array_split(np.random.default_rng(seed).permutation(known), n_folds):
        kept = np.setdiff1d(known, out)
        yield about(triplets, kept, kept), about(triplets, kept, out)


def restricted(triplets: rs.Triplets, kernels: Kernels, known: np.ndarray) -> rs.Triplets:
    """Give the triplets about known items alone, on these items and their kernels."""
    place = np.full(triplets.n_items, -1)
    place[known] = np.arange(len(known))
    rows = about(triplets, known, known)
    views = {name: K[np.ix_(known, known)] for name, K in kernels.items()}
    group = None if triplets.response_id is None else triplets.response_id[rows]
    return rs.Triplets(place[triplets.index[rows]], rs.Items(features=views), response_id=group)


def native(kernels: Kernels, triplets: rs.Triplets) -> float:
    """Give the accuracy of the distances that the sum of the kernels has by itself."""
    K = sum(kernels.values())
    head, near, far = triplets.index.T
    distance = lambda a, b: K[a, a] + K[b, b] - 2 * K[a, b]  # noqa: E731
    gap = distance(head, far) - distance(head, near)
    return float(((gap > 0) + 0.5 * (gap == 0)).mean())


def learned(
    kernels: Kernels,
    train: rs.Triplets,
    test: rs.Triplets,
    known: np.ndarray,
    n_folds: int,
    seed: int,
    betas: np.ndarray = BETAS,
    tuning_steps: int = 20_000,
    **settings: object,
) -> Cell:
    """Tune beta by heads held out of the known items, fit them, and place all others."""
    warnings.simplefilter("ignore", rs.errors.ResemblanceWarning)
    began = perf_counter()
    fitted = restricted(train, kernels, known)
    model = rs.MKPOE(kernels="precomputed", tol=1e-2, max_iter=tuning_steps, **settings)
    folds = list(item_folds(fitted, np.arange(len(known)), n_folds, seed))
    search = rs.MKPOECV(model, betas=betas, cv=folds).fit(fitted)
    best = rs.MKPOE(kernels="precomputed", beta=search.best_beta_, **settings).fit(fitted)
    points = best.transform({name: K[:, known] for name, K in kernels.items()})
    weights = best.kernel_weights_
    return {
        "accuracy": 1 - rs.triplet_error(points, test),
        "beta": search.best_beta_,
        "tuning": search.best_score_,
        "weights": " ".join(f"{name}={weight:.4f}" for name, weight in weights.items()),
        "dimensions": best.embedding_.shape[1],
        "gap": best.gap_ / best.loss_,
        "seconds": round(perf_counter() - began, 1),
    }
