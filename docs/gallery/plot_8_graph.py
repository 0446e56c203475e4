"""
The graph of comparisons
========================

Pairs of items in layers, the more similar ones left; answers that contradict each other have
colours of their own.
"""

import numpy as np

import resemblance as rs

rng = np.random.default_rng(1)
points = rng.normal(size=(6, 2))
questions = np.array([rng.choice(6, 3, replace=False) for _ in range(40)])
answers = rs.SpaceObserver(points, lapse=0.25, random_state=0).answer(questions)
triplets = rs.Triplets(answers.index, items=rs.Items(["ash", "beech", "elm", "fir", "oak", "yew"]))
ax = rs.plot_similarity_graph(rs.SimilarityGraph(triplets), title="Who is like whom?")
