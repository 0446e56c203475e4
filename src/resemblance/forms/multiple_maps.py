"""Define the form of several maps, in each of which an item has a place and a weight."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax, logsumexp, softmax

from resemblance.arrays import Floats
from resemblance.choice import ChoiceModel
from resemblance.forms import _loops
from resemblance.forms.form import Form


class SeveralMaps(Form):
    r"""Distances whose similarity is the sum of similarities in M maps.

    .. math:: s(d_{ij}) = \sum_m \pi_i^m \pi_j^m \, s(\|x_i^m - x_j^m\|^2), \qquad
       \pi_i^m = e^{w_i^m} \Big/ \sum_{m'} e^{w_i^{m'}}

    where s is the similarity of the choice model. A row of the parameters has the positions of an
    item in maps 1 to M, then its M log weights w. The state is the table of the distances. The
    penalty is

    .. math:: \frac{\lambda}{M} \sum_m \mathrm{size}(X^m) + \frac{1}{2} \sum_{im} (w_i^m)^2

    Items that are not ``split`` have one place and weight in all maps.

    Source: van der Maaten & Hinton 2012, Visualizing non-metric similarities in multiple maps,
    equations 4 and 5.

    Parameters
    ----------
    form : Form
        The form of one map, such as coordinates.
    n_maps : int
        M.
    choice : ChoiceModel
        The choice model with the similarity s.
    penalty : float
        lambda.
    split : array (n,) of bool
        Whether each item may have a place and a weight of its own in each map.
    """

    name: ClassVar[str] = "several maps"
    places = False
    loops = _loops.table_distances, _loops.table_gradient

    def __init__(
        self,
        form: Form,
        n_maps: int,
        choice: ChoiceModel,
        penalty: float,
        split: NDArray[np.bool_],
    ) -> None:
        self.form, self.n_maps, self.choice = form, n_maps, choice
        self.factor, self.split = penalty, split

    def of(self, split: NDArray[np.bool_]) -> SeveralMaps:
        """Return the form with other items split."""
        return SeveralMaps(self.form, self.n_maps, self.choice, self.factor, split)

    def start(self, X: Floats) -> Floats:
        """Return the parameters of items that have the same place X and weight in all maps."""
        return np.hstack([np.tile(X, self.n_maps), np.zeros((len(X), self.n_maps))])

    def parts(self, params: Floats) -> tuple[Floats, Floats]:
        """Return the maps (M, n, d) and the log weights (n, M)."""
        maps, logs = params[:, : -self.n_maps], params[:, -self.n_maps :]
        return maps.reshape(len(params), self.n_maps, -1).swapaxes(0, 1), logs

    def joined(self, maps: Floats, logs: Floats) -> Floats:
        """Return parameters or their gradient, given its parts."""
        return np.hstack([maps.swapaxes(0, 1).reshape(len(logs), -1), logs])

    def tied(self, params: Floats) -> tuple[Floats, Floats]:
        """Return maps and log weights, with one place and equal weights of most items."""
        (maps, logs), split = self.parts(params), self.split[:, None]
        return np.where(split, maps, maps.mean(axis=0)), np.where(split, logs, 0.0)

    def _in_maps(self, params: Floats) -> tuple[Floats, Floats]:
        maps, logs = self.tied(params)
        squares = ((maps[:, :, None] - maps[:, None]) ** 2).sum(axis=3)
        weights = log_softmax(logs, axis=1).T
        both = weights[:, :, None] + weights[:, None]
        return squares, both + self.choice.log_similarity(squares)

    def expand(self, params: Floats) -> Floats:
        """Return the table of the distances of all pairs, (n, n)."""
        log_s: Floats = logsumexp(self._in_maps(params)[1], axis=0)
        return np.maximum(self.choice.distance_at(log_s), 0.0)

    def pull_back(self, params: Floats, gradient: Floats) -> Floats:
        maps, logs = self.tied(params)
        squares, parts = self._in_maps(params)
        log_s = logsumexp(parts, axis=0)
        slope = self.choice.log_similarity_slope(self.choice.distance_at(log_s))
        shares = (gradient + gradient.T) / slope * np.exp(parts - log_s)
        pulls = 2.0 * shares * self.choice.log_similarity_slope(squares)
        moved = pulls.sum(axis=2, keepdims=True) * maps - pulls @ maps
        slopes = shares.sum(axis=2).T
        slopes = slopes - softmax(logs, axis=1) * slopes.sum(axis=1, keepdims=True)
        return self._pulled(moved, slopes)

    def _pulled(self, maps: Floats, logs: Floats) -> Floats:
        return self.joined(*self.tied(self.joined(maps, logs)))

    def penalty(self, params: Floats, state: Floats) -> tuple[float, Floats]:
        maps, logs = self.tied(params)
        sizes, slopes = zip(*(self.form.penalty(X, X) for X in maps), strict=True)
        share = self.factor / self.n_maps
        size = share * sum(sizes) + 0.5 * np.vdot(logs, logs)
        return float(size), self._pulled(share * np.array(slopes), logs)
