"""Ways of asking that were tried instead of the default: see docs/decisions/ways-of-asking.md."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import expit
from scipy.stats import norm

import resemblance as rs
from resemblance.asking import Belief, PredictiveGain, RandomQuestions
from resemblance.asking.possible import possible_maps
from resemblance.asking.predictive import GreedyChoice
from resemblance.asking.strategies import log_probabilities
from resemblance.errors import quiet
from resemblance.fitting import Noise, OrdinalEmbedding, PositionUncertainty

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
APART = 0.1  # of losses, from which two fits are two maps


class Errors(PredictiveGain):
    """Targets weigh what their variance costs in errors, phi(l / sigma) / sigma, not p (1 - p)."""

    def questions(self, belief: Belief, rng: np.random.Generator) -> Iterator[Ints]:
        rows = belief.candidates(rng, self.max_candidates, self.repeats)
        asked = [belief.asked(r) for r in (belief.answered, belief.pending) if len(r)]
        known = PositionUncertainty(belief.points, belief.choice, asked, noise=belief.noise)
        targets = belief.asks.random(rng, self.n_targets, belief.n_items)
        told, aims = self.told(known, belief, rows), self.aims(known, belief, targets)
        greedy = GreedyChoice(known.covariance, told, aims, 1)
        for q in self.taken(greedy, rows):
            yield rows[q]

    def told(self, known: PositionUncertainty, belief: Belief, rows: Ints) -> sparse.csr_array:
        """Return what questions tell."""
        return known.information_rows(belief.asked(rows))

    def aims(self, known: PositionUncertainty, belief: Belief, rows: Ints) -> sparse.csr_array:
        """Return what is to be known."""
        odds, variance, slopes = log_odds(known, belief, rows)
        deviation = np.sqrt(variance)
        return scaled(slopes, np.sqrt(norm.pdf(odds / deviation) / deviation))

    def taken(self, greedy: GreedyChoice, rows: Ints) -> Iterator[int]:
        """Take questions, best first."""
        for _ in rows:
            yield greedy.take()


class SharedHeads(Errors):
    """Questions in pairs that share a head; targets weigh p (1 - p)."""

    aims = Errors.told

    def taken(self, greedy: GreedyChoice, rows: Ints) -> Iterator[int]:
        while greedy.open.any():
            yield (first := greedy.take())
            others = greedy.open & (rows[:, 0] != rows[first, 0])
            greedy.open &= ~others
            if greedy.open.any():
                yield greedy.take()
            greedy.open |= others


class Averaged(Errors):
    """What p is and tells, averaged over the normal distribution of the log odds in closed form.

    E[p] is about p(k l), and E[p'] about k p'(k l), with k = (1 + pi v / 8)^(-1/2). Targets are
    probabilities, not log odds.
    """

    def told(self, known: PositionUncertainty, belief: Belief, rows: Ints) -> sparse.csr_array:
        odds, variance, slopes = log_odds(known, belief, rows)
        k, p, lapse = *mean_probability(odds, variance), belief.noise.lapse
        P = (1 - lapse) * p + lapse / 2
        falls = ((1 - lapse) * k * p * (1 - p)) ** 2 / (P * (1 - P))
        return scaled(slopes, np.sqrt(falls / (1 - np.minimum(variance * falls, 0.9))))

    def aims(self, known: PositionUncertainty, belief: Belief, rows: Ints) -> sparse.csr_array:
        odds, variance, slopes = log_odds(known, belief, rows)
        k, p = mean_probability(odds, variance)
        return scaled(slopes, k * p * (1 - p))


class PossibleMaps(PredictiveGain):
    """The fall of the variance of p over maps that the answers leave possible, drawn anew.

    Targets weigh more where it is in doubt which answer is more probable.
    """

    def __init__(self, draw: Callable[[Belief, np.random.Generator], Floats]) -> None:
        super().__init__()
        self.draw = draw

    def questions(self, belief: Belief, rng: np.random.Generator) -> Iterator[Ints]:
        rows = belief.candidates(rng, self.max_candidates, self.repeats)
        targets = belief.asks.random(rng, self.n_targets, belief.n_items)
        X, lapse = self.draw(belief, rng), belief.noise.lapse
        p = (1 - lapse) * expit(odds_of_maps(belief, X, rows)) + lapse / 2
        told = centred(p) / np.sqrt((p * (1 - p)).mean(axis=1, keepdims=True))
        aims = expit(odds_of_maps(belief, X, targets))
        doubt = norm.pdf((aims.mean(axis=1) - 0.5) / (aims.std(axis=1) + 1e-9))
        greedy = GreedyDraws(told, np.sqrt(doubt)[:, None] * centred(aims))
        for _ in rows:
            yield rows[greedy.take()]


class GreedyDraws:
    """As GreedyChoice, where what is known are draws: (C, S) of candidates, (T, S) of targets."""

    def __init__(self, told: Floats, aims: Floats) -> None:
        self.told, self.aims = (m / np.sqrt(told.shape[1]) for m in (told, aims))
        self.cross, self.block = self.told @ self.aims.T, (self.told**2).sum(axis=1)
        self.open = np.ones(len(told), bool)

    def take(self) -> int:
        """Take the candidate of largest gain, and shorten all draws by what it tells."""
        gain = np.einsum("ct,ct->c", self.cross, self.cross) / (1 + self.block)
        q = int(np.where(self.open, gain, -1).argmax())
        self.open[q] = False
        u = self.told[q] / np.sqrt(1 + self.told[q] @ self.told[q])
        seen, through = self.told @ u, self.aims @ u
        self.cross -= np.outer(seen, through)
        self.block -= seen**2
        shorter = u * (1 - np.sqrt(max(1 - u @ u, 0))) / (u @ u)
        self.told -= np.outer(seen, shorter)
        self.aims -= np.outer(through, shorter)
        return q


class KnownTruth(PredictiveGain):
    """The default, told where items are and how people answer."""

    def __init__(self, person: rs.SpaceObserver) -> None:
        super().__init__()
        self.person = person

    def questions(self, belief: Belief, rng: np.random.Generator) -> Iterator[Ints]:
        truth = {"points": self.person.points, "choice": self.person.choice}
        yield from super().questions(replace(belief, **truth), rng)


class Oracle(Errors):
    """Knows the truth: takes the question that lowers the true log loss of others most.

    An answer y to q moves the fit by Sigma J_q' (y - p) / (1 + p (1 - p) J_q Sigma J_q'), and with
    it the log odds of the targets; y comes with its true probability. It teaches the fit what it
    lacks, which nobody can who does not know where items are. One question at a time, and as if the
    map were flat: no strict bound.
    """

    def __init__(self, person: rs.SpaceObserver) -> None:
        super().__init__()
        self.person = person

    def questions(self, belief: Belief, rng: np.random.Generator) -> Iterator[Ints]:
        rows = belief.candidates(rng, self.max_candidates, self.repeats)
        asked = [belief.asked(r) for r in (belief.answered, belief.pending) if len(r)]
        known = PositionUncertainty(
            belief.points, belief.choice, asked, noise=belief.noise, prior=belief.prior()
        )
        targets = belief.asks.random(rng, self.n_targets, belief.n_items)
        odds, _, J = log_odds(known, belief, rows)
        aims, _, J_t = log_odds(known, belief, targets)
        true, truth = (self.person.probability(r) for r in (rows, targets))
        S, free = np.asarray(known.covariance), np.ones(len(rows), bool)
        while free.any():
            seen = J @ S  # (C, nd)
            block, cross = (
                np.asarray(J.multiply(seen).sum(axis=1)).ravel(),
                np.asarray(J_t @ seen.T),
            )
            p = expit(odds)
            step = 1 / (1 + p * (1 - p) * block)
            gain = sum(
                weight * log_loss(truth, aims[:, None] + cross * (y - p) * step)
                for y, weight in ((1, true), (0, 1 - true))
            )
            q = int(np.where(free, gain, np.inf).argmin())
            yield rows[q]
            free[q] = False
            told = (true[q] - p[q]) * step[q] * seen[q]
            odds, aims = odds + J @ told, aims + J_t @ told
            S = S - np.outer(seen[q], seen[q]) * p[q] * (1 - p[q]) * step[q]


def log_loss(truth: Floats, odds: Floats) -> Floats:
    """Return the mean log loss of log odds (targets, candidates), given the true probability."""
    return np.asarray((np.logaddexp(0, odds) - truth[:, None] * odds).mean(axis=0))


def several_minima(
    belief: Belief, rng: np.random.Generator, n_starts: int = 8, n_draws: int = 128
) -> Floats:
    """Draw maps from normal distributions about several minima of the loss."""
    answers = belief.asks.judgments(belief.answered, belief.n_items)
    settings = {"penalty": belief.penalty, "tol": 1e-3}
    found: list[OrdinalEmbedding] = []
    for start in range(n_starts + 1):
        seed = int(rng.integers(1 << 30)) if start else 0
        init = "random" if start else belief.points
        model = OrdinalEmbedding(
            belief.choice, belief.points.shape[1], init=init, random_state=seed, **settings
        )
        with quiet():
            model.fit(answers)
        if all(abs(model.loss_ - other.loss_) > APART for other in found):
            found.append(model)
    asked = [belief.asked(belief.answered)]
    about = [
        PositionUncertainty(
            m.embedding_, belief.choice, asked, noise=belief.noise, prior=2 * belief.penalty or None
        )
        for m in found
    ]
    weight = [
        u.log_determinant() / 2 - m.loss_ + found[0].loss_
        for m, u in zip(found, about, strict=True)
    ]
    p = np.exp(np.array(weight) - max(weight))
    which = np.sort(rng.choice(len(found), n_draws, p=p / p.sum()))
    z, roots = rng.normal(size=(n_draws, belief.points.size)), [u.root() for u in about]
    shape = belief.points.shape
    return np.array(
        [found[k].embedding_ + (roots[k] @ s).reshape(shape) for k, s in zip(which, z, strict=True)]
    )


def log_odds(
    known: PositionUncertainty, belief: Belief, rows: Ints
) -> tuple[Floats, Floats, sparse.csr_array]:
    """Return the log odds of triplets, their variance, and their slopes."""
    log_p = log_probabilities(belief, rows)
    each = known.log_similarity_rows(belief.asked(rows))
    slopes = sparse.csr_array(each[::2] - each[1::2])
    return log_p[:, 0] - log_p[:, 1], np.maximum(known.variance(slopes), 1e-12), slopes


def mean_probability(odds: Floats, variance: Floats) -> tuple[Floats, Floats]:
    """Return k, and about the mean of p."""
    k = 1 / np.sqrt(1 + np.pi * variance / 8)
    return k, expit(k * odds)


def odds_of_maps(belief: Belief, X: Floats, rows: Ints) -> Floats:
    """Return the log odds of triplets (rows) on maps (columns)."""
    clean = replace(belief, noise=Noise(temperature=belief.noise.temperature))
    log_p = np.array([log_probabilities(replace(clean, points=x), rows) for x in X])
    return np.asarray((log_p[:, :, 0] - log_p[:, :, 1]).T)


def centred(p: Floats) -> Floats:
    return np.asarray(p - p.mean(axis=1, keepdims=True))


def scaled(rows: sparse.csr_array, by: Floats) -> sparse.csr_array:
    return sparse.csr_array(sparse.diags_array(by) @ rows)


START = {"start_per_head": 5}


def informed(told: float, start: int = 2) -> Callable[[Any], dict[str, Any]]:
    """Ask as by default, with features of the items, after so many random questions an item."""
    return lambda world: {
        "strategies": PredictiveGain(),
        "start_per_head": start,
        "features": world.features(told),
    }


WAYS: dict[str, Callable[[Any], dict[str, Any]]] = {
    "random": lambda world: {"strategies": RandomQuestions()},
    "default": lambda world: {"strategies": PredictiveGain(), "start_per_head": 10},
    "start 5": lambda world: {"strategies": PredictiveGain(), **START},
    "errors": lambda world: {"strategies": Errors()},
    "errors, start 5": lambda world: {"strategies": Errors(), **START},
    "errors, start 3": lambda world: {"strategies": Errors(), "start_per_head": 3},
    "errors, start 5, twice the fits": lambda world: {
        "strategies": Errors(),
        "refit_every": world.n_items // 2,
        **START,
    },
    "no repeats, start 5": lambda world: {"strategies": Errors(repeats=False), **START},
    "own model, start 5": lambda world: {
        "strategies": Errors(),
        "model": world.model(penalty="auto"),
        **START,
    },
    "shared heads, start 5": lambda world: {"strategies": SharedHeads(), **START},
    "averaged, start 5": lambda world: {"strategies": Averaged(), **START},
    "possible maps, start 5": lambda world: {"strategies": PossibleMaps(possible_maps), **START},
    "several minima, start 5": lambda world: {"strategies": PossibleMaps(several_minima), **START},
    "start 2": lambda world: {"strategies": PredictiveGain(), "start_per_head": 2},
    "features that tell .98": informed(0.98),
    "features that tell .5": informed(0.5),
    "features that tell nothing": informed(0.0),
    "at once": lambda world: {"strategies": PredictiveGain(), "start_per_head": 0},
    "features that tell .98, at once": informed(0.98, 0),
    "features that tell .5, at once": informed(0.5, 0),
    "features that tell nothing, at once": informed(0.0, 0),
    "truth known": lambda world: {"strategies": KnownTruth(world.person)},
    "oracle": lambda world: {"strategies": Oracle(world.person), "start_per_head": 2},
}
