"""Worlds whose items lie where people's answers put them: their maps are the truth.

Nobody knows where people see eggs, faces, artists or objects, so that no oracle can be told. Here
the map of all answers, in a plane, is taken for it, and one simulated person answers by it, with a
lapse in twenty. Of 400 artists and of 1,854 objects 40 are drawn for each world; the plane of
objects is that of the two principal axes of STE in ten dimensions.
"""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from alike_items import DIMENSIONS, FILES, artists, fitted, objects, of_people
from numpy.typing import NDArray
from sklearn.decomposition import PCA

import resemblance as rs
from resemblance.choice import ChoiceModel, Softmax
from resemblance.errors import quiet

LAPSE, DRAWN = 0.05, {"artists": 40, "objects": 40}
NAMES = (*FILES, *DRAWN)


@cache
def map_of(name: str, data: Path) -> tuple[NDArray[np.float64], ChoiceModel]:
    """Return where all items of a set lie, and how distances become answers."""
    if name == "objects":
        told = objects(data, 0)
        rows = np.concatenate([told.offer, told.judged.index])
        with quiet():
            model = rs.STE(DIMENSIONS, penalty="auto", tol=1e-3, random_state=0).fit(
                rs.OddOneOuts(rows, rows[:, 0], told.judged.n_items)
            )
        return model.embedding_, Softmax()
    if name == "artists":
        told = artists(data, 0)
        rows = np.concatenate([told.offer, told.judged.index])
        model = fitted(rs.Triplets(rows, told.judged.n_items))
    else:
        model = of_people(data, name).whole
    return model.embedding_, model.choice_


def world_of(name: str, data: Path, seed: int) -> Any:
    """Return a world of papers/calibration, of some items of a set."""
    from worlds import World

    points, choice = map_of(name, data)
    if name in DRAWN:
        points = points[np.random.default_rng(seed).choice(len(points), DRAWN[name], replace=False)]
    n = len(points)
    if points.shape[1] > 2:
        points = PCA(2, random_state=0).fit_transform(points)
    person = rs.SpaceObserver(points, choice, lapse=LAPSE, random_state=seed)
    near, far = np.triu_indices(n, 1)
    rows = np.column_stack([np.repeat(np.arange(n), len(near)), np.tile(near, n), np.tile(far, n)])
    questions = rows[(rows[:, :1] != rows[:, 1:]).all(axis=1)]
    return World(name, person, questions, person.probability(questions))
