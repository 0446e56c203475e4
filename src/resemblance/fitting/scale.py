"""The scale of a space whose distances are known up to a factor, from confusions."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize_scalar

from resemblance.choice import ChoiceModel, Gaussian
from resemblance.errors import SettingError
from resemblance.fitting.objective import Objective, batches
from resemblance.forms import Coordinates
from resemblance.judgments import Confusions


def calibrate_scale(
    points: ArrayLike, confusions: Confusions, choice: ChoiceModel | None = None
) -> float:
    r"""Find the factor of positions under which confusions are most likely.

    .. math:: \hat\tau = \arg\max_\tau \sum_{ij} a_{ij} \log \psi(\tau d_{ij})
       + b_{ij} \log(1 - \psi(\tau d_{ij}))

    For nonmetric scaling and metric learners, whose distances have no unit.

    Parameters
    ----------
    points : array (n_items, d)
        Positions.
    confusions : Confusions
        Counts of errors.
    choice : ChoiceModel, optional
        Psi; default :class:`~resemblance.choice.Gaussian`.

    Returns
    -------
    float
        tau, from 1e-6 to 1e6 over the mean distance of the pairs.

    Raises
    ------
    SettingError
        If all pairs are at distance 0, or there are fewer points than items.

    References
    ----------
    Xu, Zhu & Rogers 2012 (Yada), section 4.4.1.

    Examples
    --------
    >>> import resemblance as rs
    >>> space = np.array([[0.0], [0.4], [1.0], [1.9]])
    >>> person = rs.SpaceObserver(space, Gaussian(), random_state=0)
    >>> counts = person.confuse(np.column_stack(np.triu_indices(4, 1)), trials=5000)
    >>> round(calibrate_scale(10 * space, counts), 2)
    0.1
    """
    X = np.ascontiguousarray(points, float)
    if X.ndim != 2 or len(X) < confusions.n_items:
        raise SettingError(
            f"points have shape {X.shape}: give a position to each of the {confusions.n_items} "
            "items."
        )
    a, b = confusions.index.T
    mean = float(np.linalg.norm(X[a] - X[b], axis=1).mean())
    if not mean > 0:
        raise SettingError("all pairs are at distance 0, which no factor changes.")
    likelihood = Objective(
        batches(confusions), Gaussian() if choice is None else choice, Coordinates()
    )

    def loss(log_scale: float) -> float:
        return likelihood(np.exp(log_scale) / mean * X)[0]

    grid = np.arange(-14.0, 14.5, 0.5)
    at = int(np.argmin([loss(log_scale) for log_scale in grid]))
    low, high = grid[max(at - 1, 0)], grid[min(at + 1, len(grid) - 1)]
    found = minimize_scalar(loss, bounds=(low, high), method="bounded", options={"xatol": 1e-8})
    return float(np.exp(found.x) / mean)
