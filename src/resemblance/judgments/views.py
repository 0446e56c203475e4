"""Views that were measured of different items, brought together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from resemblance.errors import JudgmentError, SettingError
from resemblance.judgments.items import Items

NAMED = 5  # items that a message names before it says "and so many more"


def join_views(
    views: Mapping[str, tuple[Iterable[Any], ArrayLike]],
    names: Iterable[Any] | None = None,
    missing: str = "error",
    **parts: Any,
) -> Items:
    """Return items with several views, each of which lists its items in an order of its own.

    Parameters
    ----------
    views : dict of (names, array)
        The names of the items of each view, and their features (n, d). Rows of NaN are missing.
    names : iterable of str, optional
        The items wanted, in order; default: all that any view has.
    missing : {"error", "mean"}
        What to do about an item without features in a view: refuse, or take the mean of the view.
    **parts
        Labels, images and titles of the items, as in :class:`Items`.

    Returns
    -------
    Items

    Raises
    ------
    JudgmentError
        If items are without features in a view; it names both. If a view names an item twice.
    SettingError
        If ``missing`` is neither of the two.

    Examples
    --------
    >>> shape = ["egg", "ball"], [[1.0], [2.0]]
    >>> sound = ["ball", "bell", "egg"], [[0.0], [9.0], [0.0]]
    >>> items = join_views({"shape": shape, "sound": sound}, missing="mean")
    >>> items.names, items.features["shape"].ravel()
    (('egg', 'ball', 'bell'), array([1. , 2. , 1.5]))
    """
    if missing not in ("error", "mean"):
        raise SettingError(f"missing is {missing!r}: choose 'error' or 'mean'.")
    listed = {view: Items(own) for view, (own, _) in views.items()}
    everyone = (name for items in listed.values() for name in items.names)
    wanted = list(dict.fromkeys(map(str, everyone if names is None else names)))
    columns = {}
    for view, (_, features) in views.items():
        columns[view] = _arranged(view, listed[view], np.asarray(features, float), wanted)
    gaps = {view: np.asarray(np.isnan(rows).all(axis=1)) for view, rows in columns.items()}
    if missing == "error" and any(gap.any() for gap in gaps.values()):
        told = [f"{view!r} of {_some(wanted, gap)}" for view, gap in gaps.items() if gap.any()]
        raise JudgmentError(
            f"there are no features in view {', nor in view '.join(told)}: add them, leave out "
            'these items or the view, or take the mean of the view (missing="mean").',
            setting="missing",
        )
    for view, gap in gaps.items():
        columns[view][gap] = columns[view][~gap].mean(axis=0)
    return Items(wanted, columns, **parts)


def _arranged(
    view: str, known: Items, features: NDArray[np.float64], wanted: list[str]
) -> NDArray[np.float64]:
    """Put the rows of a view in the order of the wanted items; NaN where it has none."""
    if features.ndim != 2 or len(features) != len(known):
        raise JudgmentError(
            f"view {view!r} has features of shape {features.shape} for {len(known)} names: give "
            "one row for each."
        )
    place = {name: row for row, name in enumerate(known.names)}
    if not any(name in place for name in wanted):
        raise JudgmentError(
            f"view {view!r} has features of {', '.join(known.names[:NAMED])} and more, but of none "
            f"of the items {', '.join(wanted[:NAMED])} ...: give both the same names."
        )
    rows = np.array([place.get(name, -1) for name in wanted])
    return np.where(rows[:, None] < 0, np.nan, features[rows])


def _some(names: list[str], chosen: NDArray[np.bool_]) -> str:
    """Name the first few chosen items, and count the rest."""
    found = [name for name, one in zip(names, chosen, strict=True) if one]
    more = f" and {len(found) - NAMED} more" if len(found) > NAMED else ""
    return ", ".join(map(repr, found[:NAMED])) + more
