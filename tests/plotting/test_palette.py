"""Colours told apart by readers who see two kinds of cones, or three."""

from itertools import combinations

import numpy as np
import pytest
from scipy.spatial import Delaunay

from resemblance.plotting.canvas import DARK, GREY, LIGHT, SHAPES

# Machado, Oliveira and Fernandes 2009, severity 1.
SIGHT = {
    "all": np.eye(3),
    "protan": [[0.1523, 1.0526, -0.2049], [0.1145, 0.7863, 0.0992], [-0.0039, -0.0481, 1.0520]],
    "deutan": [[0.3673, 0.8606, -0.2280], [0.2801, 0.6725, 0.0474], [-0.0118, 0.0429, 0.9689]],
    "tritan": [[1.2555, -0.0767, -0.1788], [-0.0784, 0.9308, 0.1476], [0.0047, 0.6914, 0.3039]],
}
CONES = [[0.4122, 0.5363, 0.0514], [0.2119, 0.6807, 0.1074], [0.0883, 0.2817, 0.6300]]
OPPONENTS = [[0.2105, 0.7936, -0.0041], [1.9780, -2.4286, 0.4506], [0.0259, 0.7828, -0.8087]]

# CIELAB of paper, black and solids (cyan, magenta, yellow, red, green, blue) on coated paper,
# ISO 12647-2:2004/Amd 1:2007, and linear sRGB to XYZ of D50 (Bradford).
INKS = [
    *((95, 0, -2), (16, 0, 0), (55, -37, -50), (48, 74, -3)),
    *((89, -5, 93), (47, 68, 48), (50, -68, 25), (24, 17, -46)),
]
D50 = [[0.4361, 0.3851, 0.1431], [0.2225, 0.7169, 0.0606], [0.0139, 0.0971, 0.7142]]


def linear(colour):
    rgb = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def oklab(colour, sight):
    seen = np.clip(np.array(sight) @ linear(colour), 0, 1)
    return np.array(OPPONENTS) @ np.cbrt(np.array(CONES) @ seen)


@pytest.mark.parametrize("sight", SIGHT)
@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_colours_of_one_shape_are_told_apart(theme, sight):
    for a, b in combinations(range(len(theme)), 2):
        if SHAPES[a] == SHAPES[b]:
            apart = np.linalg.norm(oklab(theme[a], SIGHT[sight]) - oklab(theme[b], SIGHT[sight]))
            assert apart > 0.12, (theme[a], theme[b])


@pytest.mark.parametrize(("theme", "paper"), [(LIGHT, "#ffffff"), (DARK, "#15171a")])
def test_colours_stand_out_from_the_paper(theme, paper):
    for colour in theme:
        assert np.linalg.norm(oklab(colour, np.eye(3)) - oklab(paper, np.eye(3))) > 0.2


def primaries():
    """XYZ of all overprints beside that of paper; under black, each is darker by black's share."""
    L, a, b = np.array(INKS, float).T
    f = np.array([(L + 16) / 116 + a / 500, (L + 16) / 116, (L + 16) / 116 - b / 200])
    xyz = np.where(f > 6 / 29, f**3, 3 * (6 / 29) ** 2 * (f - 4 / 29)).T
    xyz /= xyz[0]
    return np.vstack([xyz, xyz * xyz[1]])


def test_colours_on_light_paper_are_printed_by_four_inks():
    """Neugebauer 1937 with the n = 2 of Yule and Nielsen 1951: mixtures are hulls of XYZ^(1/2)."""
    gamut = Delaunay(np.sqrt(primaries()))
    matrix = np.array(D50) / np.sum(D50, axis=1, keepdims=True)
    seen = np.array([matrix @ linear(colour) for colour in (*LIGHT, GREY)])
    outside = gamut.find_simplex(np.sqrt(seen)) < 0
    assert not [colour for colour, out in zip((*LIGHT, GREY), outside, strict=True) if out]
    vivid = [matrix @ linear(colour) for colour in ("#0000ff", "#00ff00", "#ff00ff")]
    assert (gamut.find_simplex(np.sqrt(vivid)) < 0).all()
