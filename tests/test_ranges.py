"""Allowed values of settings, wherever they are given."""

import numpy as np
import pytest

import resemblance as rs
from resemblance.errors import SettingError
from resemblance.ranges import YES_OR_NO, integers

POINTS = [[0.0], [1.0], [3.0], [7.0], [9.0]]
TRIPLETS = rs.Triplets([[0, 1, 2], [1, 0, 2], [2, 1, 3], [3, 4, 0], [4, 3, 1]])


def test_a_whole_number_is_no_float_nor_a_truth_value():
    assert all(value in integers(1) for value in (100, np.int32(100)))
    assert not any(value in integers(1) for value in (100.0, np.float64(100), True, np.True_))


def test_yes_or_no_is_no_text():
    assert all(value in YES_OR_NO for value in (True, False, np.True_, np.False_))
    assert not any(
        value in YES_OR_NO for value in ("no", "yes", "False", None, 2, [], np.array("no"))
    )


@pytest.mark.parametrize(
    ("setting", "use"),
    [
        ("n_resamples", lambda: rs.compare_groups(TRIPLETS, {}, n_resamples=100.0)),
        ("n_permutations", lambda: rs.compare_groups(TRIPLETS, {}, n_permutations=199.0)),
        ("max_iter", lambda: rs.STE(1, max_iter=5.0).fit(TRIPLETS)),
        ("picks", lambda: rs.Session(9, n_options=4, picks=2.0)),
        ("picks", lambda: rs.Session(9, n_options=4, picks=1.5)),
        ("guard", lambda: rs.Session(9, guard="no")),
        ("auto_refit", lambda: rs.Session(9, auto_refit="no")),
        ("keep_log", lambda: rs.Session(9, keep_log="no")),
        ("ordered", lambda: rs.Session(9, n_options=4, picks=2, ordered="no")),
        ("odd_one_out", lambda: rs.Session(9, odd_one_out="no")),
        ("adaptive", lambda: rs.Search(fitted(), n_options=2, adaptive="no")),
        ("adaptive", lambda: rs.OutOfSampleSession(fitted(), adaptive="no")),
        ("repeats", lambda: rs.InformationGain(repeats="no")),
        ("repeats", lambda: rs.PredictiveGain(repeats="no")),
        ("repeats", lambda: rs.RandomQuestions("no")),
        ("repeats", lambda: rs.UncertainQuestions(repeats="no")),
        ("warm_start", lambda: rs.STE(1, warm_start="no").fit(TRIPLETS)),
        ("unit_norm", lambda: rs.CKL(1, unit_norm="no").fit(TRIPLETS)),
        ("reduce", lambda: rs.clean(TRIPLETS, reduce="no")),
        ("log", lambda: rs.Staircase(1.0, 0.1, log="no")),
        ("balanced", lambda: rs.neighbour_error([[0.0], [1.0]], ["a", "b"], "no")),
        ("diagonal", lambda: rs.forms.MultiKernelMap(diagonal="no")),
        ("standardised", lambda: rs.FeaturePrior(standardised="no")),
        ("shuffle", lambda: next(rs.GroupedKFold(2, shuffle="no").split(TRIPLETS))),
        ("whole", lambda: next(rs.ItemKFold(2, whole="no").split(TRIPLETS))),
    ],
)
def test_settings_that_look_right_are_refused_by_name(setting, use):
    with pytest.raises(SettingError) as problem:
        use()
    assert problem.value.setting == setting


def fitted() -> rs.STE:
    return rs.STE(1, random_state=0).fit(TRIPLETS)
