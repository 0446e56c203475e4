"""The command `add-items`."""

from pathlib import Path
from typing import Annotated

import typer

from resemblance.cli import options
from resemblance.cli.options import Database, StudyPath, option
from resemblance.errors import SettingError


def add_items(
    study: StudyPath,
    images: Annotated[
        Path | None, option("Folder of new pictures, sounds or films: each is an item.", "DIR")
    ] = None,
    items: Annotated[
        Path | None,
        option("Or a CSV of new items, as `new` takes it, for a study with such a table."),
    ] = None,
    database: Database = None,
    link: options.Link = False,
) -> None:
    """Add items to a study that was begun, while it runs: they are asked about first."""
    if (images is None) == (items is None):
        raise SettingError("what is to be added? Give --images, or --items")
    from resemblance.study.new_items import add_items

    added = add_items(study, images, items, database, link)
    names, folder = added.names, added.folder
    more = " ..." if len(names) > 5 else ""
    typer.echo(f"{study}: {len(names)} new ({', '.join(names[:5])}{more})")
    typer.echo(f"  {len(folder.names)} items in all; a server that runs takes them by itself")
    if folder.settings.adaptive:
        n = folder.settings.asking.per_new_item
        typer.echo(f"  each new one gets {n} answers before all else, then joins the others")
