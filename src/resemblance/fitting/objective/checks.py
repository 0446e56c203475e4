"""Check the input of a fit, and issue warnings about the data."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from resemblance.arrays import ONE_VIEW, by_view
from resemblance.errors import (
    ConstantFeatureWarning,
    DisconnectedWarning,
    JudgmentError,
    NotConvergedWarning,
    SettingError,
    UnmentionedWarning,
)
from resemblance.judgments import (
    AnyJudgments,
    Comparison,
    Elsewhere,
    Items,
    PairRanks,
    each_kind,
)
from resemblance.judgments.checks import NAMED, column_names, first_few, is_table, numbers_in


def check_components(n_components: Any, n_items: int) -> int:
    if int(n_components) != n_components or not 1 <= n_components <= n_items - 1:
        raise SettingError(
            f"n_components is {n_components!r}, but {n_items} items span between 1 and "
            f"{n_items - 1} dimensions: choose a whole number in that range.",
            setting="n_components",
        )
    return int(n_components)


def check_scale(is_free: bool, penalty: float) -> None:
    if is_free and penalty > 0:
        raise SettingError(
            f"penalty is {penalty:g}, but arrangements do not determine the scale of a "
            "space, which would shrink to a point: give 0, or fit judgments of another "
            "kind beside them.",
            setting="penalty",
        )


def check_same_items(judgments: AnyJudgments | Elsewhere, fitted: Items) -> None:
    names = judgments.items.names
    if names == fitted.names[: len(names)]:
        return
    stray = next(
        (i for i, name in enumerate(names) if i >= len(fitted) or name != fitted.names[i]), 0
    )
    raise JudgmentError(
        f"these judgments are about other items than the fit: item {stray} is {names[stray]!r} "
        f"here and {fitted.names[stray]!r} there."
        if stray < len(fitted)
        else f"these judgments have {len(names)} items, the fit had {len(fitted)}: "
        f"{names[stray]!r} is unknown. Give both the same Items (Triplets(..., items=...))."
    )


def one_view(items: Items) -> NDArray[np.float64] | None:
    if isinstance(items.features, dict):
        raise JudgmentError(
            f"the items have several views, {', '.join(items.features)}, and a map takes one: give "
            "Items(names, features=views[...])."
        )
    return items.features


def keep_features(estimator: Any, items: Items) -> None:
    vars(estimator).pop("feature_names_in_", None)  # removes names from an earlier fit
    if isinstance(items.features, np.ndarray):
        estimator.n_features_in_ = items.features.shape[1]
    if items.feature_names is not None:
        estimator.feature_names_in_ = np.array(items.feature_names, dtype=object)


def named_features(estimator: Any, X: Any) -> Any:
    """Return the values of a table, after a check that it has the columns of the fit.

    Arrays are returned unchanged.
    """
    if is_table(X):
        refuse_other_columns(X, vars(estimator).get("feature_names_in_"))
        X = numbers_in(X, "the features")
    of_fit = np.shape(estimator.items_.features)[1:]
    if np.ndim(X) == 2 and len(of_fit) == 1 and np.shape(X)[1:] != of_fit:
        raise SettingError(
            f"these items have {np.shape(X)[1]} features, those of the fit {of_fit[0]}: give the "
            "same ones in the same order."
        )
    return X


def refuse_other_columns(X: object, fitted: Sequence[str] | None) -> None:
    given = column_names(X)
    if given is None or fitted is None:
        return
    for column, (here, there) in enumerate(zip_longest(given, fitted)):
        if here != there:
            raise SettingError(
                f"column {column} of the features is {'missing' if here is None else repr(here)}; "
                f"in the fit it was {'not there' if there is None else repr(there)}: give the "
                f"columns {first_few(fitted)} in this order."
            )


def tell_constant_features(items: Items) -> None:
    for view, features in by_view(items.features).items():
        flat = np.flatnonzero(np.ptp(features, axis=0) == 0)
        if len(flat):
            of = "the features" if view == ONE_VIEW else f"the view {view!r}"
            warnings.warn(
                f"column {first_few(flat)} of {of} is the same for all items: leave it out.",
                ConstantFeatureWarning,
                stacklevel=4,
            )


def that_count(judgments: AnyJudgments) -> AnyJudgments:
    if not any(part.weights.any() for part in each_kind(judgments)):
        raise JudgmentError(
            "there are no judgments, or all weigh 0: give one row at least, of a weight above 0"
        )
    return judgments


def mentioned_items(
    judgments: AnyJudgments | PairRanks | Elsewhere, placed: bool = False
) -> NDArray[np.bool_]:
    """Return a mask of mentioned items, (n_items,). Warn about items that are not mentioned.

    With ``placed``, features place all items, and all entries are True.
    """
    if placed:
        return np.ones(judgments.n_items, dtype=bool)
    mentioned = np.zeros(judgments.n_items, dtype=bool)
    for comparison in judgments.comparisons():
        for a, b in comparison.pairs:
            mentioned[a] = mentioned[b] = True
        if mentioned.all():
            break
    if not mentioned.all():
        stray = [judgments.items.names[i] for i in np.flatnonzero(~mentioned)]
        warnings.warn(
            f"no judgment mentions {{{first_few(stray)}}}: placed at the centroid, which says "
            "nothing about them. Ask about them, or leave them out of the items.",
            UnmentionedWarning,
            stacklevel=4,
        )
    return mentioned


def connected_parts(
    judgments: AnyJudgments | PairRanks | Elsewhere,
    mentioned: NDArray[np.bool_],
    placed: bool = False,
) -> NDArray[np.int32]:
    """Return the number of each item's component, (n_items,), or -1 if it is not mentioned.

    A warning is issued if there are several components.

    Items are connected if they are compared, directly or by way of other items. With ``placed``,
    features connect all items.
    """
    if placed:
        return np.zeros(judgments.n_items, dtype=np.int32)
    parts = np.arange(judgments.n_items)
    for comparison in judgments.comparisons():
        parts = _joined(parts, comparison)
        if not parts.any():
            break
    parts = np.unique(np.where(mentioned, parts, -1), return_inverse=True)[1] - (
        0 if mentioned.all() else 1
    )
    if parts.max() > 0:
        names = np.asarray(judgments.items.names, dtype=object)
        listed = "; ".join(
            f"{{{first_few(names[parts == p])}}}" for p in range(parts.max() + 1)[:NAMED]
        )
        warnings.warn(
            f"the judgments fall into {parts.max() + 1} parts that nothing connects: {listed}. "
            "Their positions relative to each other are arbitrary: ask questions across them, or "
            "fit each alone.",
            DisconnectedWarning,
            stacklevel=4,
        )
    return parts.astype(np.int32)


def _joined(parts: NDArray[np.intp], comparison: Comparison) -> NDArray[np.intp]:
    head, start, size = comparison.pairs[0][0], 0, 4 * len(parts)
    links = [link for a, b in comparison.pairs for link in ((a, b), (head, a))]
    while start < len(head) and parts.any():
        rows = slice(start, start + size)
        ends = [
            np.concatenate([parts[end[rows]] for end in each]) for each in zip(*links, strict=True)
        ]
        n = parts.max() + 1
        graph = coo_array((np.ones(len(ends[0])), ends), shape=(n, n))
        parts = connected_components(graph, directed=False)[1][parts]
        start, size = rows.stop, 4 * size
    return parts


def given_positions(name: str, given: ArrayLike, shape: tuple[int, int]) -> NDArray[np.float64]:
    X = np.array(given, dtype=float)
    if X.shape != shape or not np.isfinite(X).all():
        raise SettingError(
            f"{name} is an array of shape {X.shape}; it must be finite and of shape {shape} "
            "(items, components)."
        )
    return X


def tell_unconverged(estimator: object, solution: Any, otherwise: str) -> None:
    name = type(estimator).__name__
    if solution.interrupted:
        message = (
            f"{name} was stopped after {solution.n_iter} iterations; the result so far is kept."
        )
    else:
        message = f"{name} stopped {otherwise}"
    warnings.warn(NotConvergedWarning(message, setting="max_iter"), stacklevel=4)
