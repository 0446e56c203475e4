"""Measure accuracy and log loss by rows: no features, a map of features, a feature prior."""

import time
from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from settings import Run, command_line

import resemblance as rs
from resemblance.fitting.machine_weight import choose_weight

SHARES = 0.01, 0.03, 0.1, 0.3, 1.0
DIMENSIONS = 20
MACHINE = "machine"
KINDS = {"no features": 0.0, MACHINE: 0.0, "map alone": 1.0, "prior": "auto"}
OF_MACHINE = 50_000  # number of answers of the machine
TEMPERATURE = 1e-3  # The machine gives the most probable answer, nearly always.
NEW_SHARES = 0.1, 1.0  # of the answers, for the table of new objects
HELD_OUT = 0.1  # share of objects held out for the table of new ones


def fitted(kind: str, answers: rs.OddOneOuts, quick: bool) -> rs.STE:
    """Fit softmax of squared distances, the penalty (and the share) chosen on held-out answers."""
    d = 3 if quick else DIMENSIONS
    form = rs.FeaturePrior(share=KINDS[kind]) if KINDS[kind] else "coordinates"
    model = rs.STE(d, form=form, penalty="auto", random_state=0).fit(answers)
    return beside_machine(model, answers) if kind == MACHINE else model


def beside_machine(model: rs.STE, answers: rs.OddOneOuts) -> rs.STE:
    """Fit CLIP's answers to random questions, too, with the weight that predicts people best."""
    rng, items = np.random.default_rng(0), answers.items
    questions = np.array([rng.choice(len(items), 3, replace=False) for _ in range(OF_MACHINE)])
    vectors = items.features - items.features.mean(axis=0)
    clip = rs.ModelObserver(vectors, "cosine", items=items, temperature=TEMPERATURE)
    machine = clip.answer(rs.OddOneOuts(questions, questions[:, 2], items))
    settings = rs.STE(model.n_components, random_state=0, **model.chosen_)
    weighed = choose_weight(settings, answers, machine)
    print(len(answers), weighed.weight, weighed.gain, flush=True)
    if weighed.weighted is None:
        return model
    joined = rs.join_judgments([answers, weighed.weighted])
    return settings.set_params(penalty=weighed.penalty).fit(joined)


def told(model: rs.STE, test: rs.OddOneOuts) -> dict[str, float]:
    """Say how good a model is on new answers."""
    return {
        "accuracy": model.score(test),
        "log loss": model.log_loss(test),
        "penalty": model.penalty_,
        "share": model.form_.share if hasattr(model, "form_") else 0.0,
    }


def by_rows(run: Run, shares: Sequence[float]) -> pd.DataFrame:
    """Fit ever more rows, in the same order, and score the test file."""
    test, found = run.answers("test"), []
    for share in shares:
        train = run.answers("train", share)
        for kind in KINDS:
            began = time.perf_counter()
            model = fitted(kind, train, run.quick)
            seconds = round(time.perf_counter() - began)
            row = {"rows": len(train), "model": kind, **told(model, test), "seconds": seconds}
            found.append(row)
            run.write("rows", found)
    return pd.DataFrame(found)


def new_objects(run: Run, shares: Sequence[float]) -> pd.DataFrame:
    """Hold out objects: fit answers that mention none of them, score those that mention any."""
    rng, items = np.random.default_rng(0), run.items()
    new = rng.permutation(len(items)) < HELD_OUT * len(items)
    train, test, found = run.answers("train"), run.answers("test"), []
    known = train[~new[train.index].any(axis=1)]
    n_new = new[test.index].sum(axis=1)
    for share in shares:
        part = known[: round(share * len(known))]
        for kind in ("map alone", "prior"):
            model = fitted(kind, part, run.quick)
            placed = np.where(new[:, None], model.transform(items.features), model.embedding_)
            guess = rs.STE(placed.shape[1]).set_positions(placed, items)
            row: dict[str, object] = {"rows": len(part), "model": kind}
            for n in range(4):
                if (n_new == n).any():
                    row[f"{n} new"] = guess.score(test[n_new == n])
            found.append(row)
            run.write("new_objects", found)
    return pd.DataFrame(found)


def draw(table: pd.DataFrame, run: Run) -> None:
    """Draw accuracy and log loss against rows."""
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.5), layout="constrained")
    for axis, column in zip(axes, ("accuracy", "log loss"), strict=True):
        for kind, part in table.groupby("model", sort=False):
            axis.plot(part["rows"], part[column], "o-", label=kind)
        axis.set(xscale="log", xlabel="answers", ylabel=f"{column} of new answers")
    axes[0].legend(frameon=False)
    figure.savefig(run.out / "rows.png", dpi=150)
    plt.close(figure)


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the tables and the figure."""
    parser = command_line(__doc__ or "")
    parser.add_argument("--shares", type=float, nargs="+", default=list(SHARES), help="of the rows")
    chosen = parser.parse_args(arguments)
    run, shares = Run.of(chosen), SHARES[2:4] if chosen.quick else chosen.shares
    draw(by_rows(run, shares), run)
    new_objects(run, NEW_SHARES[1:] if chosen.quick else [s for s in shares if s in NEW_SHARES])


if __name__ == "__main__":
    main()
