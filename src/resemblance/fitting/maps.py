"""Map features to positions, and find the stimuli at given positions."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import least_squares
from scipy.spatial import cKDTree
from scipy.stats import qmc, special_ortho_group
from sklearn.utils import TransformerTags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from resemblance.arrays import Floats
from resemblance.errors import SettingError, UnreachableWarning
from resemblance.fitting.estimator import GivesTables
from resemblance.fitting.objective.checks import keep_features, named_features
from resemblance.forms import FeatureMap, Form, ShapedMap
from resemblance.geometry import principal_rotation
from resemblance.geometry.kernels import as_features
from resemblance.judgments import Elsewhere, Items, Joined, OneKind
from resemblance.judgments.checks import first_few
from resemblance.judgments.convert import Fitted, checked_judgments
from resemblance.notebook import Shown

Forward = Callable[[Floats], Floats]

GRID = 4096  # number of stimuli evaluated as starts of descents
STARTS = 8  # maximum number of descents for a point
SAME = 1e-3  # solutions are distinct if a feature differs by this share of its range
EXACT = 1e-6  # tolerance for equally near solutions, as a share of the space's size
MISSED = 1e-4  # maximum distance from a reachable point, as a share of the space's size
EVEN = 4e-3  # maximum distance from a reachable node, as a share of the spacing
# in the search for a grid: numbers of centres, of rotations, and of halvings of the step
CENTRES, TURNS, HALVINGS = 256, 36, 12
SHRINK, SHRINKS = 0.96, 20  # factor by which a grid is shrunk, and maximum number of times


@dataclass(frozen=True)
class Preimages(Shown):
    """Stimuli whose positions are nearest to given points of the space.

    Attributes
    ----------
    features : array (m, d)
        The best stimulus for each point.
    distance : array (m,)
        The distance in the space between each point and its stimulus.
    reachable : array (m,) of bool
        Whether ``distance`` is at most 0.01 % of the space's size.
    solutions : list of m arrays (k, d)
        All distinct stimuli at this distance, best first. There may be several if the map is
        many-to-one.
    """

    features: Floats
    distance: Floats
    reachable: NDArray[np.bool_]
    solutions: list[Floats]


@dataclass(frozen=True)
class PerceptualGrid(Shown):
    """Stimuli at the nodes of a regular grid in the space.

    Attributes
    ----------
    points : array (m, p)
        The nodes. The grid may be rotated.
    features : array (m, d)
        The stimulus nearest to each node.
    distance : array (m,)
        The distance in the space between each node and its stimulus.
    reachable : array (m,) of bool
        Whether ``distance`` is at most 0.4 % of the spacing.
    spacing : float
        The distance between neighbouring nodes, in units of the space.
    """

    points: Floats
    features: Floats
    distance: Floats
    reachable: NDArray[np.bool_]
    spacing: float


def preimages(forward: Forward, points: Floats, bounds: Floats) -> Preimages:
    r"""Find the stimuli x within bounds (d, 2) whose positions phi(x) are nearest to points (m, p).

    .. math:: x^* = \arg\min_{x \in B} \lVert \phi(x) - y \rVert^2

    B is the box of the bounds. Trust-region descents in B start from a few of many stimuli spread
    over B: those that are nearest to y and well apart from each other. Source: Xu, Zhu & Rogers
    2012 (Yada), section 3.4, equation 29.
    """
    grid = spread_features(bounds)
    places = forward(grid)
    size = float(np.linalg.norm(np.ptp(places, axis=0))) or 1.0
    solved = [_solve(forward, y, bounds, grid, places, size) for y in points]
    distance = np.array([distance for _, distance in solved])
    solutions = [solutions for solutions, _ in solved]
    best = np.array([x[0] for x in solutions])
    return Preimages(best, distance, distance <= MISSED * size, solutions)


def perceptual_grid(forward: Forward, shape: tuple[int, ...], bounds: Floats) -> PerceptualGrid:
    """Find stimuli at the nodes of a wide regular grid of points of the space.

    The spacing is equal along all axes. The first grid is as wide as the positions of stimuli
    within the bounds. If some of its nodes are unreachable, the grid is moved and rotated to be as
    wide as possible near such positions, then shrunk up to 20 times until all nodes are reachable.
    """
    places = forward(spread_features(bounds))
    if len(shape) != places.shape[1] or min(shape) < 2:
        raise SettingError(
            f"the grid's shape is {tuple(shape)}, in a space of {places.shape[1]} dimensions: give "
            "the number of nodes along each, two or more."
        )
    axes = [np.arange(n) - 0.5 * (n - 1) for n in shape]
    nodes = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(shape))
    low, high = places.min(axis=0), places.max(axis=0)
    upright = float(((high - low) / (np.array(shape) - 1)).min())
    grid = _met(forward, bounds, 0.5 * (low + high) + upright * nodes, upright)
    if grid.reachable.all():
        return grid
    centre, turned, spacing = _widest(places, nodes)
    for left in reversed(range(SHRINKS)):
        points, farthest = centre + spacing * turned, [grid.distance.argmax()]
        # Most grids miss the node that the grid before missed most, so it is tried alone first.
        if not left or _met(forward, bounds, points[farthest], spacing).reachable.all():
            grid = _met(forward, bounds, points, spacing)
            if grid.reachable.all():
                break
        spacing *= SHRINK
    return grid


def _met(forward: Forward, bounds: Floats, points: Floats, spacing: float) -> PerceptualGrid:
    stimuli = preimages(forward, points, bounds)
    # In preimages, "reachable" is relative to the size of the space; in a grid, to the spacing.
    reachable = stimuli.distance <= EVEN * spacing
    return PerceptualGrid(points, stimuli.features, stimuli.distance, reachable, spacing)


def _widest(places: Floats, nodes: Floats) -> tuple[Floats, Floats, float]:
    widest = float(np.linalg.norm(np.ptp(places, axis=0)))
    # Without duplicates, the distance between neighbours is a measure of density.
    alone = np.unique(np.round(places / (SAME * widest)), axis=0, return_index=True)[1]
    tree = cKDTree(places[alone])
    near = float(np.median(tree.query(tree.data, k=min(9, len(alone)))[0].max(axis=1)))
    middle = 0.5 * (places.min(axis=0) + places.max(axis=0))
    spread = np.vstack([middle, tree.data[:: max(1, len(alone) // CENTRES)]])
    best = spread[0], nodes, 0.0
    for turn in _turns(nodes.shape[1]):
        turned = nodes @ turn
        reached, beyond = np.zeros(len(spread)), np.full(len(spread), widest)
        for _ in range(HALVINGS):
            spacing = 0.5 * (reached + beyond)
            points = spread[:, None] + spacing[:, None, None] * turned
            there = (tree.query(points)[0] <= near).all(axis=1)
            reached = np.where(there, spacing, reached)
            beyond = np.where(there, beyond, spacing)
        at = int(reached.argmax())
        if reached[at] > best[2]:
            best = spread[at], turned, float(reached[at])
    return best if best[2] > 0.0 else (places.mean(axis=0), nodes, widest / len(nodes))


def _turns(n: int) -> Floats:
    if n == 1:
        return np.ones((1, 1, 1))
    if n == 2:
        angles = np.linspace(0.0, np.pi, TURNS, endpoint=False)
        columns = [np.cos(angles), np.sin(angles), -np.sin(angles), np.cos(angles)]
        return np.stack(columns, axis=1).reshape(-1, 2, 2)
    drawn = special_ortho_group.rvs(n, TURNS - 1, random_state=0)
    return np.concatenate([np.eye(n)[None], drawn])


def checked_bounds(bounds: ArrayLike | None, features: Floats) -> Floats:
    if bounds is None:
        return np.column_stack([features.min(axis=0), features.max(axis=0)])
    box = np.asarray(bounds, float)
    if box.shape != (features.shape[1], 2) or not np.isfinite(box).all():
        raise SettingError(
            f"bounds have shape {box.shape}: give the least and the largest value of each of the "
            f"{features.shape[1]} features, finite."
        )
    if (box[:, 0] >= box[:, 1]).any():
        at = int(np.argmax(box[:, 0] >= box[:, 1]))
        raise SettingError(f"bounds of feature {at} are {box[at].tolist()}: the least comes first.")
    return box


def spread_features(bounds: Floats) -> Floats:
    """Return about 4,096 stimuli in the box: a grid, or Sobol points for over 4 features."""
    d = len(bounds)
    if d > 4:
        unit = qmc.Sobol(d, seed=0).random(GRID)
    else:
        axis = np.linspace(0.0, 1.0, round(GRID ** (1.0 / d)))
        unit = np.stack(np.meshgrid(*[axis] * d, indexing="ij"), axis=-1).reshape(-1, d)
    return np.asarray(bounds[:, 0] + unit * np.ptp(bounds, axis=1))


def _solve(
    forward: Forward, y: Floats, bounds: Floats, grid: Floats, places: Floats, size: float
) -> tuple[Floats, float]:
    width = np.ptp(bounds, axis=1)
    ends: list[tuple[float, Floats]] = []
    for start in _starts(grid / width, ((places - y) ** 2).sum(axis=1)):
        inside = np.clip(grid[start], bounds[:, 0] + 1e-9 * width, bounds[:, 1] - 1e-9 * width)
        fit = least_squares(
            lambda x: forward(x[None])[0] - y,
            inside,
            jac="3-point",
            bounds=(bounds[:, 0], bounds[:, 1]),
            x_scale=width,
            xtol=1e-12,
            ftol=1e-12,
            gtol=1e-12,
        )
        ends.append((float(np.sqrt(2.0 * fit.cost)), fit.x))
    ends.sort(key=lambda end: end[0])
    best, solutions = ends[0][0], [ends[0][1]]
    for distance, x in ends[1:]:
        apart = min(np.abs((x - other) / width).max() for other in solutions)
        if distance <= best + EXACT * size and apart > SAME:
            solutions.append(x)
    return np.array(solutions), best


def _starts(unit: Floats, gap: Floats) -> Iterator[int]:
    apart = 3.0 * len(unit) ** (-1.0 / unit.shape[1])
    left = np.ones(len(unit), dtype=bool)
    for _ in range(STARTS):
        at = int(np.where(left, gap, np.inf).argmin())
        if not left[at]:
            return
        yield at
        left &= np.abs(unit - unit[at]).max(axis=1) > apart


RANK = 1e-12  # axes with less than this share of the largest variance are rounding errors


def _maps(model: Any) -> bool:
    if "components_" not in vars(model) and not isinstance(model._form(), FeatureMap):
        model._check_maps()
    return True


class MapsFeatures:
    """Mixin of models that map features to positions, if the form is a map of features.

    Attributes
    ----------
    form_ : FeatureMap
        The form, bound to the items of the fit.
    components_ : array (q, n_components)
        The map: positions are ``form_.describe(features) @ components_ - offset_``.
    offset_ : array (n_components,)
        The position that is subtracted so that the items' centroid is the origin.
    n_features_in_ : int
        The number of features that ``transform`` needs, if items have one view.
    feature_names_in_ : array (n_features_in_,) of str
        The names of the features, if the fit had names. ``transform`` refuses data frames with
        other columns.
    """

    form_: FeatureMap
    components_: Floats
    offset_: Floats
    embedding_: Floats
    items_: Items

    @abstractmethod
    def _form(self) -> Form:
        """Return the form that the settings describe."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.transformer_tags = TransformerTags()
        return tags

    @available_if(_maps)
    def transform(self, X: ArrayLike) -> Floats:
        """Map features into the space, (m, n_components).

        ``X`` is features (m, d) of any items, or, if the kernel is precomputed, the kernel between
        these items and the items of the fit, (m, n_items). A SettingError is raised if the form is
        not a map or ``X`` has other features than the fit.
        """
        self._check_maps()
        X = named_features(self, X)
        return self.form_.mapped(X, self.components_) - self.offset_

    @available_if(_maps)
    def inverse_transform(self, X: ArrayLike, bounds: ArrayLike | None = None) -> Floats:
        """Find the stimulus nearest to each point of the space, (m, d).

        ``X`` is points (m, n_components). ``bounds`` (d, 2) is the lowest and highest value of each
        feature, by default the range of the fit's items. :meth:`preimages` returns all stimuli at a
        point. An UnreachableWarning lists points without a stimulus. Source: Xu, Zhu & Rogers 2012
        (Yada), section 3.4.
        """
        stimuli = self.preimages(X, bounds)
        missed = np.flatnonzero(~stimuli.reachable)
        if len(missed):
            listed = first_few(f"row {r} by {stimuli.distance[r]:.3g}" for r in missed)
            warnings.warn(
                f"no stimulus within the bounds lies at {listed}: the nearest ones are given. "
                "Widen the bounds, or take points among the positions of stimuli.",
                UnreachableWarning,
                stacklevel=2,
            )
        return stimuli.features

    @available_if(_maps)
    def preimages(self, X: ArrayLike, bounds: ArrayLike | None = None) -> Preimages:
        """Find all stimuli at each point. Arguments are those of :meth:`inverse_transform`."""
        points = as_features(X, "the points")
        if points.shape[1] != self.embedding_.shape[1]:
            raise SettingError(
                f"the points have {points.shape[1]} coordinates, the space "
                f"{self.embedding_.shape[1]}."
            )
        return preimages(self.transform, points, self.stimulus_range(bounds))

    def perceptual_grid(
        self, shape: tuple[int, ...], bounds: ArrayLike | None = None
    ) -> PerceptualGrid:
        """Find stimuli on a regular grid in the space, as far apart as the bounds allow.

        ``shape`` is the number of nodes along each axis of the grid, which may be rotated.
        ``bounds`` are as in :meth:`inverse_transform`.
        """
        return perceptual_grid(self.transform, tuple(shape), self.stimulus_range(bounds))

    @available_if(_maps)
    def stimulus_range(self, bounds: ArrayLike | None = None) -> Floats:
        """Return the given bounds of features, (d, 2); by default the range of the fit's items."""
        self._check_maps()
        features = self.items_.features
        if getattr(self.form_, "kernel", None) == "precomputed" or not isinstance(
            features, np.ndarray
        ):
            raise SettingError(
                "a precomputed kernel has no values between the stimuli of the fit: fit with "
                "their features and another kernel to find stimuli at points."
            )
        return checked_bounds(bounds, features)

    def _check_maps(self) -> None:
        fitted = "embedding_" in vars(self)
        if "components_" not in vars(self) and (fitted or not isinstance(self._form(), FeatureMap)):
            raise SettingError(
                f"this {type(self).__name__} has positions of its items and no map of features: "
                'fit it with form="kernel" or form="linear", or give it a FeatureMap.'
            )
        check_is_fitted(self, "components_")

    def _keep_map(
        self, form: FeatureMap, params: Floats, center: bool, n_components: int | None
    ) -> Floats:
        """Store the map along principal axes, and return the items' positions on these axes.

        With ``n_components=None``, all axes along which items differ are stored.
        """
        components = form.components(params)
        X = form.placed(params)
        rotation, mean = principal_rotation(X, center)
        if n_components is None:
            sizes = ((X - mean) @ rotation).var(axis=0)
            n_components = max(1, int((sizes > RANK * sizes[0]).sum()))
        rotation = rotation[:, :n_components]
        if isinstance(form, ShapedMap):
            # coordinates of a shaped map have a meaning, so they are not rotated
            rotation = np.eye(X.shape[1])
        rotation = np.pad(rotation, ((0, 0), (0, max(0, n_components - rotation.shape[1]))))
        keep_features(self, self.items_)
        self.form_, self.components_, self.offset_ = form, components @ rotation, mean @ rotation
        return np.asarray((X - mean) @ rotation)


class GivesPositions(MapsFeatures, GivesTables):
    """Mixin for scikit-learn pipelines: transforms judgments or features to positions."""

    @abstractmethod
    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the positions."""

    def fit_transform(
        self, X: Fitted, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Any:
        """Fit, and return the positions of the items as an array, or a table (``set_output``)."""
        return self._output(self.fit(X, y, sample_weight).embedding_, self.items_)

    def transform(self, X: Any) -> Any:
        """Return the positions of the items of judgments, or of items with given features.

        ``X`` is judgments of items of the fit, or an array (m, 3 or 4) of judgments, which gives
        all items. If the form is a map, an array is features (m, d) of any items, or, if the kernel
        is precomputed, the kernel between these items and the items of the fit, (m, n_items). The
        result is an array (items, n_components), or a table (``set_output``). Other features than
        those of the fit raise a SettingError, other items a JudgmentError.
        """
        check_is_fitted(self, "embedding_")
        if isinstance(X, OneKind | Joined | Elsewhere):
            return self._output(self.embedding_[self.items_.positions(X.items.names)], X.items)
        if not isinstance(self._form(), FeatureMap) and np.shape(X)[1:] in ((3,), (4,)):
            checked_judgments(X)
            return self._output(self.embedding_, self.items_)
        self._check_maps()
        return self._output(super().transform(X), None)

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """Return the names of the dimensions, such as "tste0" and "tste1"."""
        check_is_fitted(self, "embedding_")
        name, n_components = type(self).__name__.lower(), self.embedding_.shape[1]
        return np.array([f"{name}{k}" for k in range(n_components)], dtype=object)
