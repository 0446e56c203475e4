"""The command `benchmark`."""

from collections.abc import Iterator
from contextlib import suppress
from enum import StrEnum
from math import isnan, nan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from resemblance.catalog import MEASURES, PUBLIC_DATA
from resemblance.cli import options
from resemblance.cli.options import READING, argument, option
from resemblance.cli.output import with_figures
from resemblance.cli.source import AnswersFile, Source, need_answers, read_array
from resemblance.errors import FileError, SettingError, UnavailableError, first_few
from resemblance.files import need

if TYPE_CHECKING:
    import pandas as pd

    from resemblance.analysis import Benchmark
    from resemblance.judgments import Judgments

PUBLIC = "; ".join(
    f"{name} ({each.about}, {each.n_items:,} items)" for name, each in PUBLIC_DATA.items()
)
Similarity = StrEnum("Similarity", ["cosine", "dot", "euclidean"])
LEFT_OUT = "no network has features of it"


@with_figures
def benchmark(
    networks: Annotated[
        list[Path],
        argument(
            "The features of a network: .npy, with a row for each item in the order of the data "
            "set, or a table with a column item. Or a folder with such a file for each data set, "
            "named after it, such as things.npy.",
            "FEATURES...",
        ),
    ],
    data: Annotated[
        list[str] | None,
        option(
            f"A data set; may be given several times. Either a file or folder of answers, or a "
            f"public one: {PUBLIC}. Default: all public ones for which there are features.",
            "DATA",
            panel=READING,
        ),
    ] = None,
    path: Annotated[
        Path | None,
        option(
            "A folder with upstream files of public data sets; others are downloaded.",
            "FOLDER",
            panel=READING,
        ),
    ] = None,
    similarity: Annotated[
        Similarity, option("How similar features are as they are.")
    ] = Similarity.cosine,
    out: Annotated[Path, option("Where the files go.", "FOLDER")] = Path("benchmark"),
    seed: options.Seed = 0,
) -> None:
    """Measure how like people networks see, and which data sets tell the networks apart.

    Measures the agreement with people's answers of features as they are and of learned weights, on
    items that were held out, with chance, noise ceiling and intervals. Differences of networks have
    intervals that hold for other people and other items.
    """
    from resemblance.analysis import benchmark as measured
    from resemblance.cli.output import Work

    names = [path.name.split(".")[0] for path in networks]
    if len(set(names)) < len(names):
        raise SettingError(
            f"two networks are called {max(names, key=names.count)}: they are named after their "
            "files or folders, so rename one"
        )
    need(*networks)
    files = dict(zip(names, networks, strict=True))
    answers, features, left_out = _read(files, data, path)
    with Work() as work:
        result = measured(
            answers,
            features,
            similarity=similarity.value,  # type: ignore[arg-type]
            random_state=seed,
            callback=work.steps("learning weights"),
        )
        work.check()
    _leave(result, left_out | dict(result.left_out), out)


def _read(
    files: dict[str, Path], data: list[str] | None, path: Path | None
) -> tuple[dict[str, "Judgments"], dict[str, dict[str, Any]], dict[str, str]]:
    """Return answers by data set, features by network and data set, and data sets left out."""
    answers, left_out = {}, {}
    features: dict[str, dict[str, Any]] = {network: {} for network in files}
    for asked in dict.fromkeys(data or PUBLIC_DATA):
        name = asked if asked in PUBLIC_DATA else Path(asked).name.split(".")[0]
        given = dict(_features_of(files, name, asked in PUBLIC_DATA, wanted=data is not None))
        try:
            judgments = _answers_of(asked, path) if given else None
        except UnavailableError as error:
            left_out[name] = str(error)
            continue
        if judgments is not None and data is None:
            items = set(judgments.items.names)
            given = {n: x for n, x in given.items() if items <= {*getattr(x, "names", items)}}
        if judgments is None or not given:
            left_out[name] = LEFT_OUT
            continue
        answers[name] = judgments
        for network, each in given.items():
            features[network][name] = each
    if not answers:
        reasons = "; ".join(f"{name}: {reason}" for name, reason in left_out.items())
        raise SettingError(
            f"no data set is left ({reasons}): features have a row for each item of {PUBLIC}, or "
            "of your own answers (--data FILE)"
        )
    return answers, features, left_out


def _features_of(
    files: dict[str, Path], name: str, is_public: bool, wanted: bool
) -> Iterator[tuple[str, Any]]:
    """Yield each network with its features of a data set, if it has a file of them.

    If the data set is not ``wanted`` by name, arrays with other numbers of rows are left out.
    """
    from resemblance.judgments import Items

    for network, file in files.items():
        folder = file
        if folder.is_dir():
            inside = [each for each in sorted(folder.iterdir()) if each.name.split(".")[0] == name]
            if len(inside) > 1:
                raise FileError(f"{folder} has {first_few(inside)}: leave one file of {name}")
            if not inside:
                continue
            file = inside[0]
        if file.suffix != ".npy":
            yield network, Source(file, features=[file]).known_items()
            continue
        array = read_array(file)
        n_items = PUBLIC_DATA[name].n_items if is_public else len(array)
        if wanted or folder.is_dir() or len(array) == n_items:
            # A file of one's own has no order of items: rows are those of items 0, 1, ...
            yield network, array if is_public else Items(len(array), array)


def _answers_of(asked: str, path: Path | None) -> "Judgments":
    if asked in PUBLIC_DATA:
        loader = PUBLIC_DATA[asked]
        if path is not None:
            with suppress(FileError):
                return loader.make(path=path).judgments
        return loader.make().judgments
    if not Path(asked).exists():
        raise FileError(
            f"{asked} is neither a file nor a public data set: give answers, or one of "
            f"{', '.join(PUBLIC_DATA)}",
            setting="data",
        )
    need_answers(Path(asked))
    return AnswersFile(Path(asked)).judgments()


def _leave(result: "Benchmark", left_out: dict[str, str], folder: Path) -> None:
    from resemblance.cli import output
    from resemblance.plotting import plot_benchmark

    output.make_folder(folder)
    output.write_csv(folder / "benchmark.csv", result.table)
    output.write_csv(folder / "differences.csv", result.differences)
    output.write_figure(folder / "benchmark.png", plot_benchmark(result))
    rows = {
        part: table.astype(object).where(table.notna(), None).to_dict("records")
        for part, table in (("networks", result.table), ("differences", result.differences))
    }
    record = {"level": result.level, "verdicts": result.verdicts, **rows, "left_out": left_out}
    output.write_report(folder / "report.json", record)
    output.print_lines(
        [
            *_lines(result),
            ("written", f"{folder}: benchmark.csv, differences.csv, benchmark.png, report.json"),
        ]
    )
    for name, reason in left_out.items():
        typer.echo(f"note: {name} is left out: {reason}", err=True)


def _lines(result: "Benchmark") -> Iterator[tuple[str, str]]:
    for name, rows in result.table.groupby("data", sort=False):
        first = rows.iloc[0]
        people = "" if isnan(first["people"]) else f" of {first['people']:.0f} people"
        yield (
            str(name),
            f"{first['answers']:,} answers{people} about {first['items']:,} items; chance "
            f"{first['chance']:.3f}, ceiling {_said(first, 'ceiling')}",
        )
        for _, row in rows.iterrows():
            measured = (f"{words} {_said(row, name)}" for name, words in MEASURES.items())
            yield f"  {row['network']}", "; ".join(measured)
        for sentence in result.sentences(str(name)):
            yield "  verdict", sentence


def _said(row: "pd.Series[Any]", name: str) -> str:
    value, share = row.get(name, nan), row.get(f"{name}_share", nan)
    if isnan(value):
        return "unknown"
    possible = "" if isnan(share) else f", {share:.0%} of what is possible"
    return f"{value:.3f} ({row[f'{name}_low']:.3f} to {row[f'{name}_high']:.3f}){possible}"
