"""Triplets of the digits that scikit-learn ships."""

import numpy as np
from sklearn.datasets import load_digits

from resemblance.datasets.sampling import Protocol, sample_triplets
from resemblance.judgments import Items, Triplets
from resemblance.ranges import check, integers


def digits_triplets(
    n_triplets: int = 10_000,
    n_neighbours: int = 50,
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
    n_neighbours : int, default=50
        Near items are drawn among this many nearest neighbours of the head.
    random_state : int, Generator or None, default=0
        Seed of the draws.
    n_items : int, optional
        Take the first digits only; all 1,797 by default.
    protocol : {"paper", "release"}, default="paper"
        The way of drawing items, see `sample_triplets`.

    Returns
    -------
    Triplets
        Their items have the 64 pixels as features and the digit, 0 to 9, as label.

    Raises
    ------
    SettingError
        If a number is out of range.

    References
    ----------
    The sampling is that of van der Maaten, Weinberger (2012), section 5.1, on other digits.

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
