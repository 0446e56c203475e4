"""The figure of paper.md: ``python docs/paper/figure.py [figure.png]``.

Forty-eight Gabor patches and a simulated observer, who sees orientation as a circle and spatial
frequency on a logarithmic scale: a map from their answers, and its error by how many there were.
"""

import sys
import tempfile
from itertools import product
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import resemblance as rs

ANGLES, FREQUENCIES = np.arange(0, 180, 22.5), np.geomspace(4, 24, 6)
SIZES = [200, 400, 800, 1600]
RUNS = 5
LAPSE = 0.05


def seen(features):
    """Where the observer sees each patch: round a ring, further out where stripes are finer."""
    turn, ring = 2 * np.deg2rad(features[:, 0]), 1 + np.log2(features[:, 1] / 4)
    return np.column_stack([ring * np.cos(turn), ring * np.sin(turn)])


def questions(n_items, n, rng):
    return np.array([rng.choice(n_items, 3, replace=False) for _ in range(n)])


def error(model, points, n, seed):
    """Held-out error of a model fitted to n answers."""
    rng = np.random.default_rng(seed)
    person = rs.SpaceObserver(points, lapse=LAPSE, random_state=seed)
    model.fit(person.answer(questions(len(points), n, rng)))
    return 1 - model.score(person.answer(questions(len(points), 1000, rng)))


def draw(file):
    features = np.array([[a, f, 1.0] for a, f in product(ANGLES, FREQUENCIES)])
    gabors, points = rs.stimuli.Gabors(features), seen(features)
    person = rs.SpaceObserver(points, lapse=LAPSE, random_state=0)
    model = rs.STE(random_state=0)
    model.fit(person.answer(questions(len(points), 4000, np.random.default_rng(0))))
    figure = Figure(figsize=(9, 4.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    with tempfile.TemporaryDirectory() as folder:
        images = gabors.save(folder, size=128)
        items = rs.Items([path.stem for path in images], images=images)
        rs.plot_map(model.embedding_, items, ax=left, title="4,000 answers about 48 patches")
    ceiling = rs.triplet_error(
        points, person.answer(questions(len(points), 20_000, np.random.default_rng(1)))
    )
    for name, one in (("STE", rs.STE(random_state=0)), ("t-STE", rs.TSTE(random_state=0))):
        runs = [[error(one, points, n, seed) for n in SIZES] for seed in range(RUNS)]
        last = ceiling if name == "t-STE" else None
        rs.plot_learning_curve(
            SIZES, runs, right, ceiling=last, label=name, title="Error on new answers"
        )
    figure.savefig(file, dpi=150)


if __name__ == "__main__":
    default = Path(__file__).with_name("figure.png")
    draw(sys.argv[1] if len(sys.argv) > 1 else default)
