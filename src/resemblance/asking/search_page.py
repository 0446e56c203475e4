"""Choose items to show together in a search, by expected information."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr

from resemblance.arrays import Floats
from resemblance.asking import _loops
from resemblance.asking.information import Hypotheses
from resemblance.asking.question import random_rows
from resemblance.asking.strategies import log_similarities
from resemblance.choice import ChoiceModel
from resemblance.fitting.laplace.noise import Noise

Places = NDArray[np.intp]

PAIRS = 2048  # pairs weighed where a page begins with the best of a sample


class Pool:
    r"""A weighted sample of items: hypotheses about the sought item, and candidates to show.

    An item is drawn with probability :math:`\pi = \min(1, c \tau)`, where c fixes their number,
    and has the weight :math:`\tau / \pi`: likely items are always included, and sums over all
    items are estimated without bias (Horvitz and Thompson 1952). ``points`` are (n_items, d),
    ``tau`` (n_items,) the probability that each is sought; ``items``, ``tau`` and ``weight`` of
    the sample are (K,), with items ascending.
    """

    def __init__(
        self,
        points: Floats,
        choice: ChoiceModel,
        tau: NDArray[Any],
        size: int,
        rng: np.random.Generator,
        temperature: float = 1.0,
    ) -> None:
        items = np.empty(size + 1, dtype=np.intp)
        count, scale = _loops.drawn(tau, size, rng.random() * (1.0 - 1e-9), items)
        self.items: Places = items[:count]
        self.tau = tau[self.items].astype(float)
        weight = self.tau / np.minimum(scale * np.maximum(self.tau, 1e-12 / len(tau)), 1.0)
        self.weight = weight / weight.sum()
        near = points[self.items]
        self.hypotheses = Hypotheses(log_similarities(near, near, choice), Noise(temperature))

    def page(self, n: int, missed: float, rng: np.random.Generator) -> list[int]:
        r"""Take n options, each with the largest additional information.

        .. math:: I = \sum_{x \in S} (1 - m) \tau(x) \log \frac{1}{(1 - m) \tau(x)} - \tau(x) H(m)
           + H\big(\textstyle\sum_x w_x p_x\big) - \sum_x w_x H(p_x)

        The sought item is recognised if shown, unless it is missed with probability m; otherwise
        the person chooses the most similar option of S. If m = 1, the first two are the best pair
        of a sample.
        """
        chosen = self._best_pair(rng) if missed == 1.0 else []
        while len(chosen) < n:
            chosen.append(int(self.gains(chosen, missed).argmax()))
        return chosen

    def gains(self, chosen: Sequence[int], missed: float) -> Floats:
        """Return I of the chosen options with each other one, up to a constant."""
        hits = np.minimum((1.0 - missed) * self.tau, self.weight)
        out, weight = np.empty(len(self.tau)), self.weight.copy()
        weight[list(chosen)] -= hits[list(chosen)]
        h = self.hypotheses
        options = np.array(chosen, dtype=np.int64)
        _loops.added_information(h.similarity, h.entropy, weight, hits, options, out)
        unsure = self.tau * (entr(missed) + entr(1.0 - missed))
        out += entr(hits) - unsure
        out[list(chosen)] = -np.inf
        return out

    def _best_pair(self, rng: np.random.Generator) -> list[int]:
        k = len(self.items)
        if k * (k - 1) // 2 <= PAIRS:
            pairs = np.column_stack(np.triu_indices(k, 1)).astype(np.int32)
        else:
            pairs = random_rows(rng, PAIRS, k, 1)
        return [int(i) for i in pairs[self.hypotheses.information(self.weight, pairs).argmax()]]


def is_spread(points: Floats, spread: float) -> bool:
    """Return whether some item of a page is as far from the others as likely items are apart.

    That is, its squared distance from their mean is at least the variance of the posterior.
    """
    others = (points.sum(axis=0) - points) / (len(points) - 1)
    return bool((((points - others) ** 2).sum(axis=1) >= spread).any())


def squared_from(columns: NDArray[Any], centre: NDArray[Any]) -> NDArray[Any]:
    """Return squared distances of positions (d, n) from a point, in their precision, (n,)."""
    out = np.empty(columns.shape[1], columns.dtype)
    _loops.squared(columns, 0, centre, out)
    return out
