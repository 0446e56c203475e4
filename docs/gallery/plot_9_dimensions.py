"""
Dimensions that have names
==========================

Which of three gratings is the odd one out? Behind the answers of this simulated person stand five
properties. ``SPoSE`` finds them, and ``plot_loadings`` draws a row for each: people name a
dimension by what its items have in common. Below its number stand its share of all loadings and
how well it is found again.
"""

import tempfile

import numpy as np

import resemblance as rs

rng = np.random.default_rng(0)
gratings = rs.stimuli.Gabors()
angle, frequency, contrast = gratings.features.T
seen = np.column_stack([angle == 0, angle == 90, frequency == 4, frequency == 16, contrast == 1])
folder = tempfile.mkdtemp()
items = rs.Items(gratings.names, images=gratings.save(folder, size=128))
shown = np.array([rng.choice(len(items), 3, replace=False) for _ in range(5000)])
person = rs.SpaceObserver(2.0 * seen, rs.choice.Logistic(), random_state=0)
answers = person.answer(rs.OddOneOuts(shown, shown[:, 0], items))

model = rs.SPoSE(12, random_state=0).fit(answers)
again = rs.reproducibility(model, answers, random_state=0)
columns, _ = rs.scores.match_dimensions(seen, model.embedding_)
names = dict(zip(columns + 1, ["level", "upright", "wide", "fine", "strong"], strict=True))
ax = rs.plot_loadings(model, names=names, reproducibility=again, title="Dimensions of gratings")
