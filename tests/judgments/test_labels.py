import pandas as pd
import pytest

from resemblance.errors import JudgmentError
from resemblance.judgments.items import Items
from resemblance.judgments.labels import (
    Labels,
    items_of,
    natural_order,
    response_ids_of,
    whole_as_digits,
)


@pytest.mark.parametrize(
    ("text", "digits"),
    [("3", "3"), ("3.0", "3"), ("3.", "3"), ("+3", "3"), ("007", "007"), ("jazz", "jazz")]
    + [("1e5", "1e5"), ("NA", "NA"), ("a-1", "a-1")]
    + [(bad, None) for bad in ("-3", "2.5", ".5")]
    + [(text, text) for text in ("nan", "NaN", "inf", "-Infinity", "-")],
)
def test_whole_numbers_are_digits_and_other_numbers_nothing(text, digits):
    assert whole_as_digits(text) == digits


def test_natural_order():
    names = ["a10", "10", "a2", "2", "B1", "b", "a"]
    assert sorted(names, key=natural_order) == ["2", "10", "a", "a2", "a10", "b", "B1"]


@pytest.mark.parametrize("values", [[3, 1, 3], [3.0, 1.0, 3.0], ["3", "1", "3.0"], [3, "1", " 3"]])
def test_numbers_and_texts_name_the_same_items(values):
    column = Labels.of(pd.Series(values), "head")
    items = items_of([column])
    assert items.names == ("1", "3")
    assert column.positions(items).tolist() == [1, 0, 1]


def test_given_names_come_before_numbers():
    column = Labels.of(pd.Series(["1.50", "-1", "2.0"]), "head")
    assert column.positions(Items(["-1", "1.50", "2"])).tolist() == [1, 0, 2]
    with pytest.raises(JudgmentError, match=r"row 0: head: '1\.50' is no name and no whole number"):
        items_of([column])


@pytest.mark.parametrize("options", [["b|a", "c|a|b"], [["b", "a"], ["c", "a", "b"]]])
def test_options_know_their_rows(options):
    column = Labels.of(pd.Series(options), "options")
    assert column.cells.tolist() == ["b", "a", "c", "a", "b"]
    assert column.rows.tolist() == [0, 0, 1, 1, 1]


@pytest.mark.parametrize("values", [["a", None], ["a", ""], ["a", "  "], [1.0, float("nan")]])
def test_empty_labels_are_refused(values):
    with pytest.raises(JudgmentError, match="row 1: near is empty"):
        Labels.of(pd.Series(values), "near")


def test_ids_are_numbers_or_numbered():
    assert response_ids_of(pd.Series([7, 5, 7])).tolist() == [7, 5, 7]
    assert response_ids_of(pd.Series(["t9", "t1", "t9"])).tolist() == [0, 1, 0]
    with pytest.raises(JudgmentError, match="row 1: response_id is empty"):
        response_ids_of(pd.Series(["t9", None]))
