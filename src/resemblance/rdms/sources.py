"""Compute dissimilarity matrices from fitted models and from arrangements."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import pdist
from sklearn.utils.validation import check_is_fitted

from resemblance.arrays import Floats
from resemblance.errors import RDMError, SettingError, UnmentionedWarning
from resemblance.fitting import GroupComparison, IndividualSpaces, OrdinalEmbedding
from resemblance.fitting.objective.arrangement_mean import mean_distances
from resemblance.geometry.procrustes import is_whole
from resemblance.judgments import Arrangements, Items, Judgments
from resemblance.judgments.checks import first_few
from resemblance.judgments.items import items_of_rows, named_by_rows
from resemblance.ranges import check, one_of
from resemblance.rdms.rdms import RDMs

METRICS = {
    "euclidean": "euclidean",
    "squared": "sqeuclidean",
    "cosine": "cosine",
    "correlation": "correlation",
}


def rdm(
    model: OrdinalEmbedding | IndividualSpaces | GroupComparison | ArrayLike,
    distances: str = "euclidean",
    *,
    items: Items | Iterable[Any] | None = None,
) -> RDMs:
    r"""Compute the dissimilarities of all pairs of items in a space.

    .. math:: d_{ij} = \lVert x_i - x_j \rVert, \qquad
       d^g_{ij} = \sqrt{\sum_k w_{gk} (x_{ik} - x_{jk})^2}

    where x are positions in one space, and w_g the weights of dimensions of person or group g.

    Parameters
    ----------
    model : fitted model or array (n_items, d)
        An embedding, a map, or an array of positions or features gives one matrix.
        :class:`~resemblance.IndividualSpaces` gives a matrix for each person (or group, see its
        ``by``), and :class:`~resemblance.fitting.GroupComparison` a matrix for each group.
    distances : str
        "euclidean", "squared" (squared Euclidean), "cosine" or "correlation": one minus the cosine
        or Pearson's correlation of two rows.
    items : Items or sequence of str, optional
        The items of an array's rows; models and data frames have names.

    Returns
    -------
    RDMs
        Matrices with the names of people or groups, or a single matrix with the name of the model's
        class.

    Raises
    ------
    SettingError
        If ``distances`` is unknown, items are given with a model, or a model has no positions.
    RDMError
        If an item has no cosine or correlation because its row is 0 or constant; if positions are
        not finite, or are a dissimilarity matrix.
    JudgmentError
        If the names of the index of a data frame, or their order, differ from ``items``.

    Warns
    -----
    UnmentionedWarning
        If no answer mentions an item, so that its dissimilarities are meaningless.

    Examples
    --------
    >>> rdm([[0.0, 0.0], [3.0, 4.0]], items=["a", "b"]).dissimilarities
    array([[5.]])
    """
    check(distances=(distances, one_of(*METRICS)))
    model = model.space if isinstance(model, GroupComparison) else model
    if not hasattr(model, "fit"):
        named = named_by_rows(items, {"model": model})
        return _made({"space": _positions(model)}, named, distances)
    if items is not None:
        raise SettingError("a model knows its items: leave items out", setting="items")
    check_is_fitted(model)
    if not hasattr(model, "embedding_"):
        raise SettingError(
            f"{type(model).__name__} has no positions of items: give its transform(features), and "
            "items",
            setting="model",
        )
    if isinstance(model, IndividualSpaces):
        return _made({p: model.space(p) for p in model.people_}, model.items_, distances)
    _warn_unmentioned(model)
    fitted: Any = model
    return _made({type(model).__name__: fitted.embedding_}, fitted.items_, distances)


def _positions(given: Any) -> Floats:
    if isinstance(given, RDMs | Judgments):
        raise SettingError(f"rdm takes a fitted model or positions, not {type(given).__name__}")
    points = np.asarray(given, dtype=float)
    if is_whole(points):
        raise RDMError(
            "these are not positions but a dissimilarity matrix (symmetric, 0 on the diagonal): "
            "give it to RDMs.from_squares"
        )
    if np.isnan(points).any():
        row = int(np.isnan(points).any(axis=tuple(range(1, points.ndim))).argmax())
        raise RDMError(f"row {row} of the positions has NaN: give finite ones, or leave it out")
    return points


def _made(spaces: dict[str, Floats], items: Any, distances: str) -> RDMs:
    for points in spaces.values():
        if points.ndim != 2 or len(points) < 2:
            raise RDMError(f"positions have shape {points.shape}: give (n_items, d), of 2 or more")
    named = items_of_rows(items, space=next(iter(spaces.values())))
    if distances in ("cosine", "correlation"):
        for points in spaces.values():
            _check_directions(points, named, distances)
    measured = [pdist(points, METRICS[distances]) for points in spaces.values()]
    return RDMs(measured, named, tuple(spaces), distances)


def _check_directions(points: Floats, items: Items, distances: str) -> None:
    centred = points - points.mean(axis=1, keepdims=True) if distances != "cosine" else points
    flat = np.linalg.norm(centred, axis=1) <= 1e-12 * np.abs(points).max(axis=1)
    if flat.any():
        names = [items.names[row] for row in np.flatnonzero(flat)]
        what = "0" if distances == "cosine" else "constant"
        raise RDMError(
            f"the row of {first_few(names)} is {what} and has no {distances}: use other distances, "
            "or leave these items out"
        )


def _warn_unmentioned(model: Any) -> None:
    unmentioned = getattr(model, "unmentioned_", ())
    if len(unmentioned):
        names = first_few(model.items_.names[i] for i in unmentioned)
        warnings.warn(
            UnmentionedWarning(
                f"no answer mentions {names}, so their dissimilarities are meaningless: leave them "
                "out with of_items(names)"
            ),
            stacklevel=3,
        )


def rdm_from_arrangements(arrangements: Arrangements) -> RDMs:
    r"""Average the distances on the screen over the trials of each person.

    .. math:: D_{ij} = \frac{\sum_t w_{tij} \, s_t \delta_{tij}}{\sum_t w_{tij}}, \qquad
       w_{tij} = \delta_{tij}^2, \qquad
       s_t^2 = \frac{\sum_{ij \in t} D_{ij}^2}{\sum_{ij \in t} \delta_{tij}^2}

    with :math:`\delta_{tij}` the distance of items i and j on the screen in trial t. The scales s
    of trials and the matrix D are updated in turns. The mean does not assume that distances come
    from a space. If they do, ``rdm(STE(d).fit(arrangements))`` is closer to the truth with the same
    trials (docs/benchmarks.md).

    Source: Kriegeskorte, Mur (2012), Inverse MDS: inferring dissimilarity structure from multiple
    item arrangements, Frontiers in Psychology 3, 245.

    Parameters
    ----------
    arrangements : Arrangements
        Arrangements in which each person saw any two items together at least once.

    Returns
    -------
    RDMs
        A matrix with root mean square 1 for each observer, with the observer's name; a single
        matrix if observers are unknown.

    Raises
    ------
    RDMError
        If a person never saw two of the items together.

    Warns
    -----
    NotConvergedWarning
        If the scales of the trials do not converge because they share too few pairs.

    Examples
    --------
    >>> trials = Arrangements([[0, 1, 2]], [[[0, 0], [3, 0], [0, 4]]], ["egg", "ball", "box"])
    >>> rdm_from_arrangements(trials).dissimilarities.round(2)
    array([[0.73, 0.98, 1.22]])
    """
    names = arrangements.items.names
    a, b = np.triu_indices(len(names), 1)
    people = [None] if arrangements.observer is None else np.unique(arrangements.observer).tolist()
    matrices = []
    for person in people:
        own = arrangements if person is None else arrangements[arrangements.observer == person]
        D = mean_distances(own)[0][a, b]
        if np.isnan(D).any():
            k = int(np.isnan(D).argmax())
            who = "no trial" if person is None else f"no trial of {person!r}"
            both = f"{names[a[k]]!r} and {names[b[k]]!r}, nor {np.isnan(D).sum() - 1} other pairs"
            raise RDMError(
                f"{who} shows both {both}: ask for more trials, fit a space, or leave items out"
            )
        matrices.append(D)
    called = ["arrangements"] if people == [None] else people
    return RDMs(matrices, arrangements.items, called, "arranged")
