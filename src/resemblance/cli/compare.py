"""The commands `compare` and `compare-rdms`."""

from enum import StrEnum
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from resemblance.catalog import MODELS, QUICK, RDM_SIMILARITIES
from resemblance.cli import options
from resemblance.cli.options import CHECKING, MODEL, READING, Kind, Likelihood, argument, option
from resemblance.cli.output import with_figures
from resemblance.cli.source import Source
from resemblance.errors import FileError, SettingError
from resemblance.files import RDMS_READ, need, rdm_suffix, suffix

if TYPE_CHECKING:
    from resemblance.arrays import Floats
    from resemblance.fitting import GroupComparison
    from resemblance.rdms import RDMComparison

PERMUTATIONS = 1999  # number of random reassignments of people to groups
RESAMPLES = 100  # number of bootstrap samples of people for intervals
Method = StrEnum("Method", {name: name for name in RDM_SIMILARITIES})  # type: ignore[misc]


@with_figures
def compare(
    file: options.File,
    by: Annotated[str, option("The column with each person's group.", "COLUMN")],
    people: Annotated[
        Path | None,
        option(
            "A table of people with that column, such as participants.csv of a study's export.",
            panel=READING,
        ),
    ] = None,
    kind: options.KindOption = Kind.triplets,
    columns: options.Columns = None,
    items: options.Items = None,
    model: Annotated[Likelihood, option("How distances become answers.", panel=MODEL)] = Likelihood[
        "ste"
    ],
    dims: Annotated[int, option("The number of dimensions.", panel=MODEL, min=1)] = 2,
    out: Annotated[
        Path | None, option("Where the files go. Default: FILE's name with -groups.", "FOLDER")
    ] = None,
    seed: options.Seed = 0,
) -> None:
    """Test whether groups of people see differently, and draw the differences.

    The p-value is the share of random groupings of the same people that differ at least as much.
    The picture shows the weight of each dimension in each group.
    """
    need(tables=[file, people, items])
    if kind is Kind.ratings:
        raise SettingError(
            "this command cannot compare ratings: give comparisons, such as triplets",
            setting="kind",
        )
    from resemblance.cli.output import Work
    from resemblance.fitting import compare_groups

    answers = Source(file, kind, columns, items=items).read()
    groups = by if people is None else groups_of(people, by)
    with Work() as work:
        result = compare_groups(
            answers,
            groups,
            MODELS[model].make(dims, **QUICK, random_state=seed),
            n_permutations=PERMUTATIONS,
            n_resamples=RESAMPLES,
            random_state=seed,
            callback=work.steps("drawing people anew"),
        )
    stem = Path(file.name.removesuffix(".gz")).stem
    _leave(result, Path(f"{stem}-groups") if out is None else out)


def groups_of(path: Path, by: str) -> dict[str, str]:
    from resemblance.judgments.column_names import column_of, names_of
    from resemblance.judgments.labels import texts_of
    from resemblance.judgments.tables import read_table

    frame = read_table(path).frame
    who = column_of("observer", frame.columns)
    if who is None or by not in frame:
        missing = by if who is not None else " or ".join(names_of("observer"))
        raise FileError(
            f"{path} has no column {missing} (it has {', '.join(map(str, frame.columns))}): give "
            "each person a row with this column, or name another one with --by"
        )
    pairs = frame[[who, by]].apply(texts_of)
    pairs = pairs[frame[by].notna()].drop_duplicates()
    twice = pairs[who][pairs[who].duplicated()]
    if len(twice):
        raise FileError(f"{path} puts {twice.iloc[0]!r} into two groups of {by}: give one")
    return dict(zip(pairs[who], pairs[by], strict=True))


def _leave(test: "GroupComparison", folder: Path) -> None:
    from resemblance.cli import output
    from resemblance.plotting import plot_groups

    output.make_folder(folder)
    output.write_csv(folder / "groups.csv", test.table)
    output.write_figure(folder / "groups.png", plot_groups(test))
    record: dict[str, Any] = {
        "groups": dict(zip(test.groups, test.people, strict=True)),
        "p_value": test.p_value,
        "p_clarity": test.p_clarity,
        "power": {str(ratio): power for ratio, power in test.power.items()},
        "permutations": test.n_permutations,
        "weights": test.table.astype(object).where(test.table.notna(), None).to_dict("records"),
    }
    output.write_report(folder / "report.json", record)
    output.print_lines(_lines(test, folder))


def _said(numbers: "Floats") -> str:
    weight, low, high = numbers
    if isnan(weight):
        return "these answers cannot tell"
    return f"{weight:.2f} ({low:.2f} to {high:.2f})"


def _tested(p: float) -> str:
    return f"p = {p:.3g}: of random groups of the same people, {100 * p:.3g} in 100 differ as much"


def _lines(test: "GroupComparison", folder: Path) -> list[tuple[str, str]]:
    people = ", ".join(f"{group} ({n})" for group, n in zip(test.groups, test.people, strict=True))
    table = test.table
    numbers = table[["weight", "low", "high"]].to_numpy(dtype=float)
    weights = zip(table["dimension"], table["group"], map(_said, numbers), strict=True)
    rows = [
        ("how clearly" if name == "clarity" else f"dimension {name}", f"{group}: {said}")
        for name, group, said in weights
    ]
    return [
        ("groups", f"{people} people"),
        ("weights", f"{_tested(test.p_value)} in how they weigh dimensions"),
        ("clarity", f"{_tested(test.p_clarity)} in how clearly they answer"),
        (
            "power",
            "; ".join(
                f"a weight of one group {ratio:g} times as large would be found in {power:.0%}"
                for ratio, power in test.power.items()
            ),
        ),
        *rows,
        ("written", f"{folder / 'groups.png'}, groups.csv, report.json"),
    ]


class Over(StrEnum):
    items = "items"
    people = "people"


def compare_rdms(
    rdms: Annotated[
        Path,
        argument("Dissimilarities of people: .csv, .h5 of rsatoolbox, .mat, ...", "RDMS"),
    ],
    models: Annotated[Path, argument("Dissimilarities of models, of the same items.", "MODELS")],
    method: Annotated[Method, option("The measure of similarity.")] = Method[RDM_SIMILARITIES[0]],
    over: Annotated[
        list[Over] | None,
        option(
            "What the bootstrap resamples, so that intervals hold for new items or people; may be "
            "given twice. Default: both; for a single matrix, items.",
            panel=CHECKING,
        ),
    ] = None,
    resamples: Annotated[int, option("Draws of the bootstrap.", panel=CHECKING, min=100)] = 1000,
    out: Annotated[Path | None, option("Also write the similarities, as a table.", "FILE")] = None,
    seed: options.Seed = 0,
) -> None:
    """Compare people's dissimilarity matrices with those of models.

    Prints the mean similarity of each model to people with an interval, the noise ceiling (the
    similarity of the true model), and differences between models.
    """
    for path in (rdms, models):
        rdm_suffix(path, RDMS_READ)
    need(rdms, models)
    if out is not None:
        suffix(out)
    from resemblance import rdms as room
    from resemblance.cli.output import Work

    with Work() as work:
        compared = room.compare_rdms(
            room.read_rdms(rdms),
            room.read_rdms(models),
            method.value,
            over=[unit.value for unit in over or ()] or None,
            n_resamples=resamples,
            random_state=seed,
            callback=work.steps("comparing"),
        )
    _tell(compared, out)


def _tell(compared: "RDMComparison", out: Path | None) -> None:
    from resemblance.cli import output
    from resemblance.judgments.tables import write_table

    lines = [("similarity", f"{compared.method}; 95% intervals over {' and '.join(compared.over)}")]
    for row in compared.table.itertuples():
        said = f"{row.estimate:.3f} ({row.low:.3f} to {row.high:.3f}), {row.pairs} pairs"
        lines.append((str(row.model), said))
    if compared.ceiling is not None:
        ceiling = compared.ceiling
        for name, value, (low, high) in (
            ("noise ceiling, lower", ceiling.lower, ceiling.lower_interval),
            ("noise ceiling, upper", ceiling.upper, ceiling.upper_interval),
        ):
            lines.append((name, f"{value:.3f} ({low:.3f} to {high:.3f})"))
    for row in compared.differences.itertuples():
        said = f"{row.difference:.3f} ({row.low:.3f} to {row.high:.3f})"
        lines.append((f"{row.model_a} less {row.model_b}", said))
    output.print_lines(lines)
    if out is not None:
        write_table(compared.to_pandas(), out)
