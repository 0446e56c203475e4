"""The map page in a cell."""

from html.parser import HTMLParser
from io import BytesIO

import numpy as np
import pytest
from PIL import Image

import resemblance as rs
from resemblance.errors import FileError, SettingError
from resemblance.plotting.page import map_page

EVIL = '"><script>parent.stolen=1</script>'
POINTS = np.random.default_rng(0).normal(size=(4, 2))


def frame_of(view):
    found = []

    class Frames(HTMLParser):
        def handle_starttag(self, tag, attrs):
            found.append((tag, dict(attrs)))

    Frames().feed(view._repr_html_())
    ((tag, attributes),) = found  # nothing beside the frame
    assert tag == "iframe"
    return attributes


def test_the_frame_holds_the_page_and_nothing_else():
    items = rs.Items([EVIL, "a", "b", "c"])
    view = rs.show_map(POINTS, items, title=EVIL, height=400)
    frame = frame_of(view)
    assert frame["srcdoc"] == view.html == map_page(POINTS, items, title=EVIL)
    assert "height:400px" in frame["style"]
    assert "src" not in frame


def test_the_page_sees_nothing_of_the_notebook():
    allowed = frame_of(rs.show_map(POINTS))["sandbox"].split()
    assert "allow-scripts" in allowed
    assert "allow-same-origin" not in allowed


@pytest.mark.parametrize("height", [0, 199, 10**6])
def test_heights_that_nobody_sees_are_refused(height):
    with pytest.raises(SettingError):
        rs.show_map(POINTS, height=height)


def test_it_is_saved_as_save_map_writes_it(tmp_path):
    saved = rs.show_map(POINTS, title="four").save(tmp_path / "map.html")
    written = rs.save_map(POINTS, tmp_path / "other.html", title="four")
    assert saved.read_text() == written.read_text()


def test_figures_show_themselves_without_a_backend():
    figure = rs.plot_map(POINTS).figure
    width, height = Image.open(BytesIO(figure._repr_png_())).size
    assert (width, height) == tuple(int(side) for side in figure.get_size_inches() * figure.dpi)


@pytest.mark.parametrize("name", ["map.png", "map", "nowhere/map.html"])
def test_a_page_is_written_as_a_page_into_a_folder_that_is_there(tmp_path, name):
    with pytest.raises(FileError):
        rs.show_map(POINTS).save(tmp_path / name)
    assert list(tmp_path.iterdir()) == []
