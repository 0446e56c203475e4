"""The command `demo`."""

import shutil
from collections.abc import Callable
from math import cos, sin, tau
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from resemblance.catalog import STUDY_MODEL
from resemblance.cli import options
from resemblance.cli.fit import fit_and_tell
from resemblance.cli.options import option
from resemblance.cli.source import Source
from resemblance.recipe import Recipe

if TYPE_CHECKING:
    from resemblance.study.folder import StudyFolder


THOUGHT_S = 0.35  # the time of a simulated answer
N_PEOPLE = 30
QUESTIONS = 80  # questions for each person
TURNS, CYCLES = 12, (5.0, 9.0, 16.0)  # orientations of the gratings, and their frequencies
WORDING = "Which of the two looks more like the one on top?"
SETTINGS: dict[str, dict[str, Any]] = {
    "study": {"title": "Gratings", "wording": WORDING},
    "tasks": {"per_participant": 2, "task_size": QUESTIONS // 2, "practice": 2},
    "quality": {"rules": [{"measure": "fast", "above": 0.5, "after": 20, "action": "exclude"}]},
    "recruitment": {"simulated": "count"},  # nobody else takes part
    "pages": {"questionnaire": []},
}
CONSENT = """\
# Taking part

You compare gratings: you see three at a time. Expected time: {duration}. Your answers stay on the
computer that serves this demonstration, and you may stop at any time.
"""


def demo(
    out: Annotated[Path, option("Where the files go.", "FOLDER")] = Path("demo-out"),
    once: Annotated[bool, option("End when the crowd is through, not by Ctrl-C.")] = False,
    offline: Annotated[bool, option("No server: digits, and answers from a file.")] = False,
    seed: options.Seed = 0,
) -> None:
    """Run a whole study on this machine: stimuli, a server, a crowd, and the map they lead to.

    Thirty simulated people take part over HTTP, as people do in their browsers, and you can join
    them. Their answers choose the next questions. Nothing is downloaded.
    """
    folder = out / "map"

    def draw(source: Source) -> None:
        informed = bool(source.features)
        fit_and_tell(source, Recipe(STUDY_MODEL, seed=seed, informed=informed), folder)

    source = _digits(out, seed) if offline else _study(out, once, seed, draw)
    draw(source)
    if source.features:
        _tell_saving(source, folder, seed)
    typer.echo("\nThe same again, or with other settings:")
    answers, items = source.file, source.items
    more = f"--model {STUDY_MODEL} --out {folder} --seed {seed}"
    more += "".join(f" --features {path}" for path in source.features or ())
    typer.echo(f"  resemblance fit {answers} --items {items} {more}")


def _tell_saving(source: Source, folder: Path, seed: int) -> None:
    """Print what the features saved: the error of the same answers without them."""
    from dataclasses import replace

    from resemblance.analysis import analyse
    from resemblance.cli.output import write_report
    from resemblance.cli.score import read_report

    error = read_report(folder)["held_out"]["error"]
    answers = replace(source, features=None).read()
    without = analyse(answers, STUDY_MODEL, random_state=seed).as_dict()["held_out"]["error"]
    write_report(folder / "features.json", {"error": error, "error_without": without})
    typer.echo(
        f"\nThe study knows the gratings' turn and fineness as features: an error of {error:.3f}. "
        f"Without them the same answers give {without:.3f}."
    )


def _digits(out: Path, seed: int) -> Source:
    from resemblance.cli.digits import N_ITEMS, write_digits

    answers, items = write_digits(out, seed)
    typer.echo(f"A simulated crowd has compared {N_ITEMS} digits: {answers}\n")
    return Source(answers, items=items)


def _study(out: Path, once: bool, seed: int, draw: Callable[[Source], None]) -> Source:
    """Serve a study until the crowd is through, and until Ctrl-C then; give its answers.

    If the server runs on, the crowd's map is drawn first, and the final one at the end.
    """
    from random import Random

    from resemblance.cli.rehearse import served, through, wait
    from resemblance.study.export import Export, write_export
    from resemblance.study.live import open_stored
    from resemblance.study.quality import Quality, Rules
    from resemblance.web.simulated_people import crowd, visitor

    for name in ("study", "stimuli", "answers"):
        shutil.rmtree(out / name, ignore_errors=True)
    out.mkdir(parents=True, exist_ok=True)
    study = create_gratings(out / "study")
    write_items(study, out / "items.csv")

    def answers() -> Source:
        shutil.rmtree(out / "answers", ignore_errors=True)
        with open_stored(study.path) as live:
            Rules(Quality.of(live)).act()  # the worker may not have come to the last answers
            write_export(Export(live), out / "answers", "csv")
        typer.echo(f"\nAll answers, with a codebook: {out / 'answers'}\n")
        written = out / "answers"
        return Source(
            written / "triplets.csv", items=out / "items.csv", features=[written / "features.csv"]
        )

    typer.echo(f"{len(study.stimuli)} gratings, {N_PEOPLE} simulated people, and you, if you like.")
    typer.echo("The simulated people's answers count here, as recruitment.simulated says:")
    total, places, speed = study.settings.total, seen(study), THOUGHT_S / study.kind.seconds
    with served(study) as address, open_stored(study.path) as live:
        people = [
            visitor(person, f"person-{n}", address, study.name, places, total, speed=speed)
            for n, person in enumerate(crowd(N_PEOPLE, 2, Random(seed)))
        ]
        through(live, people)
        if not once:
            typer.echo("The crowd has finished: its map comes now, and a new one at the end.")
            draw(answers())
            wait()
    return answers()


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
