"""Folds of items, and maps that place items they have not seen."""

import numpy as np
import pytest
from sklearn.datasets import load_digits

import resemblance as rs
from resemblance.errors import SettingError


def some_triplets(n=12, m=600):
    rng = np.random.default_rng(0)
    return rs.Triplets(np.array([rng.choice(n, 3, replace=False) for _ in range(m)]), items=n)


@pytest.mark.parametrize("whole", [False, True])
def test_no_training_row_mentions_a_held_out_item(whole):
    triplets, out = some_triplets(), []
    for train, test in rs.ItemKFold(3, whole=whole, random_state=0).split(triplets):
        kept = np.unique(triplets.index[train])
        held = np.setdiff1d(np.arange(12), kept)
        out.append(held)
        unseen = np.isin(triplets.index[test], held)
        assert (unseen.all(axis=1) if whole else unseen.any(axis=1)).all()
    assert sorted(np.concatenate(out)) == list(range(12))


def test_one_seed_gives_the_same_folds():
    folds = [list(rs.ItemKFold(3, random_state=4).split(some_triplets())) for _ in range(2)]
    for one, other in zip(*folds, strict=True):
        np.testing.assert_array_equal(one[0], other[0])


def test_choices_with_fewer_options_are_not_taken_for_an_item():
    choices = rs.Choices([0, 3], [[1, 2, -1], [4, 5, -1]], [1, 4], items=6)
    for seed in range(40):
        try:
            folds = list(rs.ItemKFold(2, whole=True, random_state=seed).split(choices))
        except SettingError:
            continue  # the deal does not part the two rows
        assert [test.tolist() for _, test in folds] in ([[0], [1]], [[1], [0]])
        return
    pytest.fail("no deal parted the two rows")


@pytest.mark.filterwarnings("ignore::resemblance.errors.ConstantFeatureWarning")
def test_a_learned_metric_on_pixels_beats_raw_distance_on_held_out_digits():
    digits, rng = load_digits(), np.random.default_rng(0)
    pixels, labels = digits.data[:300] / digits.data.std(), digits.target[:300]
    rows = np.array([rng.choice(300, 3, replace=False) for _ in range(20_000)])
    same = labels[rows[:, :1]] == labels[rows[:, 1:]]
    rows = rows[same[:, 0] & ~same[:, 1]]  # near is the same digit, far another one
    triplets = rs.Triplets(rows, rs.Items(features=pixels))
    learned, raw = [], []
    for train, test in rs.ItemKFold(3, whole=True, random_state=0).split(triplets):
        fitted = rs.STE(8, form="linear", penalty=10.0, random_state=0).fit(triplets[train])
        learned.append(rs.triplet_error(fitted.transform(pixels), triplets[test]))
        raw.append(rs.triplet_error(pixels, triplets[test]))
    assert np.mean(learned) < 0.8 * np.mean(raw)


def test_bad_settings_are_refused():
    with pytest.raises(SettingError, match="n_splits is 13"):
        list(rs.ItemKFold(13).split(some_triplets()))
