"""The command `benchmark`."""

from collections.abc import Iterable, Iterator, Mapping
from math import isnan, nan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from resemblance.catalog import PUBLIC_DATA
from resemblance.cli import options
from resemblance.cli.options import READING, argument, option
from resemblance.cli.problems import as_options
from resemblance.cli.source import AnswersFile, Source, need_answers, read_array
from resemblance.errors import FileError, SettingError, UnavailableError
from resemblance.files import need

if TYPE_CHECKING:
    from resemblance.analysis import Benchmark
    from resemblance.judgments import Items, Judgments

PUBLIC = ", ".join(f"{name} ({data.title})" for name, data in PUBLIC_DATA.items())


def benchmark(
    files: Annotated[
        list[Path],
        argument(
            "Features of networks: .npy files with a row for each item in the order of the data "
            "set, or tables with a column item. Or a folder for each network, with a file for each "
            "data set, named after it, such as things.npy.",
            "FEATURES...",
        ),
    ],
    data: Annotated[
        list[str] | None,
        option(
            f"A file or folder of answers, or a public data set: {PUBLIC}. May be given several "
            "times. Default: all public ones that features fit.",
            "DATA",
            panel=READING,
        ),
    ] = None,
    path: Annotated[
        Path | None,
        option("A folder with upstream files; others are downloaded.", "FOLDER", panel=READING),
    ] = None,
    out: Annotated[Path, option("Where the files go.", "FOLDER")] = Path("benchmark"),
    seed: options.Seed = 0,
) -> None:
    """Measure how like people networks see, and which data sets tell the networks apart.

    Measures the share of people's answers that features as they are give, and features with
    weights that were learned on other items. Intervals hold for other people and other items.
    """
    need(*files)
    names = [file.name.split(".")[0] for file in files]
    if len(set(names)) < len(names):
        twice = max(names, key=names.count)
        raise SettingError(f"two networks are called {twice}, after their files: rename one")
    from resemblance.analysis import benchmark as measured
    from resemblance.cli.output import Work

    answers, left_out = _answers(data or PUBLIC_DATA, path)
    features = {
        name: dict(_features(file, answers, wanted=data is not None))
        for name, file in zip(names, files, strict=True)
    }
    with Work() as work:
        callback = work.steps("learning weights")
        result = measured(answers, features, random_state=seed, callback=callback)
        work.check()
    _leave(result, left_out | dict(result.left_out), out)


def _answers(
    wanted: Iterable[str], path: Path | None
) -> tuple[dict[str, "Judgments"], dict[str, str]]:
    """Return the answers of each data set, and the data sets that cannot be fetched."""
    answers, left_out = {}, {}
    for asked in wanted:
        name = asked if asked in PUBLIC_DATA else Path(asked).name.split(".")[0]
        if name in answers:
            raise SettingError(f"two data sets are called {name}: rename one", setting="data")
        try:
            answers[name] = _read(asked, path)
        except UnavailableError as error:
            left_out[name] = str(error)
    if not answers:
        reasons = "; ".join(f"{name}: {reason}" for name, reason in left_out.items())
        raise UnavailableError(f"no data set can be fetched: {reasons}")
    return answers, left_out


def _read(asked: str, path: Path | None) -> "Judgments":
    if asked in PUBLIC_DATA:
        if path is not None:
            try:
                return PUBLIC_DATA[asked].make(path=path).judgments
            except FileError as error:
                typer.echo(f"note: {asked} is downloaded ({error})", err=True)
        return PUBLIC_DATA[asked].make().judgments
    if not Path(asked).exists():
        raise FileError(f"{asked} is neither a file nor a public data set ({PUBLIC}): correct it")
    need_answers(Path(asked))
    return AnswersFile(Path(asked)).judgments()


def _features(
    network: Path, answers: Mapping[str, "Judgments"], wanted: bool
) -> Iterator[tuple[str, Any]]:
    """Yield the data sets that a network has features of, and these features.

    If data sets are not ``wanted`` by name, a single file is used for those that it fits.
    """
    is_folder = network.is_dir()
    for name, judgments in answers.items():
        files = [network]
        if is_folder:
            files = [file for file in sorted(network.iterdir()) if file.name.split(".")[0] == name]
        if len(files) > 1:
            raise FileError(f"{network} has several files of {name}: leave {files[0].name} alone")
        for file in files:
            features = _read_features(file, name, judgments.items)
            names, of_features = {*judgments.items.names}, getattr(features, "names", None)
            fits = len(features) == len(names) if of_features is None else names <= {*of_features}
            if wanted or is_folder or fits:
                yield name, features


def _read_features(file: Path, name: str, items: "Items") -> Any:
    if file.suffix != ".npy":
        return Source(file, features=[file]).known_items()
    from resemblance.judgments.items import are_numbered

    if name not in PUBLIC_DATA and not are_numbered(items):
        raise FileError(
            f"{file} does not name its items, and the answers of {name} do (such as "
            f"{items.names[0]!r}): give a table with the column item"
        )
    import numpy as np

    return np.atleast_1d(read_array(file))


def _leave(result: "Benchmark", left_out: Mapping[str, str], folder: Path) -> None:
    from resemblance.cli import output
    from resemblance.plotting import plot_benchmark

    output.make_folder(folder)
    tables = {"benchmark": result.table, "differences": result.differences}
    for name, table in tables.items():
        output.write_csv(folder / f"{name}.csv", table)
    output.write_figure(folder / "benchmark.png", plot_benchmark(result))
    rows = {
        name: table.astype(object).where(table.notna(), None).to_dict("records")
        for name, table in tables.items()
    }
    output.write_report(
        folder / "report.json", rows | {"verdicts": result.verdicts, "left_out": left_out}
    )
    files = "benchmark.png, benchmark.csv, differences.csv, report.json"
    output.print_lines([*_lines(result), ("written", f"{folder}: {files}")])
    for name, reason in left_out.items():
        typer.echo(f"note: {name} is left out: {as_options(reason)}", err=True)


def _lines(result: "Benchmark") -> Iterator[tuple[str, str]]:
    from resemblance.analysis.benchmarking import MEASURES

    for name, rows in result.table.groupby("data", sort=False):
        first = rows.iloc[0].to_dict()
        people = "" if isnan(first["people"] or nan) else f" of {first['people']:.0f} people"
        yield (
            str(name),
            f"{first['answers']:,} answers{people} about {first['items']:,} items; chance "
            f"{first['chance']:.3f}, ceiling {_said(first, 'ceiling')}",
        )
        for row in rows.to_dict("records"):
            measured = (f"{words} {_said(row, measure)}" for measure, words in MEASURES.items())
            yield f"  {row['network']}", "; ".join(measured)
        yield from (("  verdict", sentence) for sentence in result.sentences(str(name)))


def _said(row: Mapping[Any, Any], name: str) -> str:
    value, share = (row.get(part, nan) for part in (name, f"{name}_share"))
    if value is None or isnan(value):
        return "unknown"
    possible = "" if isnan(share) else f", {share:.0%} of what is possible"
    return f"{value:.3f} ({row[f'{name}_low']:.3f} to {row[f'{name}_high']:.3f}){possible}"
