"""Colours and shapes of classes, distinguishable by colour-blind readers.

Twelve colours in two groups of six, each group with its own shape. The colours were found by
maximising the smallest OKLab distance within a group, as seen with protanopia, deuteranopia and
tritanopia (matrices of Machado, Oliveira and Fernandes 2009, full severity) and without, on paper
of each theme; a class is therefore told from any other by its colour, its shape or both. Those on
light paper can be printed with four inks: they lie in the hull of the Neugebauer primaries of
ISO 12647-2, and moved there as little as kept them apart.
"""

GREY = "#8a8f98"

LIGHT = (
    *("#6a76b5", "#f78f30", "#0a4b18", "#c93b6f", "#c7aacd", "#672c71"),
    *("#2fbbeb", "#a96f13", "#007991", "#68221d", "#b6c01e", "#283a86"),
)
DARK = (
    *("#7f7efa", "#f9927f", "#2d8010", "#cd54a1", "#b4bef9", "#fde1a5"),
    *("#6efafd", "#c29001", "#08b9d4", "#945f61", "#b2de49", "#0b74c0"),
)
SHAPES = ("circle",) * 6 + ("square",) * 6

# Two grey styles follow the twelve: classes beyond the twelfth, and items without a label.
OTHER, UNLABELLED = len(LIGHT), len(LIGHT) + 1
STYLES = {
    "light": (*LIGHT, GREY, GREY),
    "dark": (*DARK, GREY, GREY),
    "shape": (*SHAPES, "circle", "square"),
}
MARKERS = {"circle": "o", "square": "s"}
