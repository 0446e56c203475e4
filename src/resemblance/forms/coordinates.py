"""The form whose parameters are the coordinates of the items."""

from typing import ClassVar

import numpy as np

from resemblance.arrays import Floats
from resemblance.forms.form import Form
from resemblance.geometry import principal_axes


class Coordinates(Form):
    """Positions X, free: d_ij = ||x_i - x_j||^2, n * d parameters, no n x n matrix anywhere.

    Parameters
    ----------
    unit_norm : bool
        Whether every row has length one (Tamuz et al. 2011, equation 1). The parameters then are
        free rows z and x = z / ||z||.

    Examples
    --------
    >>> Coordinates(unit_norm=True).expand(np.array([[3.0, 4.0]]))
    array([[0.6, 0.8]])
    """

    name: ClassVar[str] = "coordinates"

    def __init__(self, unit_norm: bool = False) -> None:
        self.unit_norm = unit_norm

    def expand(self, params: Floats) -> Floats:
        """Return X: the parameters, scaled to length one when ``unit_norm``."""
        return params / _lengths(params) if self.unit_norm else params

    def pull_back(self, params: Floats, gradient: Floats) -> Floats:
        """Remove the radial part of the gradient when ``unit_norm``."""
        if not self.unit_norm:
            return gradient
        lengths = _lengths(params)
        X = params / lengths
        return (gradient - X * (X * gradient).sum(axis=1, keepdims=True)) / lengths

    def positions(self, params: Floats, n_components: int, center: bool) -> Floats:
        """Return X in its principal axes; unit rows are turned but never moved."""
        return principal_axes(self.expand(params), center=center and not self.unit_norm)


def _lengths(params: Floats) -> Floats:
    """Return the length of each row, never zero."""
    return np.maximum(np.linalg.norm(params, axis=1, keepdims=True), 1e-12)
