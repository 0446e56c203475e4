"""Leave out answers of people who seem to guess, and answers to gold questions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from resemblance.catalog import GOLD, MODEL, MODELS, QUICK
from resemblance.errors import ResemblanceError, quiet
from resemblance.fitting.embedding import OrdinalEmbedding
from resemblance.fitting.held_out import HeldOut
from resemblance.judgments import Choices, OddOneOuts, OneKind, Triplets
from resemblance.judgments.joining import raters_of
from resemblance.observers import score_participants

# smallest number of people, and smallest median number of answers per person
LEAST_PEOPLE, LEAST_EACH = 3, 20
MOST_ANSWERS = 20_000  # with more answers, screening would take too long
FOLDS = 5


@dataclass(frozen=True)
class Guessing:
    people: int
    guesses: tuple[str, ...] = ()  # people rejected by score_participants
    # people who see differently from most people, and are never left out
    differs: tuple[str, ...] = ()
    left_out: bool = False  # whether the fit excludes people who guess
    error: float | None = None  # held-out error without people who guess
    interval: tuple[float, float] | None = None
    why: str | None = None  # reason if people could not be screened

    def without(self, answers: OneKind) -> OneKind:
        kept = ~np.isin(np.asarray(answers.observer).astype(str), self.guesses)
        return _with_catches(answers, kept)

    def measured(
        self, estimator: OrdinalEmbedding, answers: OneKind, cv: Any, extra: Any
    ) -> Guessing:
        if self.left_out or not self.guesses or cv is None:
            return self
        try:
            held = HeldOut.of_folds(estimator, self.without(answers), cv, extra)
        except ResemblanceError:  # too few answers are left for these folds
            return self
        return replace(self, error=held.error, interval=held.interval)


def looked_at(
    answers: OneKind, screen: bool, random_state: int = 0
) -> tuple[OneKind, Guessing | None]:
    people = guessing(answers, random_state)
    if not screen or people is None or not people.guesses:
        return answers, people
    return people.without(answers), replace(people, left_out=True)


def guessing(answers: OneKind, random_state: int = 0) -> Guessing | None:
    if not isinstance(answers, Triplets | Choices | OddOneOuts) or answers.observer is None:
        return None
    names, who = raters_of(answers)
    why = _unfit(answers, np.bincount(who[who > 0] - 1, minlength=len(names)), (who == 0).any())
    if why is not None:
        return Guessing(len(names), why=why)
    model = MODELS[MODEL].make(2, random_state=random_state, **QUICK)
    with quiet():
        scores = score_participants(answers, model=model.fit(answers), folds=FOLDS)
    guesses, differs = (
        tuple(scores["observer"][scores[column]].tolist()) for column in ("rejected", "differs")
    )
    if len(guesses) == len(names):
        return Guessing(len(names), why="all of them answer like guesses")
    return Guessing(len(names), guesses, differs)


def _unfit(answers: OneKind, each: Any, unnamed: bool) -> str | None:
    if unnamed:
        return "some rows do not say who answered"
    if len(each) < LEAST_PEOPLE or np.median(each) < LEAST_EACH:
        return f"screening needs {LEAST_PEOPLE} people with {LEAST_EACH} answers each"
    if len(answers) > MOST_ANSWERS:
        return f"more than {MOST_ANSWERS:,} answers would take long"
    return None


def without_gold(answers: OneKind, keep_gold: bool = False) -> tuple[OneKind, int]:
    if keep_gold or answers.strategies is None:
        return answers, 0
    gold = answers.strategies == GOLD
    if not gold.any() or gold.all():
        return answers, 0
    return _with_catches(answers, ~gold), int(gold.sum())


def _with_catches(answers: OneKind, kept: Any) -> OneKind:
    catches = getattr(answers, "catches", None)
    rest = answers[kept]
    return rest if catches is None else rest._with(catches=catches)
