"""Plot several maps of the same items side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure, SubFigure

from resemblance.geometry import principal_rotation
from resemblance.plotting.canvas import new_figure
from resemblance.plotting.map import plot_map

if TYPE_CHECKING:
    from resemblance.fitting import MultipleMaps


def plot_several_maps(model: MultipleMaps) -> Figure | SubFigure:
    """Draw the maps of a model side by side, with the weights of items with several places.

    Items with one place are at the same position in all maps. The names of the others have their
    weight in each map. With more than two dimensions, all maps are drawn along the same two axes.

    Parameters
    ----------
    model : MultipleMaps
        A fitted model.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> maps = np.array([[[0.0, 0.0], [1.0, 0.0]], [[0.0, 0.0], [0.0, 2.0]]])
    >>> weights = np.array([[0.5, 0.5], [0.7, 0.3]])
    >>> items = SimpleNamespace(names=("river", "bank"), titles=None)
    >>> model = SimpleNamespace(maps_=maps, weights_=weights, several_=[1], items_=items)
    >>> [ax.get_title(loc="left") for ax in plot_several_maps(model).axes]
    ['map 1', 'map 2']
    """
    maps, several = model.maps_, set(np.asarray(model.several_).tolist())
    if maps.shape[2] > 2:
        maps = maps @ principal_rotation(np.concatenate(list(maps)), True)[0][:, :2]
    figure = new_figure((8.0 * len(maps), 6.0))
    titles = model.items_.titles or model.items_.names
    places = ["several places" if item in several else "one place" for item in range(len(titles))]
    for m, (X, ax) in enumerate(zip(maps, figure.subplots(1, len(maps)), strict=True)):
        names = [
            f"{name} ({model.weights_[item, m]:.0%})" if item in several else str(name)
            for item, name in enumerate(titles)
        ]
        plot_map(X, names, ax=ax, labels=places, title=f"map {m + 1}")
    return figure
