"""Positions with all pairwise distances computed in advance by one matrix product."""

import numpy as np
from scipy.linalg.blas import dsymm

from resemblance.arrays import Floats
from resemblance.forms import _loops
from resemblance.forms.form import Form

WORTH = 16.0  # coordinates of pairs that cost as much as an entry of the table
MOST_ITEMS = 8000  # two tables of half a gigabyte


def quickest(form: Form, n_items: int, n_components: int, n_pairs: int, reads: int) -> Form:
    """Return the form itself, or one that finds the same distances sooner in a table.

    The table of all n x n costs n^2 d multiplications, which linear algebra does some ten times
    as fast as a loop over m pairs does its m d; looking up costs each pair the same for any d.
    """
    if not form.tables or reads == _loops.PLAIN or n_items > MOST_ITEMS:
        return form
    pays = n_pairs * n_components > WORTH * n_items**2 and n_pairs > n_items**2 / 10
    return Tabled(form, reads) if pays else form


class Tabled(Form):
    r"""Another form of positions, whose state is the table of distances of all pairs of items.

    .. math:: D_{ij} = \|x_i - x_j\|^2 \ \text{or}\ x_i \cdot x_j, \qquad
       \frac{\partial}{\partial X} \sum_{ij} S_{ij} D_{ij} =
       2 (\mathrm{diag}(R 1) - R) X \ \text{or}\ R X, \qquad R = S + S'
    """

    places = False
    loops = _loops.table_distances, _loops.table_gradient

    def __init__(self, form: Form, reads: int) -> None:
        self.form, self.reads = form, reads
        self.default_penalty, self.extent = form.default_penalty, form.extent

    def start(self, X: Floats) -> Floats:
        return self.form.start(X)

    def expand(self, params: Floats) -> Floats:
        X = self.form.expand(params)
        K = X @ X.T
        if self.reads == _loops.INNER:
            return np.asarray(K)
        squares = K.diagonal().copy()
        K *= -2.0
        K += squares
        K += squares[:, None]
        return np.maximum(K, 0.0, out=K)

    def pull_back(self, params: Floats, gradient: Floats) -> Floats:
        """Gather the slopes of all pairs at the items."""
        X = self.form.expand(params)
        moved = dsymm(1.0, gradient.T, X, lower=1)  # R X, of the half above the diagonal
        if self.reads == _loops.SQUARED:
            totals = gradient.sum(axis=0) + gradient.sum(axis=1)
            moved = 2.0 * (totals[:, None] * X - moved)
        return self.form.pull_back(params, np.ascontiguousarray(moved))

    def penalty(self, params: Floats, state: Floats) -> tuple[float, Floats]:
        return self.form.penalty(params, self.form.expand(params))

    def lower(self, params: Floats) -> Floats | None:
        return self.form.lower(params)

    def positions(self, params: Floats, n_components: int, center: bool) -> Floats:
        return self.form.positions(params, n_components, center)
