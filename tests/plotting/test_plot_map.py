import threading
import warnings
from itertools import combinations

import numpy as np
import pytest
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from matplotlib.colors import to_hex, to_rgba
from matplotlib.figure import Figure
from matplotlib.font_manager import fontManager
from matplotlib.offsetbox import AnnotationBbox
from matplotlib.text import Text
from PIL import Image

import resemblance as rs
from resemblance.errors import JudgmentError, ResemblanceWarning, SettingError
from resemblance.judgments import Items
from resemblance.plotting import plot_map
from resemblance.plotting.canvas import LIGHT, fonts_with

RNG = np.random.default_rng(0)


def drawn(ax):
    """Return every point on the axes, in the order of the classes."""
    return np.vstack([part.get_offsets() for part in ax.collections])


def names_on(ax, names):
    return [text.get_text() for text in ax.texts if text.get_text() in names]


def test_points_stand_where_the_embedding_says_on_one_scale():
    points = RNG.normal(size=(20, 2)) * [5, 1]
    ax = plot_map(points)
    np.testing.assert_allclose(drawn(ax), points)
    ax.figure.draw_without_rendering()
    right, up = np.diff(ax.transData.transform([[0, 0], [1, 0], [0, 1]]), axis=0)
    assert right[0] == pytest.approx((up - -right)[1])


def test_each_class_has_its_colour_and_its_line_in_the_legend():
    ax = plot_map(
        RNG.normal(size=(9, 2)), labels=list("abcabcabc"), title="Map", subtitle="of nine"
    )
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["a", "b", "c"]
    assert [to_hex(part.get_facecolor()[0]) for part in ax.collections] == list(LIGHT[:3])
    assert ax.get_title(loc="left") == "Map"
    assert names_on(ax, ["of nine"]) == ["of nine"]


def test_flagged_items_are_hollow_and_explained():
    ax = plot_map(RNG.normal(size=(6, 2)), flagged=[4])
    full, hollow = ax.collections
    assert len(full.get_offsets()) == 5
    assert len(hollow.get_offsets()) == 1
    assert tuple(hollow.get_facecolor()[0]) == to_rgba("white")
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["in no judgment"]


def test_one_dimension_is_a_line_with_a_scale():
    x = RNG.normal(size=40)
    ax = plot_map(x[:, None])
    np.testing.assert_allclose(drawn(ax)[:, 0], x)
    assert ax.get_xlabel() == "dimension 1"
    assert len(ax.get_xticks()) > 1


def test_many_dimensions_are_drawn_on_two_principal_components():
    points = RNG.normal(size=(30, 5)) * [1, 9, 1, 4, 1]
    ax = plot_map(points)
    assert ax.get_xlabel().startswith("principal component 1 (")
    assert ax.get_ylabel().startswith("principal component 2 (")
    spread = drawn(ax).var(axis=0)
    turn = np.linalg.qr(RNG.normal(size=(5, 5)))[0]
    np.testing.assert_allclose(drawn(plot_map(points @ turn)).var(axis=0), spread)
    assert spread[0] > spread[1]


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("dimensions", [1, 2, 4])
def test_few_items_and_equal_places_are_drawn(n, dimensions):
    ax = plot_map(np.zeros((n, dimensions)))
    assert len(drawn(ax)) == n


def test_names_are_words_and_no_formulas():
    ax = plot_map(np.eye(3), Items(["$a", "b$", r"$\frac$"]), labels=["$$", "_", "x"], title="$5 $")
    ax.figure.draw_without_rendering()
    assert sorted(names_on(ax, ["$a", "b$", r"$\frac$"])) == ["$\\frac$", "$a", "b$"]


def test_an_axes_of_ones_own_is_drawn_on():
    ax = Figure().add_subplot()
    assert plot_map(np.eye(2), ax=ax) is ax


def test_maps_are_drawn_in_threads_alike():
    points, counts = RNG.normal(size=(30, 2)), []
    draw = lambda: counts.append(len(plot_map(points).texts))  # noqa: E731
    threads = [threading.Thread(target=draw) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(counts)) == 1
    assert len(counts) == 3


def boxes_on(ax, artists):
    """Return left, bottom, right and top of artists in pixels, with the axes' own."""
    ax.figure.draw_without_rendering()
    return np.array([box_of(one) for one in artists]), ax.get_window_extent().extents


def box_of(artist):
    if isinstance(artist, AnnotationBbox):
        return artist.patch.get_window_extent().extents
    return Text.get_window_extent(artist).extents


def overlaps(boxes):
    low, high = boxes[:, None, :2] < boxes[:, 2:], boxes[:, None, 2:] > boxes[:, :2]
    return (low & high).all(axis=2).sum() - len(boxes)


def assert_inside(boxes, frame):
    assert (boxes[:, :2] >= frame[:2] - 1).all()
    assert (boxes[:, 2:] <= frame[2:] + 1).all()


def test_no_item_is_nameless_in_a_figure_of_twelve_centimetres():
    n = 120
    names = [f"item number {i}" for i in range(n)]
    ax = plot_map(np.random.default_rng(n).normal(size=(n, 2)), Items(names), width=12)
    assert ax.figure.get_size_inches() * 2.54 == pytest.approx([12, 9])
    texts = [text for text in ax.texts if text.get_text() in names]
    assert len(texts) == n
    boxes, frame = boxes_on(ax, texts)
    assert overlaps(boxes) == 0
    assert_inside(boxes, frame)
    assert 4 <= texts[0].get_fontsize() <= 8.5


def test_names_without_room_are_counted_in_a_line_above_the_map():
    names = ["a rather long name " + str(i) for i in range(80)]
    with pytest.warns(ResemblanceWarning) as told:
        ax = plot_map(RNG.normal(size=(80, 2)), Items(names), width=5)
    shown = len(names_on(ax, names))
    assert 0 < shown < 80
    assert f"{80 - shown} of 80" in str(told[0].message)
    ax.figure.draw_without_rendering()
    (line,) = (text for text in ax.texts if text.get_text().endswith("names shown"))
    assert line.get_text() == f"{shown} of 80 names shown"
    box = box_of(line)
    assert ax.get_window_extent().y1 < box[1] < box[3] < ax.figure.bbox.y1
    assert len(drawn(ax)) == 80


def pictured(folder, n):
    paths = [folder / f"{i}.png" for i in range(n)]
    for i, path in enumerate(paths):
        Image.new("RGB", (60, 40 + 20 * (i % 3)), "red").save(path)
    return paths


def test_pictures_do_not_hide_each_other(tmp_path):
    n = 60
    items = Items(n, images=pictured(tmp_path, n))
    ax = plot_map(np.random.default_rng(n).normal(size=(n, 2)), items, width=12)
    found = [artist for artist in ax.artists if isinstance(artist, AnnotationBbox)]
    assert len(found) == n
    boxes, frame = boxes_on(ax, found)
    assert overlaps(boxes) == 0
    assert_inside(boxes, frame)


def lines_on(ax):
    return [text.arrow_patch for text in ax.texts if text.arrow_patch is not None]


def test_a_picture_that_moved_has_a_line_to_a_dot_at_its_place(tmp_path):
    points = np.array([[0.0, 0], [0.001, 0], [0.002, 0], [0.5, 0.5], [5, 5]])
    ax = plot_map(points, Items(5, images=pictured(tmp_path, 5)))
    found = [artist for artist in ax.artists if isinstance(artist, AnnotationBbox)]
    boxes, _ = boxes_on(ax, found)
    places = ax.transData.transform([box.xy for box in found])
    away = ((places < boxes[:, :2]) | (places > boxes[:, 2:])).any(axis=1)
    lines = lines_on(ax)
    assert 0 < away.sum() == len(lines) < 5
    assert max(line.get_zorder() for line in lines) < min(box.get_zorder() for box in found)


@pytest.mark.parametrize(("n", "width"), [(12, 8.5), (60, 17)])
def test_no_dot_is_inside_a_picture(tmp_path, n, width):
    items = Items(n, images=pictured(tmp_path, n))
    ax = plot_map(np.random.default_rng(n).normal(size=(n, 2)), items, width=width)
    boxes, _ = boxes_on(ax, [one for one in ax.artists if isinstance(one, AnnotationBbox)])
    dots = ax.transData.transform(drawn(ax)) if ax.collections else np.empty((0, 2))
    low, high = boxes[:, :2] < dots[:, None], boxes[:, 2:] > dots[:, None]
    assert not (low & high).all(axis=2).any()
    assert not ax.lines
    assert len(dots) <= len(lines_on(ax))


def test_an_item_without_a_picture_has_its_name(tmp_path):
    paths = ["", *pictured(tmp_path, 3)]
    ax = plot_map(np.zeros((4, 2)), Items(["bare", "a", "b", "c"], images=paths))
    assert names_on(ax, ["bare"]) == ["bare"]
    found = [artist for artist in ax.artists if isinstance(artist, AnnotationBbox)]
    assert len(found) == 3
    boxes, _ = boxes_on(ax, [*found, *(text for text in ax.texts if text.get_text())])
    assert overlaps(boxes) == 0


@pytest.mark.parametrize("dimensions", [1, 2, 4])
def test_circles_lie_inside_the_frame(dimensions):
    covariances = np.tile(9.0 * np.eye(dimensions), (8, 1, 1))
    ax = plot_map(RNG.normal(size=(8, dimensions)), covariances=covariances)
    ax.figure.draw_without_rendering()
    drawn = [patch for patch in ax.patches if patch.get_gid() == "uncertainty"]
    ends = np.array([patch.get_window_extent().extents for patch in drawn]).reshape(-1, 4)
    assert len(ends) == (0 if dimensions == 1 else 8)
    assert_inside(ends, ax.get_window_extent().extents)
    if dimensions == 1:
        bars = np.concatenate(ax.collections[0].get_segments())[:, 0]
        assert ax.get_xlim()[0] < bars.min()
        assert bars.max() < ax.get_xlim()[1]


def test_names_alone_are_items():
    points = RNG.normal(size=(3, 2))
    assert names_on(plot_map(points, ["a", "b", "c"]), "abc") == list("abc")
    assert names_on(plot_map(points, np.array(["a", "b", "c"])), "abc") == list("abc")
    with pytest.raises(SettingError, match="2 items for the 3 rows"):
        plot_map(points, ["a", "b"])
    with pytest.raises(JudgmentError):
        plot_map(points, "abc")


@pytest.fixture
def own_fonts_alone(monkeypatch):
    """Have no fonts but those that come with matplotlib."""
    own = [font for font in fontManager.ttflist if "DejaVu" in font.name]
    monkeypatch.setattr(fontManager, "ttflist", own)
    fonts_with.cache_clear()
    yield fontManager
    fonts_with.cache_clear()


@pytest.fixture
def font(tmp_path, own_fonts_alone):
    """Install a font that has three letters of Vai, which matplotlib's own fonts lack."""
    path, letters = tmp_path / "three.ttf", "\ua501\ua502\ua503"
    names = [".notdef", "one", "two", "three"]
    made = FontBuilder(1000, isTTF=True)
    made.setupGlyphOrder(names)
    made.setupCharacterMap({ord(c): name for c, name in zip(letters, names[1:], strict=True)})
    pen = TTGlyphPen(None)
    pen.moveTo((0, 0))
    pen.lineTo((500, 0))
    pen.lineTo((500, 700))
    pen.closePath()
    made.setupGlyf(dict.fromkeys(names, pen.glyph()))
    made.setupHorizontalMetrics(dict.fromkeys(names, (600, 0)))
    made.setupHorizontalHeader(ascent=800, descent=-200)
    made.setupNameTable({"familyName": "Three Letters", "styleName": "Regular"})
    made.setupOS2()
    made.setupPost()
    made.save(path)
    own_fonts_alone.addfont(path)
    return letters


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_letters_come_from_an_installed_font_that_has_them(font, tmp_path, suffix):
    ax = plot_map(RNG.normal(size=(3, 2)), [*font], title=f"Map {font}")
    ax.figure.savefig(tmp_path / f"map.{suffix}")
    families = [text.get_fontfamily() for text in ax.texts if text.get_text() in font]
    assert len(families) == 3
    assert all(names[-1] == "Three Letters" for names in families)


def test_letters_that_no_font_has_are_told_in_one_sentence(tmp_path, own_fonts_alone):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ax = plot_map(RNG.normal(size=(3, 2)), ["\ua501\ua502", "\ua503", "plain"])
        ax.figure.savefig(tmp_path / "map.png")
        ax.figure.savefig(tmp_path / "map.pdf")
    assert [warning.category for warning in caught] == [ResemblanceWarning]
    assert all(letter in str(caught[0].message) for letter in "\ua501\ua502\ua503")


@pytest.mark.parametrize("k", [1, 2, 3])
def test_features_are_arrows_whose_names_lie_on_no_other(k):
    X = np.random.default_rng(0).normal(size=(20, k))
    features = {"length": X[:, 0], "width": X[:, 0] + 0.1 * X[:, -1], "angle": -X[:, -1]}
    ax = rs.plot_map(
        X, [f"item {i}" for i in range(20)], directions=rs.feature_directions(X, features)
    )
    arrows = [text for text in ax.texts if text.get_gid() == "feature"]
    assert len(arrows) == (0 if k == 1 else 3)
    if k == 1:
        return
    ax.figure.canvas.draw()
    boxes = [text.get_window_extent() for text in ax.texts if text.get_text()]
    assert not any(a.overlaps(b) for a, b in combinations(boxes, 2))
    if k == 2:
        tips = {tuple(np.round(arrow.xy - X.mean(0), 6)) for arrow in arrows}
        found = rs.feature_directions(X, features)
        assert tips == {tuple(np.round(arrow, 6)) for arrow in found.arrows}
