"""Traps: pictures that people see through and programs mostly do not, as pages of a study.

Each is a page with a picture and a choice; its answer flags, and nobody is thrown out by it. Two
show nothing in any single picture: what is asked is in the motion alone. The third is an illusion
turned round: the circle that the well-known figure makes look larger is much larger.
"""

import json
from collections.abc import Mapping, Sequence
from itertools import product
from math import cos, hypot, pi, radians, sin, sqrt
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from resemblance.study.languages import find_language

if TYPE_CHECKING:
    from PIL.Image import Image

FOLDER = "traps"
PAGE = "look-"  # begins the name of its page, which a program sees
RULE = {"measure": "traps", "below": 0.5, "after": 2, "action": "flag"}
FRAMES, FRAME_MS = 48, 80
SIDE, CELL = 240, 3  # pixels: finer than what flickers in the eye
DARK, LIGHT = 96, 160
DOTS, DOT, TURN = 150, 3, 2.5  # how many, their radius, degrees of a frame
LARGER, SMALLER = 33, 24  # radii of discs that nobody takes for equal
ANSWERS = {  # of each trap: in words of the language
    "turn": ("clockwise", "anticlockwise"),
    "shape": ("circle", "square", "triangle"),
    "larger": ("left", "right", "same"),
}


def write_traps(folder: Path, languages: Sequence[str], rng: Random) -> None:
    """Draw the pictures, and write a page of each in every language.

    Parameters
    ----------
    folder : Path
        The new folder.
    languages : sequence of str
        The language of the study, and further ones.
    rng : Random
        Decides what the pictures show, which nobody else should know.
    """
    folder.mkdir()
    for name, (draw, answers) in DRAWN.items():
        right = rng.choice(answers)
        first, *others = draw(right, rng)
        file = folder / f"{name}.{'gif' if others else 'png'}"
        many = bool(others)
        first.save(file, save_all=many, append_images=others, duration=FRAME_MS, loop=0)
        for code in languages:
            suffix = ".md" if code == languages[0] else f".{code}.md"
            text = page_of(find_language(code).traps, name, file.name, right)
            (folder / f"{name}{suffix}").write_text(text, encoding="utf-8")


def page_of(words: Mapping[str, str], name: str, picture: str, right: str) -> str:
    """Write the page of a trap: its picture, folded until somebody opens it, and a choice."""
    field = {
        "label": words[name],
        "type": "choice",
        "options": [words[key] for key in (*ANSWERS[name], "unsure")],
        "people": words[right],
        "unsure": words["unsure"],
    }
    form = "\n".join(f"{key} = {json.dumps(x, ensure_ascii=False)}" for key, x in field.items())
    image = f'![{words["alt"]}]({picture} "{words["show"]}")'
    return f"# {words['title']}\n\n{words['text']}\n\n{image}\n\n```form\n[{name}]\n{form}\n```\n"


def turning(way: str, rng: Random) -> "list[Image]":
    """Draw dots that turn about the middle; a single picture shows dots anywhere."""
    polar = [(SIDE / 2.2 * sqrt(rng.random()), 2 * pi * rng.random()) for _ in range(DOTS)]
    step = radians(TURN if way == "clockwise" else -TURN)  # y of a picture goes down
    frames = []
    for k in range(FRAMES):
        places = [(r * cos(a + k * step), r * sin(a + k * step)) for r, a in polar]
        frames.append(_discs(SIDE, [(SIDE / 2 + x, SIDE / 2 + y, DOT) for x, y in places]))
    return frames


def moving(shape: str, rng: Random) -> "list[Image]":
    """Draw grains that rest, and within a shape move; a single picture shows grains alone."""
    from PIL import Image

    n = SIDE // CELL
    cells = list(product(range(n), repeat=2))
    rest, moved = ({cell: rng.choice((DARK, LIGHT)) for cell in cells} for _ in range(2))
    within = {
        cell
        for cell in cells
        if _inside(shape, *(2 * (place + 0.5) / n - 1 for place in reversed(cell)))
    }
    frames = []
    for k in range(FRAMES):
        picture = Image.new("L", (n, n))
        picture.putdata(
            [moved[y, (x + k) % n] if (y, x) in within else rest[y, x] for y, x in cells]
        )
        frames.append(picture.resize((SIDE, SIDE), Image.Resampling.NEAREST))
    return frames


def illusion(larger: str, rng: Random) -> "list[Image]":
    """Draw Ebbinghaus's discs, turned round: the one among large discs is the larger, by far."""
    discs = []
    for place, side in enumerate(("left", "right")):
        middle, big = SIDE * (place + 0.5), side == larger
        n, radius, far = (6, 27, 82) if big else (8, 9, 44)
        discs += [(middle, SIDE / 2, LARGER if big else SMALLER)]
        turns = [2 * pi * k / n for k in range(n)]
        discs += [(middle + far * cos(a), SIDE / 2 + far * sin(a), radius) for a in turns]
    return [_discs(2 * SIDE, discs)]


DRAWN = {
    "turn": (turning, ANSWERS["turn"]),
    "shape": (moving, ANSWERS["shape"]),
    "larger": (illusion, ANSWERS["larger"][:2]),
}


def _discs(width: int, discs: Sequence[tuple[float, float, float]]) -> "Image":
    """Draw dark discs, each (x, y, radius), on a light ground."""
    from PIL import Image, ImageDraw

    picture = Image.new("L", (width, SIDE), LIGHT + 60)
    draw = ImageDraw.Draw(picture)
    for x, y, radius in discs:
        draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=DARK - 40)
    return picture


def _inside(shape: str, x: float, y: float) -> bool:
    """Say whether a point lies in a shape about the middle, of x and y from -1 to 1."""
    if shape == "circle":
        return hypot(x, y) < 0.58
    if shape == "square":
        return max(abs(x), abs(y)) < 0.52
    return -0.6 < y < 0.5 and abs(x) < (y + 0.6) * 0.62
