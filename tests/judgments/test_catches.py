import numpy as np
import pytest

from resemblance.errors import JudgmentError
from resemblance.judgments import (
    CatchTrials,
    Choices,
    OddOneOuts,
    Triplets,
    as_judgments,
    read_things,
)

INDEX = [[0, 1, 2], [0, 0, 4], [1, 2, 0], [2, 1, 2]]
OBSERVER = ["ann", "ann", "bob", "bob"]


@pytest.fixture
def triplets():
    return Triplets.split_catches(INDEX, observer=OBSERVER, extra={"rt": [1, 2, 3, 4]})


def test_split_keeps_every_row_on_one_side(triplets):
    assert triplets.index.tolist() == [INDEX[0], INDEX[2]]
    assert triplets.catches.index.tolist() == [INDEX[1], INDEX[3]]
    assert triplets.catches.extra["rt"].tolist() == [2, 4]
    assert triplets.n_items == triplets.catches.n_items == 5


def test_passing_is_choosing_the_head(triplets):
    assert triplets.catches.passed.tolist() == [True, False]
    assert triplets.catches.pass_rate == 0.5
    assert triplets.catches.pass_rates_by_observer() == {"ann": 1.0, "bob": 0.0}


def test_choices_split_alike(triplets):
    index = np.array(INDEX)
    choices = Choices.split_catches(index[:, 0], index[:, 1:], index[:, 1])
    np.testing.assert_array_equal(choices, triplets)
    np.testing.assert_array_equal(choices.catches, triplets.catches)


class TestOddOneOuts:
    """Of three, of which one is shown twice, the third is odd."""

    ROWS = (0, 1, 2), (3, 3, 1), (0, 2, 0), (1, 2, 3)
    ODD = 1, 1, 0, 3

    @pytest.fixture
    def odd(self):
        return OddOneOuts.split_catches(self.ROWS, self.ODD, list("abcd"), observer=OBSERVER)

    def test_they_are_counted_for_each_person(self, odd):
        assert odd.index.tolist() == [[1, 0, 2], [3, 1, 2]]
        assert odd.catches.passed.tolist() == [True, False]
        assert odd.catches.pass_rates_by_observer() == {"ann": 1.0, "bob": 0.0}
        assert odd.catches.to_pandas()["options"].tolist() == [["b", "d", "d"], ["a", "a", "c"]]

    @pytest.mark.parametrize("name", ["odd.csv", "odd.jsonl"])
    def test_a_file_keeps_them(self, odd, tmp_path, name):
        odd.write(tmp_path / name)
        found = OddOneOuts.read(tmp_path / name, odd.items, on_error="skip")
        assert found.index.tolist() == odd.index.tolist()
        assert found.catches.index.tolist() == odd.catches.index.tolist()
        with pytest.raises(JudgmentError, match=r"line [34]: the item 'd'") as told:
            OddOneOuts.read(tmp_path / name, odd.items)
        assert told.value.setting == "on_error"

    def test_the_files_of_things_keep_them(self, tmp_path):
        path = tmp_path / "odd.txt"
        path.write_text("0 2 1\n3 3 1\n0 2 0\n")
        assert read_things(path, on_error="skip").catches.passed.tolist() == [True, False]
        with pytest.raises(JudgmentError, match="line 2"):
            read_things(path)

    @pytest.mark.parametrize(
        ("row", "odd"), [([1, 1, 1], 1), ([1, 1, 2, 3], 2), ([1, 1, 2, 2], 1), ([1, 1, -1], 1)]
    )
    def test_rows_without_a_right_answer_are_refused(self, row, odd):
        with pytest.raises(JudgmentError, match="row 0"):
            OddOneOuts.split_catches([row], [odd])


def test_a_slice_has_no_catches(triplets):
    assert triplets[:].catches is None
    assert triplets.merge_repeats(drop_extra=True).catches is None


def test_catches_are_never_fitted(triplets):
    with pytest.raises(JudgmentError, match="CatchTrials are not comparisons"):
        as_judgments(triplets.catches)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: CatchTrials([[0, 0, 1], [0, 1, 2]]), "row 1: the head is not among"),
        (lambda: CatchTrials([[0, 0, 1], [1, -1, 1]]), "row 1: the head is not among"),
        (lambda: CatchTrials([[0, 0]]), "need a head, the option chosen and others"),
        (lambda: Triplets.split_catches([[0, 0, 1]]), "every row is a catch trial"),
        (lambda: Triplets.split_catches([[0, 1, 2], [0, 0, 0]]), "row 1: near and far are both"),
        (lambda: CatchTrials([[0, 0, 1]]).pass_rates_by_observer(), "give observer="),
    ],
)
def test_bad_catches_are_refused(make, message):
    with pytest.raises(JudgmentError, match=message):
        make()
