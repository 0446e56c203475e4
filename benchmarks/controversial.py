"""Which of twenty models do people follow? Answers needed, by how the questions are chosen.

``python benchmarks/controversial.py --worlds 40`` prints, for each number of answers, the share of
worlds in which the model that gave them is the likeliest (ties count their share). ``map``: the
questions that improve a map in two dimensions most (``PredictiveGain``), by the default model's fit
to all answers so far; to 800 answers.
"""

import argparse
import warnings

import numpy as np
import pandas as pd

import resemblance as rs
from resemblance.asking import ControversialQuestions, RandomQuestions
from resemblance.asking.belief import Belief
from resemblance.observers.explaining import noise_of, utilities_of
from resemblance.observers.space import answer_shares

SIZES = {
    "random": (50, 100, 200, 400, 800, 1600, 3200),
    "controversial": (50, 100, 200, 400, 800, 1600, 3200),
    "map": (50, 100, 200, 400, 800),
}
ITEMS, DIMENSIONS, MODELS = 100, 20, 20
KINDS = ("perturbed", "weighted", "clusters", "heavy tails", "none right")
OWN = 0.02  # of the variance of a model
CHOSEN = {"start_per_head": 0, "held_out": 0.0, "guard": False, "auto_refit": False}


def models_of(kind, rng):
    """Make vectors of models that are much alike: the same but for 2 % of their variance."""
    base = rng.normal(size=(ITEMS, DIMENSIONS))
    if kind == "clusters":
        base += 2 * rng.normal(size=(8, DIMENSIONS))[rng.integers(8, size=ITEMS)]
    if kind == "heavy tails":
        base = rng.standard_t(3, size=base.shape)
    base /= base.std()
    if kind == "weighted":
        weights = np.exp(0.2 * rng.normal(size=(MODELS, DIMENSIONS)))
        return [base * one for one in weights]
    own = rng.normal(size=(MODELS, *base.shape))
    turns = [np.linalg.qr(rng.normal(size=(DIMENSIONS, DIMENSIONS)))[0] for _ in range(MODELS)]
    noisy = np.sqrt(1 - OWN) * base + np.sqrt(OWN) * own
    return [one @ turn for one, turn in zip(noisy, turns, strict=True)]


def share_found(models, truth, belief):
    """Return 1 where the truth is the likeliest of the models; those that tie share it."""
    answers = belief.judgments(belief.answered)
    losses = []
    for model in models.values():
        utilities = utilities_of(model, answers)
        shares = answer_shares(utilities, *noise_of(utilities, answers.weights))
        losses.append(-np.log(shares[:, 0]).sum())
    best = np.array(losses) <= min(losses) + 1e-9
    return float(best[truth] / best.sum())


def world(kind, strategy, seed):
    """Let people who follow one of the models answer; say at each size whether it is found."""
    rng = np.random.default_rng(seed)
    vectors = models_of(kind, rng)
    models = {f"m{k}": rs.ModelObserver(x, "euclidean") for k, x in enumerate(vectors)}
    truth = int(rng.integers(MODELS))
    seen = vectors[truth]
    if kind == "none right":  # people see what no model does, five times what tells these apart
        seen = np.sqrt(1 - 5 * OWN) * seen + np.sqrt(5 * OWN) * rng.normal(size=seen.shape)
    noise = {"temperature": 0.5, "lapse": 0.05}
    person = rs.ModelObserver(seen, "euclidean", **noise, random_state=seed)
    session = rs.Session(ITEMS, random_state=seed, **CHOSEN)  # of the way "map"
    asks = {"random": RandomQuestions(), "controversial": ControversialQuestions(models)}
    belief, found = Belief(np.zeros((ITEMS, 1))), []
    for size in SIZES[strategy]:
        while (n := len(belief.answered)) < size:
            more = min(size - n, max(25, n // 4))
            if strategy == "map":
                rows = for_a_map(session, more, person)
            else:
                rows = person.answer(belief.judgments(asks[strategy].propose(belief, more, rng)))
            answered = np.concatenate([belief.answered, rows.index])
            belief = Belief(belief.points, answered=answered)
        found.append(share_found(models, truth, belief))
    return found


def for_a_map(session, n, person):
    """Let a session choose questions, tell it what people answer, and let it fit all answers."""
    questions = [session.ask() for _ in range(n)]
    for question in questions:
        session.tell(question, question.answered_by(person))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of items that nobody was asked about yet
        session.refit()
    return session.judgments()[-n:]


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worlds", type=int, default=40, help="of each kind")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--strategies", nargs="+", default=list(SIZES), choices=list(SIZES))
    options = parser.parse_args(arguments)
    rows = {}
    for kind in KINDS:
        for strategy in options.strategies:
            seeds = range(options.seed, options.seed + options.worlds)
            found = np.array([world(kind, strategy, seed) for seed in seeds])
            rows[kind, strategy] = dict(
                zip(SIZES[strategy], found.mean(axis=0).round(2), strict=True)
            )
            print(kind, strategy, *rows[kind, strategy].values(), flush=True)
    print(pd.DataFrame(rows).T.to_markdown())


if __name__ == "__main__":
    main()
