"""Make the triplets to fit, as .npy files that every library can read."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.datasets import make_blobs

from resemblance import GroupedKFold, SpaceObserver, Triplets
from resemblance.datasets import (
    digits_triplets,
    fetch_alien_eggs,
    fetch_music_artists,
    sample_triplets,
)


@dataclass(frozen=True)
class Problem:
    """Files of int32 triplets (m, 3) to fit and to hold out, on n_items items."""

    name: str
    n_items: int
    train: Path
    test: Path

    @property
    def n_triplets(self) -> int:
        return len(np.load(self.train, mmap_mode="r"))


def digits(folder: Path, n_train: int = 100_000, n_test: int = 20_000) -> Problem:
    """Return triplets of 1,000 digits by their pixels."""
    drawn = digits_triplets(n_train + n_test, n_items=1000, random_state=0).index
    return _written(folder, "digits", 1000, drawn[:n_train], drawn[n_train:])


def weighed_features(folder: Path, n_items: int = 100) -> tuple[Problem, Path]:
    """Return noisy triplets by 20 features with unequal weights, and the file of features."""
    rng = np.random.default_rng(0)
    features = rng.normal(size=(n_items, 20))
    weights = np.sort(rng.exponential(size=20))[::-1] ** 2
    shown = np.argsort(rng.random((15_000, n_items)), axis=1)[:, :3]
    person = SpaceObserver(features, weights=weights, random_state=0)
    drawn = person.answer(Triplets(shown, n_items)).index
    path = folder / "weighed-features.npy"
    np.save(path, features)
    return _written(folder, "weighed", n_items, drawn[:10_000], drawn[10_000:]), path


def music(folder: Path, data: Path) -> Problem:
    """Return people's answers about 400 artists; a tenth of the responses is held out."""
    triplets = fetch_music_artists(path=data / "music", genres=False).judgments
    train, test = next(GroupedKFold(10).split(triplets))
    return _written(folder, "music", triplets.n_items, triplets.index[train], triplets.index[test])


def eggs(folder: Path, data: Path) -> Problem:
    """Return people's answers about 30 alien eggs; a random fifth is held out."""
    triplets = fetch_alien_eggs(data / "alien_eggs").judgments
    rows = np.random.default_rng(0).permutation(len(triplets))
    test, train = np.split(rows, [len(rows) // 5])
    return _written(folder, "eggs", triplets.n_items, triplets.index[train], triplets.index[test])


def blobs(
    folder: Path, n_items: int = 5000, n_train: int = 1_000_000, n_test: int = 50_000
) -> Problem:
    """Return triplets of ten Gaussian clusters in 20 dimensions, drawn like those of digits."""
    drawn = sample_triplets(_clusters(n_items), n_train + n_test, random_state=0).index
    return _written(folder, f"blobs-{n_items}", n_items, drawn[:n_train], drawn[n_train:])


def far_apart(
    folder: Path, n_items: int = 100_000, n_train: int = 300_000, n_test: int = 20_000
) -> Problem:
    """Return triplets of random items, too many for an n x n matrix."""
    points, rng = _clusters(n_items), np.random.default_rng(0)
    index = rng.integers(n_items, size=(n_train + n_test, 3), dtype=np.int32)
    while (bad := (index == np.roll(index, 1, axis=1)).any(axis=1)).any():
        index[bad] = rng.integers(n_items, size=(bad.sum(), 3), dtype=np.int32)
    head, one, other = (points[column] for column in index.T)
    swap = ((head - one) ** 2).sum(axis=1) > ((head - other) ** 2).sum(axis=1)
    index[swap] = index[swap][:, [0, 2, 1]]
    return _written(folder, "far-apart", n_items, index[:n_train], index[n_train:])


def _clusters(n_items: int) -> np.ndarray:
    return np.asarray(make_blobs(n_items, 20, centers=10, cluster_std=3.0, random_state=0)[0])


def _written(folder: Path, name: str, n_items: int, train: np.ndarray, test: np.ndarray) -> Problem:
    folder.mkdir(parents=True, exist_ok=True)
    problem = Problem(name, n_items, folder / f"{name}-train.npy", folder / f"{name}-test.npy")
    np.save(problem.train, train.astype(np.int32))
    np.save(problem.test, test.astype(np.int32))
    return problem
