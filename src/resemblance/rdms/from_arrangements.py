"""Compute dissimilarities directly from arrangements."""

from __future__ import annotations

import numpy as np

from resemblance.errors import RDMError
from resemblance.fitting.objective.arrangement_mean import mean_distances
from resemblance.judgments import Arrangements
from resemblance.rdms.rdms import RDMs


def rdm_from_arrangements(arrangements: Arrangements) -> RDMs:
    r"""Return the weighted mean of the distances on the screen, of each person.

    .. math:: D_{ij} = \frac{\sum_t w_{tij} \, s_t \delta_{tij}}{\sum_t w_{tij}}, \qquad
       w_{tij} = \delta_{tij}^2, \qquad
       s_t^2 = \frac{\sum_{ij \in t} D_{ij}^2}{\sum_{ij \in t} \delta_{tij}^2}

    with delta the distance on the screen in trial t, and the scales s of the trials and D found in
    turn. No space is assumed. Where one is, ``rdm(STE(d).fit(arrangements))`` is nearer to the
    truth with as many trials (docs/benchmarks.md).

    Parameters
    ----------
    arrangements : Arrangements
        In which each person saw each two items together at least once.

    Returns
    -------
    RDMs
        Of root mean square 1; one for each observer, named after them, or one where there are none.

    Raises
    ------
    RDMError
        If a person never saw two items together; it names both.

    Warns
    -----
    NotConvergedWarning
        If the scales of the trials do not settle, as they share too few pairs.

    References
    ----------
    Kriegeskorte, Mur (2012), Inverse MDS: inferring dissimilarity structure from multiple item
    arrangements, Frontiers in Psychology 3, 245.

    Examples
    --------
    >>> trials = Arrangements([[0, 1, 2]], [[[0, 0], [3, 0], [0, 4]]], ["egg", "ball", "box"])
    >>> rdm_from_arrangements(trials).dissimilarities.round(2)
    array([[0.73, 0.98, 1.22]])
    """
    names = arrangements.items.names
    a, b = np.triu_indices(len(names), 1)
    people = [None] if arrangements.observer is None else np.unique(arrangements.observer).tolist()
    matrices = []
    for person in people:
        own = arrangements if person is None else arrangements[arrangements.observer == person]
        D = mean_distances(own)[0][a, b]
        if np.isnan(D).any():
            k = int(np.isnan(D).argmax())
            who = "no trial" if person is None else f"no trial of {person!r}"
            both = f"{names[a[k]]!r} and {names[b[k]]!r}, nor {np.isnan(D).sum() - 1} other pairs"
            raise RDMError(
                f"{who} shows both {both}: ask for more trials, fit a space, or leave items out"
            )
        matrices.append(D)
    called = ["arrangements"] if people == [None] else people
    return RDMs(matrices, arrangements.items, called, "arranged")
