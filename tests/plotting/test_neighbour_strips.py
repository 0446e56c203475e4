import numpy as np
import pytest
from PIL import Image

from resemblance.errors import FileError, JudgmentError, SettingError
from resemblance.judgments import Items
from resemblance.plotting import plot_neighbours

RNG = np.random.default_rng(0)
NAMES = ("pear", "plum", "fig", "$lime$", "kiwi")
LINE = np.array([[0.0], [1.0], [3.0], [7.0], [7.5]])


def rows_of(ax):
    """Return the names drawn, row by row."""
    n_columns = len(ax.get_xticks()) + 1
    return np.array([text.get_text() for text in ax.texts]).reshape(-1, n_columns).tolist()


@pytest.fixture
def pictures(tmp_path):
    """One picture of its own grey for each name, wide, tall and square."""
    sizes = [(40, 20), (20, 40), (30, 30), (30, 30), (30, 30)]
    paths = [tmp_path / f"{i}.png" for i in range(5)]
    for i, (path, size) in enumerate(zip(paths, sizes, strict=True)):
        Image.new("RGB", size, (50 * i,) * 3).save(path)
    return paths


def test_neighbours_stand_in_the_order_of_their_distances():
    ax = plot_neighbours(LINE, Items(NAMES), heads=["fig", "kiwi"], k=3)
    assert rows_of(ax) == [["fig", "plum", "pear", "$lime$"], ["kiwi", "$lime$", "fig", "plum"]]
    assert not any(text.get_parse_math() for text in ax.texts)


def test_rows_go_down_and_neighbours_to_the_right():
    ax = plot_neighbours(LINE, heads=[4, 0], k=4)
    ax.figure.draw_without_rendering()
    place = np.array([ax.transData.transform(text.get_position()) for text in ax.texts])
    place = place.reshape(2, 5, 2)
    assert (np.diff(place[:, :, 0], axis=1) > 0).all()
    assert (place[0, :, 1] > place[1, :, 1]).all()
    assert [label.get_text() for label in ax.get_xticklabels()] == ["1", "2", "3", "4"]


@pytest.mark.parametrize(("n", "heads"), [(3, "012"), (51, ["0", "10", "20", "30", "40", "50"])])
def test_heads_are_spread_over_the_items(n, heads):
    rows = rows_of(plot_neighbours(RNG.normal(size=(n, 2)), k=2))
    assert [row[0] for row in rows] == list(heads)


def test_pictures_stand_in_the_place_of_names(pictures):
    ax = plot_neighbours(LINE, Items(NAMES, images=pictures), heads=["fig", "$lime$"], k=2)
    greys = [int(image.get_array()[0, 0, 0]) // 50 for image in ax.images]
    assert greys == [2, 1, 0, 3, 4, 2]
    assert not ax.texts
    assert [label.get_text() for label in ax.get_yticklabels()] == ["fig", "$lime$"]
    assert not any(label.get_parse_math() for label in ax.get_yticklabels())


def test_pictures_keep_their_shape_upright_and_within_their_frames(pictures):
    ax = plot_neighbours(LINE, Items(NAMES, images=pictures), heads=["pear"], k=4)
    ax.figure.draw_without_rendering()
    for image, frame, ratio in zip(ax.images, ax.patches, [2, 0.5, 1, 1, 1], strict=True):
        box, around = image.get_window_extent(), frame.get_window_extent()
        assert box.width / box.height == pytest.approx(ratio)
        assert around.x0 < box.x0 < box.x1 < around.x1
        assert around.y0 < box.y0 < box.y1 < around.y1
        assert image.get_extent()[2] > image.get_extent()[3]  # the first row of pixels is on top


def test_items_without_a_picture_are_drawn_by_name(pictures):
    items = Items(NAMES, images=[*pictures[:2], "", *pictures[3:]])
    ax = plot_neighbours(LINE, items, heads=["fig", "pear"], k=2)
    assert [text.get_text() for text in ax.texts] == ["fig", "fig"]
    assert len(ax.images) == 4
    assert [label.get_text() for label in ax.get_yticklabels()] == ["pear"]


def test_long_names_stay_within_their_frames():
    long = Items(["a name of very many words that no cell could ever hold", "w" * 60, "c"])
    ax = plot_neighbours(np.arange(3.0), long, heads=["c"], k=2, title="Long", subtitle="names")
    ax.figure.draw_without_rendering()
    for text, frame in zip(ax.texts, ax.patches, strict=False):
        box, around = text.get_window_extent(), frame.get_window_extent()
        assert around.y0 < box.y0 < box.y1 < around.y1
    assert ax.get_title(loc="left") == "Long"


@pytest.mark.parametrize("k", [0, -1, 5, 1.5])
def test_the_number_of_neighbours_is_one_that_there_is(k):
    with pytest.raises(SettingError) as refused:
        plot_neighbours(LINE, k=k)
    assert refused.value.setting == "k"


def test_heads_are_items(tmp_path):
    with pytest.raises(JudgmentError, match=r"'plumb' is not among .*did you mean 'plum'"):
        plot_neighbours(LINE, Items(NAMES), heads=["plumb"], k=1)
    with pytest.raises(SettingError, match="there are no heads: name one"):
        plot_neighbours(LINE, heads=[], k=1)
    with pytest.raises(SettingError, match="5 items for the 4 rows"):
        plot_neighbours(LINE[:4], Items(NAMES), k=1)
    missing = Items(NAMES, images=[tmp_path / f"{name}.png" for name in NAMES])
    with pytest.raises(FileError, match=r"item 'pear': .*pear\.png"):
        plot_neighbours(LINE, missing, heads=["pear"], k=1)
