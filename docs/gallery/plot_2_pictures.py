"""
A map of pictures
=================

Items that have images are drawn as thumbnails, framed in the colour of their class.
"""

import tempfile
from pathlib import Path

import numpy as np
from PIL import Image
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA

import resemblance as rs

pixels, digit = load_digits(return_X_y=True)
few = np.random.default_rng(0).choice(len(pixels), 120, replace=False)
folder = Path(tempfile.mkdtemp())
paths = [folder / f"{i}.png" for i in few]
for path, i in zip(paths, few, strict=True):
    grey = (255 - 15.9 * pixels[i]).reshape(8, 8).astype(np.uint8)
    Image.fromarray(grey).resize((64, 64), Image.Resampling.NEAREST).save(path)

items = rs.Items([f"digit {i}" for i in few], labels=digit[few].astype(str), images=paths)
ax = rs.plot_map(PCA(2).fit_transform(pixels[few]), items, title="Digits, by their pixels")
