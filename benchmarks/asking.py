"""Milliseconds to weigh questions and to ask them, beside the paper's definition in plain NumPy."""

import time
from collections.abc import Callable, Iterator
from statistics import median

import numpy as np
from numpy.typing import NDArray
from tables import Row, spread
from threadpoolctl import threadpool_limits

from resemblance import SpaceObserver
from resemblance.asking import Belief, InformationGain, PredictiveGain, Session, Strategy
from resemblance.asking.information import Hypotheses
from resemblance.asking.learning import quiet_fit
from resemblance.asking.question import random_rows
from resemblance.asking.strategies import log_similarities
from resemblance.choice import StudentT
from resemblance.fitting import Noise

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Seconds = list[float]

BLOCK = 256  # questions that the definition takes at a time, so that its arrays stay in the cache
PER_HEAD = 10  # answers about each item beforehand
PAIRS = 4096  # weighed for a head where there are more


@threadpool_limits.wrap(limits=1)
def run(
    n_one: int = 433,
    n_all: int = 85,
    n_questions: int = 16_384,
    n_session: int = 1000,
    repeats: int = 7,
    rounds: int = 5,
) -> list[Row]:
    """Time one head of ``n_one`` items, all heads of ``n_all``, and sessions, on one core."""
    rng = np.random.default_rng(0)
    one, every = _belief(n_one, rng), _belief(n_all, rng)
    pairs = one.candidates(rng, n_one**2, repeats=True, head=0)
    drawn = random_rows(rng, n_questions, n_all, 2)
    return [
        *_weighing(f"one head of {n_one}", one, pairs, repeats),
        *_weighing(f"all heads of {n_all}", every, drawn, repeats),
        *_session(PredictiveGain(), n_session, rounds),
        *_session(InformationGain(max_pairs=PAIRS), n_session, rounds),
    ]


def information(s: Floats, tau: Floats, options: Ints) -> Floats:
    """Give H(tau) - sum_j P_j H(tau_j) of questions (m, N), as the paper defines it.

    s (K, n_items) are the similarities under each hypothesis, tau (K,) how likely each one is.
    """
    blocks = np.split(options, range(BLOCK, len(options), BLOCK))
    return _entropy(tau) - np.concatenate([_entropy_left(s, tau, block) for block in blocks])


def _entropy_left(s: Floats, tau: Floats, options: Ints) -> Floats:
    """Give sum_j P_j H(tau_j)."""
    p = s[:, options]
    joint = tau[:, None, None] * p / p.sum(axis=2, keepdims=True)
    P = joint.sum(axis=0)
    return (P * _entropy(joint / P)).sum(axis=1)


def _entropy(p: Floats) -> Floats:
    return np.asarray(-(p * np.log(np.maximum(p, 1e-300))).sum(axis=0))


def _belief(n_items: int, rng: np.random.Generator) -> Belief:
    """Draw a space, and answers about every item."""
    heads = np.repeat(np.arange(n_items, dtype=np.int32), PER_HEAD)
    answered = random_rows(rng, len(heads), n_items, 2, heads)
    return Belief(rng.normal(size=(n_items, 2)), StudentT(1.0), answered)


def _weighing(what: str, belief: Belief, rows: Ints, repeats: int) -> Iterator[Row]:
    """Time the weighing alone, and all that leads to the best question about each head."""
    ours, definition = _weigh(belief, rows)
    apart = float(np.abs(ours() - definition()).max())
    n_heads = len(np.unique(rows[:, 0]))
    strategy = InformationGain(max_pairs=-(-len(rows) // n_heads), repeats=True)

    def propose() -> Ints:
        return strategy.propose(belief, n_heads, np.random.default_rng(0))

    for name, task in (("weigh", ours), ("propose", propose)):
        task()
        turns = [(_seconds(task), _seconds(definition)) for _ in range(repeats)]
        mine, reference = (list(column) for column in zip(*turns, strict=True))
        yield _row(f"{what}: {name}", mine, reference) | {"questions": len(rows), "apart": apart}


def _weigh(belief: Belief, rows: Ints) -> list[Callable[[], Floats]]:
    """Give our weighing of questions, and the definition's; posteriors are known to both."""
    log_s = log_similarities(belief.points, belief.points, belief.choice)
    s, hypotheses, strategy = np.exp(log_s), Hypotheses(log_s, Noise()), InformationGain()
    asked = [
        (strategy.posterior(belief, head, log_s), rows[rows[:, 0] == head, 1:])
        for head in np.unique(rows[:, 0])
    ]
    return [
        lambda: np.concatenate([hypotheses.information(tau, options) for tau, options in asked]),
        lambda: np.concatenate([information(s, tau, options) for tau, options in asked]),
    ]


def _session(strategy: Strategy, n_items: int, rounds: int) -> Iterator[Row]:
    """Time each next question, and what follows as many answers as there are items.

    The references measure the machine: the definition for one head's pairs, whatever the strategy
    weighs; and that with a fit from scratch.
    """
    space = np.random.default_rng(0).normal(size=(n_items, 2))
    observer = SpaceObserver(space, StudentT(1.0), random_state=0)
    session = Session(n_items, strategy, start_per_head=PER_HEAD, auto_refit=False)
    _answer(session, observer, PER_HEAD * n_items)
    session.refit()
    asks: Seconds = []
    refits, defined, anew = [], [], []
    for _ in range(rounds):
        asks += _answer(session, observer, n_items)
        job = session.fit_job()
        refits.append(_seconds(session.refit))
        belief = session.belief()
        pairs = belief.candidates(np.random.default_rng(0), PAIRS, repeats=True, head=0)
        defined.append(_seconds(_weigh(belief, pairs)[1]))
        anew.append(defined[-1] + _seconds(lambda job=job: quiet_fit(job.model, job.judgments)))
    what = f"{type(strategy).__name__}, {n_items} items"
    yield _row(f"{what}: next question", asks, defined)
    yield _row(f"{what}: refit and weigh", refits, anew)


def _answer(session: Session, observer: SpaceObserver, n: int) -> Seconds:
    """Ask and tell n times; give the seconds of each question."""
    seconds = []
    for _ in range(n):
        seconds.append(_seconds(session.ask))
        question = session.questions[-1]
        session.tell(question, question.answered_by(observer))
    return seconds


def _seconds(task: Callable[[], object]) -> float:
    start = time.perf_counter()
    task()
    return time.perf_counter() - start


def _row(what: str, ours: Seconds, reference: Seconds) -> Row:
    """Sum up seconds as milliseconds, and how many times the reference takes as long."""
    both = {"ms": ours, "reference ms": reference}
    row: Row = {"what": what, "ratio": median(reference) / median(ours)}
    for name, seconds in both.items():
        row |= spread(name, [1e3 * s for s in seconds])
    return row
