"""Dissimilarity matrices as objects: squares and triangles, order, names, and what is refused."""

import copy
import pickle

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform

import resemblance as rs
from resemblance.errors import JudgmentError, RDMError
from resemblance.rdms.rdms import mean_of_present, n_items_of, pair_numbers, same_items


def drawn(seed=0, n_rdms=3, n_items=5):
    values = np.random.default_rng(seed).normal(size=(n_rdms, n_items * (n_items - 1) // 2))
    return rs.RDMs(values, list("abcdefgh"[:n_items]), [f"p{i}" for i in range(n_rdms)])


@pytest.mark.parametrize("n_items", [2, 6])
class TestShapes:
    def test_the_triangle_is_that_of_scipy(self, n_items):
        made = drawn(0, 2, n_items)
        for row, square in zip(made.dissimilarities, made.squares(), strict=True):
            np.testing.assert_array_equal(squareform(row), square)

    def test_squares_and_triangles_are_the_same(self, n_items):
        made = drawn(0, 3, n_items)
        again = rs.RDMs.from_squares(made.squares(), made.items, made.names)
        np.testing.assert_array_equal(again.dissimilarities, made.dissimilarities)

    def test_another_order_of_items_permutes_rows_and_columns(self, n_items):
        made = drawn(0, 2, n_items)
        order = np.random.default_rng(0).permutation(n_items)
        turned = made.of_items([made.items.names[i] for i in order])
        np.testing.assert_array_equal(turned.squares(), made.squares()[:, order][:, :, order])
        back = turned.of_items(made.items)
        np.testing.assert_array_equal(back.dissimilarities, made.dissimilarities)
        assert back.items is made.items

    def test_the_table_has_each_pair_once(self, n_items):
        made = drawn(0, 2, n_items)
        table = made.to_pandas()
        assert len(table) == made.dissimilarities.size
        for row in table.itertuples():
            i, j = made.items.positions([row.item_a, row.item_b])
            assert i < j
            assert made[row.rdm].squares()[0, i, j] == row.dissimilarity


class TestIndexing:
    @pytest.mark.parametrize(
        ("which", "rows"),
        [
            (1, [1]),
            (-1, [2]),
            ("p2", [2]),
            (["p2", "p0"], [2, 0]),
            ([0, 2], [0, 2]),
            (slice(1, None), [1, 2]),
            (np.array([True, False, True]), [0, 2]),
            (np.array(["p1"]), [1]),
        ],
    )
    def test_names_numbers_slices_and_masks(self, which, rows):
        made = drawn()
        found = made[which]
        assert found.names == tuple(made.names[row] for row in rows)
        np.testing.assert_array_equal(found.dissimilarities, made.dissimilarities[rows])

    @pytest.mark.parametrize("which", [3, -4, "p9", ["p0", "p9"], [0, 3]])
    def test_what_is_not_there_is_refused(self, which):
        with pytest.raises(RDMError):
            drawn()[which]

    def test_one_twice_is_refused(self):
        with pytest.raises(RDMError, match="p1"):
            drawn()[["p1", "p1"]]


class TestMean:
    def test_of_all_and_of_groups(self):
        made = drawn(n_rdms=4)
        np.testing.assert_allclose(
            made.mean().dissimilarities[0], made.dissimilarities.mean(axis=0), rtol=1e-12
        )
        groups = made.mean({"p0": "old", "p1": "young", "p2": "old", "p3": "young"})
        assert groups.names == ("old", "young")
        np.testing.assert_allclose(
            groups["young"].dissimilarities[0], made.dissimilarities[[1, 3]].mean(axis=0)
        )

    def test_who_has_no_group_is_named(self):
        with pytest.raises(RDMError, match="p2"):
            drawn().mean({"p0": "old", "p1": "old"})


class TestRefused:
    @pytest.mark.parametrize(
        "values",
        [[], [[]], [[[1.0]]], 3.0, ["a"], [[1.0], [1.0, 2.0]], np.ones((2, 4)), 1 - np.eye(6)],
    )
    def test_shapes(self, values):
        with pytest.raises(RDMError):
            rs.RDMs(values)

    @pytest.mark.parametrize("bad", [np.inf, -np.inf])
    def test_infinite_cells_are_named(self, bad):
        made = drawn(n_items=8)
        values = made.dissimilarities.copy()
        values[1, 0], values[2, -1] = bad, bad
        with pytest.raises(RDMError) as told:
            rs.RDMs(values, made.items, made.names)
        for name in ("'a' and 'b'", "'p1'", "'g' and 'h'", "'p2'"):
            assert name in str(told.value)

    def test_a_matrix_that_lacks_all_is_named(self):
        with pytest.raises(RDMError, match="'p1'"):
            rs.RDMs([[1.0, np.nan, 2.0], [np.nan] * 3], names=["p0", "p1"])

    @pytest.mark.parametrize("other", [1.5, np.nan])
    def test_a_cell_that_is_not_symmetric_is_named(self, other):
        squares = drawn().squares().copy()
        squares[2, 3, 1] = other
        with pytest.raises(RDMError) as told:
            rs.RDMs.from_squares(squares, list("abcde"), ["x", "y", "z"])
        for name in ("'b'", "'d'", "'z'"):
            assert name in str(told.value)

    def test_rounding_is_no_asymmetry(self):
        squares = drawn().squares() * (1 + 1e-9 * np.random.default_rng(0).normal(size=(3, 5, 5)))
        assert len(rs.RDMs.from_squares(squares)) == 3

    def test_similarities_are_refused_by_their_diagonal(self):
        with pytest.raises(RDMError, match="'b'"):
            rs.RDMs.from_squares([[0, 0.2], [0.2, 1]], ["a", "b"])

    def test_a_diagonal_that_is_not_told_is_0(self):
        made = rs.RDMs.from_squares([[np.nan, 2.0], [2.0, np.nan]])
        np.testing.assert_array_equal(made.squares()[0], [[0, 2], [2, 0]])

    @pytest.mark.parametrize("names", [["p"], ["p", "p"], ["p", ""], ["p", "q", "r"]])
    def test_names(self, names):
        with pytest.raises(RDMError):
            rs.RDMs(np.ones((2, 3)), names=names)

    def test_items(self):
        with pytest.raises(RDMError):
            rs.RDMs([1.0, 2.0, 3.0], ["a", "b"])
        with pytest.raises(JudgmentError):
            rs.RDMs([1.0, 2.0, 3.0], ["a", "b", "b"])
        with pytest.raises(JudgmentError, match="nobody"):
            drawn().of_items(["a", "nobody"])


def test_missing_pairs_are_counted_kept_and_left_out_of_means():
    made = rs.RDMs([[1.0, np.nan, 3.0], [3.0, np.nan, np.nan]], ["a", "b", "c"], ["p", "q"])
    assert made.missing.tolist() == [1, 2]
    np.testing.assert_array_equal(made.mean().dissimilarities, [[2.0, np.nan, 3.0]])
    with pytest.raises(RDMError, match="'q'"):
        made.of_items(["c", "b"])
    assert rs.RDMs.from_squares(made.squares()).missing.tolist() == [1, 2]
    assert "missing pairs" in made._repr_html_()


def test_it_never_changes():
    made = drawn()
    with pytest.raises(AttributeError):
        made.names = ()
    with pytest.raises(ValueError, match="read-only"):
        made.dissimilarities[0] = 1
    for again in (pickle.loads(pickle.dumps(made)), copy.deepcopy(made)):
        np.testing.assert_array_equal(again.dissimilarities, made.dissimilarities)


def test_what_was_given_may_change_later():
    values = np.ones((1, 3))
    made = rs.RDMs(values)
    values[:] = 7
    np.testing.assert_array_equal(made.dissimilarities, 1)


def test_measures_of_positions():
    points = np.random.default_rng(0).normal(size=(6, 3))
    for distances, metric in {
        "euclidean": "euclidean",
        "squared": "sqeuclidean",
        "cosine": "cosine",
        "correlation": "correlation",
    }.items():
        made = rs.rdm(points, distances)
        np.testing.assert_allclose(made.dissimilarities[0], pdist(points, metric))
        assert made.measure == distances


def test_pairs_of_items_by_number_and_by_name():
    assert pair_numbers(np.array([0, 1]), np.array([2, 2]), 3).tolist() == [1, 2]
    assert n_items_of(6) == 4
    swapped = same_items(rs.RDMs([1.0], ["a", "b"]), rs.RDMs([2.0], ["b", "a"]))
    assert swapped.items.names == ("a", "b")
    lacking = np.array([[1.0, np.nan, np.nan], [2.0, 3.0, np.nan]])
    np.testing.assert_array_equal(mean_of_present(lacking), [1.5, 3.0, np.nan])
