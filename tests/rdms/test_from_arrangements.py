"""The weighted mean of arrangements."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist

import resemblance as rs
from resemblance.errors import RDMError
from resemblance.fitting.objective.arrangement_mean import mean_distances

N = 10
X = np.random.default_rng(0).normal(size=(N, 2))


def arranged(m=6, k=N, noise=0.0, observer=None, seed=0):
    rng = np.random.default_rng(seed)
    shown = np.array([rng.permutation(N)[:k] for _ in range(m)])
    found = rs.SpaceObserver(X, random_state=seed).arrange(shown, N, noise=noise)
    return rs.Arrangements(found.index, found.places, N, observer=observer)


def test_without_noise_the_distances_come_back_whatever_the_sets():
    every = [*arranged(1).index.tolist()[0]]
    part = arranged(40, k=4)
    D = rs.rdms.rdm_from_arrangements(rs.join_judgments([arranged(1), part])).dissimilarities[0]
    truth = pdist(X)
    assert len(every) == N
    assert np.corrcoef(D, truth)[0, 1] > 1 - 1e-9
    assert np.sqrt(np.mean(D**2)) == pytest.approx(1.0)


def test_evidence_is_the_square_of_the_distance_on_the_screen():
    trials = arranged(3, noise=0.1)
    expected = sum(trials.distances(row)[0] ** 2 for row in (0,))
    a, b = trials.index[0, :2]
    _, evidence = mean_distances(trials[:1])
    assert evidence[a, b] == evidence[b, a] == pytest.approx(expected)
    _, twice = mean_distances(trials[:1].reweighted([2]))
    assert twice[a, b] == pytest.approx(2 * expected)


def test_distances_have_a_root_mean_square_of_1():
    mean, _ = mean_distances(rs.Arrangements([[0, 1, 2]], [[[0, 0], [3, 0], [0, 4]]]))
    expected = np.array([[0, 3, 4], [3, 0, 5], [4, 5, 0]]) * np.sqrt(3 / 50)
    np.testing.assert_allclose(mean, expected)


def test_weights_equal_repeats():
    trials = arranged(3, noise=0.1)
    weighted, repeated = (
        mean_distances(trials.reweighted([1, 2, 3])),
        mean_distances(trials[[0, 1, 1, 2, 2, 2]]),
    )
    assert np.allclose(weighted[0], repeated[0], rtol=1e-6)
    assert np.allclose(weighted[1], repeated[1])


def test_each_person_has_a_matrix():
    people = rs.rdms.rdm_from_arrangements(arranged(4, observer=["ann", "bob"] * 2, noise=0.1))
    assert people.names == ("ann", "bob")
    assert people.dissimilarities.shape == (2, N * (N - 1) // 2)


def test_pairs_that_nobody_saw_together_are_named():
    trials = rs.Arrangements([[0, 1, 2]], [[[0, 0], [1, 0], [0, 1]]], ["a", "b", "c", "d"])
    with pytest.raises(RDMError, match="'a' and 'd', nor 2 other pairs"):
        rs.rdms.rdm_from_arrangements(trials)
