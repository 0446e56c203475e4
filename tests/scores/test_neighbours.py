import numpy as np
import pandas as pd
import pytest

from resemblance.errors import SettingError
from resemblance.scores import majority_error, neighbour_error


def naive_losses(points, labels):
    """Share of wrong labels among the nearest others, by plain loops."""
    losses = []
    for i, label in enumerate(labels):
        distance = {j: np.sum((points[i] - points[j]) ** 2) for j in range(len(labels)) if j != i}
        nearest = [j for j, d in distance.items() if d <= min(distance.values()) * (1 + 1e-12)]
        losses.append(np.mean([labels[j] != label for j in nearest]))
    return losses


# Three columns go by the tree and ten by blocks; few values give many ties and repeated points.
@pytest.mark.parametrize("d", [1, 3, 10])
@pytest.mark.parametrize("n_values", [2, 4, 1000])
def test_against_plain_loops(d, n_values):
    rng = np.random.default_rng(0)
    points, labels = rng.integers(0, n_values, (40, d)) / 10, rng.choice(list("abc"), 40)
    losses = np.array(naive_losses(points, labels))
    assert neighbour_error(points, labels) == pytest.approx(losses.mean())
    by_class = [losses[labels == label].mean() for label in np.unique(labels)]
    assert neighbour_error(points, labels, balanced=True) == pytest.approx(np.mean(by_class))


def test_many_blocks_equal_one(monkeypatch):
    rng = np.random.default_rng(2)
    points, labels = rng.integers(0, 2, (50, 9)), rng.integers(0, 3, 50)
    whole = neighbour_error(points, labels)
    monkeypatch.setattr("resemblance.scores.neighbours._BLOCK", 100)
    assert neighbour_error(points, labels) == pytest.approx(whole)


@pytest.mark.parametrize("d", [2, 12])
def test_a_collapsed_embedding_guesses_among_the_others(d):
    labels = ["a"] * 6 + ["b"] * 4
    expected = (6 * 4 / 9 + 4 * 6 / 9) / 10
    assert neighbour_error(np.ones((10, d)), labels) == pytest.approx(expected)


def test_items_without_a_label_are_left_out():
    points = np.array([[0.0], [0.1], [1.0], [1.1], [1.2], [2.0]])
    labels = np.array(["a", None, "a", np.nan, " ", "b"], dtype=object)
    kept = neighbour_error(points[[0, 2, 5]], ["a", "a", "b"])
    assert neighbour_error(points, labels) == kept
    assert neighbour_error(points, pd.Series(labels, index=range(6, 0, -1))) == kept
    assert neighbour_error(points, [0.0, np.nan, 0.0, np.nan, np.nan, 1.0]) == kept
    assert majority_error(labels) == pytest.approx(1 / 3)


def test_many_items_take_little_memory_and_time():
    rng = np.random.default_rng(3)
    points, labels = rng.normal(size=(30_000, 2)), rng.integers(0, 2, 30_000)
    points[:20_000] = 0
    assert neighbour_error(points, labels) == pytest.approx(0.5, abs=0.02)


def test_what_cannot_be_scored_is_named():
    with pytest.raises(SettingError, match="2 entries and embedding 3 rows"):
        neighbour_error(np.eye(3), ["a", "b"])
    with pytest.raises(SettingError, match="1 items have a label"):
        neighbour_error(np.eye(3), ["a", None, ""])
    with pytest.raises(SettingError, match="no item has a label"):
        majority_error([None, ""])
