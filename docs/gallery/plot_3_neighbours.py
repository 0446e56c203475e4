"""
Nearest neighbours
==================

What a space calls similar, item by item: the nearest on the left.
"""

import numpy as np

import resemblance as rs

hues = ["red", "orange", "yellow", "lime", "green", "teal"]
hues += ["cyan", "azure", "blue", "violet", "magenta", "rose"]
turn = np.linspace(0, 2 * np.pi, 12, endpoint=False)
circle = np.column_stack([np.cos(turn), np.sin(turn)])
items = rs.Items(hues, labels=["warm"] * 3 + ["cool"] * 6 + ["warm"] * 3)
ax = rs.plot_neighbours(circle, items, heads=["red", "green", "blue"], k=5, title="Hues")
