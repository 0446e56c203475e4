"""Count how many items lie inside the 95 % ellipses of their positions.

In the worlds the fitted model is right or wrong, people lapse or differ, or items are outliers. The
true positions (by mean weights if people differ) are rotated, shifted and scaled to the map, with
more weight on certain items, because ellipses do not include the uncertainty of scale. The second
result is for ellipses that assume that the choice model is right, with the ratio of widths.
"""

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from scipy.stats import chi2
from table import main, row
from verdicts import heavy, plane
from worlds import CHOICES, MODELS, OWN, scale, world

import resemblance as rs
from resemblance.fitting import PositionUncertainty, averaged_uncertainty
from resemblance.geometry import align_by_certainty

SIZES = 500, 1500, 3000
N_ITEMS, PEOPLE = 24, 8

# shape, choice model of people, fitted model, lapse rate, standard deviation of log weights
WORLDS = {
    "softmax, right model": (plane, "softmax", "softmax", 0.0, 0.0),
    "Student-t, right model": (plane, "student", "student", 0.0, 0.0),
    "softmax, t-STE fitted": (plane, "softmax", "student", 0.0, 0.0),
    "Student-t, STE fitted": (plane, "student", "softmax", 0.0, 0.0),
    "heavy tails": (heavy, "softmax", "softmax", 0.0, 0.0),
    "lapses of .1": (plane, "softmax", "softmax", 0.1, 0.0),
    "lapses of .2": (plane, "softmax", "softmax", 0.2, 0.0),
    "heavy tails, lapses of .2": (heavy, "softmax", "softmax", 0.2, 0.0),
    "people differ": (plane, "softmax", "softmax", 0.0, 0.7),
}


def look(name: str, seed: int, m: int) -> dict[str, float]:
    """Fit m random answers of people in a world."""
    shape, kind, fitted, lapse, differ = WORLDS[name]
    rng = np.random.default_rng([seed, 79])
    points = shape(rng)[:N_ITEMS]
    points = points * scale(points, kind, lapse, rng.uniform(0.68, 0.85))
    weights = np.exp(differ * rng.normal(size=(PEOPLE, 2)))
    asked = np.array([rng.choice(N_ITEMS, 3, replace=False) for _ in range(m)])
    told = np.empty_like(asked)
    for k, own in enumerate(weights):
        person = rs.SpaceObserver(
            points * np.sqrt(own), CHOICES[kind], lapse=lapse, random_state=seed + k
        )
        told[k::PEOPLE] = person.answer(asked[k::PEOPLE]).index
    model = MODELS[fitted](2, **OWN[fitted], penalty="auto", tol=1e-3, random_state=0)
    return held(model, rs.Triplets(told, N_ITEMS), points * np.sqrt(weights.mean(axis=0)))


def adaptive(seed: int, m: int) -> dict[str, float]:
    """Fit m answers to the questions of a session, in a world of any kind of people."""
    w = world(seed)
    return held(w.model(penalty="auto"), w.study(m, seed).judgments("all"), w.person.points)


def held(model, answers: rs.Triplets, truth: np.ndarray) -> dict[str, float]:
    """Hold the ellipses of a fit against the truth."""
    X = model.fit(answers).embedding_
    assumed = PositionUncertainty.of_fit(model, answers)
    averaged = averaged_uncertainty(model, answers)
    widths = [np.sqrt(np.mean(found.deviation**2)) for found in (averaged, assumed)]
    return {
        "averaged": inside(truth, X, averaged.item_covariances),
        "assumed": inside(truth, X, assumed.item_covariances),
        "wider": widths[0] / widths[1],
    }


def inside(truth: np.ndarray, X: np.ndarray, covariances: np.ndarray) -> float:
    """Return the share of items that lie inside their ellipse."""
    deviation = np.sqrt(np.einsum("iaa->i", covariances))
    laid, A = align_by_certainty(truth, X, deviation)
    gap, inverse = laid - truth, np.linalg.inv(A.T @ covariances @ A)
    squared = np.einsum("ia,iab,ib->i", gap, inverse, gap)
    return float((squared < chi2.ppf(0.95, X.shape[1])).mean())


def table(n_worlds: int = 40, n_jobs: int = 2) -> pd.DataFrame:
    """Return rows for each kind of world and size."""
    rows = []
    for m in SIZES:
        for name in WORLDS:
            jobs = (delayed(look)(name, seed, m) for seed in range(n_worlds))
            rows += said(f"{name}, {m} answers", pd.DataFrame(Parallel(n_jobs)(jobs)))
        jobs = (delayed(adaptive)(seed, m) for seed in range(n_worlds))
        rows += said(f"adaptive, {m} answers", pd.DataFrame(Parallel(n_jobs)(jobs)))
    return pd.DataFrame(rows)


def said(about: str, found: pd.DataFrame) -> list[dict]:
    """Return the rows of worlds of one kind."""
    within = "items inside their 95 % ellipse"
    return [
        row(about, within, "95 %", found["averaged"], share=True),
        row(about, f"{within}, model taken as right", "", found["assumed"], share=True),
        row(about, "times as wide", "", found["wider"]),
    ]


if __name__ == "__main__":
    main(table, __doc__)
