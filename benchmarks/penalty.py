"""What choosing the penalty costs: python benchmarks/penalty.py [--answers 500,2000,10000].

The processor time of a fit with `penalty="auto"` over that of a fit without a penalty, in one run;
the second fit of each counts. People answer random questions by the softmax of squared distances.
"""

import argparse
import json
import time

import numpy as np

import resemblance as rs

MODELS = {"STE": rs.STE, "t-STE": rs.TSTE, "CKL": rs.CKL}


def seconds(model, answers: rs.Triplets) -> float:
    """Return the processor time of a second fit."""
    model.fit(answers)
    began = time.process_time()
    model.fit(answers)
    return time.process_time() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", default="500,2000,10000")
    parser.add_argument("--items", type=int, default=100)
    told = parser.parse_args()
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
