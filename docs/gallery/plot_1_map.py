"""
A map with its uncertainty
==========================

Twelve items, and 400 answers of a simulated person about them. An ellipse shows one standard
deviation of where its item may stand, given the answers, whichever choice model holds.
"""

import numpy as np

import resemblance as rs
from resemblance.fitting import averaged_uncertainty

rng = np.random.default_rng(0)
names = ["violin", "viola", "cello", "harp", "flute", "oboe", "clarinet", "bassoon"]
names += ["horn", "trumpet", "trombone", "tuba"]
families = ["strings"] * 4 + ["woodwind"] * 4 + ["brass"] * 4
centres = np.repeat([[0, 0], [3, 0], [1.5, 2.5]], 4, axis=0)
truth = centres + 0.6 * rng.normal(size=(12, 2))
items = rs.Items(names, labels=families)

questions = np.array([rng.choice(12, 3, replace=False) for _ in range(400)])
answers = rs.SpaceObserver(truth, random_state=0).answer(questions)
triplets = rs.Triplets(answers.index, items=items)
model = rs.STE(random_state=0).fit(triplets)

found = averaged_uncertainty(model, triplets)
ax = rs.plot_map(
    model.embedding_, items, covariances=found.item_covariances, title="Instruments",
    subtitle="ellipses: one standard deviation",
)  # fmt: skip
