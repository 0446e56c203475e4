"""Define two crowds for figures 3 to 8: one about digits, and the people of alien eggs.

The digits' crowd is simulated. All people see the first ten principal components of the pixels of
scikit-learn's digits (74 % of their variance, without labels). They answer by the softmax of
squared distances, scaled so that two of them agree on 66.5 % of random triples (the paper: 65 to
68 %). Answers about eggs are real: they are drawn from people's answers to the same triplet,
without replacement.
"""

from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib.image
import numpy as np
from scipy.optimize import brentq
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA

import resemblance as rs

Answer = Callable[[rs.asking.Question], int]

STRATEGIES = {
    "random": rs.RandomQuestions,
    "adaptive": rs.PredictiveGain,
    "paper's rule": rs.InformationGain,
}
AGREEMENT, START, EGG_START = 0.665, 10, 5
# The scale of X is free (in the paper K_ii = 1), so mu is learned by it.
MODEL = {"mu": 1.0, "penalty": 0.3}


def digits(each: int, seed: int, pictures: Path | None = None) -> rs.Items:
    """Give so many digits of each class, at random, with what the crowd sees as features."""
    pixels, digit = load_digits(return_X_y=True)
    seen, rng = perceived(), np.random.default_rng(seed)
    rows = [rng.choice(np.flatnonzero(digit == c), each, replace=False) for c in range(10)]
    chosen, images = np.concatenate(rows), None
    if pictures is not None:
        pictures.mkdir(parents=True, exist_ok=True)
        images = [pictures / f"{row}.png" for row in chosen]
        for path, row in zip(images, chosen, strict=True):
            matplotlib.image.imsave(path, -pixels[row].reshape(8, 8), cmap="gray")
    return rs.Items(chosen, seen[chosen], labels=digit[chosen], images=images)


def perceived() -> np.ndarray:
    """Give the space of the crowd, (1797, 10), in units in which two agree as often as wanted."""
    X = PCA(10, svd_solver="full").fit_transform(load_digits().data)
    rng = np.random.default_rng(0)
    triples = np.array([rng.choice(len(X), 3, replace=False) for _ in range(20000)])
    near, far = (((X[triples[:, 0]] - X[triples[:, c]]) ** 2).sum(axis=1) for c in (1, 2))

    def excess(scale: float) -> float:
        p = rs.choice.Softmax().probability(scale**2 * near, scale**2 * far)
        return float(np.mean(p**2 + (1 - p) ** 2) - AGREEMENT)

    return brentq(excess, 1e-3, 1.0) * X


def eggs(data: Path, cache: Path) -> tuple[rs.Triplets, np.ndarray]:
    """Give all answers on eggs, with their pictures, and smoothness; from spiky to smooth."""
    found = rs.datasets.fetch_alien_eggs(data / "alien_eggs", cache, images=True)
    order = np.argsort(found.truth)
    names, images = np.array(found.items.names)[order], np.array(found.items.images)[order]
    index = np.argsort(order)[found.judgments.index]
    return rs.Triplets(index, rs.Items(names, images=images)), found.truth[order]


def digit_crowd(items: rs.Items, seed: int) -> Answer:
    """Give somebody of the simulated crowd, for each question anew."""
    observer = rs.SpaceObserver(items.features, random_state=seed)
    return lambda q: q.options[observer.pick([[q.head, *q.options]])[0]]


def egg_crowd(answers: rs.Triplets, seed: int) -> Answer:
    """Give, for a question on offer, one of the human answers to it, each once."""
    left = defaultdict(list)
    for head, near, far in np.random.default_rng(seed).permutation(answers.index).tolist():
        left[head, *sorted((near, far))].append(near)
    return lambda q: left[q.head, *sorted(q.options)].pop()


def digit_session(items: rs.Items, strategy: str, seed: int) -> rs.Session:
    """Give the paper's phases: random triples about every digit, then rounds; three dimensions."""
    return _session(items, strategy, seed, 3, start_per_head=START)


def egg_session(answers: rs.Triplets, strategy: str, seed: int) -> rs.Session:
    """Give a session that asks only what people answered; two dimensions."""
    return _session(answers.items, strategy, seed, 2, start_per_head=EGG_START, offer=answers.index)


def _session(
    items: rs.Items, strategy: str, seed: int, n_components: int, **settings: Any
) -> rs.Session:
    return rs.Session(
        items,
        {strategy: STRATEGIES[strategy]()},
        model=rs.CKL(n_components, **MODEL, tol=1e-3),
        held_out=0.0,
        guard=False,
        random_state=seed,
        **settings,
    )


def hold(session: rs.Session, answer: Answer, n_answers: int) -> None:
    """Ask until so many answers were told."""
    while len(session.answers) < n_answers:
        question = session.ask()
        session.tell(question, answer(question))


def crowd_kernel(judgments: rs.Triplets) -> rs.CKL:
    """Fit the relative model in ten dimensions: its `kernel_` is the crowd kernel."""
    return rs.CKL(10, **MODEL, random_state=0).fit(judgments)
