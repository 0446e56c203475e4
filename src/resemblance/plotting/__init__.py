"""Pictures: maps of items (png, svg, pdf, one self-contained html page), neighbours, curves."""

from resemblance.plotting.curves import plot_learning_curve
from resemblance.plotting.dimensions import plot_dimensions
from resemblance.plotting.map import plot_map
from resemblance.plotting.neighbours import plot_neighbours
from resemblance.plotting.save import save_map
from resemblance.plotting.shepard import plot_shepard

__all__ = [
    "plot_dimensions",
    "plot_learning_curve",
    "plot_map",
    "plot_neighbours",
    "plot_shepard",
    "save_map",
]
