"""Non-negative dimensions for figures and pages: check them, and sort them by their shares."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from resemblance.arrays import by_view
from resemblance.errors import FileError, SettingError
from resemblance.judgments.items import items_of
from resemblance.judgments.labels import texts_of
from resemblance.judgments.tables import read_table
from resemblance.optional import pd
from resemblance.plotting.scene import Scene, as_items, scene_of
from resemblance.ranges import check, integers

if TYPE_CHECKING:
    from resemblance.embeddings import LoadingSpread, Reproducibility
    from resemblance.judgments import Items

Floats = NDArray[np.float64]
Names = Iterable[str | None] | Mapping[Any, str | None] | str | PathLike[str]
MOST_FEATURES = 4  # largest number of features that are named for a dimension
BLOCK = 256  # number of features that are read at a time


@dataclass(frozen=True)
class Dimensions:
    scene: Scene  # loadings as points; the columns are in the order of the model
    order: NDArray[np.intp]  # columns sorted by decreasing share, (d,)
    shares: Floats  # share of each column in the sum of all loadings, (d,)
    names: list[str]  # name of each column; "" without a name
    again: Reproducibility | None
    spread: LoadingSpread | None
    items: Items | None

    def __len__(self) -> int:
        return len(self.order)

    def items_of(self, column: int) -> NDArray[np.intp]:
        loadings = self.scene.points[:, column]
        order = np.argsort(-loadings, kind="stable")
        return order[loadings[order] > 0]

    def found_again(self, column: int) -> dict[str, float]:
        """Return measures of a column's reproducibility by name; empty if not measured.

        They are correlations over starts and over halves, and the number of splits in which the
        column was found again.
        """
        again = self.again
        if again is None:
            return {}
        measures = {"seeds": again.seeds[column], "halves": again.halves[column]}
        measured = {name: float(value) for name, value in measures.items() if np.isfinite(value)}
        if again.n_splits:
            measured |= {"found_again": int(again.found_again[column]), "splits": again.n_splits}
        return measured

    def correlations(self, column: int) -> list[tuple[str, float]]:
        names, r = self._correlations
        finite = np.flatnonzero(np.isfinite(r[:, column]))
        most = finite[np.argsort(-np.abs(r[finite, column]), kind="stable")][:MOST_FEATURES]
        return [(names[k], float(r[k, column])) for k in most.tolist()]

    @cached_property
    def _correlations(self) -> tuple[list[str], Floats]:
        names, parts = [], [np.empty((0, len(self)))]
        loadings = _standard(self.scene.points)
        for name, values in _features(self.items):
            names += name
            parts.append(_standard(values).T @ loadings)
        return names, np.concatenate(parts)

    def table(self, top: int) -> pd.DataFrame:
        rows = [self._row(column, top) for column in self.order.tolist()]
        columns = [
            "dimension",
            "name",
            "share",
            "seeds",
            "halves",
            "found_again",
            "splits",
            "items",
        ]
        return pd.DataFrame(rows, columns=columns).round(6)

    def _row(self, column: int, top: int) -> dict[str, Any]:
        names = [self.scene.names[item] for item in self.items_of(column)[:top]]
        cells = {"dimension": column + 1, "name": self.names[column], "share": self.shares[column]}
        return {**cells, **self.found_again(column), "items": " | ".join(names)}


def dimensions_of(
    model: Any,
    items: Items | Sequence[str] | None = None,
    names: Names | None = None,
    reproducibility: Reproducibility | None = None,
    spread: LoadingSpread | None = None,
) -> Dimensions:
    items = items_of(model, as_items(items))
    scene = scene_of(_loadings(model), items)
    _check_loadings(scene)
    d = scene.points.shape[1]
    if reproducibility is not None:
        _check_part("reproducibility", np.shape(reproducibility.seeds), (d,))
    if spread is not None:
        _check_part("spread", np.shape(spread.lowest), scene.points.shape)
    totals = scene.points.sum(axis=0)
    return Dimensions(
        scene,
        np.argsort(-totals, kind="stable"),
        totals / max(totals.sum(), 1e-300),
        _names(names, d),
        reproducibility,
        spread,
        items,
    )


def check_top(top: Any) -> int:
    check(top=(top, integers(1)))
    return int(top)


def _loadings(model: Any) -> Any:
    if not isinstance(model, BaseEstimator):
        return getattr(model, "embedding_", model)
    if "embedding_" not in vars(model):
        raise SettingError(f"this {type(model).__name__} is not fitted: fit it first.")
    return vars(model)["embedding_"]


def _check_loadings(scene: Scene) -> None:
    item, column = np.unravel_index(scene.points.argmin(), scene.points.shape)
    if scene.points[item, column] < 0:
        raise SettingError(
            f"the loading of {scene.names[int(item)]!r} on dimension {column + 1} is "
            f"{scene.points[item, column]:.3g}: give loadings of 0 or more, as SPoSE learns them; "
            "save_map draws positions"
        )


def _check_part(what: str, shape: tuple[int, ...], wanted: tuple[int, ...]) -> None:
    if shape != wanted:
        raise SettingError(
            f"{what} has shape {shape}, this model {wanted}: measure it on this model",
            setting=what,
        )


def _names(names: Names | None, d: int) -> list[str]:
    if isinstance(names, str | PathLike):
        names = _read_names(Path(names))
    if isinstance(names, Mapping):
        return _named(names, d)
    given = [] if names is None else list(names)
    if names is not None and len(given) != d:
        raise SettingError(
            f"there are {len(given)} names for {d} dimensions: give one for each, None where there "
            "is none, or a mapping from their numbers",
            setting="names",
        )
    return [str(name or "") for name in given] or [""] * d


def _named(names: Mapping[Any, str | None], d: int) -> list[str]:
    labels = [""] * d
    for number, name in names.items():
        if not str(number).isdecimal() or not 1 <= int(number) <= d:
            raise SettingError(
                f"names has a dimension {number!r}: number them from 1 to {d}", setting="names"
            )
        labels[int(number) - 1] = str(name or "")
    return labels


def _read_names(path: Path) -> dict[str, str]:
    table = read_table(path).frame
    if missing := {"dimension", "name"} - set(table.columns):
        raise FileError(
            f"{path} has no column {' and '.join(sorted(missing))}: give one with the columns "
            "dimension and name"
        )
    return dict(zip(texts_of(table["dimension"]), texts_of(table["name"]), strict=True))


def _standard(values: Floats) -> Floats:
    """Centre columns and scale them to length one; constant columns become NaN."""
    centred = values - values.mean(axis=0)
    centred[:, ~np.ptp(values, axis=0).astype(bool)] = np.nan
    return np.asarray(centred / np.linalg.norm(centred, axis=0))


def _features(items: Items | None) -> Iterator[tuple[list[str], Floats]]:
    """Yield blocks of features and their names, prefixed by the view if there are several."""
    if items is None:
        return
    for view, values in by_view(items.features, "feature").items():
        width = values.shape[1]
        names = items.feature_names or [f"{view} {k + 1}" for k in range(width)]
        for first in range(0, width, BLOCK):
            block = slice(first, first + BLOCK)
            yield list(names[block]), np.asarray(values[:, block], float)
