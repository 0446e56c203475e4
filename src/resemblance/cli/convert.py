"""The command `convert`."""

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from resemblance.cli.options import Kind, OnError, argument, option
from resemblance.cli.problems import warnings_told, with_fields
from resemblance.cli.source import AnswersFile
from resemblance.errors import FileError, SettingError
from resemblance.files import need, suffix

if TYPE_CHECKING:
    from resemblance.judgments import Judgments, Triplets


class From(StrEnum):
    choices = "choices"
    odd_one_out = "odd-one-out"
    ranks = "ranks"
    salmon = "salmon"
    psiz = "psiz"
    things = "things"


class To(StrEnum):
    cblearn = "cblearn"


# Formats with numbered stimuli, whose names are in another file.
LISTED = (From.psiz, From.things)
ARRAYS = ".npz", ".csv"  # suffixes of files with cblearn's arrays
UNTOUCHED = {  # kinds of judgments that are not converted to triplets
    From.psiz: Kind.choices,
    From.odd_one_out: Kind.odd_one_outs,
    From.things: Kind.odd_one_outs,
}
HELD = {From.choices: Kind.choices, **UNTOUCHED}
RANKS = ("head", "ranking")  # columns of a file with rankings
RAW = ("answers", "only", "design", "people")  # options that only raw files have


@with_fields(AnswersFile)
def convert(
    out: Annotated[
        Path,
        argument(
            "The file to write: .csv, .parquet or .jsonl; with --to also .npz.",
            "OUT",
        ),
    ],
    origin: Annotated[
        From | None,
        option(
            "The content of the file, which becomes triplets, unless --kind keeps it: choices "
            "(head, chosen, options), odd-one-out (odd, options; or odd, kept_a, kept_b), ranks "
            "(head, ranking: most similar first), all with lists separated by bars; or a file of "
            "salmon, psiz or things.",
            name="--from",
        ),
    ] = None,
    to: Annotated[
        To | None,
        option("Write arrays for cblearn."),
    ] = None,
    stimuli: Annotated[
        Path | None, option("With --from psiz or things: the list of stimuli, one per line.")
    ] = None,
    **given: Any,
) -> None:
    """Convert answers to triplets, to another format, or from the files of other programs.

    Names, weights, responses, observers and other columns are kept. Losses are reported.
    """
    source = AnswersFile(**given)
    file, kind = source.file, source.kind
    check(file, out, origin, to, kind)
    refuse_unused(source, origin, stimuli=stimuli)
    need(file, stimuli, tables=(source.design, source.people))
    left_out: list[str] = []
    with warnings_told():
        rows = read(source, origin, stimuli, left_out)
    n_rows = write_arrays(rows, out, left_out) if to else write(rows, out)
    typer.echo(f"{n_rows:,} {name_of(rows)} written to {out}")
    if left_out:
        typer.echo(f"left out: {', '.join(left_out)}", err=True)


def name_of(rows: "Judgments") -> str:
    return getattr(rows, "plural", None) or rows.kind().replace("_", " ")


def check(file: Path, out: Path, origin: From | None, to: To | None, kind: Kind | None) -> None:
    if to is None:
        suffix(out)
    elif out.suffix not in ARRAYS:
        raise FileError(f"{out} has an unknown suffix {out.suffix!r}: use {' or '.join(ARRAYS)}")
    kinds = {Kind.triplets, UNTOUCHED.get(origin, Kind.triplets)} if origin else {*Kind}
    if kind is not None and kind not in kinds:
        raise SettingError(f"--from {origin} gives {' or '.join(sorted(kinds))}, not {kind}")


def refuse_unused(source: AnswersFile, origin: From | None, **given: Any) -> None:
    if origin is From.ranks and source.on_error is OnError.skip:
        raise SettingError(f"--from {origin} cannot skip rows: leave --on-error out")
    peers = (From.salmon, *LISTED)
    given |= {name: getattr(source, name) for name in ("columns", *RAW)}
    used = {"stimuli": origin in LISTED, "columns": origin not in peers}
    for name, value in given.items():
        if value is not None and not used.get(name, origin is None):
            raise SettingError(
                f"--{name} does not apply to "
                f"{f'--from {origin}' if origin else 'these answers'}: leave it out"
            )


def read(
    source: AnswersFile, origin: From | None, stimuli: Path | None, left_out: list[str]
) -> "Judgments":
    from resemblance import judgments

    if origin is None:
        return source.judgments()
    if origin is From.ranks:
        rows, columns = triplets_of_ranks(source.file, source.columns)
        left_out += columns
        return rows
    on_error, held = source.on_error.value, HELD.get(origin)
    if origin in (From.choices, From.odd_one_out):
        reader = getattr(judgments, f"read_{held}")
        rows = reader(source.file, None, source.columns, on_error=on_error)
    else:
        listed = [stimuli] if origin in LISTED else []
        rows = getattr(judgments, f"read_{origin}")(source.file, *listed, on_error=on_error)
    if getattr(rows, "catches", None) is not None:
        left_out.append(f"{len(rows.catches):,} catch trials")
    if held is None or source.kind is held:
        return rows
    if held is Kind.choices:
        return judgments.triplets_from_choices(rows)
    return judgments.triplets_from_odd_one_out(rows)


def triplets_of_ranks(
    path: Path, columns: Mapping[str, str] | None
) -> "tuple[Triplets, list[str]]":
    from resemblance.judgments import triplets_from_ranks
    from resemblance.judgments.choices import choice_index
    from resemblance.judgments.file_io import notes_of, padded
    from resemblance.judgments.labels import Labels, check_columns, items_of
    from resemblance.judgments.rows import NOTES
    from resemblance.judgments.tables import read_table

    check_columns((*RANKS, *NOTES), columns)
    table = read_table(path)
    column_of = table.find(RANKS, NOTES, columns)
    with table.located():
        head = Labels.of(table.frame[column_of["head"]], "head")
        listed = Labels.of(table.frame[column_of["ranking"]], "options")
        items = items_of([head, listed])
        ranks = padded(listed.positions(items), listed.rows)
        positions = head.positions(items)
        choice_index(positions, ranks, ranks[:, 0], name=lambda item: repr(items.names[item]))
        notes = notes_of(table, column_of)
        left_out = list(notes.pop("extra"))
        return triplets_from_ranks(positions, ranks, items, **notes), left_out


def write(rows: "Judgments", out: Path) -> int:
    from resemblance.files import whole

    with whole(out) as part:
        rows[:].write(part)
    return len(rows)


def write_arrays(rows: "Judgments", out: Path, left_out: list[str]) -> int:
    from resemblance.files import whole
    from resemblance.judgments import write_cblearn

    with whole(out) as part:
        write_cblearn(rows, part)
    notes = {"weight": rows.weight, "response_id": rows.response_id, "observer": rows.observer}
    in_text = [name for name, note in notes.items() if note is not None and out.suffix == ".csv"]
    left_out += [*in_text, *rows.extra]
    return len(rows)
