"""The command `simulate`."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from resemblance.catalog import MODELS
from resemblance.cli import options
from resemblance.cli.options import Likelihood, argument, option
from resemblance.errors import FileError, SettingError
from resemblance.files import need, suffix

if TYPE_CHECKING:
    from resemblance.judgments import Items, Triplets
    from resemblance.observers import Crowd

ITEMS, DIMS = 30, 2  # default numbers of items and dimensions of a random space


def simulate(
    out: Annotated[Path, argument("The answers to write: .csv, .parquet or .jsonl.", "OUT")],
    space: Annotated[Path | None, option("The positions: the embedding.csv of a fit.")] = None,
    items: Annotated[
        int | None, option(f"Items at random positions. Default: {ITEMS}.", min=3)
    ] = None,
    dims: Annotated[int | None, option(f"Their dimensions. Default: {DIMS}.", min=1)] = None,
    answers: Annotated[int, option("Answers to random questions.", min=1)] = 2000,
    people: Annotated[int, option("People, including cheaters.", min=1)] = 20,
    model: Annotated[Likelihood, option("The choice model")] = Likelihood["ste"],
    lapse: Annotated[float, option("Share of random answers.", "SHARE", min=0.0, max=1.0)] = 0.05,
    cheaters: Annotated[
        float, option("Share of people who do not look.", "SHARE", min=0.0, max=1.0)
    ] = 0.1,
    seed: options.Seed = 0,
) -> None:
    """Write the answers of a simulated crowd, and the true positions and people.

    People differ in noise and in weights of dimensions. Cheaters answer at random, or always choose
    the same side. The column side is 0 if the first option shown was chosen, else 1. In the folder
    of OUT.csv, OUT.truth.csv has the positions, and OUT.people.csv the people.
    """
    check(out, space, items, dims)
    import numpy as np

    from resemblance.observers import Crowd

    truth = random_items(items, dims, seed) if space is None else items_in(space)
    points = np.asarray(truth.features)
    share = {"lapse": lapse, "cheaters": cheaters}
    choice = MODELS[model].load()(points.shape[1])._choice()  # choice model of `fit --model`
    crowd = Crowd.like(points, people, choice, **share, random_state=seed)
    written = write(out, crowd, truth, answers, seed)
    typer.echo(f"{answers:,} answers by {people:,} people to {len(truth):,} items: {out}")
    typer.echo(f"the truth: {' and '.join(map(str, written))}")


def check(out: Path, space: Path | None, items: int | None, dims: int | None) -> None:
    suffix(out)
    if space is not None and (items or dims):
        raise SettingError(
            "--space already defines items and dimensions: leave out --items and --dims, or --space"
        )
    need(tables=[space])
    if out.exists() and not beside(out, "truth").exists():
        raise FileError(f"{out} exists already, and no simulation wrote it: name another file")


def beside(out: Path, name: str) -> Path:
    return out.with_name(f"{Path(out.name.removesuffix('.gz')).stem}.{name}.csv")


def random_items(n_items: int | None, n_dims: int | None, seed: int) -> "Items":
    import numpy as np

    from resemblance.judgments import Items

    shape = n_items or ITEMS, n_dims or DIMS
    return Items(features=np.random.default_rng(seed).normal(size=shape))


def items_in(path: Path) -> "Items":
    from resemblance.judgments import read_items
    from resemblance.judgments.tables import read_table

    columns = read_table(path, warn=False).frame.columns
    dims = sorted((c for c in columns if re.fullmatch(r"x\d+", c)), key=lambda c: int(c[1:]))
    if not dims:
        raise FileError(f"{path} has no positions x1, x2, ...: give the embedding.csv of a fit")
    items = read_items(path, features=dims)
    if len(items) < 3:
        raise FileError(f"{path} has {len(items)} items: give three or more")
    return items


def questions(items: "Items", n: int, seed: int) -> "Triplets":
    import numpy as np

    from resemblance.judgments import Triplets

    rng, n_items = np.random.default_rng([seed, 1]), len(items)
    head = rng.integers(n_items, size=n)
    # Each option is the head plus an offset from 1 to n - 1, modulo n. The two offsets differ.
    first = rng.integers(1, n_items, size=n)
    second = rng.integers(1, n_items - 1, size=n)
    second += second >= first
    index = np.column_stack([head, head + first, head + second]) % n_items
    return Triplets(index, items)


def write(out: Path, crowd: "Crowd", items: "Items", n: int, seed: int) -> list[Path]:
    import numpy as np
    import pandas as pd

    from resemblance.cli.output import write_csv
    from resemblance.files import whole
    from resemblance.judgments import Triplets, of_kind

    answers = of_kind(crowd.answer(questions(items, n, seed)), Triplets, "a file of triplets")
    with whole(out) as part:
        answers.write(part)
    axes = {f"x{j}": x for j, x in enumerate(np.asarray(items.features).T, 1)}
    truth = pd.DataFrame({"item": items.names, **axes})
    tables = {"truth": truth, "people": crowd.table}
    paths = [beside(out, name) for name in tables]
    for path, table in zip(paths, tables.values(), strict=True):
        write_csv(path, table)
    return paths
