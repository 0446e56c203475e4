"""Load the data of figure 2: people's triplets of music artists, and triplets from digits."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.decomposition import PCA

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
    return Study("mnist_release", drawn_from_components(data, "release"), (2, 10, 30))


def mnist_nearest(data: Path) -> Study:
    """Give 1,000 digits with far digits drawn among the 50 nearest of the head too."""
    triplets = drawn_from_components(data, "nearest")
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


def drawn_from_components(data: Path, protocol: str) -> rs.Triplets:
    """Draw triplets from the leading principal components of some digits."""
    items = principal_components(some_digits(data))
    return rs.datasets.sample_triplets(items, N_TRIPLETS, NEIGHBOURS, protocol, random_state=0)


def some_digits(data: Path, n_digits: int = N_DIGITS) -> rs.Items:
    """Draw digits at random, as items with pixels and labels."""
    digits = rs.datasets.fetch_mnist_5k(path=data / "mnist").items
    chosen = np.random.default_rng(0).choice(len(digits), n_digits, replace=False)
    return rs.Items(features=digits.features[chosen], labels=digits.labels[chosen])


def principal_components(items: rs.Items, n_components: int = 50) -> rs.Items:
    """Replace the pixels of digits by their leading principal components."""
    reduced = PCA(n_components, random_state=0).fit_transform(items.features)
    return rs.Items(names=items.names, features=reduced, labels=items.labels)
