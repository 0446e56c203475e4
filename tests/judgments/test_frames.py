"""Tables in memory go where files and arrays go, and say the same."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import resemblance as rs
from resemblance.errors import JudgmentError, ResemblanceError

NAMED = {
    "observer": ["ann", "bob", "ann"],
    "far": ["rock", "jazz", "soul"],
    "head": ["jazz", "soul", "rock"],
    "near": ["soul", "rock", "jazz"],
    "weight": [1.0, 2.0, 0.5],
    "rt_ms": [510, 620, 400],
}
NUMBERED = {"far": [2, 0, 4], "near": [1, 2, 0], "head": [0, 1, 2]}
MAKERS = [pd.DataFrame, pl.DataFrame, pa.table, lambda d: Streamed(pa.table(d))]


class Streamed:
    """A table of a library that nobody here knows, but for Arrow's stream."""

    def __init__(self, table):
        self.table = table

    @property
    def columns(self):
        return self.table.column_names

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


def same(one, other):
    assert type(one) is type(other)
    assert one.items.names == other.items.names
    pd.testing.assert_frame_equal(one.to_pandas(), other.to_pandas(), check_dtype=False)


@pytest.mark.parametrize("make", MAKERS)
def test_a_table_is_read_as_its_file_is(make, tmp_path):
    pd.DataFrame(NAMED).to_csv(tmp_path / "answers.csv", index=False)
    same(rs.read_triplets(make(NAMED)), rs.read_triplets(tmp_path / "answers.csv"))


KINDS = [
    (rs.Triplets([[0, 1, 2], [2, 1, 0]], ["a", "b", "c"]), rs.read_triplets),
    (rs.Quadruplets([[0, 1, 2, 3]], list("abcd"), observer=["ann"]), rs.read_quadruplets),
    (rs.Choices([0, 1], [[1, 2, 3], [2, 3, -1]], [1, 2], list("abcd")), rs.read_choices),
    (rs.OddOneOuts([[0, 1, 2]], [1], list("abc")), rs.read_odd_one_outs),
    (rs.Confusions([[0, 1], [1, 2]], [9, 2], 50, list("abc")), rs.read_confusions),
    (rs.Ratings([[0, 1], [1, 2]], [7, 2], 7, list("abc")), rs.read_ratings),
    (rs.SimilarPairs([[0, 1], [1, 2]], [True, False], list("abc")), rs.read_similar_pairs),
]


@pytest.mark.parametrize(("told", "read"), KINDS, ids=lambda k: type(k).__name__)
@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_tables_go_out_and_come_in(told, read, make):

    same(read(make(told.to_pandas().to_dict("list")), told.items), told)


@pytest.mark.parametrize("make", MAKERS)
def test_columns_are_found_by_name_whatever_their_order(make):
    judgments = rs.as_judgments(make(NUMBERED))
    assert judgments.index.tolist() == [[0, 1, 2], [1, 2, 0], [2, 0, 4]]
    assert judgments.n_items == 5
    by_name = rs.as_judgments(make(NAMED))
    assert by_name.items.names == ("jazz", "rock", "soul")
    assert by_name.weight.tolist() == NAMED["weight"]
    assert by_name.observer.tolist() == NAMED["observer"]
    assert by_name.extra["rt_ms"].tolist() == NAMED["rt_ms"]


def test_weights_of_a_table_count():
    rows = pd.DataFrame({"head": [0, 0], "near": [1, 2], "far": [2, 1], "weight": [3.0, 1.0]})
    model = rs.STE(1).set_positions([[0.0], [1.0], [3.0]])
    assert model.score(rows) == 0.75


def test_options_of_numbers_are_positions_too():
    table = pd.DataFrame({"odd": [4, 1], "options": [[4, 1, 0], [1, 2, 4]]})
    odd = rs.as_judgments(table)
    assert isinstance(odd, rs.OddOneOuts)
    assert odd.n_items == 5
    kept = pd.DataFrame({"kept_a": [0, 1], "kept_b": [1, 2], "odd": [2, 0]})
    assert rs.as_judgments(kept).index[:, 0].tolist() == [2, 0]


@pytest.mark.parametrize("make", MAKERS)
def test_a_table_is_never_taken_for_an_array(make):
    for kind in (rs.Triplets, rs.Quadruplets):
        with pytest.raises(JudgmentError, match="read_triplets"):
            kind(make(NUMBERED))
    with pytest.raises(JudgmentError, match="'first', 'second', 'third'"):
        rs.STE().fit(make({"first": [0], "second": [1], "third": [2]}))


def test_unnamed_columns_are_refused():
    with pytest.raises(JudgmentError, match="head, near, far"):
        rs.as_judgments(pd.DataFrame([[0, 1, 2], [2, 1, 0]]))


def test_tables_of_two_kinds_or_of_counts_say_which_reader():
    both = pd.DataFrame(NUMBERED).assign(a=0, b=1, c=2, d=3)
    with pytest.raises(JudgmentError, match="Triplets and Quadruplets"):
        rs.as_judgments(both)
    with pytest.raises(JudgmentError, match="read_confusions"):
        rs.as_judgments(pd.DataFrame({"a": [0], "b": [1], "errors": [1], "trials": [9]}))


def test_bad_rows_are_named():
    with pytest.raises(JudgmentError, match="the table, row 1: near and far"):
        rs.read_triplets(pd.DataFrame({"head": list("ab"), "near": list("bc"), "far": list("cc")}))
    with pytest.raises(JudgmentError, match="-1"):
        rs.as_judgments(pd.DataFrame({"head": [0], "near": [1], "far": [-1]}))
    with pytest.raises(JudgmentError, match="row 0"):
        rs.read_triplets(pl.DataFrame({"head": [None], "near": ["b"], "far": ["c"]}))


def test_empty_doubled_and_lazy_tables_are_refused():
    with pytest.raises(JudgmentError, match="no rows"):
        rs.read_triplets(pd.DataFrame(NAMED).iloc[:0])
    doubled = pd.DataFrame([["a", "b", "c", "b"]], columns=["head", "near", "far", "near "])
    with pytest.raises(JudgmentError, match="two columns are called 'near'"):
        rs.read_triplets(doubled)
    with pytest.raises(JudgmentError, match="collect"):
        rs.read_triplets(pl.LazyFrame(NAMED))
    for given in ([[0, 1, 2]], np.zeros((1, 3)), 7):
        with pytest.raises(ResemblanceError, match="columns with names"):
            rs.read_triplets(given)


def test_an_index_with_a_name_is_a_column():
    told = rs.read_triplets(pd.DataFrame(NAMED).set_index("observer"))
    assert told.observer.tolist() == NAMED["observer"]


def test_any_index_of_rows_will_do():
    cut = pd.DataFrame(NAMED).iloc[[2, 0]]
    assert rs.read_triplets(cut).extra["rt_ms"].tolist() == [400, 510]
    assert len(rs.as_judgments(cut)) == 2


class TestItems:
    FEATURES = pd.DataFrame({"year": [1915, 1974], "loud": [False, True]}, index=["jazz", "punk"])

    def test_texts_of_the_index_are_names(self):
        items = rs.Items(features=self.FEATURES)
        assert items.names == ("jazz", "punk")
        assert items.feature_names == ("year", "loud")
        assert items.features.tolist() == [[1915.0, 0.0], [1974.0, 1.0]]

    def test_numbers_of_the_index_are_none(self):
        assert rs.Items(features=self.FEATURES.set_axis([5, 3])).names == ("0", "1")
        assert rs.Items(["a", "b"], self.FEATURES.set_axis([5, 3])).names == ("a", "b")

    def test_rows_in_another_order_than_the_names_are_refused(self):
        with pytest.raises(JudgmentError, match="'jazz'"):
            rs.Items(["punk", "jazz"], self.FEATURES)
        with pytest.raises(JudgmentError, match="'jazz'"):
            rs.Items(["punk", "jazz"], {"one": [[1.0], [2.0]], "two": self.FEATURES})
        ordered = rs.Items(["punk", "jazz"], self.FEATURES.loc[["punk", "jazz"]])
        assert ordered.features[0].tolist() == [1974.0, 1.0]

    @pytest.mark.parametrize("make", MAKERS[1:])
    def test_columns_of_other_tables_name_features(self, make):
        items = rs.Items(["a", "b"], make({"year": [1915, 1974]}))
        assert items.feature_names == ("year",)
        assert items.features.tolist() == [[1915.0], [1974.0]]

    def test_texts_are_no_features(self):
        with pytest.raises(JudgmentError, match="'genre'"):
            rs.Items(features=pd.DataFrame({"genre": ["x", "y"], "year": [1, 2]}))

    def test_a_table_of_items_is_read_as_its_file(self):
        table = pl.DataFrame({"year": [1915, 1974], "item": ["jazz", "punk"], "class": ["s", "l"]})
        items = rs.read_items(table, features=["year"])
        assert items.names == ("jazz", "punk")
        assert items.labels.tolist() == ["s", "l"]
        told = rs.read_triplets(
            pd.DataFrame({"head": ["a"], "near": ["b"], "far": ["c"]}),
            pl.DataFrame({"id": ["c", "b", "a", "d"]}),
        )
        assert told.items.names == ("c", "b", "a", "d")
        assert told.index.tolist() == [[2, 1, 0]]


def test_rdms_go_out_and_come_in():
    rdms = rs.RDMs([[1.0, 2.0, 3.0], [2.0, 2.0, 4.0]], ["a", "b", "c"], ["ann", "bob"])
    for table in (rdms.to_pandas(), pl.DataFrame(rdms.to_pandas().to_dict("list"))):
        again = rs.read_rdms(table)
        assert again.names == rdms.names
        assert again.dissimilarities.tolist() == rdms.dissimilarities.tolist()
    square = pd.DataFrame(rdms.squares()[0], index=list("abc"), columns=list("abc"))
    named = rs.read_rdms(square.rename_axis("item"), items=["c", "b", "a"])
    assert named.dissimilarities.tolist() == [[3.0, 2.0, 1.0]]
