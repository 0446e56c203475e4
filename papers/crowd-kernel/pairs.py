"""Draw figure 3: the first pairs of options for several heads, adaptive and random.

Each digit starts with ten random triples (each egg with five), then five rounds follow. The table
is about all questions after the start, in five sessions: the distance of both options from the head
in the crowd's space (for eggs: in smoothness) as ranks from 0, the nearest, to 1; the difference of
these ranks; and the share of options with the head's digit.
"""

from pathlib import Path

import crowds
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from scipy.spatial.distance import cdist
from scipy.stats import rankdata
from settings import command_line, results_folder

import resemblance as rs

ROUNDS, HEADS, SESSIONS, DRAWN = 5, 6, 5, ("random", "paper's rule")
CHOSEN = "#c22f2f"


def asked(session: rs.Session, answer: crowds.Answer, space: np.ndarray) -> pd.DataFrame:
    """Hold a session; give a row for each question after the start."""
    n, labels = len(session.items), session.items.labels
    crowds.hold(session, answer, (session.start_per_head + ROUNDS) * n)
    rank = rankdata(cdist(space, space) - 2.0 * np.eye(n), axis=1) - 2.0  # the head itself gets -1
    rows = []
    for told in list(session.answers.values())[session.start_per_head * n :]:
        head, (left, right) = told.question.head, told.question.options
        nearer, further = sorted(rank[head, [left, right]] / (n - 2))
        kind = np.nan if labels is None else (labels[[left, right]] == labels[head]).any()
        strategy = told.question.strategy
        rows.append((strategy, head, left, right, told.chosen, nearer, further, float(kind)))
    columns = ["strategy", "head", "left", "right", "chosen", "nearer", "further", "head's kind"]
    return pd.DataFrame(rows, columns=columns)


def summary(table: pd.DataFrame) -> pd.DataFrame:
    """Give the mean over sessions of each session's means, with its standard error."""
    table = table.assign(apart=table["further"] - table["nearer"])
    columns = ["nearer", "further", "apart", "head's kind"]
    means = table.groupby(["strategy", "session"], sort=False)[columns].mean()
    return means.groupby("strategy", sort=False).agg(["mean", "sem"]).dropna(axis=1, how="all")


def draw(items: rs.Items, table: pd.DataFrame, path: Path) -> None:
    """Draw some heads above their first pairs, what was chosen framed; a panel a strategy."""
    figure, axes = plt.subplots(1, len(DRAWN), figsize=(11, 2.8), layout="constrained")
    heads = heads_to_draw(table)
    for ax, name in zip(axes, DRAWN, strict=True):
        ax.set(xlim=(-0.2, 2.6 * HEADS - 0.2), ylim=(ROUNDS + 2.2, -0.1), aspect="equal")
        ax.set_title(name, loc="left")
        ax.axis("off")
        for column, head in enumerate(heads):
            x = 2.6 * column
            picture(ax, items, head, (x + 0.1, 0.0), 1.7)
            pairs = table[(table["strategy"] == name) & (table["head"] == head)].head(ROUNDS)
            for row, pair in enumerate(pairs.itertuples()):
                for side, option in enumerate((pair.left, pair.right)):
                    picture(ax, items, option, (x + side, 2.1 + row), 0.9, option == pair.chosen)
    figure.savefig(path, dpi=100)
    plt.close(figure)


def heads_to_draw(table: pd.DataFrame) -> list[int]:
    """Give heads of which all strategies drawn asked enough, evenly spread."""
    counts = pd.crosstab(table["head"], table["strategy"])
    heads = counts.index[(counts[list(DRAWN)] >= ROUNDS).all(axis=1)]
    return heads[np.linspace(0, len(heads) - 1, HEADS).round().astype(int)].tolist()


def picture(
    ax: Axes,
    items: rs.Items,
    item: int,
    corner: tuple[float, float],
    side: float,
    chosen: bool = False,
) -> None:
    """Draw an item's picture in a square, in a red frame if it was chosen."""
    x, y = corner
    ax.imshow(plt.imread(items.images[item]), extent=(x, x + side, y + side, y))
    colour = CHOSEN if chosen else "0.8"
    ax.add_patch(Rectangle(corner, side, side, fill=False, ec=colour, lw=1.8 if chosen else 0.6))


def digit_questions(seed: int, each: int, pictures: Path) -> tuple[rs.Items, pd.DataFrame]:
    """Let every strategy choose for the same digits."""
    items = crowds.digits(each, seed, pictures)
    tables = [
        asked(
            crowds.digit_session(items, name, seed), crowds.digit_crowd(items, seed), items.features
        )
        for name in crowds.STRATEGIES
    ]
    return items, pd.concat(tables)


def egg_questions(
    seed: int, answers: rs.Triplets, smoothness: np.ndarray
) -> tuple[rs.Items, pd.DataFrame]:
    """Let every strategy choose among the questions that people answered."""
    space = smoothness[:, None]
    tables = [
        asked(crowds.egg_session(answers, name, seed), crowds.egg_crowd(answers, seed), space)
        for name in crowds.STRATEGIES
    ]
    return answers.items, pd.concat(tables)


def report(name: str, sessions: list[tuple[rs.Items, pd.DataFrame]], out: Path) -> None:
    """Write all questions by name; draw those of the first session; print the summary."""
    named = []
    for number, (items, table) in enumerate(sessions):
        who = {c: np.array(items.names)[table[c]] for c in ("head", "left", "right", "chosen")}
        named.append(table.assign(session=number, **who))
    table = pd.concat(named)
    table.to_csv(out / f"pairs-{name}.csv", index=False, float_format="%.3f")
    print(f"-- {name}\n{summary(table).round(3).to_string()}", flush=True)
    draw(*sessions[0], out / f"pairs-{name}.png")


def main(arguments: list[str] | None = None) -> None:
    """Let every strategy choose, on digits and on eggs."""
    chosen = command_line(__doc__ or "", needs_data=True).parse_args(arguments)
    chosen.out = results_folder(chosen)
    each, n_sessions = (3, 1) if chosen.quick else (10, SESSIONS)
    parallel, seeds = Parallel(n_jobs=chosen.jobs), range(n_sessions)
    pictures = chosen.out / "digits"
    report(
        "digits", parallel(delayed(digit_questions)(s, each, pictures) for s in seeds), chosen.out
    )
    eggs = crowds.eggs(chosen.data, chosen.out)
    report("eggs", parallel(delayed(egg_questions)(s, *eggs) for s in seeds), chosen.out)


if __name__ == "__main__":
    main()
