"""The command `compare-rdms`."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from resemblance.catalog import RDM_SIMILARITIES
from resemblance.cli import options
from resemblance.cli.options import CHECKING, argument, option
from resemblance.files import RDMS_READ, need, rdm_suffix, suffix

if TYPE_CHECKING:
    from resemblance.rdms import RDMComparison


Method = StrEnum("Method", {name: name for name in RDM_SIMILARITIES})  # type: ignore[misc]


class Over(StrEnum):
    """What is drawn anew."""

    items = "items"
    people = "people"


def compare_rdms(
    rdms: Annotated[
        Path,
        argument("Dissimilarities of people: .csv, .h5 of rsatoolbox, .mat, ...", "RDMS"),
    ],
    models: Annotated[Path, argument("Those of models, of the same items.", "MODELS")],
    method: Annotated[Method, option("How like two of them are.")] = Method[RDM_SIMILARITIES[0]],
    over: Annotated[
        list[Over] | None,
        option(
            "What is drawn anew, so that intervals speak of others of these; may be given twice. "
            "Default: both, and of one matrix the items.",
            panel=CHECKING,
        ),
    ] = None,
    resamples: Annotated[int, option("Draws of the bootstrap.", panel=CHECKING, min=100)] = 1000,
    out: Annotated[Path | None, option("Also write the similarities, as a table.", "FILE")] = None,
    seed: options.Seed = 0,
    progress: options.Progress = False,
) -> None:
    """Compare people's dissimilarity matrices with those of models.

    The similarity of each model, the mean over people, with its interval and the noise ceiling:
    where the true model would come. Models are compared with each other too.
    """
    for path in (rdms, models):
        rdm_suffix(path, RDMS_READ)
    need(rdms, models)
    if out is not None:
        suffix(out)
    _tell(_compared((rdms, models), method, over, (resamples, seed), progress), out)


def _compared(
    files: tuple[Path, Path],
    method: Method,
    over: list[Over] | None,
    draws: tuple[int, int],
    visible: bool,
) -> "RDMComparison":
    """Read both files and compare them, with a bar."""
    from resemblance.cli.progress import Work
    from resemblance.rdms import compare_rdms, read_rdms

    people, models = map(read_rdms, files)
    drawn = None if not over else [one.value for one in over]
    with Work(visible) as work:
        return compare_rdms(
            people,
            models,
            method.value,
            over=drawn,
            n_resamples=draws[0],
            random_state=draws[1],
            callback=work.steps("comparing"),
        )


def _tell(compared: "RDMComparison", out: Path | None) -> None:
    """Print what was found, and write the table if asked."""
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
        write_table(compared.table, out)
