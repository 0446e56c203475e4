"""Dimensions as rows of items: what is drawn, in which order, and what is refused."""

import numpy as np
import pandas as pd
import pytest
from PIL import Image

import resemblance as rs
from resemblance.embeddings import LoadingSpread, Reproducibility
from resemblance.errors import FileError, SettingError
from resemblance.plotting.dimensions import dimensions_of

NAMES = ["dog", "cat", "$oak$", "fern", "saw"]
LOADINGS = np.array([[0, 2.0, 0], [0, 1.5, 0.1], [3, 0, 0], [2.5, 0.5, 0], [0, 0, 1.0]])
AGAIN = Reproducibility(
    np.array([0.9, 0.8, 0.1]), np.array([0.7, np.nan, -0.2]), np.array([4, 2, 0]), 3, 5
)
SPREAD = LoadingSpread(LOADINGS, LOADINGS, LOADINGS * 0.5, LOADINGS * 1.5, 30)


@pytest.fixture
def items():
    return rs.Items(NAMES)


def texts(ax):
    return [text.get_text() for text in ax.texts]


def test_rows_go_by_share_and_items_by_loading(items):
    said = texts(rs.plot_loadings(LOADINGS, items))
    assert [word for word in said if word in NAMES] == [
        *("$oak$", "fern"),
        *("dog", "cat", "fern"),
        *("saw", "cat"),
    ]
    assert [word for word in said if word in ("1", "2", "3")] == ["1", "2", "3"]
    shares = LOADINGS.sum(axis=0) / LOADINGS.sum()
    assert said[1].startswith(f"{shares[0]:.0%} ")


def test_numbers_are_those_of_the_columns():
    shown = dimensions_of(LOADINGS[:, ::-1])
    assert shown.order.tolist() == [2, 1, 0]
    assert shown.table(1)["dimension"].tolist() == [3, 2, 1]


def test_top_and_dimensions_limit_what_is_drawn(items):
    said = texts(rs.plot_loadings(LOADINGS, items, top=1, n_dimensions=2))
    assert [word for word in said if word in NAMES] == ["$oak$", "dog"]
    assert "2.00" in said


def test_words_are_never_formulas(items):
    ax = rs.plot_loadings(LOADINGS, items, names=["$x", None, ""], title="$a$")
    assert not any(text.get_parse_math() for text in ax.texts)
    assert "1  $x" in texts(ax)


def test_reproducibility_and_spread_are_written(items):
    said = texts(rs.plot_loadings(LOADINGS, items, reproducibility=AGAIN, spread=SPREAD))
    assert said[1].splitlines()[1:] == ["other starts: r = 0.90", "again in 4 of 5 splits"]
    assert "3.00\n1.50 to 4.50" in said
    assert sum("of 5 splits" in one for one in said) == 3


def test_pictures_are_drawn_with_names_below(tmp_path):
    paths = [tmp_path / f"{i}.png" for i in range(5)]
    for path in paths:
        Image.new("RGB", (30, 20), "red").save(path)
    names = [name * 8 for name in NAMES]
    ax = rs.plot_loadings(LOADINGS, rs.Items(names, images=paths), top=2)
    assert len(ax.images) == 6
    assert any(one.startswith("dogdogdogdogd") and one.endswith("…") for one in texts(ax))
    assert "2.00" in texts(ax)


def test_a_fitted_model_brings_loadings_and_items():
    person = rs.SpaceObserver(np.repeat(2.0 * np.eye(2), 4, axis=0), rs.choice.Logistic())
    shown = [[a, b, c] for a in range(8) for b in range(a) for c in range(b)]
    answers = person.answer(rs.OddOneOuts(shown, [row[0] for row in shown]))
    with pytest.raises(SettingError, match="not fitted"):
        rs.plot_loadings(rs.SPoSE(2))
    model = rs.SPoSE(2, penalty=1.0, random_state=0).fit(answers)
    shown = dimensions_of(model)
    np.testing.assert_allclose(shown.shares, model.shares_)
    assert shown.scene.names == model.items_.names


def test_features_are_told_by_their_correlation():
    x = np.arange(5.0)
    items = rs.Items(NAMES, np.column_stack([x, -x, np.ones(5), x**2]), feature_names=[*"abcd"])
    shown = dimensions_of(np.column_stack([x, np.ones(5)]), items)
    assert shown.correlations(0)[:2] == [("a", pytest.approx(1)), ("b", pytest.approx(-1))]
    assert [name for name, _ in shown.correlations(0)] == ["a", "b", "d"]
    assert shown.correlations(1) == dimensions_of(LOADINGS).correlations(0) == []
    many = np.random.default_rng(0).normal(size=(5, 600))
    name, r = dimensions_of(LOADINGS, rs.Items(NAMES, many)).correlations(2)[0]
    expected = np.corrcoef(many.T, LOADINGS[:, 2])[-1, :-1]
    most = np.abs(expected).argmax()
    assert (name, r) == (f"feature {most + 1}", pytest.approx(expected[most]))
    views = rs.Items(NAMES, {"size": x[:, None], "noise": np.column_stack([x, -x])})
    told = dimensions_of(LOADINGS, views).correlations(0)
    assert {name for name, _ in told} == {"size 1", "noise 1", "noise 2"}


@pytest.mark.parametrize(
    ("words", "field"),
    [
        ({"names": ["one"]}, "names"),
        ({"names": {4: "four"}}, "names"),
        ({"names": {"x": "four"}}, "names"),
        ({"top": 0}, "top"),
        ({"top": 1.5}, "top"),
        ({"top": "x"}, "top"),
        ({"top": 41}, "top"),
        ({"n_dimensions": 0}, "n_dimensions"),
        ({"n_dimensions": 101}, "n_dimensions"),
        (
            {"reproducibility": Reproducibility(np.ones(2), np.ones(2), np.ones(2, int), 1, 1)},
            "reproducibility",
        ),
        ({"spread": LoadingSpread(*[np.ones((5, 2))] * 4, 30)}, "spread"),
    ],
)
def test_what_does_not_fit_is_refused(words, field):
    with pytest.raises(SettingError) as caught:
        rs.plot_loadings(LOADINGS, **words)
    assert caught.value.setting == field


def test_negative_loadings_are_refused_by_item(items):
    sunk = LOADINGS.copy()
    sunk[1, 1] = -0.5
    with pytest.raises(SettingError, match="'cat' on dimension 2"):
        rs.plot_loadings(sunk, items)


def test_names_come_as_a_list_a_mapping_or_a_file(tmp_path):
    (tmp_path / "names.csv").write_text('dimension,name\r\n1,"a, ""b"""\r\n3,NA\r\n')
    for names in ({1: 'a, "b"', 3: "NA"}, {"1": 'a, "b"', "3": "NA"}, tmp_path / "names.csv"):
        assert dimensions_of(LOADINGS, names=names).names == ['a, "b"', "", "NA"]
    assert dimensions_of(LOADINGS, names=["a", None, "c"]).names == ["a", "", "c"]
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    for missing in ("other.csv", "none.csv"):
        with pytest.raises(FileError, match=missing):
            dimensions_of(LOADINGS, names=str(tmp_path / missing))


def test_a_table_has_a_row_for_each_dimension(items, tmp_path):
    path = rs.save_loadings(
        LOADINGS, tmp_path / "d.csv", items, names={2: "animal"}, top=2, reproducibility=AGAIN
    )
    table = pd.read_csv(path, keep_default_na=False)
    columns = ["dimension", "name", "share", "seeds", "halves", "found_again", "splits", "items"]
    assert table.columns.tolist() == columns
    assert table["found_again"].tolist() == [4, 2, 0]
    assert table["items"].tolist() == ["$oak$ | fern", "dog | cat", "saw | cat"]
    assert table["name"].tolist() == ["", "animal", ""]
    assert dimensions_of(LOADINGS, names=path).names == ["", "animal", ""]


def test_other_files_are_refused(tmp_path):
    for name in ("d.txt", "d", "none/d.html"):
        with pytest.raises(FileError):
            rs.save_loadings(LOADINGS, tmp_path / name)
    with pytest.raises(SettingError, match="top"):
        rs.save_loadings(LOADINGS, tmp_path / "d.html", top=0)


LONG = ["internationalisation", "grandmother's clock", "washing-machine", "Siebenmeilenstiefel"]
LONGER = [
    *LONG,
    "a name of so many words that they do not fit",
    "Donaudampfschifffahrtsgesellschaft",
]


@pytest.mark.parametrize("shown_as", ["words", "pictures"])
def test_no_word_is_broken_and_none_leaves_its_place(tmp_path, shown_as):
    paths = [tmp_path / f"{i}.png" for i in range(6)]
    for path in paths:
        Image.new("RGB", (30, 20), "red").save(path)
    items = rs.Items(LONGER, images=paths if shown_as == "pictures" else None)
    loadings = np.tile([[3.0], [2.0], [1.5], [1.0], [0.5], [0.4]], 2)
    named = [LONGER[5], "something international"]
    ax = rs.plot_loadings(loadings, items, names=named, title="Title", subtitle="line")
    ax.figure.draw_without_rendering()
    said = [text.get_text().replace("-\n", "-").replace("\n", " ") for text in ax.texts]
    assert all(said.count(name) == 2 for name in LONG)
    assert said.count("2  something international") == 1
    cells = [patch.get_window_extent() for patch in ax.patches]
    room = cells[1].x0 - cells[0].x0
    assert all(text.get_fontsize() >= 5 for text in ax.texts)
    for text in ax.texts:
        box = text.get_window_extent()
        own = [cell for cell in cells if abs(cell.x0 + cell.x1 - box.x0 - box.x1) < 1]
        assert box.width <= room if own else box.x1 < cells[0].x0
    assert ax._left_title.get_window_extent().y1 <= ax.figure.bbox.y1


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_pictures_are_files_of_their_type(tmp_path, suffix):
    path = rs.save_loadings(LOADINGS, tmp_path / f"d{suffix}")
    start = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}[suffix]
    assert path.read_bytes().startswith(start)
