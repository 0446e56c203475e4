"""Define worlds with known truth: items in a plane, and people of three choice models."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

import resemblance as rs
from resemblance.catalog import PRIOR
from resemblance.choice import Relative, Softmax, StudentT

CHOICES = {"softmax": Softmax(), "student": StudentT(1.0), "relative": Relative(0.05)}
KINDS = tuple(CHOICES)
MODELS = {"softmax": rs.STE, "student": rs.TSTE, "relative": rs.CKL}
OWN = {"softmax": {}, "student": {"alpha": 1.0}, "relative": {}}


@dataclass(frozen=True)
class World:
    """Items as people see them, and how sure and how careful they are.

    Attributes
    ----------
    kind : str
        How distances become answers: softmax, student or relative.
    person : SpaceObserver
        Answers questions.
    questions : array (q, 3)
        All different questions: a head, and two items to compare with it.
    probability : array (q,)
        Of the answer "the first one", in truth.
    """

    kind: str
    person: rs.SpaceObserver
    questions: np.ndarray
    probability: np.ndarray

    @property
    def n_items(self) -> int:
        return len(self.person.points)

    @property
    def best(self) -> float:
        """The least error that anybody can reach on random questions."""
        return float(np.minimum(self.probability, 1 - self.probability).mean())

    def model(self, **settings):
        """Make the model with the right choice model."""
        return MODELS[self.kind](2, **OWN[self.kind], tol=1e-3, random_state=0, **settings)

    def error(self, model) -> float:
        """Give the true error of a fitted model on random questions; a tie counts one half."""
        says = model.predict_proba(self.questions)[:, 0]
        wrong = np.where(says > 0.5, 1 - self.probability, self.probability)
        return float(np.where(says == 0.5, 0.5, wrong).mean())

    def random(self, m: int, rng: np.random.Generator) -> np.ndarray:
        """Draw m questions; each pair of options in either order."""
        rows = self.questions[rng.integers(len(self.questions), size=m)]
        turned = rng.random(m) < 0.5
        return np.where(turned[:, None], rows[:, [0, 2, 1]], rows)

    def answers(self, m: int, rng: np.random.Generator) -> rs.Triplets:
        """Let a person answer m random questions."""
        told = self.person.answer(self.random(m, rng))
        return rs.Triplets(told.index, items=self.n_items, extra={"strategy": ["random"] * m})

    def features(self, told: float) -> np.ndarray:
        """Return six features of the items, of which two tell a share of where items lie."""
        rng, n = np.random.default_rng(self.n_items), self.n_items
        X = self.person.points / self.person.points.std()
        own, others = rng.normal(size=(n, 2)), rng.normal(size=(n, 4))
        turn = np.linalg.qr(rng.normal(size=(6, 6)))[0]
        return np.hstack([np.sqrt(told) * X + np.sqrt(1 - told) * own, others]) @ turn

    def study(self, m: int, seed: int, features=None, **settings) -> rs.Session:
        """Let a session ask m questions, and a person answer them; it may believe features."""
        items = rs.Items(self.n_items, features=features)
        believed = {} if features is None else {"form": PRIOR.make()}
        model = settings.pop("model", self.model(penalty="auto", **believed))
        session = rs.Session(items, model=model, random_state=seed, keep_log=False, **settings)
        while len(session.answers) < m:
            question = session.ask()
            session.tell(question, question.answered_by(self.person))
        return session


def world(seed: int, kind: str | None = None, lapse: float | None = None) -> World:
    """Draw a world: 20 to 40 items, lapses to .1, two people agree on .68 to .85 of questions.

    Relative people answer as their choice model says, whatever the scale.
    """
    rng = np.random.default_rng([seed, 77])
    kind = KINDS[seed % 3] if kind is None else kind
    n, agreement = int(rng.integers(20, 41)), rng.uniform(0.68, 0.85)
    lapse = rng.uniform(0.0, 0.1) if lapse is None else lapse
    points = rng.normal(size=(n, 2))
    person = rs.SpaceObserver(
        scale(points, kind, lapse, agreement) * points,
        CHOICES[kind],
        lapse=lapse,
        random_state=seed,
    )
    heads = np.arange(n)
    near, far = np.triu_indices(n, 1)
    rows = [(h, a, b) for h in heads for a, b in zip(near, far, strict=True) if h not in (a, b)]
    questions = np.array(rows)
    return World(kind, person, questions, person.probability(questions))


def scale(points: np.ndarray, kind: str, lapse: float, agreement: float) -> float:
    """Find how far apart items must be for two people to agree so often, or nearly."""
    if kind == "relative":
        return 1.0
    rng = np.random.default_rng(0)
    questions = np.array([rng.choice(len(points), 3, replace=False) for _ in range(3000)])

    def agreed(log_scale: float) -> float:
        seen = rs.SpaceObserver(np.exp(log_scale) * points, CHOICES[kind], lapse=lapse)
        p = seen.probability(questions)
        return float(np.mean(p**2 + (1 - p) ** 2))

    target = min(agreement, agreed(5.0) - 0.02)
    return float(np.exp(brentq(lambda s: agreed(s) - target, -5.0, 5.0)))
