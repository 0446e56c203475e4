import tracemalloc

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import ortho_group

from resemblance.errors import JudgmentError, SettingError
from resemblance.judgments import Choices, Quadruplets, Triplets
from resemblance.scores import (
    as_weights,
    error_from_distances,
    triplet_error,
    triplet_losses,
    weighted_mean,
)


def random_triplets(rng, n_items=12, n_rows=200, **notes):
    index = np.array([rng.permutation(n_items)[:3] for _ in range(n_rows)])
    return Triplets(index, items=n_items, **notes)


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def test_rotation_translation_and_scale_change_nothing(rng):
    # Points of a lattice, so that there are ties to keep.
    points, triplets = rng.integers(0, 4, (12, 3)).astype(float), random_triplets(rng)
    error = triplet_error(points, triplets)
    moved = 3.7 * points @ ortho_group.rvs(3, random_state=1) + rng.normal(size=3)
    assert triplet_error(moved, triplets) == pytest.approx(error, abs=1e-15)
    assert 0.5 in triplet_losses(points, triplets)


def test_relabelling_changes_nothing(rng):
    points, triplets = rng.normal(size=(12, 2)), random_triplets(rng)
    new = rng.permutation(12)
    relabelled = np.empty_like(points)
    relabelled[new] = points
    assert triplet_error(relabelled, new[triplets.index]) == triplet_error(points, triplets)


def test_weights_equal_repeats(rng):
    weight = rng.integers(0, 4, 200)
    points, triplets = rng.normal(size=(12, 2)), random_triplets(rng, weight=weight)
    expanded = triplets.expand_repeats()
    assert triplet_error(points, triplets) == pytest.approx(triplet_error(points, expanded))


def test_reversed_answers_have_the_complementary_error(rng):
    points, triplets = rng.integers(0, 3, (12, 2)), random_triplets(rng)
    reverse = triplets.index[:, [0, 2, 1]]
    assert triplet_error(points, triplets) + triplet_error(points, reverse) == pytest.approx(1)


@pytest.mark.parametrize("place", [0.0, 0.1, 1e6])
def test_a_collapsed_embedding_scores_one_half(rng, place):
    points = np.full((12, 2), place)
    assert triplet_error(points, random_triplets(rng)) == 0.5
    assert triplet_error(points, Quadruplets([[0, 1, 2, 3]])) == 0.5
    assert triplet_error(points, Choices([0], [[1, 2, 3, 4]], [2])) == 0.75


def test_a_triplet_is_a_quadruplet_with_one_item_twice(rng):
    points, triplets = rng.normal(size=(12, 2)), random_triplets(rng)
    same = Quadruplets(triplets.index[:, [0, 1, 0, 2]])
    np.testing.assert_array_equal(triplet_losses(points, same), triplet_losses(points, triplets))


def test_choices_of_two_are_triplets(rng):
    points, triplets = rng.integers(0, 3, (12, 2)), random_triplets(rng)
    head, near, far = triplets.index.T
    same = Choices(head, np.column_stack([far, near]), near)
    np.testing.assert_array_equal(triplet_losses(points, same), triplet_losses(points, triplets))


def test_choices_of_several_widths():
    line = [[0.0], [1.0], [-1.0], [1.0], [3.0]]
    options = [[1, 4, -1, -1], [1, 2, 3, 4], [1, 2, 4, -1], [1, 4, -1, -1]]
    choices = Choices([0, 0, 0, 0], options, [1, 3, 4, 4])
    np.testing.assert_allclose(triplet_losses(line, choices), [0, 1 - 1 / 3, 1, 1])


@given(st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=1, max_size=8))
def test_losses_by_hand(rows):
    distances = np.array(rows, dtype=float)
    losses = [
        1.0 if min(others) < near else 1 - 1 / (1 + others.count(near)) for near, *others in rows
    ]
    error = error_from_distances(distances[:, 0], distances[:, 1:])
    assert error == pytest.approx(np.mean(losses))


def test_rounding_is_a_tie_and_more_is_not():
    assert error_from_distances([0.1 + 0.2], [0.3]) == 0.5
    assert error_from_distances([1.0], [1 + 1e-11]) == 0
    assert error_from_distances([1 + 1e-11], [1.0]) == 1
    assert error_from_distances([2e-300], [1e-300]) == 1


def test_memory_stays_with_the_answer(rng):
    points = rng.normal(size=(50, 30))
    triplets = Triplets(np.tile(random_triplets(rng, 50, 1000).index, (400, 1)))
    tracemalloc.start()
    triplet_losses(points, triplets)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # All coordinates at once would be 400,000 x 30 x 8 bytes = 96 MB for each end of a pair.
    assert peak < 60e6


def test_what_cannot_be_scored_is_named():
    with pytest.raises(SettingError, match="item 2 of the judgments' 3 has no point"):
        triplet_error(np.eye(2), [[0, 1, 2]])
    with pytest.raises(SettingError, match="row 1"):
        error_from_distances([0.0, np.nan], [1.0, 1.0])
    with pytest.raises(SettingError, match=r"give \(m,\)"):
        error_from_distances([0.0, 1.0], [1.0])
    with pytest.raises(JudgmentError, match="every weight is zero"):
        error_from_distances([0.0], [1.0], weights=[0.0])
    with pytest.raises(JudgmentError, match="row 1: weights"):
        error_from_distances([0.0, 0.0], [1.0, 1.0], weights=[1, -1])
    with pytest.raises(JudgmentError, match="3 weights for 1 rows"):
        error_from_distances([0.0], [1.0], weights=[1, 1, 1])
    with pytest.raises(JudgmentError, match="no rows"):
        error_from_distances([], [])


def test_weights_default_to_one_and_known_means():
    assert as_weights(None, 2).tolist() == [1.0, 1.0]
    assert weighted_mean([0.0, 1.0], weights=[3, 1]) == 0.25
    assert error_from_distances([1.0, 2.0], [2.0, 2.0]) == 0.25
