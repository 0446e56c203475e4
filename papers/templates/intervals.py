"""Measure the coverage of the interval of the strategy comparison.

Many observers do a small four-square task at one contrast. Exemplar and prototype templates are
fitted to five folds each. The interval of held-out differences is compared with the mean difference
of the same templates over 20,000 new trials (the own aim), and with the mean of this over all
observers of the kind (the aim: the expectation for as many trials).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from settings import LAPSE, NOISE, command_line, fill, results_folder

import resemblance as rs

KEY = ("observer", "trials", "seed")
TASK = rs.stimuli.FourSquares(3)
CONTRAST, NEW, FOLDS = 0.55, 20_000, 5
PRIOR = {"smoothness": 3.0, "penalty": 1.0}


def drawn(person: rs.TemplateObserver, n: int, seed: Sequence[int]) -> rs.Classifications:
    """Show somebody n images."""
    random = np.random.RandomState(np.array(seed))
    places = random.randint(4, size=n)
    return person.classify(TASK.draw(places, CONTRAST, random), TASK.labels[places])


def cell(kind: str, n_trials: int, seed: int) -> list[dict[str, Any]]:
    """Compare the strategies of one observer; say what the interval should have covered."""
    person = rs.TemplateObserver(
        TASK.signals, TASK.labels, kind, noise=NOISE, lapse=LAPSE, random_state=seed
    )
    trials, new = drawn(person, n_trials, [seed, 0]), drawn(person, NEW, [seed, 1])
    held, truth = np.empty((2, n_trials)), np.zeros(2)
    for train, test in rs.GroupedKFold(FOLDS, random_state=seed).split(trials.stimuli):
        for strategy, number in enumerate((4, 2)):
            model = rs.DecisionTemplates(number, **PRIOR).fit(trials[train])
            held[strategy, test] = model.log_likelihood(trials[test])
            truth[strategy] += model.log_likelihood(new).mean() / FOLDS
    found = rs.templates.compare_strategies(*held, folds=FOLDS, random_state=seed)
    low, high = found.interval
    aim = truth[0] - truth[1]
    row = dict(zip(KEY, (kind, n_trials, seed), strict=True))
    return [row | {"low": low, "high": high, "own_aim": aim, "verdict": found.verdict}]


def main(arguments: list[str] | None = None) -> None:
    """Fill the table, and give the share of intervals that cover."""
    parser = command_line((__doc__ or "").splitlines()[0])
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--trials", type=int, default=500)
    chosen = parser.parse_args(arguments)
    out, seeds = results_folder(chosen), 2 if chosen.quick else chosen.seeds
    tasks = [(k, chosen.trials, s) for s in range(seeds) for k in ("exemplar", "prototype")]
    found = fill(out / "intervals.csv", KEY, tasks, cell, chosen.jobs)
    lines = [
        "| observer | trials | runs | aim | covered | own aim covered | exemplar | prototype "
        "| undecided |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for (kind, n), rows in found.groupby(["observer", "trials"]):
        verdicts = [(rows["verdict"] == v).sum() for v in ("exemplar", "prototype", "undecided")]
        own, aim = rows["own_aim"], rows["own_aim"].mean()
        shares = (((rows["low"] <= at) & (at <= rows["high"])).mean() for at in (aim, own))
        figures = [kind, n, len(rows), f"{aim:.4f}", *(f"{s:.1%}" for s in shares), *verdicts]
        lines.append(f"| {' | '.join(map(str, figures))} |")
    (out / "intervals.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
