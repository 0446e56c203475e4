"""Distinguish people who see differently from the crowd from people who guess."""

from dataclasses import dataclass

import numpy as np
from scipy.stats import binom
from sklearn.base import clone

from resemblance.arrays import Floats
from resemblance.catalog import MODEL, MODELS
from resemblance.errors import quiet
from resemblance.fitting import OrdinalEmbedding
from resemblance.fitting.choosing.penalty import settled
from resemblance.observers.crowd import with_noise
from resemblance.observers.evidence import Answers, Bools, Evidence, Ints, mixed
from resemblance.observers.observer import Asked, question_numbers
from resemblance.observers.space import Contrasts

FOLDS = 5  # folds of the answers of each suspect
LEAST_CONTROLS = 2  # careful people whose map is compared with that of the suspects
ONE_OF_THEM = 0.7  # care under a map of the unlike from which a person is one of them
CLEARLY = 3.0  # nats by which a map must predict somebody better than guesses, and than the crowd's
HARDLY = 0.5  # nats over guesses up to which a map's gain may be luck
ROUNDS = 3  # most refits of the map without people it does not predict
LUCK = 0.02  # most probable chance that a guesser repeats answers so well
CARES = np.linspace(0.0, 0.95, 20)


@dataclass(frozen=True)
class Suspects:
    steady: Bools  # repeats answers as attentive people do
    predicted: Bools  # explained by a map of all suspects better than by guesses or the crowd
    bound: Floats  # largest care of suspects under that map; 1 if unknown


def look_again(
    answers: Answers,
    suspected: Bools,
    doubtful: Bools,
    careful: Bools,
    by_model: Evidence,
    model: OrdinalEmbedding | None,
    level: Floats,
) -> Suspects:
    """Test whether people whose answers are unlike the crowd's repeat them, or share a map."""
    steady, nobody = steadiness(answers), np.zeros(answers.n_people, dtype=bool)
    unsteady = suspected & ~steady
    if not unsteady.any() or not careful.any():
        return Suspects(steady, nobody, np.ones(answers.n_people))
    made = MODELS[MODEL].make(2, random_state=0) if model is None else model
    estimator = settled(made, answers.judgments)
    suspects = Suspects(steady, nobody, np.zeros(answers.n_people))
    for members in (suspected, suspected | doubtful):
        for _ in range(ROUNDS):
            gain, more, bound = _predicted(answers, estimator, members, careful, by_model, level)
            suspects = Suspects(
                steady,
                suspects.predicted | (members & (more >= CLEARLY)),
                np.where(members, np.maximum(suspects.bound, bound), suspects.bound),
            )
            stay = members & ((bound >= ONE_OF_THEM) | (gain > HARDLY))
            if not (stay & suspected).any() or (stay == members).all():
                break
            members = stay
        guesses = unsteady & ~suspects.predicted & (suspects.bound < ONE_OF_THEM)
        if not guesses.any() or not (doubtful & ~suspected).any():
            break
    return suspects


def _predicted(
    answers: Answers,
    estimator: OrdinalEmbedding,
    members: Bools,
    careful: Bools,
    by_model: Evidence,
    level: Floats,
) -> tuple[Floats, Floats, Floats]:
    """Return people's gain of a map of members over guesses and over the crowd, and a bound."""
    p = _with_noise_of(answers, estimator, members, _as_many(members, careful))
    guess = (p > 0) / np.maximum((p > 0).sum(axis=1, keepdims=True), 1)
    by_crowd = by_model.p if by_model.p.size else _of_crowd(answers, estimator)
    gain = _gain(answers, p, guess)
    bound = Evidence({}, str, members, answers.odds(p, guess)).bound(level)
    return gain, gain - _gain(answers, by_crowd, guess), bound


def _as_many(people: Bools, careful: Bools) -> Bools:
    n = min(max(int(people.sum()), LEAST_CONTROLS), int(careful.sum()))
    at = np.linspace(0, careful.sum() - 1, n).round().astype(int)
    return np.isin(np.arange(len(careful)), np.flatnonzero(careful)[at])


def steadiness(answers: Answers) -> Bools:
    """Mark people who repeat answers better than by guessing; a repeated question counts once."""
    same, again, question = answers.repeated()
    asked = np.column_stack([answers.who, question])[again]
    if not len(asked):
        return np.zeros(answers.n_people, dtype=bool)
    pairs, at, trials = np.unique(asked, axis=0, return_inverse=True, return_counts=True)
    shares = np.bincount(at.ravel(), same[again]) / trials
    hits = np.bincount(pairs[:, 0], shares, answers.n_people)
    n = np.bincount(pairs[:, 0], minlength=answers.n_people)
    return np.asarray(binom.sf(np.floor(hits + 1e-9) - 1, n, answers.chance) <= LUCK)


def _with_noise_of(
    answers: Answers, estimator: OrdinalEmbedding, suspects: Bools, controls: Bools
) -> Floats:
    """Return the probability of answers under a map of suspects, with the noise of careful people.

    The noise is estimated from as many careful people under a map of their own answers, so a map
    of few answers, which predicts nobody well, is no evidence against anybody.
    """
    options = answers.judgments.index[:, answers.judgments.options_from :]
    utilities, rows = np.full(options.shape, -np.inf), np.zeros(len(options), dtype=bool)
    for group in (controls, suspects):
        mine = np.flatnonzero(group[answers.who])
        of_group = _held_out(answers, estimator, mine)
        # noise that people share is in the scale of their map, so both maps get one scale
        utilities[mine] = of_group / max(_spread(of_group), 1e-12)
        rows[mine] = True
    # Gold of the majority is easy for the controls alone, so no noise is measured on it.
    rows &= answers.ordinary | ~answers.ordinary[rows].any()
    shares = np.zeros(options.shape)
    shares[rows] = with_noise(utilities[rows], controls[answers.who[rows]].astype(float))
    return shares


def _held_out(answers: Answers, estimator: OrdinalEmbedding, rows: Ints) -> Floats:
    """Return the utilities of answers by fits without the person's answers to that question."""
    judgments, who = answers.judgments[rows], answers.who[rows]
    (question,) = question_numbers(judgments)
    _, unit = np.unique(np.column_stack([who, question]), axis=0, return_inverse=True)
    fold = np.random.default_rng(0).permutation(np.arange(unit.max() + 1) % FOLDS)[unit.ravel()]
    width = judgments.index.shape[1] - judgments.options_from
    utilities = np.full((len(rows), width), -np.inf)
    for number in range(FOLDS):
        test = fold == number
        if test.any() and not test.all():
            others = judgments[~test & answers.first[rows]]
            utilities[test] = _utilities(estimator, others, judgments[test], width)
    unknown = np.isneginf(utilities).all(axis=1)
    there = np.arange(width) < judgments.answers_possible()[:, None]
    utilities[unknown] = np.where(there[unknown], 0.0, -np.inf)
    return utilities


def _of_crowd(answers: Answers, estimator: OrdinalEmbedding) -> Floats:
    rows = answers.crowd[answers.who]
    width = answers.judgments.index.shape[1] - answers.judgments.options_from
    utilities = _utilities(estimator, answers.judgments[rows], answers.judgments, width)
    return with_noise(utilities, rows.astype(float))


def _utilities(estimator: OrdinalEmbedding, fitted: Asked, asked: Asked, width: int) -> Floats:
    with quiet():
        fit = clone(estimator).fit(fitted)
    at = Contrasts(fit.embedding_, asked, fit.choice_)
    utilities = np.full((len(asked), width), -np.inf)
    utilities[:, : at.shape[1]] = at.utilities(np.ones(fit.embedding_.shape[1]))
    return utilities


def _spread(utilities: Floats) -> float:
    there = np.isfinite(utilities)
    highest = utilities.max(axis=1)
    return float((highest - np.where(there, utilities, highest[:, None]).min(axis=1)).mean())


def _gain(answers: Answers, p: Floats, guess: Floats) -> Floats:
    """Return each person's log likelihood gain of a map over guesses, in nats, at the best care."""
    there = answers.first & (guess[:, 0] > 0)
    of_guess = np.log(np.where(there, guess[:, 0], 1.0))
    gains = [
        answers.count(np.where(there, np.log(mixed(care, p, guess)[:, 0] + ~there), 0.0) - of_guess)
        for care in CARES
    ]
    return np.asarray(np.max(gains, axis=0))
