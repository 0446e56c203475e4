import pandas as pd
import pytest

from resemblance.errors import JudgmentError
from resemblance.judgments.labels import (
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


def test_ids_are_numbers_or_numbered():
    assert response_ids_of(pd.Series([7, 5, 7])).tolist() == [7, 5, 7]
    assert response_ids_of(pd.Series(["t9", "t1", "t9"])).tolist() == [0, 1, 0]
    with pytest.raises(JudgmentError, match="row 1: response_id is empty"):
        response_ids_of(pd.Series(["t9", None]))
