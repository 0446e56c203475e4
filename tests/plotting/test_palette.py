"""Colours told apart by readers who see two kinds of cones, or three."""

from itertools import combinations

import numpy as np
import pytest

from resemblance.plotting.canvas import DARK, LIGHT, SHAPES

# Machado, Oliveira and Fernandes 2009, severity 1.
SIGHT = {
    "all": np.eye(3),
    "protan": [[0.1523, 1.0526, -0.2049], [0.1145, 0.7863, 0.0992], [-0.0039, -0.0481, 1.0520]],
    "deutan": [[0.3673, 0.8606, -0.2280], [0.2801, 0.6725, 0.0474], [-0.0118, 0.0429, 0.9689]],
    "tritan": [[1.2555, -0.0767, -0.1788], [-0.0784, 0.9308, 0.1476], [0.0047, 0.6914, 0.3039]],
}
CONES = [[0.4122, 0.5363, 0.0514], [0.2119, 0.6807, 0.1074], [0.0883, 0.2817, 0.6300]]
OPPONENTS = [[0.2105, 0.7936, -0.0041], [1.9780, -2.4286, 0.4506], [0.0259, 0.7828, -0.8087]]


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
