"""
A map of pictures
=================

Items that have images are drawn as thumbnails, framed in the colour of their class. Here 120
digits lie where 10,000 answers of a simulated person put them: "this one is more like that one".
"""

import tempfile
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from PIL import Image

import resemblance as rs

answers = rs.datasets.digits_triplets(10_000, n_items=120, random_state=0)
model = rs.TSTE(random_state=0).fit(answers)

folder = Path(tempfile.mkdtemp())
paths = [folder / f"{i}.png" for i in range(120)]
for path, pixels in zip(paths, answers.items.features, strict=True):
    grey = (255 - 15.9 * pixels).reshape(8, 8).astype(np.uint8)
    Image.fromarray(grey).resize((64, 64), Image.Resampling.NEAREST).save(path)

names = [f"digit {i}" for i in range(120)]
items = rs.Items(names, labels=answers.items.labels, images=paths)
ax = Figure(figsize=(5, 4.4)).add_subplot()
rs.plot_map(model.embedding_, items, ax=ax, title="Digits, by answers about them")
