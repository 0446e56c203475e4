"""
Learning curves
===============

Error on new answers against the number of answers, with a band that holds 80 % of the runs; a
second call on the same axes takes the next colour. Below, the curve that chooses the number of
dimensions.
"""

import numpy as np

import resemblance as rs

rng = np.random.default_rng(0)
truth = rng.normal(size=(20, 2))
sizes = [100, 200, 400, 800]


def questions(n):
    return np.array([rng.choice(20, 3, replace=False) for _ in range(n)])


def error(model, n):
    person = rs.SpaceObserver(truth, lapse=0.1, random_state=rng.integers(1000))
    answers, new = person.answer(questions(n)), person.answer(questions(400))
    return 1 - model.fit(answers).score(new)


person = rs.SpaceObserver(truth, lapse=0.1, random_state=0)
ceiling = rs.triplet_error(truth, person.answer(questions(5000)))
ax = None
for model in (rs.STE(random_state=0), rs.CKL(random_state=0)):
    runs = [[error(model, n) for n in sizes] for _ in range(5)]
    ax = rs.plot_learning_curve(
        sizes,
        runs,
        ax,
        ceiling=ceiling if ax else None,
        label=type(model).__name__,
        title="Two models",
    )

# %%
# How many dimensions? The fewest whose error is within one standard error of the best.

answers = rs.SpaceObserver(truth, lapse=0.05, random_state=0).answer(questions(1500))
curve = rs.select_dimension(rs.STE(penalty=0.1, random_state=0), answers, [1, 2, 3, 4])
dimensions = rs.plot_dimensions(curve, chance=True)
