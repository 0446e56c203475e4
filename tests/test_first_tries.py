"""First tries of a user of scikit-learn and pandas: they work, or are refused with a reason."""

import numpy as np
import pytest

import resemblance as rs
from resemblance import optional
from resemblance.datasets import digits_triplets
from resemblance.errors import NoFileError, NoPackageError, SettingError
from resemblance.fitting import averaged_uncertainty, select_dimension


@pytest.fixture(scope="module")
def triplets():
    return digits_triplets(600, n_items=30)


@pytest.fixture(scope="module")
def model(triplets):
    return rs.STE(random_state=0, max_iter=30).fit(triplets)


@pytest.mark.parametrize(
    "score",
    [
        lambda given, triplets: rs.triplet_error(given, triplets),
        lambda given, triplets: rs.neighbour_error(given, triplets.items.labels),
        lambda given, triplets: rs.procrustes_distance(given, np.eye(30, 2)),
        lambda given, triplets: rs.procrustes_distance(np.eye(30, 2), given),
        lambda given, triplets: rs.show_map(given, items=triplets.items).html,
    ],
)
def test_a_fitted_model_stands_for_its_positions(model, triplets, score):
    assert score(model, triplets) == score(model.embedding_, triplets)


def test_a_map_of_a_model_has_its_items(model, tmp_path):
    rs.save_map(model, tmp_path / "map.html")
    rs.save_map(model.embedding_, tmp_path / "same.html", model.items_)
    assert (tmp_path / "map.html").read_text() == (tmp_path / "same.html").read_text()
    assert len(rs.plot_map(model).texts) == len(rs.plot_map(model.embedding_, model.items_).texts)


def test_a_model_that_is_not_fitted_says_so(triplets):
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError):
        rs.triplet_error(rs.STE(), triplets)


def test_distances_of_a_model_of_inner_products_are_refused(triplets):
    sparse = rs.SPoSE(n_components=2, max_iter=5, n_init=1, penalty=1e-3, random_state=0)
    with pytest.raises(SettingError, match="SPoSE"):
        rs.triplet_error(sparse.fit(triplets), triplets)


def test_names_become_positions():
    rows = [("song10", "song9", "song1"), ("song9", "song1", "song10")]
    told = rs.Triplets(rows)
    assert told.items.names == ("song1", "song9", "song10")
    assert told.index.tolist() == [[2, 1, 0], [1, 0, 2]]
    given = rs.Triplets(np.array(rows), items=["song9", "song10", "song1"])
    assert given.index.tolist() == [[1, 0, 2], [0, 2, 1]]
    assert rs.Quadruplets([("a", "b", "c", "d")]).index.tolist() == [[0, 1, 2, 3]]
    with pytest.raises(rs.errors.JudgmentError, match="song2"):
        rs.Triplets([("song1", "song2", "song9")], items=given.items)
    with pytest.raises(rs.errors.JudgmentError):
        rs.Triplets([("song1", 2, "song9")])


def test_columns_have_names(triplets):
    columns = np.stack([triplets.head, triplets.near, triplets.far], axis=1)
    np.testing.assert_array_equal(columns, triplets.index)


def test_equal_judgments_and_items_are_equal(triplets):
    again = digits_triplets(600, n_items=30)
    assert triplets == again
    assert triplets.items == again.items
    assert len({triplets, again}) == 1
    for other in (triplets[1:], triplets.with_extra("day", np.ones(600)), 3):
        assert triplets != other
    assert rs.Items(["a", "b"]) != rs.Items(["b", "a"])
    missing = rs.Triplets([[0, 1, 2]], extra={"rt_ms": [np.nan]})
    assert missing == rs.Triplets([[0, 1, 2]], extra={"rt_ms": [np.nan]})


def test_missing_files_and_packages_are_errors_of_python_too(tmp_path, monkeypatch):
    with pytest.raises(FileNotFoundError) as told:
        rs.read_triplets(tmp_path / "none.csv")
    assert isinstance(told.value, NoFileError)
    assert "none.csv" in str(told.value)
    monkeypatch.setattr(optional, "is_there", lambda package: False)
    with pytest.raises(ImportError) as told:
        optional.need_packages("figures need", "matplotlib")
    assert isinstance(told.value, NoPackageError)
    assert "resemblance[plot]" in str(told.value)


def test_printed_results_are_short(model, triplets):
    results = [
        averaged_uncertainty(model, triplets),
        select_dimension(rs.STE(random_state=0, max_iter=20), triplets, [1, 2]),
        rs.nearest_items(model, k=20),
        rs.noise_ceiling(triplets),
    ]
    for result in results:
        assert 1 < len(str(result).splitlines()) <= 15
        assert str(result).startswith(type(result).__name__) or " " in str(result).splitlines()[0]


def test_a_session_says_how_far_it_is():
    session = rs.Session(items=8, random_state=0)
    question = session.ask()
    session.tell(question, question.options[0])
    assert repr(session) == "Session(8 items, 1 answer, 0 fits)"
