import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.stats import chisquare

from resemblance import Items
from resemblance.datasets import digits_triplets, sample_triplets, sampling
from resemblance.errors import SettingError

POINTS = np.random.default_rng(5).normal(size=(9, 2))


def naive_distances(points):
    return [[float(np.sum((a - b) ** 2)) for b in points] for a in points]


def naive_probabilities(points, k, protocol):
    """The probability of every triplet, by plain loops."""
    distance = naive_distances(points)
    n = len(points)
    probability = {}
    for head in range(n):
        others = sorted((i for i in range(n) if i != head), key=lambda i: distance[head][i])
        nearest = others[:k]
        nears = nearest[:-1] if protocol == "nearest" else nearest
        for rank, near in enumerate(nears):
            if protocol == "paper":
                fars = [i for i in range(n) if distance[head][i] > distance[head][near]]
            else:
                fars = (
                    others[rank + 1 : rank + 1 + k]
                    if protocol == "release"
                    else nearest[rank + 1 :]
                )
            for far in fars:
                probability[head, near, far] = 1 / (n * len(nears) * len(fars))
    return probability


@pytest.mark.parametrize("block", [2**22, 20])  # all heads at once, and two heads at a time
@pytest.mark.parametrize("protocol", ["paper", "release", "nearest"])
def test_every_triplet_has_its_naive_probability(protocol, block, monkeypatch):
    monkeypatch.setattr(sampling, "_BLOCK", block)
    expected = naive_probabilities(POINTS, 4, protocol)
    assert sum(expected.values()) == pytest.approx(1)
    drawn = sample_triplets(POINTS, 50_000, 4, protocol, random_state=0)
    rows, counts = np.unique(drawn.index, axis=0, return_counts=True)
    observed = dict(zip(map(tuple, rows.tolist()), counts.tolist(), strict=True))
    assert set(observed) <= set(expected)
    frequencies = [observed.get(row, 0) for row in expected]
    assert chisquare(frequencies, 50_000 * np.array(list(expected.values()))).pvalue > 1e-3


def test_far_is_strictly_further_when_distances_tie():
    points = np.random.default_rng(1).integers(0, 4, size=(40, 2)).astype(float)
    distance = np.array(naive_distances(points))
    head, near, far = sample_triplets(points, 20_000, 10, random_state=0).index.T
    others = np.where(np.eye(40, dtype=bool), np.inf, distance)
    assert (distance[head, far] > distance[head, near]).all()
    assert (distance[head, near] <= np.sort(others, axis=1)[head, 9]).all()
    assert (head != near).all()


def test_rows_come_in_random_order():
    head = sample_triplets(POINTS, 9_000, 4, random_state=0).index[:, 0]
    halves = [np.bincount(half, minlength=9) for half in (head[:4_500], head[4_500:])]
    assert all(chisquare(half).pvalue > 1e-3 for half in halves)


def test_one_seed_gives_one_result():
    first, again, other = (sample_triplets(POINTS, 50, 4, random_state=s) for s in (3, 3, 4))
    assert_array_equal(first.index, again.index)
    assert not np.array_equal(first.index, other.index)


def test_items_are_kept():
    items = Items(list("abcdefghi"), features=POINTS)
    assert sample_triplets(items, 5, 3, random_state=0).items is items


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_triplets": 0}, "n_triplets is 0"),
        ({"protocol": "both"}, "'paper', 'release' or 'nearest'"),
        ({"n_neighbours": 8}, "from 1 to 7"),
        ({"n_neighbours": 5, "protocol": "release"}, "from 1 to 4"),
        ({"n_neighbours": 1, "protocol": "nearest"}, "from 2 to 8"),
        ({"features": Items(9)}, "table"),
        ({"features": {"pixels": POINTS}}, "table"),
        ({"features": [[0.0], [1.0], [1.0], [1.0]], "n_neighbours": 1}, "item 0 .* number 1"),
    ],
)
def test_bad_settings_name_the_remedy(settings, message):
    settings = {"features": POINTS, "n_triplets": 5, "n_neighbours": 4} | settings
    with pytest.raises(SettingError, match=message):
        sample_triplets(**settings)


def test_digits_carry_pixels_and_classes():
    triplets = digits_triplets(200, n_items=300)
    assert triplets.shape == (200, 3)
    assert triplets.n_items == 300
    assert triplets.items.features.shape == (300, 64)
    assert set(np.asarray(triplets.items.labels).tolist()) == set(range(10))
    assert_array_equal(triplets.index, digits_triplets(200, n_items=300).index)


@pytest.mark.parametrize("n_items", [0, 1_798])
def test_digits_number_of_items_out_of_range(n_items):
    with pytest.raises(SettingError, match="from 3 to 1797"):
        digits_triplets(10, n_items=n_items)
