"""What `plan --kinds` does: which kind of question finds a map in the least of people's time."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from resemblance.errors import SettingError

if TYPE_CHECKING:
    from resemblance.study.comparing import KindTried


def plan_kinds(
    given: dict[str, Any],
    dims: int,
    worlds: int,
    seed: int,
    out: Path | None,
    progress: bool,
    others: dict[str, Any],
) -> None:
    """Compare the kinds in worlds that are guessed; print a table, and write it too.

    ``given`` are items, agreement and lapse; ``others`` are options that say nothing here.
    """
    if extra := [name for name, value in others.items() if value is not None]:
        raise SettingError(
            f"--kinds compares random questions alone: leave out {', '.join(extra)}."
        )
    from resemblance.asking.worlds import PriorSimulation
    from resemblance.cli.output import make_folder, write_csv
    from resemblance.cli.progress import Work
    from resemblance.optional import pd
    from resemblance.study.comparing import compare_kinds

    settings = {name: value for name, value in given.items() if value is not None}
    possible = PriorSimulation(n_dims=dims, **settings)
    with Work(progress) as work:
        tried = compare_kinds(
            possible,
            n_worlds=worlds,
            random_state=seed,
            callback=work.folds("worlds", worlds),
        )
    typer.echo(f"assumed: {possible.assumed()}; {len(tried[0].errors)} worlds")
    tell(tried)
    if out is not None:
        make_folder(out)
        write_csv(out / "kinds.csv", pd.concat([trial.to_pandas() for trial in tried]))
        typer.echo(f"written: {out / 'kinds.csv'}")
    if len(tried[0].errors) < worlds:
        raise typer.Exit(130)


def tell(tried: "list[KindTried]") -> None:
    """Print how far the map of each kind is above the truth, the best one first."""
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False, markup=False)
    after = [f"after {minutes:.0f} min" for minutes in tried[0].minutes]
    table = Table("kind", "options", "per minute", *after, box=None)
    for trial in sorted(tried, key=lambda trial: trial.above[-1]):
        errors = [f"{above:+.3f}" for above in trial.above]
        table.add_row(trial.kind.name, str(trial.options), f"{trial.per_minute:.1f}", *errors)
    console.print(table)
    console.print(
        f"error on new triplets above the best possible, {tried[0].ceiling.mean():.3f}; people see "
        "and err as imagined ones do: rehearse the kinds you think of with a pilot's space"
    )
