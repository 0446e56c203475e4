"""What choosing the penalty costs, and what it brings: python benchmarks/penalty.py.

The processor time of a fit with `penalty="auto"` over that of a fit without a penalty, in one run;
the second fit of each counts. People answer random questions by the softmax of squared distances.
With --data FOLDER, answers of real people in place of that: error, log loss and calibration slope
on folds held out, without a penalty and with the one that is chosen.
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np

import resemblance as rs
from resemblance.scores import calibration_slope

MODELS = {"STE": rs.STE, "t-STE": rs.TSTE, "CKL": rs.CKL}


def seconds(model, answers: rs.Triplets) -> float:
    """Return the processor time of a second fit."""
    model.fit(answers)
    began = time.process_time()
    model.fit(answers)
    return time.process_time() - began


def brings(folder: Path) -> None:
    """Tell what the penalty does to answers about eggs, few and all, and about music."""
    eggs = rs.datasets.fetch_alien_eggs(folder / "alien_eggs").judgments
    music = rs.datasets.fetch_music_artists(folder / "music", genres=False).judgments
    draws = [np.random.default_rng(seed).permutation(len(eggs)) for seed in range(10)]
    sets = {
        "500 eggs": [(eggs[rows[:500]], eggs[rows[500:]]) for rows in draws],
        "eggs": folds_of(eggs),
        "music": folds_of(music),
    }
    for title, pairs in sets.items():
        for name, model in MODELS.items():
            for penalty in (0.0, "auto"):
                found = np.mean([held_out(model, penalty, *pair) for pair in pairs], axis=0)
                row = dict(
                    zip(("error", "log loss", "slope"), found.round(4).tolist(), strict=True)
                )
                told = {"answers": title, "model": name, "penalty": penalty}
                print(json.dumps(told | row), flush=True)


def folds_of(answers: rs.Triplets) -> list[tuple[rs.Triplets, rs.Triplets]]:
    """Cut answers into five folds: the others, and the fold."""
    folds = rs.GroupedKFold(5, random_state=0).split(answers)
    return [(answers[train], answers[test]) for train, test in folds]


def held_out(model, penalty, train: rs.Triplets, test: rs.Triplets) -> tuple[float, float, float]:
    """Return error, log loss and calibration slope on answers held out."""
    fit = model(2, penalty=penalty, random_state=0).fit(train)
    slope = calibration_slope(fit.predict_proba(test), test.weights)[0]
    return 1 - fit.score(test), fit.log_loss(test), np.nan if slope is None else slope


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", default="500,2000,10000")
    parser.add_argument("--items", type=int, default=100)
    parser.add_argument("--data", type=Path, help="folder with alien_eggs and music")
    told = parser.parse_args()
    if told.data:
        brings(told.data)
        return
    rng = np.random.default_rng(0)
    person = rs.SpaceObserver(1.5 * rng.normal(size=(told.items, 2)), random_state=0)
    for m in map(int, told.answers.split(",")):
        asked = np.argsort(rng.random((m, told.items)), axis=1)[:, :3]
        answers = rs.Triplets(person.answer(asked).index, items=told.items)
        row = {"answers": m}
        for name, model in MODELS.items():
            with_, without = (
                seconds(model(2, penalty=penalty, random_state=0), answers)
                for penalty in ("auto", 0.0)
            )
            row[name] = round(with_ / without, 2)
        print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
