"""The command `demo`."""

from pathlib import Path
from typing import Annotated

import typer

from resemblance.cli import options
from resemblance.cli.fit import fit_and_tell
from resemblance.cli.models import Recipe
from resemblance.cli.problems import told
from resemblance.cli.source import Source
from resemblance.cli.validation import Validation


def demo(
    out: Annotated[Path, typer.Option(help="Where the files go.", metavar="FOLDER")] = Path(
        "demo-out"
    ),
    seed: options.Seed = 0,
    show: Annotated[bool, typer.Option("--open", help="Open the map in a browser.")] = False,
    progress: options.Progress = False,
    debug: options.Debug = False,
) -> None:
    """Make a map of handwritten digits out of the answers of a simulated crowd.

    Writes the answers and the items, then does what fit does. Nothing is downloaded.
    """
    from resemblance.cli.digits import N_ITEMS, write_digits

    with told(debug, out):
        answers, items = write_digits(out, seed)
        folder = out / "map"
        typer.echo(f"A simulated crowd has compared {N_ITEMS} digits: {answers}\n")
        source, recipe = Source(answers, items=items), Recipe(seed=seed)
        fit_and_tell(source, recipe, Validation(), out=folder, visible=progress)
    typer.echo("\nThe same again, or with other settings:")
    typer.echo(f"  resemblance fit {answers} --items {items} --out {folder} --seed {seed}")
    if show:
        typer.launch((folder / "map.html").resolve().as_uri())
