"""The command `new`."""

from pathlib import Path
from typing import Annotated

import typer

from resemblance.cli import options
from resemblance.cli.options import option
from resemblance.errors import SettingError


def new(
    study: Annotated[
        Path,
        typer.Argument(help="The folder to make; its name becomes the study's.", metavar="STUDY"),
    ],
    images: Annotated[
        Path | None, option("Folder of pictures, sounds or films: each is an item.", "DIR")
    ] = None,
    items: Annotated[
        Path | None,
        option("Or a CSV of items, with the columns item, image (or text), name, label."),
    ] = None,
    kind: Annotated[
        str | None,
        option("What is asked: a kind of question (another word lists them). Default: triplet."),
    ] = None,
    link: options.Link = False,
) -> None:
    """Begin a study: a folder with its settings, its stimuli and the texts of its pages."""
    if (images is None) == (items is None):
        raise SettingError("what is to be compared? Give --images, or --items")
    from resemblance.study.creation import create_study

    made = create_study(study, kind, images, items, link)
    typer.echo(f"{study}: a study of {len(made.stimuli)} items\n")
    typer.echo(f"  {study / 'study.toml'}    what is asked, of whom, how much")
    typer.echo(f"  {study / 'pages'}         the texts that people read: put in your own")
    typer.echo(f"\nThen:  resemblance check {study}\n       resemblance serve {study}")
