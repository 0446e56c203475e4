"""Sample triplets from feature vectors, as in the paper on STE."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.metrics import euclidean_distances

from resemblance.errors import SettingError
from resemblance.judgments import Items, Triplets
from resemblance.ranges import check, integers, one_of

Protocol = Literal["paper", "release", "nearest"]
N_NEIGHBOURS = 50  # number of nearest neighbours of the head in the paper
_BLOCK = 2**22  # number of distances in memory at a time (32 MB)


def sample_triplets(
    features: ArrayLike | Items,
    n_triplets: int,
    n_neighbours: int | None = None,
    protocol: Protocol = "paper",
    random_state: int | np.random.Generator | None = None,
) -> Triplets:
    """Draw triplets that agree with the Euclidean distances of feature vectors.

    The head is drawn uniformly from all items, and near from the k nearest neighbours of the head.
    Then far is drawn uniformly from

    - ``"paper"``: all items l with d(head, l) > d(head, near);
    - ``"release"``: the k neighbours after near, up to rank 2k; the published numbers used this;
    - ``"nearest"``: the neighbours after near, up to rank k, where near is below k; the hardest.

    Triplets are drawn independently, so a triplet may occur twice. Distances are computed in blocks
    of heads, so memory does not grow with the squared number of items. Source: Van der Maaten,
    Weinberger (2012), Stochastic triplet embedding, MLSP, section 5.1; ``"release"`` is the script
    that the authors published with their code.

    Parameters
    ----------
    features : array-like of shape (n_items, d), or Items
        Feature vectors, or items with features.
    n_triplets : int
        Number of triplets.
    n_neighbours : int, optional
        k, the number of nearest neighbours. Default: 50, or the maximum for fewer items.
    protocol : {"paper", "release", "nearest"}, default="paper"
        The rule for drawing far items.
    random_state : int, Generator or None, default=None
        Seed of the draws.

    Returns
    -------
    Triplets
        ``n_triplets`` rows in random order, on the given items.

    Raises
    ------
    SettingError
        If a setting is out of range, the items have several views or no features, or no item is
        farther than the k-th neighbour with "paper".
    JudgmentError
        If the features are not a table of finite numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from resemblance.datasets import sample_triplets
    >>> line = np.array([[0.0], [1.0], [3.0]])
    >>> drawn = sample_triplets(line, 100, n_neighbours=1, random_state=0).index
    >>> np.unique(drawn, axis=0).tolist()
    [[0, 1, 2], [1, 0, 2], [2, 1, 0]]
    """
    items = features if isinstance(features, Items) else Items(features=features)
    points = items.features
    if points is None or isinstance(points, dict):
        raise SettingError("features must be one (n_items, d) table: give one, or items with one.")
    n_neighbours = _checked(len(points), n_triplets, n_neighbours, protocol)
    rng = np.random.default_rng(random_state)
    draw, ranks = _DRAWS[protocol]
    index = np.empty((n_triplets, 3), dtype=np.int32)
    index[:, 0] = rng.integers(len(points), size=n_triplets, dtype=np.int32)
    for first, last, rows in _blocks_of_heads(index[:, 0], len(points)):
        distance = euclidean_distances(points[first:last], points, squared=True)
        # the head gets rank 0, so it cannot be drawn as near or far
        distance[np.arange(last - first), np.arange(first, last)] = -1.0
        ranked = _rank_neighbours(distance, ranks * n_neighbours)
        if protocol == "paper":
            _check_reach(distance, ranked, first)
        index[rows, 1], index[rows, 2] = draw(rng, index[rows, 0] - first, distance, ranked)
    return Triplets(index, items=items)


def _blocks_of_heads(head: np.ndarray, n_items: int) -> Iterator[tuple[int, int, np.ndarray]]:
    by_head = np.argsort(head, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(head, minlength=n_items))])
    size = max(1, _BLOCK // n_items)
    for first in range(0, n_items, size):
        last = min(first + size, n_items)
        yield first, last, by_head[starts[first] : starts[last]]


def _rank_neighbours(distance: np.ndarray, k: int) -> np.ndarray:
    nearest = np.argpartition(distance, k, axis=1)[:, : k + 1]
    order = np.argsort(np.take_along_axis(distance, nearest, axis=1), axis=1, kind="stable")
    return np.take_along_axis(nearest, order, axis=1)[:, 1:]


def _draw_paper(
    rng: np.random.Generator, head: np.ndarray, distance: np.ndarray, ranked: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    near = ranked[head, rng.integers(ranked.shape[1], size=len(head))]
    near_distance = distance[head, near]
    far = np.empty_like(near)
    open_rows = np.arange(len(head))
    while open_rows.size:
        far[open_rows] = rng.integers(distance.shape[1], size=open_rows.size)
        further = distance[head[open_rows], far[open_rows]] > near_distance[open_rows]
        open_rows = open_rows[~further]
    return near, far


def _draw_release(
    rng: np.random.Generator, head: np.ndarray, distance: np.ndarray, ranked: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    k = ranked.shape[1] // 2
    near_rank = rng.integers(k, size=len(head))
    far_rank = near_rank + rng.integers(1, k + 1, size=len(head))
    return ranked[head, near_rank], ranked[head, far_rank]


def _draw_nearest(
    rng: np.random.Generator, head: np.ndarray, distance: np.ndarray, ranked: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    near_rank = rng.integers(ranked.shape[1] - 1, size=len(head))
    far_rank = rng.integers(near_rank + 1, ranked.shape[1])
    return ranked[head, near_rank], ranked[head, far_rank]


# Functions that draw near and far, and the factor on n_neighbours for the number of ranked items.
_DRAWS = {"paper": (_draw_paper, 1), "release": (_draw_release, 2), "nearest": (_draw_nearest, 1)}


def _check_reach(distance: np.ndarray, ranked: np.ndarray, first: int) -> None:
    last_neighbour = np.take_along_axis(distance, ranked[:, -1:], axis=1)[:, 0]
    stuck = np.flatnonzero(last_neighbour >= distance.max(axis=1))
    if stuck.size:
        raise SettingError(
            f"No item is further from item {first + stuck[0]} than its neighbour number "
            f"{ranked.shape[1]}: lower n_neighbours, or remove repeated items."
        )


def _checked(n_items: int, n_triplets: int, n_neighbours: int | None, protocol: str) -> int:
    check(protocol=(protocol, one_of(*_DRAWS)))
    check(n_triplets=(n_triplets, integers(1)))
    limits = {"paper": (1, n_items - 2), "release": (1, (n_items - 1) // 2)}
    lowest, highest = limits.get(protocol, (2, n_items - 1))
    if n_neighbours is None:
        n_neighbours = max(lowest, min(N_NEIGHBOURS, highest))
    if not lowest <= n_neighbours <= highest:
        raise SettingError(
            f"n_neighbours={n_neighbours}: with {n_items} items and the protocol {protocol!r} "
            f"choose a number from {lowest} to {highest}."
        )
    return n_neighbours
