"""The command `open`."""

import webbrowser
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from resemblance.cli.options import option
from resemblance.cli.serve import address_of

HOST = "127.0.0.1"  # other machines cannot reach it


def open_(
    out: Annotated[
        Path | None, option("Where maps are kept. Default: the folder you are in.", "FOLDER")
    ] = None,
    port: Annotated[int, option("Which port.", min=1, max=65535)] = 8010,
    browser: Annotated[
        bool, option("Open the page in your browser.", name="--browser/--no-browser")
    ] = True,
) -> None:
    """Open a page on which you drop a file of answers, and get a map, the analysis and downloads.

    It runs on this machine alone; nothing leaves it. Files of more than 100 MB go by `fit`.
    """
    from resemblance.web.supervisor import listen

    listening = listen(HOST, port)
    from resemblance.cli.output import make_folder
    from resemblance.web.app import LOCAL
    from resemblance.web.connections import run
    from resemblance.web.opened import create_open_app

    home = make_folder(out or Path.cwd())
    app = create_open_app(home.resolve(), frozenset(LOCAL))
    address = f"{address_of(HOST, port)}/?token={app.state.key}"
    typer.echo(f"maps:  {address}")
    typer.echo(f"They are kept in {home}. Ctrl-C stops the program.")
    with TemporaryDirectory(prefix="page-", dir=home) as private:
        page = Path(private).resolve() / "open.html"  # everybody can read the words of a command
        page.write_text(f'<meta http-equiv="refresh" content="0; url={address}">')
        if browser:
            webbrowser.open(page.as_uri())
        run(app, listening)
