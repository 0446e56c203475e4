"""The command `clean`."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from resemblance.cli import options
from resemblance.cli.convert import name_of, write
from resemblance.cli.options import Kind, OnError, option
from resemblance.cli.output import print_lines, write_figure, write_report
from resemblance.cli.source import Source
from resemblance.errors import FileError, SettingError
from resemblance.files import FIGURES, need, need_folder, suffix, writable

if TYPE_CHECKING:
    from resemblance.graphs import CleaningReport
    from resemblance.judgments import Judgments

CHOICES = (
    "choices of one among N are not cleaned: make triplets first, with "
    "resemblance convert IN OUT --from choices"
)


class Method(StrEnum):
    sifting = "sifting"
    greedy = "greedy"
    heaviest = "heaviest"


class Contradictions(StrEnum):
    majority = "majority"
    none = "none"


def clean(
    file: options.File,
    out: Annotated[
        Path | None, option("The file to write. Default: FILE's name with -clean.")
    ] = None,
    report: Annotated[Path | None, option("Also write the removed rows, as JSON.")] = None,
    picture: Annotated[
        Path | None, option("Also draw the graph (.png, .svg or .pdf), of up to 500 pairs.")
    ] = None,
    method: Annotated[Method, option("How cycles are broken")] = Method.sifting,
    contradictions: Annotated[
        Contradictions, option("Which of two opposite comparisons are kept")
    ] = Contradictions.majority,
    reduce: Annotated[bool, option("Also remove comparisons that follow from others.")] = False,
    kind: options.KindOption = Kind.triplets,
    columns: options.Columns = None,
    on_error: options.OnErrorOption = OnError.fail,
    seed: options.Seed = 0,
) -> None:
    """Remove answers that contradict others, and count the removed ones.

    Of two opposite comparisons, the more frequent one is kept. Then as few answers as possible are
    removed until there are no cycles. No file is overwritten.
    """
    out = out or beside(file)
    check_paths(out, report, picture)
    if kind is Kind.choices:
        raise SettingError(CHOICES)
    need(tables=[file])
    from resemblance import graphs
    from resemblance.cli.output import Work

    answers = Source(file, kind, columns, on_error=on_error).judgments(None)
    with Work() as work:
        cleaned, cleaning = graphs.clean(
            answers,
            method.value,
            contradictions.value,
            reduce,
            random_state=seed,
            callback=work.steps("cleaning"),
        )
    undrawn = None if picture is None else draw(answers, picture)
    n_rows = write(cleaned, out)
    if report is not None:
        write_report(report, {"file": file, **as_plain(cleaning)})
    print_lines(cleaning.lines())
    if undrawn is not None:
        typer.echo(f"warning: {undrawn}", err=True)
    typer.echo(f"{n_rows:,} {name_of(cleaned)} written to {out}")


def beside(file: Path) -> Path:
    """Return the default path of the file with cleaned answers.

    >>> beside(Path("pilot.2.csv.gz")).name
    'pilot.2-clean.csv.gz'
    """
    name, end, compression = file.name.rpartition(suffix(file))
    return file.with_name(f"{name}-clean{end}{compression}")


def check_paths(out: Path, report: Path | None, picture: Path | None) -> None:
    suffix(out)
    if picture is not None:
        writable(picture, "a picture", FIGURES)
    for path in (path for path in (out, report, picture) if path is not None):
        if path.exists():
            raise FileError(f"{path} exists and is not overwritten: name another file")
        need_folder(path)


def draw(answers: "Judgments", picture: Path) -> str | None:
    from resemblance.graphs import SimilarityGraph
    from resemblance.plotting import plot_similarity_graph

    try:
        axes = plot_similarity_graph(SimilarityGraph(answers))
    except SettingError as error:
        return f"{picture} is left out: {error}"
    write_figure(picture, axes)
    return None


def as_plain(report: "CleaningReport") -> dict[str, Any]:
    observers = report.observers
    rows = {key: getattr(report, key) for key in ("contradictory", "cyclic", "redundant", "kept")}
    return {
        "steps": report.steps.to_dict("index"),
        "pairs": report.n_pairs,
        "components": report.components,
        "observers": None if observers is None else observers.to_dict("index"),
        "rows": rows,
    }
