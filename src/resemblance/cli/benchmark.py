"""The command `benchmark`."""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from math import isnan, nan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from resemblance.catalog import PUBLIC_DATA
from resemblance.cli import options
from resemblance.cli.options import READING, Missing, argument, option
from resemblance.cli.problems import as_options
from resemblance.cli.source import AnswersFile, Source, by_name, name_of, need_answers
from resemblance.errors import FileError, JudgmentError, SettingError, UnavailableError, first_few
from resemblance.files import list_folder, need

if TYPE_CHECKING:
    from resemblance.analysis import Benchmark
    from resemblance.judgments import Items, Judgments

PUBLIC = ", ".join(f"{name} ({data.title})" for name, data in PUBLIC_DATA.items())
Similarity = StrEnum("Similarity", ["cosine", "dot", "euclidean"])


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
        list[Path] | None,
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
    missing: options.MissingOption = Missing.error,
    similarity: Annotated[
        Similarity, option("The similarity of features as they are.")
    ] = Similarity.cosine,
    out: Annotated[Path, option("Where the files go.", "FOLDER")] = Path("benchmark"),
    seed: options.Seed = 0,
) -> None:
    """Measure how like people networks see, and which data sets tell the networks apart.

    Measures the share of people's answers that features as they are give, and features with
    weights that were learned on other items. Intervals hold for other people and other items.
    """
    need(*files)
    networks, sources = by_name(files), by_name(data or map(Path, PUBLIC_DATA))
    from resemblance.analysis import benchmark as measured
    from resemblance.cli.output import Work

    answers, left_out = {}, {}
    for name, source in sources.items():
        try:
            answers[name] = _answers(source, path)
        except UnavailableError as error:
            left_out[name] = str(error)
    features: dict[str, dict[str, Items]] = {network: {} for network in networks}
    for network, file in networks.items():
        for name, judgments in answers.items():
            try:
                features[network] |= _features(file, name, judgments.items, missing)
            except JudgmentError as error:
                if data is not None:
                    raise FileError(f"{file} does not fit {name}: {error}") from None
                left_out[f"{network}, {name}"] = str(error)
    _note(left_out)
    settings: Any = {"similarity": similarity.value, "random_state": seed}
    with Work() as work:
        settings["callback"] = work.steps("learning weights")
        try:
            result = measured(answers, features, **settings)
        except SettingError as error:
            raise FileError(f"{first_few(files)}: {error}") from None
    _note(result.left_out)
    _leave(result, left_out | dict(result.left_out), out)


def _answers(source: Path, path: Path | None) -> "Judgments":
    data = PUBLIC_DATA.get(str(source))
    if data is None:
        need_answers(source)
        return AnswersFile(source).judgments()
    if path is not None:
        try:
            return data.make(path=path).judgments
        except FileError as error:
            typer.echo(f"note: {source} is downloaded ({error})", err=True)
    return data.make().judgments


def _features(network: Path, name: str, items: "Items", missing: Missing) -> dict[str, "Items"]:
    """Return the features for a data set by its name; a folder may have none."""
    from resemblance.judgments.items import are_numbered

    files = [network]
    if network.is_dir():
        files = [file for file in list_folder(network)[0] if name_of(file) == name]
    if len(files) > 1:
        raise FileError(f"{network} has several files of {name}: keep one, such as {files[0].name}")
    is_ordered = name in PUBLIC_DATA or are_numbered(items)
    if not is_ordered and any(file.suffix == ".npy" for file in files):
        raise FileError(
            f"{files[0]} does not name its items, and the answers of {name} do (such as "
            f"{items.names[0]!r}): give a table with the column item"
        )
    if not files:
        return {}
    return {name: Source(files[0], features=files, missing=missing).joined(items)}


def _note(left_out: Mapping[str, str]) -> None:
    for name, reason in left_out.items():
        typer.echo(f"note: {name} is left out: {as_options(reason)}", err=True)


def _leave(result: "Benchmark", left_out: Mapping[str, str], folder: Path) -> None:
    from resemblance.cli import output
    from resemblance.plotting import plot_benchmark

    output.make_folder(folder)
    report: dict[str, Any] = {"verdicts": result.verdicts, "left_out": left_out}
    for name, table in (("benchmark", result.table), ("differences", result.differences)):
        output.write_csv(folder / f"{name}.csv", table)
        report[name] = table.to_dict("records")
    output.write_figure(folder / "benchmark.png", plot_benchmark(result))
    output.write_report(folder / "report.json", report)
    files = "benchmark.png, benchmark.csv, differences.csv, report.json"
    output.print_lines([*_lines(result), ("written", f"{folder}: {files}")])


def _lines(result: "Benchmark") -> Iterator[tuple[str, str]]:
    from resemblance.analysis.benchmarking import MEASURES

    for name, rows in result.table.groupby("data", sort=False):
        first = rows.iloc[0]
        people = f" of {first['people']:,} people" if first["people"] else ""
        yield (
            str(name),
            f"{first['answers']:,} answers{people} about {first['items']:,} items; chance "
            f"{first['chance']:.3f}, ceiling {_in_words(first, 'ceiling')}",
        )
        for _, row in rows.iterrows():
            measured = (f"{words} {_in_words(row, key)}" for key, words in MEASURES.items())
            yield f"  {row['network']}", "; ".join(measured)
        yield "  verdict", result.verdicts[str(name)]
        differences = result.differences[result.differences["data"] == name]
        for (verdict, key), group in differences.groupby(["verdict", "measure"], sort=False):
            pairs = first_few(map(_pair, group.itertuples()))
            detectable = group["detectable"].max()  # 0 if networks give the same answers
            is_open = verdict == "not apart" and detectable > 0
            note = f"; detectable: {detectable:.3f}" if is_open else ""
            yield f"  {verdict}", f"{MEASURES[str(key)]}: {pairs}{note}"


def _pair(row: Any) -> str:
    sign = ">" if row.difference > 0 else "<"
    return f"{row.network_a} {sign if row.verdict == 'apart' else 'and'} {row.network_b}"


def _in_words(row: Any, name: str) -> str:
    value, low, high, share = (row.get(name + end, nan) for end in ("", "_low", "_high", "_share"))
    interval = "" if isnan(low) else f" ({low:.3f} to {high:.3f})"
    possible = "" if isnan(share) else f", {share:.0%} of what is possible"
    return "unknown" if isnan(value) else f"{value:.3f}{interval}{possible}"
