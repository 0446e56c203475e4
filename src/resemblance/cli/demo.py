"""The command `demo`."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from resemblance.catalog import STUDY_MODEL
from resemblance.cli import options
from resemblance.cli.fit import fit_and_tell
from resemblance.cli.options import option
from resemblance.cli.source import Source
from resemblance.recipe import Recipe

THOUGHT_S = 0.35  # the time of a simulated answer


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

    from resemblance.cli.gratings import N_PEOPLE, create_gratings, seen, write_items
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
