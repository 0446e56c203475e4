"""The commands `search` and `open`."""

import json
import re
import secrets
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from resemblance.catalog import ORIGIN
from resemblance.cli.options import argument, option
from resemblance.cli.serve import EVERYWHERE, HOST, address_of
from resemblance.errors import FileError, SettingError
from resemblance.files import need

if TYPE_CHECKING:
    from resemblance.fitting import OrdinalEmbedding


def search(
    model: Annotated[
        Path, argument("A model of rs.save(), or the embedding.csv of a fit.", "MODEL")
    ],
    images: Annotated[Path, option("A folder with a picture of each item: NAME.png.", "FOLDER")],
    clicks: Annotated[
        Path | None, option("File (.jsonl) for clicks of visitors who agree.")
    ] = None,
    public_api: Annotated[
        bool, option("Serve the API, too.", name="--public-api/--no-public-api")
    ] = True,
    origin: Annotated[
        list[str] | None,
        option("Another site whose pages may use the API: https://lab.example.org.", "URL"),
    ] = None,
    public: Annotated[
        bool | None,
        option(
            "Admit everybody, or only people with the printed address. Default: everybody, unless "
            "--host is this machine.",
            name="--public/--private",
        ),
    ] = None,
    host: Annotated[str, option("Address to listen on; 0.0.0.0: all.", "ADDRESS")] = HOST,
    port: Annotated[int, option("Port to listen on.", min=1, max=65535)] = 8000,
) -> None:
    """Serve a page that finds an item of a model by clicks on the most similar picture."""
    check(clicks, origin or ())
    need(model, images)
    fitted = read_model(model)
    from resemblance.web.app import LOCAL
    from resemblance.web.connections import run
    from resemblance.web.search.app import create_search_app
    from resemblance.web.search.pictures import Pictures, find_pictures
    from resemblance.web.supervisor import listen

    is_open = host not in ("localhost", HOST, "::1") if public is None else public
    token = None if is_open else secrets.token_urlsafe(16)
    app = create_search_app(
        fitted,
        Pictures(find_pictures(images, fitted.items_.names)),
        clicks=clicks,
        public_api=public_api,
        origins=origin or (),
        hosts=None if host in EVERYWHERE else frozenset({*LOCAL, host}),
        token=token,
    )
    listening = listen(host, port)
    address = address_of(host, port)
    typer.echo(f"search:  {address}{'' if token is None else f'/?token={token}'}")
    if public_api:
        typer.echo(f"API:     {address}/openapi.json")
    if token is not None:
        typer.echo("Without --public, only this address works. Programs must send its token:")
        typer.echo(f"Authorization: Bearer {token}")
    typer.echo("Ctrl-C stops the server.")
    run(app, listening)


def check(clicks: Path | None, origins: Sequence[str]) -> None:
    if clicks is not None and clicks.suffix != ".jsonl":
        raise SettingError(
            f"--clicks {clicks} has JSON lines: name it {clicks.with_suffix('.jsonl')}"
        )
    for origin in origins:
        if not re.fullmatch(ORIGIN, origin):
            raise SettingError(
                f"--origin {origin!r} is not an origin: give only scheme and host in lower case, "
                "such as https://lab.example.org or http://localhost:3000"
            )


def read_model(path: Path) -> "OrdinalEmbedding":
    from resemblance.fitting.laplace import refuse_without_likelihood

    if path.suffix == ".csv":
        model = of_positions(path)
    else:
        from resemblance.fitting import OrdinalEmbedding
        from resemblance.saving import load

        model = load(path, OrdinalEmbedding)
    refuse_without_likelihood(model.choice_)
    return model


def of_positions(path: Path) -> "OrdinalEmbedding":
    from resemblance import embeddings
    from resemblance.judgments import Items, read_items
    from resemblance.judgments.tables import read_table

    columns = read_table(path, warn=False).frame.columns
    axes = [f"x{d}" for d in range(1, len(columns) + 1) if f"x{d}" in columns]
    if "item" not in columns or not axes:
        raise FileError(f"{path} lacks columns item, x1, x2, ...: give the embedding.csv of a fit")
    report = path.with_name("report.json")
    try:
        described = json.loads(report.read_text(encoding="utf-8"))["model"]
        kind = getattr(embeddings, described["estimator"])
    except (OSError, ValueError, KeyError, AttributeError):
        raise FileError(
            f"{report} does not name the model: keep the fit's report.json beside the table, or "
            "give a file of rs.save()"
        ) from None
    own = {name: described["parameters"].get(name) for name in ("mu", "alpha")}
    given = {name: value for name, value in own.items() if value is not None}
    items = read_items(path, features=axes)
    return kind(len(axes), **given).set_positions(items.features, Items(items.names))


def open_(
    out: Annotated[
        Path | None, option("Folder for the maps. Default: the current one.", "FOLDER")
    ] = None,
    port: Annotated[int, option("Port to listen on.", min=1, max=65535)] = 8010,
    browser: Annotated[
        bool, option("Open the page in your browser.", name="--browser/--no-browser")
    ] = True,
) -> None:
    """Open a page that makes a map from a file of answers, with an analysis and downloads.

    The page is served on this machine, and no data leave it. For files above 100 MB use `fit`.
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
        page = Path(private).resolve() / "open.html"  # a file hides the key from process lists
        page.write_text(f'<meta http-equiv="refresh" content="0; url={address}">')
        if browser:
            webbrowser.open(page.as_uri())
        run(app, listening)
