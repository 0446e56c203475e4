import numpy as np
import pandas as pd
import pytest

from resemblance.plotting.canvas import OTHER, UNLABELLED
from resemblance.plotting.scene import classes_of


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [3, 1, 0, 2]])
def test_the_legend_does_not_depend_on_the_order_of_items(order):
    labels = np.array(["10", "9", "9", "x"])[order]
    assert classes_of(labels).names == ("9", "10", "x")


def test_the_rarest_of_many_classes_are_the_others():
    labels = [f"c{i}" for i in range(15) for _ in range(20 - i)]
    classes = classes_of(labels)
    assert classes.names == (*(f"c{i}" for i in range(12)), "other (3 classes)")
    assert classes.styles == (*range(12), OTHER)
    assert (classes.index == 12).sum() == 8 + 7 + 6


@pytest.mark.parametrize("missing", [None, float("nan"), "", pd.NA])
def test_items_without_a_label_are_a_class_of_their_own(missing):
    classes = classes_of(["a", missing, "a"])
    assert classes.names == ("a", "no label")
    assert classes.styles == (0, UNLABELLED)
    assert classes.index.tolist() == [0, 1, 0]


def test_numbers_read_from_a_table_with_holes_lose_their_point():
    assert classes_of(pd.Series([1.0, 2.0, None])).names == ("1", "2", "no label")
    assert classes_of([0.5, True]).names == ("0.5", "True")
