"""
Weights of kernels
==================

Several kinds of features, of which one says nothing: a row for each kernel, the largest share of
the metric first, and the weight of each item in it.
"""

import numpy as np

import resemblance as rs

rng = np.random.default_rng(0)
shape, colour = rng.normal(size=(40, 2)), rng.normal(size=(40, 2))
views = {"shape": shape, "colour": colour, "noise": rng.normal(size=(40, 2))}
questions = np.array([rng.choice(40, 3, replace=False) for _ in range(600)])
seen = np.hstack([2 * shape, colour])
answers = rs.SpaceObserver(seen, random_state=0).answer(questions)
triplets = rs.Triplets(answers.index, items=rs.Items(40, features=views))
axes = rs.plot_kernel_weights(rs.MKPOE(diagonal=True, beta=100).fit(triplets), title="What counts")
