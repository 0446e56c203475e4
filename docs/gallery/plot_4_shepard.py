"""
Shepard diagrams
================

Do people answer as the space says? Comparisons that the model was not fitted to are put into bins
by how much nearer one option is; dots are shares of answers with two standard errors, the line is
what the model expects.
"""

from itertools import combinations

import numpy as np

import resemblance as rs

rng = np.random.default_rng(0)
truth = rng.normal(size=(30, 2))
questions = np.array([rng.choice(30, 3, replace=False) for _ in range(4000)])
answers = rs.SpaceObserver(truth, lapse=0.05, random_state=0).answer(questions)
model = rs.STE(random_state=0).fit(answers[:2500])
ax = rs.plot_shepard(model, answers[2500:], title="1,500 answers held out")

# %%
# Of confusions: a dot for each pair of letters, and the curve that the choice model draws
# through them.

pairs = np.array(list(combinations(range(12), 2)))
distance = np.linalg.norm(truth[pairs[:, 0]] - truth[pairs[:, 1]], axis=1)
errors = rng.binomial(40, 0.5 * np.exp(-(distance**2)))
counts = rs.Confusions(
    pairs, errors, np.full(len(pairs), 40), items=rs.Items(12, features=truth[:12])
)
yada = rs.Yada(n_components=2, kernel="linear", random_state=0).fit(counts)
other = rs.plot_shepard(yada, counts, title="Confusions")
