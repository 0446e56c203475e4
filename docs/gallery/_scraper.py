"""How the gallery finds pictures: they are the figures that an example leaves in its names."""

from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from sphinx_gallery.scrapers import figure_rst


def figures_of(names: dict) -> list[Figure]:
    """List the figures among the values of some names, and those of their axes, each once."""
    figures = []
    for value in names.values():
        first = value[0] if isinstance(value, list) and value else value
        figure = first.figure if isinstance(first, Axes) else first
        if isinstance(figure, Figure) and figure not in figures:
            figures.append(figure)
    return figures


def pictures(block, variables, gallery):
    """Write the figures of an example, and the text that shows them."""
    names = variables["example_globals"]
    shown = names.setdefault("__shown__", [])
    written = []
    for figure in figures_of(names):
        if figure not in shown:
            shown.append(figure)
            path = Path(next(variables["image_path_iterator"]))
            figure.savefig(path, dpi=150, bbox_inches="tight")
            written.append(str(path))
    return figure_rst(written, gallery["src_dir"])


def _get_sg_image_scraper():
    return pictures
