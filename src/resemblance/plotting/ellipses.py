"""Ellipses of uncertainty around the items of a map."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Ellipse
from numpy.typing import ArrayLike

from resemblance.arrays import Floats
from resemblance.errors import SettingError


def checked_covariances(covariances: ArrayLike, shape: tuple[int, ...]) -> Floats:
    """Check that every item has a symmetric, psd covariance of its dimensions."""
    given, (n, d) = np.asarray(covariances, float), shape
    if given.shape != (n, d, d):
        raise SettingError(
            f"covariances have shape {given.shape}: give one {d} x {d} matrix for each of the {n} "
            "items, such as PositionUncertainty(...).item_covariances."
        )
    symmetric = np.allclose(given, given.transpose(0, 2, 1), atol=1e-8 * np.abs(given).max())
    least = np.linalg.eigvalsh(given)[:, 0]
    bad = np.flatnonzero(least < -1e-8 * max(float(np.abs(given).max()), 1e-300))
    if not symmetric or bad.size:
        which = f"that of item {int(bad[0])}" if bad.size else "one"
        raise SettingError(
            f"covariances must be symmetric and positive semidefinite, and {which} is not."
        )
    return given


def draw_ellipses(
    ax: Axes, points: Floats, covariances: Floats, colours: list[str], deviations: float = 1.0
) -> None:
    """Draw, around each point, where its position lies within so many standard deviations."""
    values, vectors = np.linalg.eigh(covariances)
    radii = deviations * np.sqrt(np.maximum(values, 0.0))
    for point, radius, axes, colour in zip(points, radii, vectors, colours, strict=True):
        angle = np.degrees(np.arctan2(axes[1, 1], axes[0, 1]))
        middle = float(point[0]), float(point[1])
        ax.add_patch(
            Ellipse(
                middle, 2 * radius[1], 2 * radius[0], angle=angle, fc=colour, ec=colour,
                alpha=0.18, lw=0.8, zorder=1, gid="uncertainty",
            )
        )  # fmt: skip
