"""The data of figure 2: people on music artists, and triplets drawn from digits."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.decomposition import PCA
from sklearn.metrics import euclidean_distances

import resemblance as rs

N_DIGITS, N_TRIPLETS, NEIGHBOURS = 1000, 100_000, 50


@dataclass(frozen=True)
class Study:
    """Judgments, the classes of their items, and how thoroughly they are gone through.

    Attributes
    ----------
    name : str
        What files are named by.
    judgments : Triplets
        What is fitted and held out.
    dims : tuple of int
        The numbers of dimensions.
    splits : tuple of str
        Kinds of folds: "random" rows, or "grouped" by response.
    folds, gram_folds : int
        How many of the ten folds are run, for coordinates and for Gram matrices.
    tuning_folds, gram_tuning_folds : int
        How many of five inner folds choose a strength.
    """

    name: str
    judgments: rs.Triplets
    dims: tuple[int, ...]
    splits: tuple[str, ...] = ("random",)
    folds: int = 10
    gram_folds: int = 1
    tuning_folds: int = 1
    gram_tuning_folds: int = 1


def music(data: Path) -> Study:
    """Give the 9,090 triplets on 400 artists; 17 rows of the 9,107 repeat the head."""
    triplets = rs.datasets.fetch_music_artists(path=data / "music").judgments
    dims = (2, 3, 5, 10, 15, 20, 30)
    splits = ("random", "grouped")
    return Study("music", triplets, dims, splits, 10, 10, tuning_folds=2, gram_tuning_folds=5)


def mnist_release(data: Path) -> Study:
    """Give 1,000 digits with triplets drawn as the published numbers were."""
    items = principal_components(some_digits(data))
    return Study("mnist_release", released_triplets(items, N_TRIPLETS), (2, 10, 30))


def mnist_nearest(data: Path) -> Study:
    """Give 1,000 digits with far digits drawn among the 50 nearest of the head too."""
    items = principal_components(some_digits(data))
    triplets = rs.datasets.sample_triplets(
        items, N_TRIPLETS, NEIGHBOURS, protocol="release", random_state=0
    )
    return Study("mnist_nearest", triplets, (2, 10, 30), folds=3, gram_folds=0)


def mnist_paper(data: Path) -> Study:
    """Give 1,000 digits with triplets drawn from their pixels, in the paper's words."""
    triplets = rs.datasets.sample_triplets(
        some_digits(data), N_TRIPLETS, NEIGHBOURS, protocol="paper", random_state=0
    )
    return Study("mnist_paper", triplets, (2, 10, 30), folds=3, gram_folds=0)


STUDIES = {
    "music": music,
    "mnist_release": mnist_release,
    "mnist_nearest": mnist_nearest,
    "mnist_paper": mnist_paper,
}


def some_digits(data: Path, n_digits: int = N_DIGITS) -> rs.Items:
    """Draw digits at random, as items with pixels and labels."""
    digits = rs.datasets.fetch_mnist_5k(path=data / "mnist").items
    chosen = np.random.default_rng(0).choice(len(digits), n_digits, replace=False)
    return rs.Items(features=digits.features[chosen], labels=digits.labels[chosen])


def principal_components(items: rs.Items, n_components: int = 50) -> rs.Items:
    """Replace the pixels of digits by their leading principal components."""
    reduced = PCA(n_components, random_state=0).fit_transform(items.features)
    return rs.Items(names=items.names, features=reduced, labels=items.labels)


def released_triplets(items: rs.Items, n_triplets: int, k: int = NEIGHBOURS) -> rs.Triplets:
    """Draw near among the k nearest items of the head, and far among the k that follow near.

    The script that the authors released counts the head as its own first neighbour; the two
    percent of rows whose near item would be the head are not drawn here.
    """
    rng = np.random.default_rng(0)
    distances = euclidean_distances(items.features)
    np.fill_diagonal(distances, -1.0)
    ranked = np.argsort(distances, axis=1)
    head = rng.integers(len(items), size=n_triplets)
    near = rng.integers(1, k, size=n_triplets)
    far = np.minimum(near + rng.integers(1, k + 1, size=n_triplets), len(items) - 1)
    return rs.Triplets(np.column_stack([head, ranked[head, near], ranked[head, far]]), items=items)
