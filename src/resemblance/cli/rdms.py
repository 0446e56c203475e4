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
