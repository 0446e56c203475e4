"""Nearest items, and the error of nearest-neighbour classification in a space."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist
from sklearn.neighbors import KDTree, NearestNeighbors

from resemblance.arrays import Floats
from resemblance.errors import SettingError
from resemblance.geometry.procrustes import as_points
from resemblance.judgments import Items
from resemblance.judgments.items import items_of, items_of_rows, named_by_rows
from resemblance.notebook import Shown
from resemblance.optional import pd
from resemblance.ranges import check, checks_bools, integers
from resemblance.scores.agreement import TIE

ROWS = 4096  # number of queries that are processed at a time


@dataclass(frozen=True)
class NearestItems(Shown):
    """The k nearest items of m queries, the nearest first.

    Attributes
    ----------
    index : array (m, k) of int
        The indices of the nearest items among all items.
    distance : array (m, k)
        The distance of each neighbour from the query, in units of the space.
    names : array (n_items,) of str
        The names of the items.
    queries : array (m,) of str
        The names of the queries: names of items, or row numbers of new features.
    """

    index: NDArray[np.int64]
    distance: Floats
    names: NDArray[Any]
    queries: NDArray[Any]

    def to_pandas(self) -> pd.DataFrame:
        """Return a table of the neighbours: item, rank (from 1), neighbour, distance."""
        m, k = self.index.shape
        return pd.DataFrame(
            {
                "item": np.repeat(self.queries, k),
                "rank": np.tile(np.arange(1, k + 1), m),
                "neighbour": self.names[self.index.ravel()],
                "distance": self.distance.ravel(),
            }
        )


def nearest_items(
    embedding: Any, k: int = 10, *, items: Items | None = None, features: ArrayLike | None = None
) -> NearestItems:
    r"""Find the k items nearest to each item (other than itself), or to new features.

    .. math:: d_{ij} = \lVert x_i - x_j \rVert

    is the distance of items i and j. Neighbours at equal distances are in the order of the items.
    No n x n array is computed: 100,000 items in 32 dimensions take about a minute on one core, and
    less time in few dimensions, where a tree is used.

    Parameters
    ----------
    embedding : fitted model, or array (n_items, n_components)
        The model, or positions of items.
    k : int
        The number of neighbours.
    items : Items, optional
        The names of the positions. Default: the model's names, or numbers.
    features : array (m, d), optional
        Features of new items, whose nearest items are searched; the model must map features.

    Returns
    -------
    NearestItems
        The neighbours; ``resemblance fit --neighbours`` writes its ``to_pandas()``.

    Raises
    ------
    SettingError
        If there are too few items, or features are given without a model that maps them.

    Examples
    --------
    >>> nearest = nearest_items([[0.0], [1.0], [5.0]], k=1, items=Items(["sun", "star", "sea"]))
    >>> nearest.to_pandas()
       item  rank neighbour  distance
    0   sun     1      star       1.0
    1  star     1       sun       1.0
    2   sea     1      star       4.0
    """
    given = getattr(embedding, "embedding_", embedding)
    points = as_points(given, "embedding")
    named = items_of_rows(items_of(embedding, items), embedding=given)
    if len(named) != len(points):
        raise SettingError(
            f"there are {len(named)} items for {len(points)} positions: give one for each."
        )
    names = np.array(named.names, dtype=object)
    queries, called = points, names
    if features is not None:
        queries = _mapped(embedding, features)
        called = np.arange(len(queries)).astype(str).astype(object)
    most = len(points) - (features is None)
    check(k=(k, integers(1, most)))
    search = NearestNeighbors(n_neighbors=int(k)).fit(points)
    near = search.kneighbors(None if features is None else queries, return_distance=False)
    return NearestItems(*_in_order(points, queries, near), names, called)


def _mapped(model: Any, features: ArrayLike) -> Floats:
    if not hasattr(model, "transform"):
        raise SettingError(
            "features need a model that maps them: give the fitted model, or leave them out."
        )
    return np.asarray(model.transform(features))


def _in_order(
    points: Floats, queries: Floats, near: NDArray[np.int64]
) -> tuple[NDArray[np.int64], Floats]:
    """Compute exact distances, as the search gives approximate ones, and sort by distance."""
    index, distance = np.sort(near, axis=1), np.empty(near.shape)
    for first in range(0, len(queries), ROWS):
        rows = slice(first, first + ROWS)
        gap = points[index[rows]] - queries[rows, None]
        distance[rows] = np.sqrt((gap**2).sum(axis=2))
    order = np.argsort(distance, axis=1, kind="stable")
    return np.take_along_axis(index, order, 1), np.take_along_axis(distance, order, 1)


_TREE_DIMENSIONS = 8
"""Largest number of columns for which a k-d tree is faster than blocks of all distances."""

_BLOCK = 2**22
"""Distances computed at a time without a tree: 32 MiB."""


@checks_bools
def neighbour_error(embedding: ArrayLike, labels: Iterable[Any], balanced: bool = False) -> float:
    r"""Return the leave-one-out error of classifying each item by its nearest neighbour.

    .. math:: \frac1n \sum_i \frac{|\{j \in N_i : c_j \ne c_i\}|}{|N_i|}, \qquad
              N_i = \arg\min_{j \ne i} \|x_i - x_j\|

    where N_i are the nearest neighbours of item i, c_i its class, and n the number of items.
    Neighbours whose distances are equal (up to a relative 1e-12) share the vote, so points that
    coincide are classified like guesses. Memory is linear in n. Source: van der Maaten and
    Weinberger (2012), Stochastic triplet embedding, section 5.

    Parameters
    ----------
    embedding : fitted model, or array_like of shape (n, d)
        The model, or one point per item.
    labels : sequence of n labels
        The class of each item. Items without a class (None, NaN or blank) are left out.
    balanced : bool, default False
        Whether to average over classes with equal weights, instead of over items.

    Returns
    -------
    float
        The error, from 0 to 1. The only item of a class is always an error. Baselines:
        `majority_error`, and for the balanced error of k classes 1 - 1/k.

    Raises
    ------
    SettingError
        If the embedding is not a finite (n, d) array, or there are not n labels, or fewer than two.
    JudgmentError
        If both are pandas objects whose indexes differ.

    Examples
    --------
    >>> line = [[0.0], [1.0], [5.0], [6.0], [7.5]]
    >>> neighbour_error(line, ["rock", "rock", "jazz", "jazz", "rock"])
    0.2
    >>> round(neighbour_error(line, ["rock", "rock", "jazz", "jazz", "rock"], balanced=True), 3)
    0.167
    """
    named_by_rows(None, {"embedding": embedding, "labels": labels})
    points = as_points(embedding, "embedding")
    classes = _classes(labels)
    if len(classes) != len(points):
        raise SettingError(
            f"labels has {len(classes)} entries and embedding {len(points)} rows; "
            "give one label per item, None where there is none"
        )
    labelled = classes >= 0
    points, classes = points[labelled], classes[labelled]
    if len(points) < 2:
        raise SettingError(f"{len(points)} items have a label; label at least two")
    weights = 1 / np.bincount(classes)[classes] if balanced else None
    return float(np.average(_vote_losses(points, classes), weights=weights))


def majority_error(labels: Iterable[Any]) -> float:
    r"""Return the error if every item is classified as the most frequent class.

    .. math:: 1 - \max_c n_c / n

    Parameters
    ----------
    labels : sequence of labels
        The class of each item. Items without a class (None, NaN or blank) are left out.

    Raises
    ------
    SettingError
        If no item has a label.

    Examples
    --------
    >>> majority_error(["rock", "rock", "jazz", "rock", None])
    0.25
    """
    classes = _classes(labels)
    classes = classes[classes >= 0]
    if len(classes) == 0:
        raise SettingError("no item has a label; label at least one")
    return float(1 - np.bincount(classes).max() / len(classes))


def _classes(labels: Iterable[Any]) -> np.ndarray:
    values = [None if isinstance(x, str) and not x.strip() else x for x in labels]
    return pd.factorize(pd.Series(values, dtype=object))[0]


def _vote_losses(points: np.ndarray, classes: np.ndarray) -> np.ndarray:
    # Items at one point have the same neighbours, so neighbours are counted once per point.
    places, place = np.unique(points, axis=0, return_inverse=True)
    place = place.ravel()
    members = csr_array((np.ones(len(points)), (place, classes)))
    crowded = np.bincount(place) > 1
    find = _by_tree if places.shape[1] <= _TREE_DIMENSIONS else _by_blocks
    counts, nearest = find(places, crowded)
    reached = csr_array((np.ones(len(nearest)), nearest, np.append(0, np.cumsum(counts))))
    votes = reached @ members
    # An item must not vote for itself.
    same = np.asarray(votes[place, classes]).ravel() - 1
    everyone = np.asarray(votes.sum(axis=1)).ravel()[place] - 1
    return 1 - same / everyone


def _by_tree(places: np.ndarray, crowded: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    tree = KDTree(places)
    radius = tree.query(places, k=min(2, len(places)))[0][:, -1]
    radius[crowded] = 0
    neighbours = tree.query_radius(places, radius * (1 + TIE))
    return np.array([len(near) for near in neighbours]), np.concatenate(neighbours)


def _by_blocks(places: np.ndarray, crowded: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    size = max(1, _BLOCK // len(places))
    counts, nearest = [], []
    for start in range(0, len(places), size):
        distance = cdist(places[start : start + size], places)
        rows = np.arange(len(distance))
        distance[rows, start + rows] = np.inf
        radius = np.where(crowded[start : start + size], 0, distance.min(axis=1))
        distance[rows, start + rows] = 0
        within = distance <= radius[:, None] * (1 + TIE)
        counts.append(within.sum(axis=1))
        nearest.append(np.nonzero(within)[1])
    return np.concatenate(counts), np.concatenate(nearest)
