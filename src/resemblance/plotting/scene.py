"""Check the input of maps for all kinds of pictures and pages."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from resemblance.arrays import Floats
from resemblance.errors import SettingError
from resemblance.geometry.procrustes import positions_of
from resemblance.judgments.items import Items, items_of, natural_order
from resemblance.optional import pd
from resemblance.plotting.canvas import LIGHT, OTHER, UNLABELLED

if TYPE_CHECKING:
    from resemblance.scores.directions import Directions

    SomeDirections: TypeAlias = Directions | Sequence[Directions] | None

MOST_ARROWS = 12


@dataclass(frozen=True)
class Classes:
    names: tuple[str, ...]
    styles: tuple[int, ...]  # position of each class's style in the palette
    index: NDArray[np.int64]  # index of each item's class, (n_items,)


def classes_of(labels: Sequence[Any] | NDArray[Any]) -> Classes:
    """Sort labels into classes: the twelve most frequent, "other", and "no label".

    None, NaN and "" mean that an item has no label.

    >>> classes_of(["10", "9", None, "9"]).names
    ('9', '10', 'no label')
    """
    texts = [_text(label) for label in labels]
    counts = Counter(text for text in texts if text)
    own = sorted([text for text, _ in counts.most_common(len(LIGHT))], key=natural_order)
    style = {text: i for i, text in enumerate(own)}
    drawn = np.array([style.get(text, OTHER) if text else UNLABELLED for text in texts])
    styles, index = np.unique(drawn, return_inverse=True)
    ends = {OTHER: f"other ({len(counts) - len(own)} classes)", UNLABELLED: "no label"}
    names = [ends[s] if s in ends else own[s] for s in styles.tolist()]
    return Classes(tuple(names), tuple(styles.tolist()), index)


def _text(label: Any) -> str:
    if pd.isna(label):
        return ""
    whole = isinstance(label, float | np.floating) and label.is_integer()
    return str(int(label) if whole else label)


@dataclass(frozen=True)
class Scene:
    points: NDArray[np.float64]  # positions, (n_items, n_components)
    names: tuple[str, ...]
    classes: Classes | None
    images: list[str | None] | None
    flagged: NDArray[np.bool_]  # mask of items that no judgment mentions, (n_items,)

    def __len__(self) -> int:
        return len(self.points)


@dataclass(frozen=True)
class Arrow:
    name: str
    to: Floats  # end of the arrow, relative to the middle of the items, (n_components,)
    strength: str  # how well the map predicts it, as a text


def arrows_of(scene: Scene, directions: SomeDirections) -> list[Arrow]:
    """Return arrows for the 12 features and words of each that a plane or space predicts best."""
    given = directions if isinstance(directions, Sequence) else [directions]
    return [arrow for several in given if several is not None for arrow in _arrows(scene, several)]


def _arrows(scene: Scene, directions: Directions) -> list[Arrow]:
    k, given = scene.points.shape[1], directions.direction.shape[1]
    if k != given:
        raise SettingError(
            f"directions are of {given} dimensions, the embedding has {k}: give "
            "feature_directions(...) or scores.word_directions(...) of this embedding"
        )
    if k == 1:
        return []
    arrows, strength = directions.arrows, directions.strength_words
    return [
        Arrow(directions.names[i], arrows[i], strength[i]) for i in directions.shown[:MOST_ARROWS]
    ]


def scene_of(
    embedding: Any,
    items: Items | Sequence[str] | None = None,
    labels: Sequence[Any] | NDArray[Any] | None = None,
    flagged: ArrayLike | None = None,
) -> Scene:
    items = items_of(embedding, as_items(items))
    names = (items.titles or items.names) if items is not None else None
    points = _points(positions_of(embedding), names)
    n = len(points)
    names = names or tuple(map(str, range(n)))
    labels = items.labels if labels is None and items is not None else labels
    images = _images(items)
    for what, part in (("items", names), ("labels", labels), ("images", images)):
        if part is not None and len(part) != n:
            raise SettingError(
                f"{len(part)} {what} for the {n} rows of the embedding: give one for each row"
            )
    classes = None if labels is None else classes_of(labels)
    return Scene(points, names, classes, images, _flags(flagged, n))


def as_items(items: Items | Sequence[str] | None) -> Items | None:
    return items if items is None or isinstance(items, Items) else Items(items)


def principal_axes(points: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the principal axes as rows, and each axis's share of the variance.

    The largest weight of an axis is positive, so equal points give equal pictures.
    """
    _, spread, axes = np.linalg.svd(points - points.mean(axis=0), full_matrices=False)
    largest = np.take_along_axis(axes, np.abs(axes).argmax(axis=1, keepdims=True), axis=1)
    total = (spread**2).sum()
    return axes * np.where(largest < 0, -1, 1), spread**2 / (total if total > 0 else 1)


def _points(embedding: ArrayLike, names: Sequence[str] | None) -> NDArray[np.float64]:
    points = np.asarray(embedding, dtype=float)
    points = points[:, None] if points.ndim == 1 else points
    if points.ndim != 2 or 0 in points.shape:
        raise SettingError(
            f"an embedding has one row for each item and one column for each dimension, "
            f"this one has shape {points.shape}: give the model's embedding_"
        )
    bad = np.flatnonzero(~np.isfinite(points).all(axis=1))
    if bad.size:
        row = int(bad[0])
        name = f" ({names[row]!r})" if names is not None and row < len(names) else ""
        raise SettingError(
            f"row {row}{name} of the embedding is not finite: fit again, or leave the item out"
        )
    return points


def _images(items: Items | None) -> list[str | None] | None:
    """Return the path of each item's picture; None for an empty path (".").

    SVG files are left out with a warning: they can contain scripts, and only browsers draw them.
    """
    if items is None or items.images is None:
        return None
    drawn = [p.suffix.lower() != ".svg" for p in items.images]
    if not all(drawn):
        name = items.names[drawn.index(False)]
        warnings.warn(
            f"{drawn.count(False)} pictures are SVG, such as that of {name!r}, and are not drawn: "
            "name PNG or JPEG files of them",
            stacklevel=2,
        )
    paths = [
        str(p) if is_drawn and str(p) not in ("", ".") else None
        for p, is_drawn in zip(items.images, drawn, strict=True)
    ]
    return paths if any(paths) else None


def _flags(flagged: ArrayLike | None, n: int) -> NDArray[np.bool_]:
    given = np.asarray([] if flagged is None else flagged)
    if given.dtype == bool and given.shape == (n,):
        return given
    positions = given.astype(int)
    outside = (positions < 0) | (positions >= n)
    if given.dtype == bool or outside.any() or np.any(positions != given):
        raise SettingError(
            f"flagged is {given!r}: give indices from 0 to {n - 1}, or one boolean for each of the "
            f"{n} items"
        )
    flags = np.zeros(n, dtype=bool)
    flags[positions] = True
    return flags
