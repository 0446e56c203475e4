"""What the answers of participants tell about who looks, one kind of evidence at a time."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from resemblance.arrays import Floats
from resemblance.errors import JudgmentError
from resemblance.fitting import OrdinalEmbedding
from resemblance.judgments import CatchTrials
from resemblance.observers.contrasts import Contrasts
from resemblance.observers.learning import fit_crowd, people_of
from resemblance.observers.observer import (
    Asked,
    option_counts,
    question_numbers,
    refuse_other_items,
)

Ints = NDArray[np.integer[Any]]
Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Evidence:
    """What one kind of evidence says of each participant.

    Attributes
    ----------
    columns : dict of arrays (people,)
        What is told of everybody.
    p : array (people,)
        Bounds the probability that somebody honest looks as bad; NaN where there is no evidence.
    bad : array (people,) of bool
        Who is also nearer to a cheater than to the crowd.
    words : callable
        Tells the reason for rejecting the participant of a number.
    """

    columns: dict[str, NDArray[Any]]
    p: Floats
    bad: Bools
    words: Callable[[int], str]

    def reason(self, person: int, limit: float) -> str | None:
        """Tell why a participant is rejected; None for no reason."""
        if self.bad[person] and self.p[person] < limit:
            return f"{self.words(person)} (p = {self.p[person]:.1g})"
        return None


class Answers:
    """Answers by participants.

    Parameters
    ----------
    judgments : Triplets, Choices or OddOneOuts
        They name their observer.
    """

    def __init__(self, judgments: Asked) -> None:
        self.judgments = judgments
        self.names, self.who = people_of(judgments)
        self.n_people, self.n_answers = len(self.names), np.bincount(self.who)

    @property
    def answer(self) -> Ints:
        """The option chosen in each answer."""
        return self.judgments.index[:, self.judgments.options_from]

    def count(self, values: Any) -> Floats:
        """Sum a value of each answer by participant."""
        return np.bincount(self.who, values).astype(float)

    @cached_property
    def chance(self) -> Floats:
        """The share of each participant's answers that guessing gets right."""
        return self.count(1 / option_counts(self.judgments)) / self.n_answers

    def by_gold(self, gold: Asked | None) -> Evidence:
        """Count right answers to gold questions."""
        right = np.full(len(self.judgments), -1)
        if gold is not None:
            refuse_other_items("gold", gold.items, self.judgments.items)
            asked, known = question_numbers(self.judgments, gold)
            answer = np.full(max(asked.max(), known.max()) + 1, -1)
            answer[known] = gold.index[:, gold.options_from]
            right = answer[asked]
        trials = self.count(right >= 0)
        hits = self.count(right == self.answer)
        columns = {"gold_answers": trials.astype(int), "gold_correct": hits.astype(int)}
        return _shares(columns, hits, trials, self.chance, "gold: right in")

    def by_repeats(self) -> Evidence:
        """Compare each answer with the one that the same person gave to the question before."""
        (asked,) = question_numbers(self.judgments)
        order = np.lexsort([asked, self.who])
        before, after = order[:-1], order[1:]
        again = np.zeros(len(order), dtype=bool)
        again[after] = (asked[before] == asked[after]) & (self.who[before] == self.who[after])
        answer, same = self.answer, again.copy()
        same[after] &= answer[before] == answer[after]
        hits, trials = self.count(same), self.count(again)
        columns = {"repeat_answers": trials.astype(int), "repeat_agreement": _share(hits, trials)}
        # two answers agree beyond chance as the square of the share that is not guessed
        return _shares(columns, hits, trials, self.chance, "repeats: the same answer in", power=2)

    def by_sides(self) -> Evidence:
        """Count how often the first side was chosen, against an even draw of sides."""
        side = self._sides()
        trials, hits = self.count(np.isfinite(side)), self.count(side == 0)
        share, chance = _share(hits, trials), self.chance
        tails = binom.cdf(hits, trials, chance), binom.sf(hits - 1, trials, chance)
        p = np.where(trials > 0, np.minimum(1.0, 2 * np.minimum(*tails)), np.nan)
        bad = (share >= (1 + chance) / 2) | (share <= chance / 2)

        def words(i: int) -> str:
            return f"side: {share[i]:.0%} of {trials[i]:.0f} answers on the first side"

        return Evidence({"side_share": share, "side_p": p}, p, bad, words)

    def _sides(self) -> Floats:
        """Return the side chosen in each row, NaN where it is not known."""
        side = self.judgments.extra.get("side", np.full(len(self.judgments), np.nan))
        try:
            return np.asarray(side, dtype=float)
        except (TypeError, ValueError):
            raise JudgmentError(
                f"the sides, such as {side[0]!r}, must be numbers: 0 for the first option shown, "
                "1 for the second"
            ) from None

    def by_model(self, model: OrdinalEmbedding | None) -> Evidence:
        """Weigh the answers by a model with the crowd's noise against guessing."""
        nothing = np.full(self.n_people, np.nan)
        if model is None:
            columns = dict.fromkeys(("log_loss", "z_chance", "z_crowd"), nothing)
            return Evidence(columns, nothing, nothing > 0, str)
        refuse_other_items("the model", model.items_, self.judgments.items)
        points, crowd = fit_crowd(model, self.judgments)
        p = crowd.shares(Contrasts(points, self.judgments, model.choice_))
        loss = -np.log(np.where(p > 0, p, 1.0))
        guess = (p > 0) / (p > 0).sum(axis=1, keepdims=True)
        total = self.count(loss[:, 0])
        columns = {"log_loss": total / self.n_answers}
        for name, share in (("z_chance", guess), ("z_crowd", p)):
            mean, square = (share * loss).sum(axis=1), (share * loss**2).sum(axis=1)
            spread = np.sqrt(self.count(square - mean**2))
            columns[name] = (total - self.count(mean)) / np.maximum(spread, 1e-12)
        # Markov: the factor 1 / x by which guessing does better is reached with probability <= x
        log_factor = total + self.count(np.log(guess[:, 0]))
        bound = np.exp(-np.maximum(log_factor, 0.0))

        def words(i: int) -> str:
            return f"model: log loss {columns['log_loss'][i]:.2f}, less likely than guesses"

        return Evidence(columns, bound, log_factor > 0, words)

    def by_catches(self, catches: CatchTrials | None) -> Evidence:
        """Count the catch trials passed."""
        hits, trials, guesses = np.zeros((3, self.n_people))
        if catches is not None:
            rows, person = self._rows_of(catches)
            for counts, values in (
                (hits, catches.passed),
                (trials, np.ones(len(catches))),
                (guesses, 1 / (catches.index[:, 1:] >= 0).sum(axis=1)),
            ):
                np.add.at(counts, person, values[rows])
        columns = {"catch_answers": trials.astype(int), "catch_passed": hits.astype(int)}
        return _shares(columns, hits, trials, _share(guesses, trials), "catch trials: passed in")

    def _rows_of(self, catches: CatchTrials) -> tuple[Bools, Ints]:
        """Return the catch trials of these participants, and whose they are."""
        if catches.observer is None:
            raise JudgmentError("these catch trials have no observers: give observer=")
        place = np.searchsorted(self.names, catches.observer)
        person = np.minimum(place, self.n_people - 1)
        rows = self.names[person] == catches.observer
        return rows, person[rows]


def _share(hits: Floats, trials: Floats) -> Floats:
    """Return hits / trials, NaN for no trials."""
    return np.divide(hits, trials, out=np.full(len(trials), np.nan), where=trials > 0)


def _shares(
    columns: dict[str, NDArray[Any]],
    hits: Floats,
    trials: Floats,
    chance: Floats,
    words: str,
    power: int = 1,
) -> Evidence:
    """Test hits against the crowd's share; bad is who guesses more than halfway from it to chance.

    Where a share s of the answers is not guessed, the hits beyond chance go as s ** power.
    """
    crowd = hits.sum() / max(trials.sum(), 1)
    p = np.where(trials > 0, binom.cdf(hits, trials, crowd), np.nan)
    bad = _share(hits, trials) < chance + (crowd - chance) * 0.5**power

    def told(i: int) -> str:
        return f"{words} {hits[i]:.0f} of {trials[i]:.0f}, the crowd in {crowd:.0%}"

    return Evidence(columns, p, bad, told)
