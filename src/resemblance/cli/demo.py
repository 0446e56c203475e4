"""The command `demo`."""

import shutil
from collections.abc import Callable, Mapping
from enum import StrEnum
from math import cos, sin, tau
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from resemblance.cli import options
from resemblance.cli.fit import read_report
from resemblance.cli.options import option
from resemblance.cli.source import Source
from resemblance.recipe import Recipe

if TYPE_CHECKING:
    from resemblance.study.folder import StudyFolder


class PaperName(StrEnum):
    yada = "yada"
    templates = "templates"
    multimodal = "multimodal"
    crowd_kernel = "crowd-kernel"
    ste = "ste"


MODEL = "ste"  # model of the fit and of the simulated people
Space = Mapping[str, Any]  # item to position

THOUGHT_S = 0.15  # seconds that a simulated person waits before each answer
N_PEOPLE = 30
QUESTIONS = 80  # number of questions per person
TURNS, CYCLES = 12, (5.0, 9.0, 16.0)  # number of orientations of gratings, and their frequencies
WORDING = "Which of the two looks more like the one on top?"
SETTINGS: dict[str, dict[str, Any]] = {
    "study": {"title": "Gratings", "wording": WORDING},
    "tasks": {"per_participant": 2, "task_size": QUESTIONS // 2, "practice": 2},
    "asking": {"model": MODEL},
    "quality": {"rules": [{"measure": "fast", "above": 0.5, "after": 20, "action": "exclude"}]},
    "recruitment": {"simulated": "count"},
    "pages": {"questionnaire": []},
}
VERDICTS = {
    True: "These answers show no difference between the map and the best possible one.",
    False: "The map could be better: try more answers, or more dimensions.",
}
DOORS = """
Your own:
  pictures, sounds or texts   resemblance new STUDY --images FOLDER, then resemblance serve STUDY
  a file of answers           resemblance open
  in Python                   rs.analyse(rs.read_triplets("answers.csv"))"""
CONSENT = """\
# Taking part

You compare gratings: you see three at a time. Expected time: {duration}. Your answers stay on the
computer that serves this demonstration, and you may stop at any time.
"""


def demo(
    out: Annotated[Path, option("Where the files go.", "FOLDER")] = Path("demo-out"),
    once: Annotated[bool, option("End when the crowd has finished, without Ctrl-C.")] = False,
    offline: Annotated[
        bool, option("Without a server: fit answers about digits from a file.")
    ] = False,
    paper: Annotated[
        PaperName | None, option("Run a small version of a paper's experiment instead.", "NAME")
    ] = None,
    seed: options.Seed = 0,
) -> None:
    """Run a complete study on this machine: stimuli, a server, a simulated crowd, and the map.

    Thirty simulated people take part over HTTP, and you can join them in a browser. The answers
    determine the next questions. Nothing is downloaded.
    """
    if paper is not None:
        show_paper(paper, out, seed)
        return
    folder = out / "map"

    def draw(source: Source, space: Space) -> None:
        from resemblance.cli.fitting import Fit

        fit = Fit(source, Recipe(MODEL, seed=seed), folder)
        fit.run()
        if fit.status != "complete":
            fit.tell()
            raise typer.Exit(130)
        lines = result_lines(read_report(folder), error_of(space, source), folder)
        for line in (*lines, *(f"warning: {words}" for words in fit.analysis.warnings)):
            typer.echo(line)

    source, space = _digits(out, seed) if offline else _study(out, once, seed, draw)
    draw(source, space)
    typer.echo("\nThe whole report, and the same map again:")
    typer.echo(
        f"  resemblance fit {source.file} --items {source.items} --model {MODEL} "
        f"--out {folder} --seed {seed}"
    )
    typer.echo(DOORS)


def show_paper(paper: PaperName, out: Path, seed: int) -> None:
    from resemblance.cli.output import make_folder, print_lines
    from resemblance.cli.paper_demos import DEMOS
    from resemblance.cli.problems import warnings_told

    with warnings_told():
        findings = DEMOS[paper.value](make_folder(out / paper.value), seed)
    print_lines(findings)


def error_of(space: Space, source: Source) -> float:
    import numpy as np

    from resemblance.fitting.held_out import scored_rows
    from resemblance.scores import triplet_error

    answers = source.read()
    positions = np.array([space[name] for name in answers.items.names])
    return triplet_error(positions, answers[scored_rows(answers)[0]])


def result_lines(report: Mapping[str, Any], least: float, folder: Path) -> list[str]:
    data, held = report["data"], report["held_out"]
    as_good = held["interval"][0] <= least
    return [
        "",
        f"Asked      {data['answers']:,} questions about {data['items']} pictures: {WORDING}",
        f"Predicted  {right(held)} of 100 held-out answers; guessing gives 50",
        f"Possible   {100 * (1 - least):.0f}, by the space from which the simulated people answer",
        f"Verdict    {VERDICTS[as_good]}",
        f"Pictures   {folder / 'map.html'} (open it in a browser), map.png",
    ]


def right(score: Mapping[str, Any]) -> str:
    low, high = (100 * (1 - end) for end in reversed(score["interval"]))
    return f"{100 * (1 - score['error']):.0f} ({low:.0f} to {high:.0f})"


def _digits(out: Path, seed: int) -> tuple[Source, Space]:
    from resemblance.cli.digits import N_ITEMS, seen_digits, write_digits

    answers, items = write_digits(out, seed)
    typer.echo(f"A simulated crowd has compared {N_ITEMS} digits: {answers}")
    return Source(answers, items=items), seen_digits()


def _study(
    out: Path, once: bool, seed: int, draw: Callable[[Source, Space], None]
) -> tuple[Source, Space]:
    """Serve a study until the crowd has finished; return the answers and the true space.

    Unless ``once`` is true, also draw a map, and serve the study until Ctrl-C.
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
            Rules(Quality.of(live)).act()  # the worker may not have seen the last answers yet
            write_export(Export(live), out / "answers", "csv")
        typer.echo(f"\nAll answers, with a codebook: {out / 'answers'}")
        written = out / "answers"
        return Source(written / "triplets.csv", items=out / "items.csv")

    typer.echo(f"{len(study.stimuli)} gratings, {N_PEOPLE} simulated people, and you, if you like.")
    typer.echo("Here simulated people's answers count (recruitment.simulated):")
    total, places, speed = study.settings.total, seen(study), THOUGHT_S / study.kind.seconds
    space = {stimulus.name: places[stimulus.digest] for stimulus in study.stimuli}
    with served(study) as address, open_stored(study.path) as live:
        people = [
            visitor(person, f"person-{n}", address, study.name, places, total, speed=speed)
            for n, person in enumerate(crowd(N_PEOPLE, 2, Random(seed)))
        ]
        through(live, people)
        if not once:
            typer.echo("The crowd has finished. This is its map; a new one follows at the end.")
            draw(answers(), space)
            wait()
    return answers(), space


def create_gratings(folder: Path) -> "StudyFolder":
    from resemblance.stimuli import Gabors
    from resemblance.study.creation import create_study

    rows = [(180.0 * turn / TURNS, cycles, 1.0) for cycles in CYCLES for turn in range(TURNS)]
    drawn = folder.with_name("stimuli")
    for number, picture in enumerate(Gabors(rows).save(drawn, size=192)):
        picture.rename(drawn / f"grating{number:02d}.png")
    pages = {"consent": CONSENT}
    return create_study(folder, images=drawn, settings=SETTINGS, pages=pages)


def write_items(study: "StudyFolder", path: Path) -> None:
    import pandas as pd

    from resemblance.cli.output import write_csv

    files = [str(s.path.relative_to(path.parent)) for s in study.stimuli if s.path]
    names = [s.name for s in study.stimuli]
    # Labels are ranges of orientation, because nearest neighbours have similar orientations.
    turns = [180 * (number % TURNS) // TURNS for number in range(len(names))]
    labels = [f"{turn // 45 * 45} to {turn // 45 * 45 + 30} degrees" for turn in turns]
    write_csv(path, pd.DataFrame({"item": names, "label": labels, "image": files}))


def seen(study: "StudyFolder") -> dict[str, tuple[float, float]]:
    """Return the true position of each stimulus, with the stimulus's digest as key.

    Each frequency is a ring, where finer gratings have larger radii. The angle is twice the
    orientation.
    """
    places = {}
    for number, stimulus in enumerate(study.stimuli):
        cycles, angle = divmod(number, TURNS)
        turn, radius = tau * angle / TURNS, 1.2 + 1.2 * cycles
        places[stimulus.digest] = radius * cos(turn), radius * sin(turn)
    return places
