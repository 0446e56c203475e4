"""Bootstrap samples of items, and the similarity of matrices within them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from resemblance.arrays import Floats
from resemblance.errors import RDMError
from resemblance.rdms.rdms import RDMs, pair_numbers
from resemblance.rdms.similarity import (
    BY_WEIGHT,
    FEWEST_PAIRS,
    Ends,
    Shared,
    coded,
    sampled_similarities,
    samples_at_once,
    similarities,
)

FEWEST_ITEMS = 4  # fewest items to sample from
FEWEST_DRAWN = 3  # different items of a sample
TRIES = 100  # tries until each two matrices share pairs in a sample


def drawn_items(
    rdms: RDMs, models: RDMs, shared: list[Shared], n: int, rng: np.random.RandomState
) -> Iterator[NDArray[np.intp]]:
    n_items = len(rdms.items)
    lacking = [part.cells for part in shared if not part.cells.all()]
    ends = np.triu_indices(n_items, 1)
    for _ in range(n):
        for _ in range(TRIES):
            drawn = rng.randint(n_items, size=n_items)
            if len(np.unique(drawn)) >= FEWEST_DRAWN and _has_pairs(drawn, lacking, ends):
                break
        else:
            scarce = min(shared, key=lambda part: int(part.cells.sum()))
            raise RDMError(
                f"{both_names(rdms, models, scarce)} have {scarce.cells.sum()} pairs in common, "
                "too few for samples of items: leave one out, or over=['people']"
            )
        yield drawn


def _has_pairs(drawn: NDArray[np.intp], lacking: list[NDArray[np.bool_]], ends: Ends) -> bool:
    """Return whether enough pairs of drawn items are among the shared cells."""
    if not lacking:
        return True
    here = np.isin(np.arange(ends[1].max() + 1), drawn)
    pairs = here[ends[0]] & here[ends[1]]
    return all((pairs & cells).sum() >= FEWEST_PAIRS for cells in lacking)


def in_all(
    samples: Iterable[NDArray[np.intp]],
    rdms: RDMs,
    models: RDMs,
    shared: list[Shared],
    method: str,
) -> Floats:
    """Return the similarities in samples of items, (n_samples, n_rdms, n_models)."""
    if method not in BY_WEIGHT:  # these methods drop cells sample by sample
        everything = np.ones(rdms.dissimilarities.shape[1], dtype=bool)
        shared = [Shared(np.arange(len(rdms)), np.arange(len(models)), everything)]
    parts = [_Part.of(rdms, models, part, method) for part in shared]
    at_once = samples_at_once(len(models), rdms.dissimilarities.shape[1])
    samples, blocks = iter(samples), []
    while block := list(islice(samples, at_once)):
        each = np.empty((len(block), len(rdms), len(models)))
        for part in parts:
            values = in_samples(part.own, part.of_models, method, block, part.ends)
            each[:, part.shared.first[:, None], part.shared.second] = values
        blocks.append(each)
    return np.concatenate(blocks)


class _Part(NamedTuple):
    shared: Shared
    own: NDArray[Any]
    of_models: NDArray[Any]
    ends: Ends

    @classmethod
    def of(cls, rdms: RDMs, models: RDMs, shared: Shared, method: str) -> _Part:
        own, of_models = (
            coded(matrices.dissimilarities[rows][:, shared.cells], method)
            for matrices, rows in ((rdms, shared.first), (models, shared.second))
        )
        a, b = (end[shared.cells] for end in np.triu_indices(len(rdms.items), 1))
        if method in BY_WEIGHT:  # near in a model is near in memory, which is faster
            order = np.argsort(of_models[0], kind="stable")
            own, of_models, a, b = own[:, order], of_models[:, order], a[order], b[order]
        return cls(shared, own, of_models, (a, b))


def in_samples(
    own: NDArray[Any], of: NDArray[Any], method: str, drawn: list[NDArray[np.intp]], ends: Ends
) -> Floats:
    """Return the similarities in samples of items, without pairs of an item with itself.

    >>> rows, ends = np.array([[1.0, 2.0, 4.0]]), np.triu_indices(3, 1)
    >>> in_samples(rows, rows**2, "pearson", [np.array([0, 1, 2])], ends).round(3)
    array([[[0.99]]])
    """
    n_items = len(drawn[0])
    if method in BY_WEIGHT:
        times = np.array([np.bincount(sample, minlength=n_items) for sample in drawn])
        return sampled_similarities(own, of, method, times, ends)
    by_sample = []
    for sample in drawn:
        a, b = np.sort([sample[end] for end in ends], axis=0)
        a, b, *kept = (x[a != b] for x in (a, b, *ends))
        cells = pair_numbers(a, b, n_items)
        by_sample.append(similarities(own[:, cells], of[:, cells], method, (kept[0], kept[1])))
    return np.array(by_sample)


def both_names(rdms: RDMs, models: RDMs, part: Shared) -> str:
    """Name the first two matrices that share these cells.

    >>> both_names(RDMs([1.0]), RDMs([1.0]), Shared(np.arange(1), np.arange(1), np.ones(1, bool)))
    "'0' and '0'"
    """
    return f"{rdms.names[part.first[0]]!r} and {models.names[part.second[0]]!r}"
