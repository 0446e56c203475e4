"""How like people's RDMs a model's could be, as people are like each other."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from resemblance.arrays import Floats
from resemblance.errors import RDMError
from resemblance.notebook import Card
from resemblance.progress import Steps, Told
from resemblance.rdms.rdms import RDMs
from resemblance.rdms.similarity import check_comparable, check_method, pooled, similarities


class RDMCeiling(NamedTuple):
    """The noise ceiling of several people's RDMs: between these lies that of the true model.

    Attributes
    ----------
    lower : float
        The mean similarity of each to the mean of the others: what is known of the others tells
        so much of each, and the true model more.
    upper : float
        The mean similarity of each to the mean of all, itself among them: more than any model has.

    Examples
    --------
    >>> RDMCeiling(0.5, 0.6).upper
    0.6
    """

    lower: float
    upper: float

    def _repr_html_(self) -> str:
        return Card("RDMCeiling", self._asdict()).html()


def rdm_noise_ceiling(
    rdms: RDMs, method: str = "spearman", *, callback: Told | None = None
) -> RDMCeiling:
    r"""Return the noise ceiling of several people's RDMs.

    .. math:: lower = \frac1G \sum_g s\Big(d^g, \sum_{h \neq g} \tilde d^h\Big), \qquad
       upper = \frac1G \sum_g s\Big(d^g, \sum_h \tilde d^h\Big)

    with s the similarity and :math:`\tilde d` the matrix as s sees it: divided by its length for
    the cosine, standardised for Pearson's correlation, its ranks for the others. The upper bound is
    the largest mean similarity that any matrix has (of Kendall's tau-a, and of ranks with ties,
    nearly).

    Source: Nili et al. 2014, A toolbox for representational similarity analysis, PLoS Computational
    Biology 10.

    Parameters
    ----------
    rdms : RDMs
        One for each person, two or more.
    method : str
        As of :func:`compare_rdms`.
    callback : callable, optional
        Called with (people done, people in all) after each person.

    Returns
    -------
    RDMCeiling

    Raises
    ------
    SettingError
        If the method is unknown.
    RDMError
        If there is one matrix, or one is constant.

    Examples
    --------
    >>> people = RDMs([[1.0, 2.0, 3.0], [1.0, 3.0, 2.0], [1.0, 2.0, 4.0]])
    >>> lower, upper = rdm_noise_ceiling(people)
    >>> round(lower, 3), round(upper, 3)
    (0.744, 0.833)
    """
    check_method(method)
    if len(rdms) < 2:
        raise RDMError("one matrix has no noise ceiling: give one for each of several people")
    check_comparable(rdms, method)
    values = rdms.dissimilarities
    tilde = pooled(values, method)
    total = tilde.sum(axis=0)
    people = Steps(callback, len(values)).each(zip(values, tilde, strict=True))
    found = [(_one(x, total - t, method), _one(x, total, method)) for x, t in people]
    return RDMCeiling(*(float(np.mean(bound)) for bound in zip(*found, strict=True)))


def _one(x: Floats, y: Floats, method: str) -> float:
    return float(similarities(x[None], y[None], method)[0, 0])
