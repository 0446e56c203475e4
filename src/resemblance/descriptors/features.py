"""Describe the colours, texture and shape of a picture in some fifty numbers."""

from pathlib import Path

import numpy as np

from resemblance.arrays import Floats
from resemblance.optional import require
from resemblance.pictures import read_picture

SIDE = 160  # pixels of the longer side that is looked at
NEIGHBOURS = 8  # neighbours of a pixel in a local binary pattern
SCALES = 1, 2, 4, 8, 16  # pixels, of structure that is coarse or fine
DIRECTIONS, CELLS = 6, 2  # directions of edges, and cells along each side
MOMENTS = (
    "area",
    "eccentricity",
    "solidity",
    "extent",
)  # moments of the shape in front of the background
NEEDING = "features of pictures need"


def describe_picture(path: Path) -> dict[str, float]:
    """Describe a picture; each feature is in the same units for every size of it.

    ``colour_``: mean and standard deviation of L*, a*, b* (CIELAB). ``texture_``: shares of uniform
    local binary patterns of 8 neighbours (Ojala, Pietikäinen & Mäenpää 2002), and the contrast at
    five scales (differences of Gaussians). ``edges_``: gradients in 6 directions in 2 x 2 cells
    (Dalal & Triggs 2005). ``shape_``: of what stands out from the border, its share of the area,
    eccentricity, solidity, extent, and four moments of Hu (1962), as logarithms.
    """
    image = read_picture(path)
    image.thumbnail((SIDE, SIDE))
    lab = require(NEEDING, "skimage.color").rgb2lab(np.asarray(image))
    return {**_colour(lab), **_texture(lab[..., 0]), **_edges(lab[..., 0]), **_shape(lab)}


def _colour(lab: Floats) -> dict[str, float]:
    axes = dict(zip("Lab", np.moveaxis(lab, -1, 0), strict=True))
    means = {f"colour_{name}": float(axis.mean()) for name, axis in axes.items()}
    return means | {f"colour_{name}_spread": float(axis.std()) for name, axis in axes.items()}


def _texture(light: Floats) -> dict[str, float]:
    feature = require(NEEDING, "skimage.feature")
    patterns = feature.local_binary_pattern(light.astype(np.uint8), NEIGHBOURS, 1, "uniform")
    counts = np.bincount(patterns.astype(int).ravel(), minlength=NEIGHBOURS + 2)
    features = {f"texture_pattern_{k}": float(n) / patterns.size for k, n in enumerate(counts)}
    blur = require(NEEDING, "skimage.filters").gaussian
    blurred = [blur(light, scale, mode="reflect") for scale in SCALES]
    finer = [light, *blurred[:-1]]
    contrasts = [float((a - b).std()) for a, b in zip(finer, blurred, strict=True)]
    return features | {f"texture_scale_{s}": c for s, c in zip(SCALES, contrasts, strict=True)}


def _edges(light: Floats) -> dict[str, float]:
    """Return the mean edge strength in each direction, 30 degrees wide, and cell."""
    down, right = np.gradient(light)
    strength, angle = np.hypot(down, right), np.arctan2(down, right) % np.pi
    direction = np.minimum((angle / np.pi * DIRECTIONS).astype(int), DIRECTIONS - 1)
    features = {}
    for row, rows in enumerate(np.array_split(np.arange(light.shape[0]), CELLS)):
        for column, columns in enumerate(np.array_split(np.arange(light.shape[1]), CELLS)):
            cell = np.ix_(rows, columns)
            sums = np.bincount(direction[cell].ravel(), strength[cell].ravel(), DIRECTIONS)
            for k, total in enumerate(sums):
                features[f"edges_{row}{column}_{k}"] = float(total) / max(strength[cell].size, 1)
    return features


def _shape(lab: Floats) -> dict[str, float]:
    border = np.concatenate([lab[0], lab[-1], lab[:, 0], lab[:, -1]])
    apart = np.linalg.norm(lab - np.median(border, axis=0), axis=-1)
    features = {f"shape_{name}": 0.0 for name in MOMENTS}
    features |= {f"shape_hu_{k}": 0.0 for k in range(1, 5)}
    if np.ptp(apart) < 1.0:  # one colour all over: nothing stands out
        return features
    mask = apart > require(NEEDING, "skimage.filters").threshold_otsu(apart)
    region = require(NEEDING, "skimage.measure").regionprops(mask.astype(np.uint8))[0]
    features |= {f"shape_{name}": float(getattr(region, name)) for name in MOMENTS[1:]}
    features["shape_area"] = float(mask.mean())
    hu = np.log10(np.abs(np.asarray(region.moments_hu[:4])) + 1e-12)
    return features | {f"shape_hu_{k}": float(value) for k, value in enumerate(hu, 1)}
