"""Pictures: maps of items (png, svg, pdf, one self-contained html page) and dimension curves."""

from resemblance.plotting.dimensions import plot_dimensions
from resemblance.plotting.map import plot_map
from resemblance.plotting.save import save_map

__all__ = ["plot_dimensions", "plot_map", "save_map"]
