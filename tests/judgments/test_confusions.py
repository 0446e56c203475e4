import warnings

import numpy as np
import pytest

from resemblance.errors import FileError, JudgmentError, RepeatedPairsWarning, SettingError
from resemblance.judgments import Confusions, as_judgments, read_confusions

NAN = float("nan")


@pytest.fixture
def drawn():
    """Counts of all pairs of eight items, in a random order of rows."""
    rng = np.random.default_rng(3)
    pairs = rng.permutation(np.argwhere(np.triu(np.ones((8, 8)), 1)))
    trials = rng.integers(1, 60, len(pairs))
    return pairs, rng.binomial(trials, 0.3), trials


def table(confusions):
    """The counts by the names of a pair, in either order."""
    names = confusions.items.names
    return {
        frozenset((names[a], names[b])): (int(e), int(n))
        for (a, b), e, n in zip(confusions.index, confusions.errors, confusions.trials, strict=True)
    }


# What a row says


def test_counts_stay_in_the_order_given(drawn):
    pairs, errors, trials = drawn
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        confusions = Confusions(pairs, errors, trials)
    np.testing.assert_array_equal(confusions.index, pairs)
    np.testing.assert_array_equal(confusions.errors, errors)
    np.testing.assert_array_equal(confusions.trials, trials)
    np.testing.assert_array_equal(confusions.ratio, errors / trials)
    assert confusions.errors.dtype == confusions.trials.dtype == np.int64
    assert len(confusions) == 28


def test_the_order_within_a_pair_does_not_matter(drawn):
    pairs, errors, trials = drawn
    flipped = pairs.copy()
    flipped[::2] = flipped[::2, ::-1]
    one, other = Confusions(pairs, errors, trials), Confusions(flipped, errors, trials)
    np.testing.assert_array_equal(one.index, other.index)
    assert other.index.flags.c_contiguous
    assert other.index.dtype == np.int32


def test_they_are_no_comparisons():
    with pytest.raises(JudgmentError, match="Confusions are not comparisons"):
        as_judgments(Confusions([[0, 1]], [1], [2]))


@pytest.mark.parametrize(
    ("pairs", "errors", "trials", "message"),
    [
        ([[0, 1], [2, 2]], [1, 1], [5, 5], "row 1: '2' is paired with itself: correct or remove"),
        ([[0, 1], [1, 2]], [1, 6], [5, 5], "row 1: the pair '1' with '2' has 6 errors in 5 trials"),
        ([[0, 1], [1, 2]], [1, -1], [5, 5], "row 1: errors must be whole .* 0 upwards, not -1"),
        ([[0, 1], [1, 2]], [1, 0.5], [5, 5], "row 1: errors must be whole numbers .*not 0.5"),
        ([[0, 1], [1, 2]], [1, NAN], [5, 5], "row 1: errors must be whole numbers .*not nan"),
        ([[0, 1], [1, 2]], [1, 1], [5, NAN], "row 1: trials must be whole numbers .*not nan"),
        ([[0, 1], [1, 2]], [1, 1], [np.inf, 5], "row 0: trials must be whole numbers .*not inf"),
        ([[0, 1], [1, 2]], [1, 1], [5, 7.5], "row 1: trials must be whole numbers .*not 7.5"),
        ([[0, 1], [1, 2]], [1, 1], [-5, 5], "row 0: trials must be whole numbers .*not -5"),
        ([[0, 1], [1, 2]], [0, 0], [5, 0], "row 1: the pair '1' with '2' has 0 trials.*remove"),
        ([[0, 1], [1, 2]], ["1", "2"], [5, 5], "errors must be whole numbers, not <U1: give"),
        ([[0, 1], [1, 2]], [1], [5, 5], r"errors of shape \(1,\) for 2 pairs: give one per pair"),
        ([[0, 1], [1, 2]], [1, 1], [5], r"trials of shape \(1,\) for 2 pairs"),
        ([[0, 1], [1, 2]], 1, [5, 5], r"errors of shape \(\) for 2 pairs"),
        ([[0, 1, 2]], [1], [5], "the columns a, b"),
        ([[0, -1]], [1], [5], "row 0: ids must be whole numbers from 0 upwards"),
        ([[0, 1], [1, 0]], [0, 3], [9, 2], "row 1: .* has 3 errors in 2 trial"),  # not of the sum
    ],
)
def test_bad_rows_are_refused(pairs, errors, trials, message):
    with pytest.raises(JudgmentError, match=message):
        Confusions(pairs, errors, trials)


# Rows that repeat a pair


def test_repeats_in_either_order_are_summed_with_a_note():
    pairs = [[2, 3], [1, 0], [0, 1], [3, 2], [0, 1], [0, 3]]
    with pytest.warns(RepeatedPairsWarning, match="3 rows repeat a pair .*leaves 3 rows") as caught:
        summed = Confusions(pairs, [1, 2, 3, 4, 5, 6], [11, 12, 13, 14, 15, 16], items=5)
    assert caught[0].filename == __file__
    assert summed.index.tolist() == [[2, 3], [0, 1], [0, 3]]
    assert summed.errors.tolist() == [5, 10, 6]
    assert summed.trials.tolist() == [25, 40, 16]
    assert summed.n_items == 5


def test_observers_and_responses_stay_apart_until_they_are_pooled():
    pairs = [[0, 1], [1, 0], [2, 1], [0, 1]]
    counts = [1, 2, 3, 4], [10, 10, 10, 10]
    notes = {"observer": ["ann", "bob", "bob", "bob"], "response_id": [1, 2, 3, 4]}
    apart = Confusions(pairs, *counts, **notes, extra={"rt": [1, 2, 3, 4]})
    assert len(apart) == 4
    pooled = apart.pool()
    assert table(pooled) == {frozenset("01"): (7, 30), frozenset("12"): (3, 10)}
    assert pooled.observer is pooled.response_id is None
    assert pooled.extra == {}
    with pytest.warns(RepeatedPairsWarning, match="1 rows"):
        by_observer = Confusions(pairs, *counts, observer=notes["observer"])
    assert by_observer.observer.tolist() == ["ann", "bob", "bob"]
    assert by_observer.errors.tolist() == [1, 6, 3]


def test_extra_columns_cannot_be_summed():
    with pytest.raises(JudgmentError, match="1 rows repeat a pair, and the extra columns rt, note"):
        Confusions([[0, 1], [1, 0]], [1, 2], 9, extra={"rt": [1, 2], "note": ["x", "y"]})


# Matrices


def test_identifications_match_plain_loops():
    N = np.random.default_rng(0).integers(0, 30, (6, 6))
    N[1, 1] = N[2, 2] = N[1, 2] = N[2, 1] = 0  # no trial of 1 and 2
    expected = {
        frozenset((str(i), str(j))): (N[i, j] + N[j, i], N[i, i] + N[i, j] + N[j, i] + N[j, j])
        for i in range(6)
        for j in range(i)
        if (i, j) != (2, 1)
    }
    assert table(Confusions.from_matrix(N)) == expected
    assert table(Confusions.from_matrix(N.T.astype(float))) == expected
    order = np.random.default_rng(1).permutation(6)
    moved = Confusions.from_matrix(N[np.ix_(order, order)], items=order.tolist())
    assert table(moved) == expected


def test_the_halves_of_a_2afc_matrix_are_added_or_mirrored(drawn):
    pairs, errors, trials = drawn
    E, T = np.zeros((2, 8, 8), dtype=int)
    E[tuple(pairs.T)], T[tuple(pairs.T)] = errors, trials
    expected = table(Confusions(pairs, errors, trials))
    both = (E + E.T, T + T.T)
    assert table(Confusions.from_matrix(E, T)) == expected
    assert table(Confusions.from_matrix(E.T, T.T)) == expected
    assert table(Confusions.from_matrix(*both, mirrored=True)) == expected
    doubled = {pair: (2 * e, 2 * n) for pair, (e, n) in expected.items()}
    assert table(Confusions.from_matrix(*both, mirrored=False)) == doubled
    added = Confusions.from_matrix(E + 2 * E.T, T + 2 * T.T)
    assert table(added) == {pair: (3 * e, 3 * n) for pair, (e, n) in expected.items()}


SOME = [[0, 2], [1, 0]]


@pytest.mark.parametrize(
    ("errors", "trials", "mirrored", "message"),
    [
        ([[1, 2, 3], [4, 5, 6]], None, None, r"identifications must be a square .*\(2, 3\)"),
        ([[1, 2], [-1, 5]], None, None, "row 1: identifications in column 0 must be .*not -1"),
        ([[1, NAN], [1, 5]], None, None, "row 0: identifications in column 1 must be .*not nan"),
        ([[1, 0.5], [1, 5]], None, None, "row 0: identifications in column 1 must be .*not 0.5"),
        ([[0, 0], [0, 0]], None, None, "no two different items have trials"),
        (SOME, [[0, 5, 5]] * 3, None, "errors have 2 rows and trials 3"),
        (SOME, [[0, 1], [5, 0]], None, "row 0: column 1: there are more errors than trials"),
        (SOME, [[0, 5], [5, 3]], None, "row 1: column 1: an item has trials with itself"),
        ([[0, 2], [2, 0]], [[0, 5], [5, 0]], None, "both halves .* are equal: say mirrored=True"),
        (SOME, [[0, 5], [5, 0]], True, "row 0: column 1: the other half differs"),
    ],
)
def test_bad_matrices_are_refused(errors, trials, mirrored, message):
    with pytest.raises(JudgmentError, match=message):
        Confusions.from_matrix(errors, trials, mirrored=mirrored)


def test_a_matrix_needs_as_many_items_as_rows():
    with pytest.raises(JudgmentError, match="the matrix has 2 rows for 3 items: give one per row"):
        Confusions.from_matrix([[3, 1], [1, 3]], items=["a", "b", "c"])
    with pytest.raises(
        SettingError, match="mirrored applies to 2AFC errors: give their trials too"
    ):
        Confusions.from_matrix([[3, 1], [1, 3]], mirrored=True)


# Files


@pytest.fixture
def file(tmp_path):
    def write(text):
        (tmp_path / "counts.csv").write_text(text)
        return tmp_path / "counts.csv"

    return write


def test_files_hold_names_counts_and_notes(file):
    text = "b,who,trials,a,errors,participant\nsoul,x,5,jazz,1,ann\npunk,y,50,soul,25,bob\n"
    confusions = read_confusions(file(text))
    assert confusions.items.names == ("jazz", "punk", "soul")
    assert confusions.index.tolist() == [[0, 2], [1, 2]]
    assert confusions.ratio.tolist() == [0.2, 0.5]
    assert confusions.observer.tolist() == ["ann", "bob"]
    assert confusions.extra["who"].tolist() == ["x", "y"]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("x,x,1,5", "line 3: 'x' is paired with itself"),
        ("x,z,6,5", "line 3: the pair 'x' with 'z' has 6 errors in 5 trials"),
        ("x,z,-1,5", "line 3: errors must be whole numbers from 0 upwards, not -1"),
        ("x,z,1.5,5", "line 3: errors must be whole numbers from 0 upwards, not 1.5"),
        ("x,z,,5", "line 3: errors is empty"),
        ("x,z,1,many", "line 3: trials must be a number, not 'many'"),
        ("x,z,0,0", "line 3: the pair 'x' with 'z' has 0 trials"),
        (",z,0,4", "line 3: a is empty"),
    ],
)
def test_bad_lines_are_named(file, row, message):
    with pytest.raises(JudgmentError, match=rf"counts\.csv, {message}"):
        read_confusions(file(f"a,b,errors,trials\nx,y,1,5\n{row}\n"))


def test_missing_and_refused_columns(file):
    with pytest.raises(FileError, match=r"has no column 'trials'.*columns=\{'trials'"):
        read_confusions(file("a,b,errors\nx,y,1\n"))
    with pytest.raises(JudgmentError, match="extra column 'weight' has the name of a column of"):
        read_confusions(file("a,b,errors,trials,weight\nx,y,1,2,3\n"))


def test_rows_chosen_otherwise_stay_apart_and_say_which_are_random():
    chosen = ["random", "predictive", "random"]
    with pytest.warns(RepeatedPairsWarning, match="leaves 2 rows"):
        counts = Confusions([[0, 1]] * 3, [1, 2, 3], [5, 6, 7], extra={"strategy": chosen})
    assert counts.errors.tolist() == [4, 2]
    assert counts.at_random.tolist() == [True, False]
    assert counts.size == "1 pair, 18 trials, 33% of them errors"
    assert counts.pool().trials.tolist() == [18]
