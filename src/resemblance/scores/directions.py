"""Find the directions of features on a map, and the share of each that the map explains."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import f as f_distribution

from resemblance.arrays import Floats
from resemblance.errors import SettingError, first_few
from resemblance.geometry.procrustes import as_points, positions_of
from resemblance.notebook import Shown
from resemblance.optional import pd

LEVEL = 0.05  # Maps show only features with a smaller p-value.


@dataclass(frozen=True)
class Directions(Shown, ABC):
    """Named directions of a map, which maps draw as arrows."""

    title: ClassVar[str]
    scored: ClassVar[str]  # name of the attribute with the strength
    measure: ClassVar[str]  # meaning of the strength
    names: tuple[str, ...]
    direction: Floats
    p_value: Floats
    reach: float

    @property
    def strength(self) -> Floats:
        """How well the map predicts what each name stands for: 1 for exactly, 0 for not at all."""
        return np.asarray(getattr(self, self.scored))

    @property
    @abstractmethod
    def strength_words(self) -> list[str]:
        """The strength as a text beside each name."""

    @property
    def shown(self) -> list[int]:
        """Indices of the names that a map draws, whose p-value is below 0.05."""
        return np.flatnonzero((self.p_value < LEVEL) & (self.strength > 0)).tolist()

    @property
    def arrows(self) -> Floats:
        """The arrow of each name from the items' mean: direction times strength times reach.

        Returns
        -------
        array (n_names, n_components)
        """
        return self.direction * np.maximum(self.strength, 0.0)[:, None] * self.reach

    def best_first(self) -> Self:
        order = np.argsort(-self.strength, kind="stable")
        columns: dict[str, Any] = {"names": tuple(self.names[k] for k in order)}
        columns |= {name: x[order] for name, x in vars(self).items() if isinstance(x, np.ndarray)}
        return replace(self, **columns)

    def lines(self) -> list[str]:
        """Return texts that list the names that a map draws, and the others."""
        drawn = [f"{self.names[k]} {self.strength_words[k]}" for k in self.shown]
        unseen = [name for k, name in enumerate(self.names) if k not in self.shown]
        lines = [f"{self.measure}: {first_few(drawn)}"] if drawn else []
        return [*lines, *([f"not seen on the map: {first_few(unseen)}"] if unseen else [])]

    def _coordinates(self) -> dict[str, Floats]:
        return {f"x{d}": x for d, x in enumerate(self.direction.T, 1)}


@dataclass(frozen=True)
class FeatureDirections(Directions):
    r"""The directions in which features increase on a map, the best explained feature first.

    Attributes
    ----------
    names : tuple of str
        The features.
    direction : array (n_features, n_components)
        The directions, as vectors of length 1.
    p_value : array (n_features,)
        The p-value of an F test against no relation, corrected for the number of features (Holm).
    reach : float
        The length of an arrow for a fully explained feature, in units of the space: :math:`\sqrt 2`
        times the items' root mean square distance from their mean.
    share : array (n_features,)
        The share of each feature's variance that leave-one-out predictions from positions explain;
        0 or less if they explain nothing.
    n_items : array (n_features,) of int
        The number of items with a value of the feature.
    """

    title = "directions"
    scored = "share"
    measure = "share of variance"
    share: Floats
    n_items: Any

    @property
    def strength_words(self) -> list[str]:
        return [f"{share:.0%}" for share in self.share]

    def to_pandas(self) -> pd.DataFrame:
        """Return a table of the features: feature, share, p_value, items, x1, x2, ..."""
        table: dict[str, Any] = {"feature": self.names, "share": self.share}
        table |= {"p_value": self.p_value, "items": self.n_items}
        return pd.DataFrame(table | self._coordinates())


def feature_directions(
    embedding: Any,
    features: ArrayLike | pd.DataFrame | Mapping[str, ArrayLike],
    names: Sequence[str] | None = None,
) -> FeatureDirections:
    r"""Find the direction in which each feature increases on a map, and its explained share.

    Each feature :math:`f` is predicted from the positions :math:`x_i` by least squares. Its
    direction is the slope :math:`b`. Its share is the variance that leave-one-out predictions
    explain:

    .. math::
        f_i \approx a + x_i^\top b, \qquad
        \text{share} = 1 - \frac{\sum_i (f_i - \hat f_{-i})^2}{\sum_i (f_i - \bar f_{-i})^2}

    A feature that was used in the fit (a prior, Yada, POE) is explained better than answers alone
    would explain it.

    Parameters
    ----------
    embedding : fitted model, or array (n_items, n_components)
        The model, or positions of items.
    features : array (n_items, n_features), DataFrame or mapping of names to columns
        Values in the order of the items; NaN if unknown.
    names : sequence of str, optional
        Names of the columns of an array; by default ``feature 1``, ``feature 2``, ...

    Returns
    -------
    FeatureDirections
        The directions, for ``save_map``, ``plot_map`` and ``show_map`` (``directions=``).

    Raises
    ------
    SettingError
        If the numbers of rows and items differ; if a feature is not numeric, is the same for all
        items, or is known for fewer items than dimensions + 3.

    References
    ----------
    Carroll, J. D. and Chang, J.-J. (1964). A general index of nonlinear correlation and its
    application to the interpretation of multidimensional scaling solutions. *American
    Psychologist*, 19, 540.

    Examples
    --------
    >>> positions = [[0, 0], [1, 0], [2, 1], [3, 1], [4, 0], [5, 2]]
    >>> found = feature_directions(positions, {"size": [10.1, 11.0, 12.2, 12.9, 14.1, 15.0]})
    >>> found.to_pandas().round(2)
      feature  share  p_value  items   x1    x2
    0    size   0.97      0.0      6  1.0 -0.02
    """
    points = as_points(positions_of(embedding), "embedding")
    called, values = _columns(features, names, len(points))
    directions = [
        _direction(points, column, name) for name, column in zip(called, values.T, strict=True)
    ]
    direction, share, p_value, n = map(np.array, zip(*directions, strict=True))
    adjusted, reach = holm(p_value), reach_of(points)
    return FeatureDirections(tuple(called), direction, adjusted, reach, share, n).best_first()


def reach_of(points: Floats) -> float:
    middle = points - points.mean(axis=0)
    return float(np.sqrt(2 * (middle**2).sum(axis=1).mean()))


def _columns(features: Any, names: Sequence[str] | None, n: int) -> tuple[list[str], Floats]:
    if isinstance(features, Mapping):
        called = [str(name) for name in features]
        columns = [np.asarray(column) for column in features.values()]
        lengths = {name: len(c) for name, c in zip(called, columns, strict=True) if c.shape != (n,)}
        if lengths:
            name, length = next(iter(lengths.items()))
            raise SettingError(f"the feature {name} has {length} values for {n} items")
        features = np.column_stack(columns) if columns else np.empty((n, 0))
    elif isinstance(features, pd.DataFrame):
        called = [str(name) for name in features]
    else:
        shape = np.shape(features)
        n_features = shape[1] if len(shape) == 2 else 0
        called = [f"feature {k + 1}" for k in range(n_features)] if names is None else [*names]
    try:
        values = np.asarray(features, dtype=float)
    except (TypeError, ValueError) as error:
        raise SettingError(f"features must be numbers ({error})") from None
    if values.shape != (n, len(called)) or not called:
        raise SettingError(
            f"features have shape {values.shape}: give a row for each of the {n} items, and a "
            f"column for each of the {len(called)} names"
        )
    return called, values


def _direction(points: Floats, values: Floats, name: str) -> tuple[Floats, float, float, int]:
    has_value = np.isfinite(values)
    x, y = points[has_value], values[has_value]
    n, k = x.shape
    if n < k + 3:
        raise SettingError(
            f"the feature {name} is known for {n} items: a direction in {k} dimensions needs "
            f"{k + 3} at least"
        )
    if not np.ptp(y):
        raise SettingError(f"the feature {name} is the same for all items: leave it out")
    y = (y - y.mean()) / y.std()
    left, spread, right = np.linalg.svd(x - x.mean(axis=0), full_matrices=False)
    kept = spread > 1e-10 * max(spread[0], 1e-300)
    if not kept.any():
        raise SettingError("all items lie in one place: fit an embedding that has directions")
    left, rank = left[:, kept], int(kept.sum())
    slope = right[kept].T @ ((left.T @ y) / spread[kept])
    residual = y - left @ (left.T @ y)
    leverage = 1 / n + (left**2).sum(axis=1)
    left_out = residual / np.maximum(1 - leverage, 1e-12)
    alone = y * n / (n - 1)
    share = 1 - float((left_out**2).sum() / (alone**2).sum())
    unexplained = float((residual**2).sum())
    ratio = (n - unexplained) / rank / max(unexplained / (n - 1 - rank), 1e-300)
    length = float(np.linalg.norm(slope))
    direction = slope / length if length > 0 else slope
    return direction, share, float(f_distribution.sf(ratio, rank, n - 1 - rank)), n


def holm(p_values: Floats) -> Floats:
    """Correct p-values for the number of tests (Holm 1979).

    >>> holm(np.array([0.01, 0.04])).tolist()
    [0.02, 0.04]
    """
    order = np.argsort(p_values)
    steps = p_values[order] * np.arange(len(order), 0, -1)
    adjusted = np.empty_like(p_values)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted
