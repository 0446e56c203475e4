"""The command `convert`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from resemblance.cli import options
from resemblance.cli.options import Catches, Kind
from resemblance.cli.problems import told
from resemblance.cli.responses import Response
from resemblance.cli.source import Source
from resemblance.errors import SettingError

if TYPE_CHECKING:
    from resemblance.judgments import Judgments


def convert(
    file: Annotated[Path, typer.Argument(help="What to read.", metavar="IN")],
    out: Annotated[
        Path, typer.Argument(help="What to write: .csv, .parquet or .jsonl.", metavar="OUT")
    ],
    kind: options.KindOption = Kind.triplets,
    response: Annotated[
        Response | None,
        typer.Option(
            "--from",
            help="Make triplets of these: choices (head, chosen, options), odd ones out (odd, "
            "options) or ranks (head, ranking: most similar first). Lists are separated by bars.",
        ),
    ] = None,
    columns: options.Columns = None,
    catches: options.CatchesOption = Catches.error,
    debug: options.Debug = False,
) -> None:
    """Convert between CSV, Parquet and JSON lines, and from other responses to triplets.

    Names, weights, groups, observers and further columns are kept.
    """
    with told(debug, file, out):
        from resemblance.judgments.tables import suffix

        suffix(out)  # an unknown type is refused before anything is read
        if response and kind is not Kind.triplets:
            raise SettingError(f"--from {response} makes triplets: leave --kind out")
        source = Source(file, Kind.choices if response else kind, columns, catches)
        rows, left_out = triplets_of(source, response) if response else (source.judgments(None), [])
        n_rows = write(rows, kind, out)
    typer.echo(f"{n_rows:,} {kind} written to {out}")
    if left_out:
        typer.echo(f"left out: {', '.join(left_out)}", err=True)


def triplets_of(source: Source, response: Response) -> "tuple[Judgments, list[str]]":
    """Make triplets of responses; say what they cannot carry."""
    from resemblance.cli import responses
    from resemblance.judgments import Choices, triplets_from_choices

    if response is not Response.choices:
        if source.catches is Catches.keep:
            raise SettingError(
                f"--from {response} has no catch trials to keep: leave --catches out"
            )
        return responses.READERS[response](source.file, source.columns)
    rows = source.judgments(None)
    assert isinstance(rows, Choices)
    left_out = [] if rows.catches is None else [f"{len(rows.catches):,} catch trials"]
    return triplets_from_choices(rows), left_out


def write(rows: "Judgments", kind: Kind, out: Path) -> int:
    """Write judgments, their catch trials last, and count the rows."""
    from resemblance import judgments
    from resemblance.cli.output import whole

    with whole(out) as part:
        getattr(judgments, f"write_{kind}")(rows, part)
    catches = getattr(rows, "catches", None)
    return len(rows) + (0 if catches is None else len(catches))
