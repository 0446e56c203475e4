"""Plot templates and their masks."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from numpy.typing import ArrayLike, NDArray

from resemblance.errors import SettingError
from resemblance.plotting.canvas import INK, LIGHT, MUTED, bare, new_figure, plain

BLANK = "#dfe6f6"  # a blue, which differs from every grey
_INCH, _LETTER = 1.7, 0.11  # width of a picture and of a letter in its title, in inches


def plot_templates(
    templates: Any,
    masks: ArrayLike | None = None,
    *,
    name: str = "template",
    mask_name: str = "mask",
    labels: ArrayLike | None = None,
    image_shape: tuple[int, ...] | None = None,
    regions: ArrayLike | None = None,
    title: str | None = None,
    figure: Figure | SubFigure | None = None,
) -> Figure | SubFigure:
    """Draw templates in columns, with their masks and the regions' means below.

    Pictures of a row share one grey scale, with the lowest and highest value written beside it.
    Pixels with a weight of 0 in all masks are left blank. Images of one dimension are drawn as
    curves.

    Parameters
    ----------
    templates : fitted model, or array (K, d) or (K, height, width)
        The templates. A model also provides the masks, labels and shape of images.
    masks : array of the shape of the templates, optional
        The weight of each pixel: inverse variances, or z maps.
    name, mask_name : str
        The titles of the templates and of the masks.
    labels : sequence of K, optional
        The words above each template.
    image_shape : tuple of int, optional
        (height, width), or (d,) for curves.
    regions : array of int of the shape of an image, optional
        The region of each pixel, from 0; negative outside regions. Adds a row in which each region
        shows the mean of the mask (of the template if there are no masks).
    title : str, optional
        Title of the picture.
    figure : matplotlib Figure or SubFigure, optional
        Where to draw; by default on a new figure.

    Raises
    ------
    SettingError
        If shapes do not agree.

    Examples
    --------
    >>> figure = plot_templates(np.eye(4).reshape(4, 2, 2), labels=["a", "a", "b", "b"])
    >>> [ax.get_title() for ax in figure.axes]
    ['a', 'a', 'b', 'b']
    """
    maps = getattr(templates, "templates_", templates)
    masks = getattr(templates, "masks_", None) if masks is None else masks
    names = getattr(templates, "labels_", None) if labels is None else labels
    shape = image_shape or getattr(templates, "image_shape_", None) or np.shape(maps)[1:]
    rows = {name: _shaped(maps, shape)}
    if masks is not None:
        rows[mask_name] = _shaped(masks, shape)
        silent = ~rows[mask_name].any(axis=0)
        rows = {what: np.where(silent, np.nan, pictures) for what, pictures in rows.items()}
    if regions is not None:
        what = list(rows)[-1]
        rows[f"{what}, means"] = _means(rows[what], np.asarray(regions))
    n = len(rows[name])
    width = max(_INCH * n + 0.6, _LETTER * len(title or ""))
    figure = new_figure((width, _INCH * len(rows) + 0.5)) if figure is None else figure
    for row, (what, pictures) in enumerate(rows.items()):
        for k, picture in enumerate(pictures):
            ax = figure.add_subplot(len(rows), n, row * n + k + 1)
            _draw(ax, picture, pictures)
            if k == 0:
                _name_row(ax, what, pictures)
            if row == 0 and names is not None:
                ax.set_title(str(np.asarray(names)[k]), fontsize=10, color=INK, **plain)
    if title:
        figure.suptitle(title, fontweight="bold", color=INK, **plain)
    return figure


def _shaped(maps: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.float64]:
    images = np.asarray(maps, float)
    if images.ndim < 2 or images[0].size != np.prod(shape) or len(shape) > 2:
        raise SettingError(
            f"templates of shape {images.shape} are not images of {shape} pixels: give image_shape="
        )
    return images.reshape(-1, *shape)


def _means(pictures: NDArray[np.float64], regions: NDArray[Any]) -> NDArray[np.float64]:
    if regions.size != pictures[0].size:
        raise SettingError(
            f"regions have shape {regions.shape}, an image {pictures[0].shape}: give one per pixel"
        )
    flat, region = np.full(pictures.shape, np.nan), regions.reshape(pictures.shape[1:])
    for r in np.unique(region[region >= 0]):
        inside = region == r
        flat[:, inside] = pictures[:, inside].mean(axis=1, keepdims=True)
    return flat


def _name_row(ax: Axes, what: str, pictures: NDArray[np.float64]) -> None:
    low, high = (
        f"{end(pictures):.3g}".replace("-", "\N{MINUS SIGN}") for end in (np.nanmin, np.nanmax)
    )
    ax.set_ylabel(f"{what}\n{low} to {high}", fontsize=9, color=MUTED, **plain)


def _draw(ax: Axes, picture: NDArray[np.float64], row: NDArray[np.float64]) -> None:
    low, high = np.nanmin(row), np.nanmax(row)
    if picture.ndim == 2:
        ax.imshow(picture, cmap="gray", vmin=low, vmax=high, interpolation="nearest")
        ax.set(xticks=[], yticks=[])
        ax.set_facecolor(BLANK)
        # Pixels at the edge may be as bright as the page, so the picture has a frame.
        bare(ax, *ax.spines)
        return
    ax.plot(picture, color=LIGHT[0], lw=1.2)
    ax.set_ylim(low - 0.05 * (high - low), high + 0.05 * (high - low))
    ax.set(xticks=[], yticks=[])
    bare(ax, "left", "bottom")
