"""Every picture of the gallery is drawn by the code beside it, and as vectors."""

import importlib.util
import io
import runpy
from pathlib import Path

import pytest

GALLERY = Path(__file__).parents[2] / "docs" / "gallery"


def figures_of(names):
    spec = importlib.util.spec_from_file_location("scraper", GALLERY / "_scraper.py")
    pytest.importorskip("sphinx_gallery")
    scraper = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(scraper)
    return scraper.figures_of(names)


@pytest.mark.guide
@pytest.mark.parametrize("example", sorted(GALLERY.glob("plot_*.py")), ids=lambda path: path.stem)
@pytest.mark.filterwarnings("error")
def test_the_example_draws_its_pictures(example):
    figures = figures_of(runpy.run_path(str(example)))
    assert figures
    for figure in figures:
        written = io.StringIO()
        figure.savefig(written, format="svg")
        assert "<path" in written.getvalue()
