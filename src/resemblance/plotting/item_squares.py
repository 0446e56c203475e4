"""Draw one item as a framed square: its picture, or its name."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from resemblance.plotting.canvas import INK, RULE, fitted, plain
from resemblance.plotting.palette import STYLES
from resemblance.plotting.scene import Scene
from resemblance.plotting.thumbnails import pixels, thumbnail

HALF = 0.45  # half the width of a frame, in cells
INCH = 0.85  # width of a cell
# room for a name in its frame, in points and lines
_WIDTH, _LINES = 72 * INCH * (2 * HALF - 0.04), 4


def draw_cell(ax: Axes, scene: Scene, item: int, centre: tuple[float, float]) -> None:
    x, y = centre
    colour = RULE
    if scene.classes is not None:
        colour = STYLES["light"][scene.classes.styles[scene.classes.index[item]]]
    path = None if scene.images is None else scene.images[item]
    if path is None:
        name, font = fitted(ax, scene.names[item], _WIDTH, 8, _LINES)
        ax.text(x, y, name, ha="center", va="center", fontsize=font, color=INK, **plain)
    else:
        picture = pixels(thumbnail(path, scene.names[item], 96))
        height, width = np.array(picture.shape[:2]) / max(picture.shape[:2]) * (HALF - 0.04)
        extent = (x - width, x + width, y + height, y - height)
        ax.imshow(picture, extent=extent)
    corner, side = (x - HALF, y - HALF), 2 * HALF
    ax.add_patch(Rectangle(corner, side, side, fill=False, edgecolor=colour, lw=1.4))


def pictured(scene: Scene, item: int) -> bool:
    return scene.images is not None and scene.images[item] is not None
