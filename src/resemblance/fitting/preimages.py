"""Preimages: find the stimuli whose features map to given points of a space."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import least_squares
from scipy.spatial import cKDTree
from scipy.stats import qmc, special_ortho_group

from resemblance.arrays import Floats
from resemblance.errors import SettingError

Forward = Callable[[Floats], Floats]

GRID = 4096  # stimuli that are tried before any descent
STARTS = 8  # descents for each point, at most
SAME = 1e-3  # share of the range below which two stimuli are one solution
EXACT = 1e-6  # share of the space's size below which a point is met
MISSED = 1e-4  # share of the space's size by which a point counts as met
EVEN = 4e-3  # share of the spacing by which a node of a grid may be missed
CENTRES, TURNS, HALVINGS = 256, 36, 12  # places, rotations and steps in the search for a grid
SHRINK, SHRINKS = 0.96, 20  # a grid with nodes that are not met gets smaller so many times


@dataclass(frozen=True)
class Preimages:
    """The stimuli that lie at points of the space, or nearest to them.

    Attributes
    ----------
    features : array (m, d)
        The best stimulus for each point.
    distance : array (m,)
        The distance from the point in the space: about 0 where the point can be reached.
    reachable : array (m,) of bool
        Whether it lies at the point, within 0.01 % of the space's size.
    solutions : list of m arrays (k, d)
        All distinct stimuli found that lie as near, the best first: a map may be many-to-one.
    """

    features: Floats
    distance: Floats
    reachable: NDArray[np.bool_]
    solutions: list[Floats]


@dataclass(frozen=True)
class PerceptualGrid:
    """Stimuli at the nodes of a regular grid in the space.

    Attributes
    ----------
    points : array (m, p)
        The nodes, ``spacing`` apart along the axes of the grid, which may be turned.
    features : array (m, d)
        The stimulus that lies at each node, or nearest to it.
    distance : array (m,)
        The distance from the node.
    reachable : array (m,) of bool
        Whether it lies at the node, within 0.4 % of the spacing.
    spacing : float
        In units of the space.
    """

    points: Floats
    features: Floats
    distance: Floats
    reachable: NDArray[np.bool_]
    spacing: float


def preimages(forward: Forward, points: Floats, bounds: Floats) -> Preimages:
    r"""Find the stimuli x whose positions phi(x) are nearest to points.

    .. math:: x^* = \arg\min_{x \in B} \lVert \phi(x) - y \rVert^2

    Starts are the stimuli of a regular grid in the box B that come nearest, well apart from each
    other; each is improved by a trust-region descent within the box.

    Xu, Zhu & Rogers 2012 (Yada), section 3.4, equation 29.

    Shapes: points (m, p), bounds (d, 2).
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
    """Find stimuli at the nodes of the widest regular grid that the box B reaches everywhere.

    The spacing is equal along all axes. A grid along the axes of the space, as wide as the image
    of B, is tried first. If it does not reach all nodes, it is moved and turned to where stimuli
    spread over B allow the widest one, and shrunk until all nodes are met. An image too thin for
    any grid gives the last one tried, with nodes that are not met.
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
    for _ in range(SHRINKS):
        grid = _met(forward, bounds, centre + spacing * turned, spacing)
        if grid.reachable.all():
            break
        spacing *= SHRINK
    return grid


def _met(forward: Forward, bounds: Floats, points: Floats, spacing: float) -> PerceptualGrid:
    stimuli = preimages(forward, points, bounds)
    reachable = stimuli.distance <= EVEN * spacing  # the tolerance follows the grid's spacing
    return PerceptualGrid(points, stimuli.features, stimuli.distance, reachable, spacing)


def _widest(places: Floats, nodes: Floats) -> tuple[Floats, Floats, float]:
    """Return centre, turned nodes and spacing of the widest grid with all nodes near places."""
    widest = float(np.linalg.norm(np.ptp(places, axis=0)))
    # Maps of many stimuli to one point would make neighbours look nearer than places lie.
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
    """Return rotations of n axes, the first of which turns nothing."""
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
    """Return about 4,096 stimuli in the box: a grid, or Sobol points in many dimensions."""
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
    """Descend from well-separated starts; return distinct solutions and their distance."""
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
    """Yield stimuli of the grid, nearest first, each far enough from those before."""
    apart = 3.0 * len(unit) ** (-1.0 / unit.shape[1])
    left = np.ones(len(unit), dtype=bool)
    for _ in range(STARTS):
        at = int(np.where(left, gap, np.inf).argmin())
        if not left[at]:
            return
        yield at
        left &= np.abs(unit - unit[at]).max(axis=1) > apart
