"""The command `plan`."""

from contextlib import AbstractContextManager, nullcontext
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from resemblance.catalog import AUTO_MODEL, COMPARED, CURRENCY, GOLD_SHARE, PAY, SECONDS, models_of
from resemblance.cli import options
from resemblance.cli.options import option
from resemblance.cli.output import make_folder, write_csv, write_figure, write_report
from resemblance.errors import SettingError
from resemblance.files import need
from resemblance.optional import require

if TYPE_CHECKING:
    from resemblance.asking.planning import StudyPlan, Worlds
    from resemblance.cli.output import Work

GUESSED_DIMS, PLANNED_MODEL = 2, "ste"
START = 10  # number of random questions about each item at the start, as in studies
WORLD, STUDY, PEOPLE, RUNNING = "Assumptions", "The study", "The people", "Running the plan"


Fitted = StrEnum("Fitted", {name: name for name in (AUTO_MODEL, *COMPARED)})  # type: ignore[misc]


class Rule(StrEnum):
    adaptive = "adaptive"
    random = "random"


def plan(
    items: Annotated[int | None, option("Number of items.", panel=WORLD, min=3)] = None,
    dims: Annotated[
        int | None, option("Dimensions. Default: 2, or those of a pilot.", panel=WORLD, min=1)
    ] = None,
    agreement: Annotated[
        float | None,
        option(
            "Share of random triplets on which two people agree. Default: 0.65 to 0.85.",
            "SHARE",
            panel=WORLD,
        ),
    ] = None,
    lapse: Annotated[
        float | None, option("Share of random answers. Default: 0 to 0.1.", "SHARE", panel=WORLD)
    ] = None,
    pilot: Annotated[
        Path | None,
        option("Answers of a pilot, in place of guesses: .csv, .parquet, .jsonl.", panel=WORLD),
    ] = None,
    columns: options.Columns = None,
    target: Annotated[
        float | None, option("Wanted error on new answers, below 0.5.", "ERROR", panel=STUDY)
    ] = None,
    above: Annotated[
        float | None,
        option("Or its excess over the best possible error, such as 0.03.", "ERROR", panel=STUDY),
    ] = None,
    budget: Annotated[
        int | None,
        option("Most judgments. Default: 30 per item and dimension.", panel=STUDY, min=1),
    ] = None,
    model: Annotated[
        Fitted, option("Model to fit; auto chooses as in studies, but is slower", panel=STUDY)
    ] = Fitted[PLANNED_MODEL],
    questions: Annotated[Rule, option("How questions are chosen", panel=STUDY)] = Rule.adaptive,
    seconds: Annotated[float, option("Seconds per trial, with pauses.", panel=PEOPLE)] = SECONDS,
    pay: Annotated[float, option("Pay per hour, with fees.", panel=PEOPLE)] = PAY,
    worlds: Annotated[int, option("Simulated studies.", panel=RUNNING, min=1)] = 12,
    jobs: Annotated[int, option("Processes; -1: one per core.", panel=RUNNING)] = 1,
    dask: Annotated[
        str | None, option("The scheduler of a Dask cluster, tcp://...", "ADDRESS", panel=RUNNING)
    ] = None,
    out: Annotated[
        Path | None,
        option("Also write plan.csv, plan.png and plan.json there.", "FOLDER", panel=RUNNING),
    ] = None,
    seed: options.Seed = 0,
) -> None:
    """Estimate how many judgments a study needs, and what they cost.

    The study is simulated, question by question. The simulated spaces and people have the given
    number of items, dimensions and agreement, or are estimated from a pilot.
    """
    check(items, agreement, lapse, pilot)
    from resemblance.asking.planning import plan_study, study_cost
    from resemblance.asking.strategies import RandomQuestions
    from resemblance.cli.output import Work

    study_cost(1, seconds, pay, GOLD_SHARE)  # raises an error for bad values
    with Work() as work:
        possible, n_dims = worlds_of(items, dims, agreement, lapse, pilot, columns, work)
    settings: dict[str, Any] = {
        "model": models_of(model.value, n_dims),
        "start_per_head": START,
    }
    if questions == Rule.random:
        settings["strategies"] = RandomQuestions()
    with Work() as work, cluster(dask):
        planned = plan_study(
            possible,
            target=target,
            above=above,
            budget=budget,
            n_worlds=worlds,
            n_jobs=None if dask else jobs,
            random_state=seed,
            callback=work.folds("studies", worlds),
            **settings,
        )
    people = {"seconds": seconds, "pay": pay, "gold": GOLD_SHARE}
    tell(planned, possible, people)
    if out is not None:
        write(planned, possible, out, people)
        typer.echo(f"written: {out / 'plan.csv'}, plan.png, plan.json")
    if len(planned.errors) < worlds:
        typer.echo(f"interrupted after {len(planned.errors)} of {worlds} studies", err=True)
        raise typer.Exit(130)


def check(
    items: int | None, agreement: float | None, lapse: float | None, pilot: Path | None
) -> None:
    given = {"--items": items, "--agreement": agreement, "--lapse": lapse}
    extra = [name for name, value in given.items() if value is not None]
    if pilot is None and items is None:
        raise SettingError("the number of items is missing: give --items, or a --pilot.")
    if pilot is not None and extra:
        raise SettingError(f"the pilot replaces {', '.join(extra)}: leave them out.")
    need(tables=[pilot])


def worlds_of(
    items: int | None,
    dims: int | None,
    agreement: float | None,
    lapse: float | None,
    pilot: Path | None,
    columns: dict[str, str] | None,
    work: "Work",
) -> tuple["Worlds", int]:
    from resemblance.asking.planning import PosteriorSimulation, PriorSimulation

    if pilot is None:
        assert items is not None
        n_dims = GUESSED_DIMS if dims is None else dims
        shares = {"agreement": agreement, "lapse": lapse}
        given = {name: share for name, share in shares.items() if share is not None}
        return PriorSimulation(items, n_dims, **given), n_dims
    from resemblance.fitting.uncertainty import space_posterior
    from resemblance.judgments import read_triplets

    advance = work.steps("learning from the pilot")
    posterior = space_posterior(read_triplets(pilot, columns=columns), dims, callback=advance)
    return PosteriorSimulation(posterior), posterior.points.shape[1]


def cluster(address: str | None) -> AbstractContextManager[Any]:
    if address is None:
        return nullcontext()
    from joblib import parallel_config

    require("--dask needs", "distributed").Client(address)
    return parallel_config("dask")


def tell(plan: "StudyPlan", worlds: "Worlds", people: dict[str, float]) -> None:
    from rich.console import Console
    from rich.table import Table

    from resemblance.asking.planning import study_cost

    console = Console(highlight=False, markup=False)
    console.print(f"assumed: {worlds.assumed()}")
    table = Table("judgments", "error", "80 % of worlds", "hours", "cost", box=None)
    for answers, error, low, high, _ in plan.to_pandas().to_numpy():
        took = study_cost(answers, **people)
        cells = f"{answers:,.0f}", f"{error:.3f}", f"{low:.3f} to {high:.3f}"
        table.add_row(*cells, f"{took.hours:.1f}", f"{CURRENCY} {took.cost:,.0f}")
    console.print(table)
    console.print(best_words(plan, worlds))
    if plan.has_target:
        console.print(needed_words(plan, people))
    if worlds.guessed:
        console.print(
            "these numbers rest on guesses: before you rely on them, ask some hundred random "
            "questions, and plan again with --pilot"
        )


def best_words(plan: "StudyPlan", worlds: "Worlds") -> str:
    dims = " or ".join(map(str, worlds.dimensions))
    return (
        f"no map in {dims} dimension{'s'[: dims != '1']} has a lower error than "
        f"{plan.to_pandas()['ceiling'][0]:.3f}; if people see more dimensions, a larger map may"
    )


def needed_words(plan: "StudyPlan", people: dict[str, float]) -> str:
    import numpy as np

    from resemblance.asking.planning import study_cost

    middle, low, high = plan.needed_band()
    wanted = f"{plan.target}" if plan.above is None else f"{plan.above} above the best possible"
    if not np.isfinite(middle):
        reached, last = int(np.isfinite(plan.needed).sum()), plan.answers[-1]
        return (
            f"an error of {wanted} is reached in {reached} of {len(plan.errors)} worlds "
            f"within {last:,} judgments: raise --budget, or the error"
        )
    took = study_cost(middle, **people)
    top = f"{high:,.0f}" if np.isfinite(high) else f"more than {plan.answers[-1]:,}"
    return (
        f"an error of {wanted} needs {middle:,.0f} judgments ({low:,.0f} to {top} in 80 % of "
        f"worlds): {took.trials:,} trials with gold questions, {took.hours:.1f} hours of people's "
        f"time, {CURRENCY} {took.cost:,.0f} in pay"
    )


def write(plan: "StudyPlan", worlds: "Worlds", out: Path, people: dict[str, float]) -> None:
    from resemblance.plotting import plot_learning_curve

    make_folder(out)
    table = plan.to_pandas()
    write_csv(out / "plan.csv", table)
    ceiling = float(table["ceiling"][0])
    ax = plot_learning_curve(plan.answers, plan.errors, ceiling=ceiling, target=plan.target)
    write_figure(out / "plan.png", ax, dpi=150)
    paid = {**people, "currency": CURRENCY}
    report: dict[str, Any] = {"assumed": worlds.assumed(), "people": paid}
    report |= {"target": plan.target, "above": plan.above}
    report |= {"needs_pilot": worlds.guessed, "ceiling": ceiling, "dimensions": worlds.dimensions}
    if plan.has_target:
        report["needed"] = dict(zip(("median", "low", "high"), plan.needed_band(), strict=True))
    write_report(out / "plan.json", report)
