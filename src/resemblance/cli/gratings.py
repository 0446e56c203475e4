"""The study of the demo: gratings, and simulated people who take part over HTTP."""

from math import cos, sin, tau
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from resemblance.study.folder import StudyFolder

N_PEOPLE = 30
QUESTIONS = 80  # questions for each person
TURNS, CYCLES = 12, (5.0, 9.0, 16.0)  # orientations of the gratings, and their frequencies
WORDING = "Which of the two looks more like the one on top?"
SETTINGS: dict[str, dict[str, Any]] = {
    "study": {"title": "Gratings", "wording": WORDING},
    "tasks": {"per_participant": 2, "task_size": QUESTIONS // 2, "practice": 2},
    "quality": {"rules": [{"measure": "fast", "above": 0.5, "after": 20, "action": "exclude"}]},
    "recruitment": {"simulated": "count"},  # there is nobody else
    "pages": {"questionnaire": []},
}


CONSENT = """\
# Taking part

You compare gratings: you see three at a time. Expected time: {duration}. Your answers stay on the
computer that serves this demonstration, and you may stop at any time.
"""


def create_gratings(folder: Path) -> "StudyFolder":
    import numpy as np

    from resemblance.stimuli import Gabors
    from resemblance.study.creation import create_study

    angles = 180.0 / TURNS * np.arange(TURNS)
    rows = [(angle, cycles, 1.0) for cycles in CYCLES for angle in angles]
    drawn = folder.with_name("stimuli")
    for number, picture in enumerate(Gabors(rows).save(drawn, size=192)):
        picture.rename(drawn / f"grating{number:02d}.png")
    features = folder.with_name("features.csv")
    # doubled angles: gratings at 180 and 0 degrees look alike
    turns = 2.0 * np.deg2rad([angle for angle, *_ in rows])
    columns = np.cos(turns), np.sin(turns), np.log2([cycles for _, cycles, _ in rows])
    lines = [
        f"grating{number:02d},{x:.4f},{y:.4f},{fineness:.4f}"
        for number, (x, y, fineness) in enumerate(zip(*columns, strict=True))
    ]
    features.write_text("\n".join(["item,turned_x,turned_y,fineness", *lines]) + "\n")
    pages = {"consent": CONSENT}
    return create_study(folder, images=drawn, settings=SETTINGS, pages=pages, features=features)


def write_items(study: "StudyFolder", path: Path) -> None:
    import pandas as pd

    from resemblance.cli.output import write_csv

    files = [str(s.path.relative_to(path.parent)) for s in study.stimuli if s.path]
    names = [s.name for s in study.stimuli]
    # Rings of finer gratings lie between those of coarser ones, whose turns are the nearest.
    turns = [180 * (number % TURNS) // TURNS for number in range(len(names))]
    labels = [f"{turn // 45 * 45} to {turn // 45 * 45 + 30} degrees" for turn in turns]
    write_csv(path, pd.DataFrame({"item": names, "label": labels, "image": files}))


def seen(study: "StudyFolder") -> dict[str, tuple[float, float]]:
    """Return simulated positions of the stimuli by digest.

    Orientations lie on a ring, with 180 degrees at 0; finer gratings are farther out.
    """
    places = {}
    for number, stimulus in enumerate(study.stimuli):
        cycles, angle = divmod(number, TURNS)
        turn, radius = tau * angle / TURNS, 1.2 + 1.2 * cycles
        places[stimulus.digest] = radius * cos(turn), radius * sin(turn)
    return places
