"""Evidence that a participant guesses, from several measures of attention."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom, norm
from sklearn.base import clone

from resemblance.arrays import Floats, places_in
from resemblance.errors import JudgmentError, ResemblanceWarning
from resemblance.fitting import OrdinalEmbedding
from resemblance.fitting.choosing.penalty import settled
from resemblance.judgments import CatchTrials
from resemblance.judgments.joining import people_of
from resemblance.observers.crowd import of_crowd, with_noise
from resemblance.observers.observer import (
    Asked,
    question_numbers,
    refuse_other_items,
)
from resemblance.observers.space import Contrasts

Ints = NDArray[np.integer[Any]]
Bools = NDArray[np.bool_]
Tail = Callable[[Floats], Floats]
# A person who sees one of two dimensions differently disagrees on half of the questions.
ALIKE = 0.78  # flagged people show less than this share of the least care
LEAST_PEOPLE = 5  # least people who answered a gold question before half can discredit it
HALVINGS = 14  # bisections of a bound: four digits
LEVEL = 0.12  # probability that somebody of the least care is rejected
LEAST_CARE = 0.6  # share of the crowd's care: honest people may guess four answers in ten
NODES = (0.0, 1 / 3, 2 / 3, 1.0)  # cares at which moments are worked out


@dataclass(frozen=True)
class Evidence:
    """One measure of attention for each participant.

    ``columns`` are reported. ``words`` describes the evidence against the participant with a
    number. ``seen`` marks people with enough answers. ``tail`` gives the probability that somebody
    with a care looks as bad or worse, increasing in care; None if the measure says nothing about
    care. ``p`` (m, K) are the crowd's probabilities of the options.
    """

    columns: dict[str, NDArray[Any]]  # (people,)
    words: Callable[[int], str]
    seen: Bools  # (people,)
    tail: Tail | None = None
    p: Floats = field(default_factory=lambda: np.empty((0, 0)))  # (m, K)

    def bound(self, level: Floats) -> Floats:
        """Return the largest care under which such evidence is as probable as the level.

        It is 1 without evidence against a person.
        """
        low, high = np.zeros(len(self.seen)), np.ones(len(self.seen))
        if self.tail is None:
            return high
        clear = ~self.seen | (self.tail(high) >= level)
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            possible = self.tail(middle) >= level
            low, high = np.where(possible, middle, low), np.where(possible, high, middle)
        return np.where(clear, 1.0, high)


@dataclass
class Answers:
    """Answers by participants.

    ``level`` is the probability that somebody of the least sufficient care is rejected. Everybody
    is compared with ``crowd`` (people,); ``ordinary`` (m,) marks rows that answer no gold
    question.
    """

    judgments: Asked
    level: float = LEVEL
    least_care: float = LEAST_CARE
    crowd: Bools = field(init=False)  # (people,)
    ordinary: Bools = field(init=False)  # (m,)

    def __post_init__(self) -> None:
        self.names, self.who = people_of(self.judgments)
        self.n_people, self.n_answers = len(self.names), np.bincount(self.who)
        self.crowd = np.ones(self.n_people, dtype=bool)
        self.ordinary = np.ones(len(self.who), dtype=bool)

    @property
    def least_alike(self) -> float:
        """The care below which answers count as unlike the crowd's."""
        return ALIKE * self.least_care

    @property
    def answer(self) -> Ints:
        return self.judgments.index[:, self.judgments.options_from]

    def count(self, values: Any) -> Floats:
        return np.bincount(self.who, values, self.n_people).astype(float)

    @cached_property
    def first(self) -> Bools:
        """Mark people's first answers to each question, since repeats add no evidence."""
        return ~self.repeated()[1]

    @cached_property
    def chance(self) -> Floats:
        """The share of each participant's answers that guessing gets right."""
        return self.count(1 / self.judgments.answers_possible()) / self.n_answers

    def by_gold(self, right: Ints) -> Evidence:
        """Count right answers to gold questions; ``right`` is -1 where unknown."""
        trials = self.count(right >= 0)
        hits = self.count(right == self.answer)
        columns = {"gold_answers": trials.astype(int), "gold_correct": hits.astype(int)}
        return self._shares(columns, hits, trials, self.chance, "gold: right in")

    def right(self, gold: Asked | None) -> Ints:
        if gold is None:
            return np.full(len(self.judgments), -1)
        if getattr(gold, "options_from", None) != self.judgments.options_from:
            raise JudgmentError(
                f"gold is {type(gold).__name__}, and the answers {type(self.judgments).__name__}: "
                f"give {type(self.judgments).__name__} as gold, on the items of the answers"
            )
        refuse_other_items("gold", gold.items, self.judgments.items)
        asked, of_gold = question_numbers(self.judgments, gold)
        answer = np.full(max(asked.max(), of_gold.max()) + 2, -1)  # the last: not known
        right = gold.index[:, gold.options_from]
        answer[of_gold] = right
        if (torn := np.flatnonzero(answer[of_gold] != right)).size:
            raise JudgmentError(
                f"row {torn[0]} of gold has another right answer than a later row with the same "
                "question: leave one of them out"
            )
        return answer[np.where(self._is_disputed(asked, answer), -1, asked)]

    def _is_disputed(self, asked: Ints, right: Ints) -> Bools:
        """Mark rows of gold questions that half of the people get wrong; warn of them."""
        rows = right[asked] >= 0
        pairs, at, n = np.unique(
            np.column_stack([asked, self.who])[rows],
            axis=0,
            return_inverse=True,
            return_counts=True,
        )
        hits = np.bincount(at.ravel(), (self.answer == right[asked])[rows], len(pairs)) / n
        people = np.bincount(pairs[:, 0], minlength=len(right))
        wrong = np.bincount(pairs[:, 0], 1.0 - hits, len(right))
        disputed = (people >= LEAST_PEOPLE) & (2 * wrong >= people)
        for number in np.flatnonzero(disputed):
            row, names = int(np.argmax(asked == number)), self.judgments.items.names
            question = ", ".join(names[i] for i in self.judgments.index[row] if i >= 0)
            warnings.warn(
                f"{wrong[number]:.0f} of {people[number]} people get the gold question about "
                f"{question} wrong ({names[right[number]]} is said to be right): it counts against "
                "nobody. Look at the question, and leave it out of gold, or correct it.",
                ResemblanceWarning,
                stacklevel=4,
            )
        return np.asarray(disputed[asked])

    def by_repeats(self) -> Evidence:
        """Compare each answer with the person's earlier answer to the same question."""
        same, again, _ = self.repeated()
        hits, trials = self.count(same), self.count(again)
        columns = {"repeat_answers": trials.astype(int), "repeat_agreement": share_of(hits, trials)}
        words = "repeats: the same answer in"
        # two answers agree beyond chance as the square of the share that is not guessed
        return self._shares(columns, hits, trials, self.chance, words, power=2)

    def repeated(self) -> tuple[Bools, Bools, Ints]:
        """Mark repeated questions and consistent repeats; number the questions."""
        (asked,) = question_numbers(self.judgments)
        order = np.lexsort([asked, self.who])
        before, after = order[:-1], order[1:]
        again = np.zeros(len(order), dtype=bool)
        again[after] = (asked[before] == asked[after]) & (self.who[before] == self.who[after])
        same = again.copy()
        same[after] &= self.answer[before] == self.answer[after]
        return same, again, asked

    def by_sides(self, limit: float) -> Evidence:
        """Count choices of the first side, compared with an even draw of sides.

        ``seen`` are those who chose one side three quarters of the time or more, which attentive
        people would do with a probability below the limit.
        """
        side = self._sides()
        trials, hits = self.count(np.isfinite(side)), self.count(side == 0)
        share, chance = share_of(hits, trials), self.chance
        low, high = binom.cdf(hits, trials, chance), binom.sf(hits - 1, trials, chance)
        p = np.where(trials > 0, np.minimum(1.0, 2 * np.minimum(low, high)), np.nan)
        bad = (share >= (1 + chance) / 2) | (share <= chance / 2)

        def words(i: int) -> str:
            line = f"side: {share[i]:.0%} of {trials[i]:.0f} answers on the first side"
            return f"{line} (p = {p[i]:.1g})"

        return Evidence({"side_share": share, "side_p": p}, words, bad & (p < limit))

    def _sides(self) -> Floats:
        side = self.judgments.extra.get("side", np.full(len(self.judgments), np.nan))
        try:
            return np.asarray(side, dtype=float)
        except (TypeError, ValueError):
            raise JudgmentError(
                f"the sides, such as {side[0]!r}, must be numbers: 0 for the first option shown, "
                "1 for the second"
            ) from None

    def by_model(self, model: OrdinalEmbedding | None, folds: int | None) -> Evidence:
        """Compare the likelihood of answers under a model with crowd noise, and under guessing."""
        nothing = np.full(self.n_people, np.nan)
        if model is None:
            columns = dict.fromkeys(("log_loss", "z_chance", "z_crowd"), nothing)
            return Evidence(columns, str, nothing > 0)
        refuse_other_items("the model", model.items_, self.judgments.items)
        p = self.predicted(model, folds)
        guess = (p > 0) / (p > 0).sum(axis=1, keepdims=True)
        columns = self._losses(p, guess)
        others = self._of_others(columns["log_loss"] * self.n_answers, self.n_answers.astype(float))

        def words(i: int) -> str:
            return f"model: log loss {columns['log_loss'][i]:.2f}, others' {others[i]:.2f}"

        everybody = np.ones(self.n_people, dtype=bool)
        return Evidence(columns, words, everybody, self.odds(p, guess), p)

    def predicted(self, model: OrdinalEmbedding, folds: int | None) -> Floats:
        """Return the model's probability of each option, with the crowd's noise."""
        if folds is None:
            return of_crowd(model, self.judgments[self.crowd[self.who]], self.judgments)
        options = self.judgments.index[:, self.judgments.options_from :]
        utilities = np.full(options.shape, np.nan)
        fold, estimator = np.arange(self.n_people) % folds, settled(model, self.judgments)
        for number in range(min(folds, self.n_people)):
            rows = fold[self.who] == number
            others = self.judgments[~rows & self.crowd[self.who]]
            new = clone(estimator).fit(others if len(others) else self.judgments)
            at = Contrasts(new.embedding_, self.judgments[rows], new.choice_)
            utilities[rows, : at.shape[1]] = at.utilities(np.ones(new.embedding_.shape[1]))
        utilities[np.isnan(utilities)] = -np.inf
        return with_noise(utilities, self.judgments.weights * self.crowd[self.who])

    def by_both(self, right: Ints, by_gold: Evidence, by_model: Evidence) -> Evidence:
        """Combine all answers: gold ones by others' answers, the rest by the model."""
        p = by_model.p.copy()
        of_gold = np.flatnonzero(right >= 0)
        options = self.judgments.index[of_gold, self.judgments.options_from :]
        hits, trials = self.count(right == self.answer), self.count(right >= 0)
        share = self._of_others(hits, trials)[self.who[of_gold], None]
        n = (p[of_gold] > 0).sum(axis=1, keepdims=True)
        wrong = (1 - share) / np.maximum(n - 1, 1) * (p[of_gold] > 0)
        p[of_gold] = np.clip(np.where(options == right[of_gold, None], share, wrong), 0.0, 1.0)
        guess = (by_model.p > 0) / (by_model.p > 0).sum(axis=1, keepdims=True)

        def words(i: int) -> str:
            parts = [by_gold.words(i)] if by_gold.columns["gold_answers"][i] else []
            return "; ".join([*parts, by_model.words(i)])

        columns = by_gold.columns | by_model.columns
        return Evidence(columns, words, by_model.seen, self.odds(p, guess), p)

    def _losses(self, p: Floats, guess: Floats) -> dict[str, Floats]:
        loss = -np.log(np.where(p > 0, p, 1.0))
        total = self.count(loss[:, 0])
        columns = {"log_loss": total / self.n_answers}
        for name, share in (("z_chance", guess), ("z_crowd", p)):
            mean, variance, _ = self._moments(share, loss)
            columns[name] = (total - mean) / np.maximum(np.sqrt(variance), 1e-12)
        return columns

    def odds(self, p: Floats, guess: Floats) -> Tail:
        """Test a care by the likelihood ratio of guessing and the least care."""
        least = mixed(self.least_care, p, guess)
        gain = np.log(np.where(guess > 0, guess, 1.0) / np.where(guess > 0, least, 1.0))
        gain[~self.first] = 0.0
        odds = self.count(gain[:, 0])
        at = [self._moments(mixed(care, p, guess), gain) for care in NODES]
        by_model, by_chance = p[:, 0], guess[:, 0]

        def tail(care: Floats) -> Floats:
            # moments are polynomials of care, of degree 3 at most
            mean, variance, third = np.einsum("kmi,ki->mi", np.array(at), _lagrange(care))
            spread = np.sqrt(np.maximum(variance, 1e-24))
            z = (odds - mean) / spread
            edgeworth = norm.sf(z) + norm.pdf(z) * third / spread**3 * (z**2 - 1) / 6
            share = np.maximum(mixed(care[self.who], by_model, by_chance), 1e-300)
            itself = np.exp(self.count(np.log(share)))  # no tail is less than these answers
            return np.clip(edgeworth, itself, 1.0)

        return tail

    def _moments(self, share: Floats, value: Floats) -> tuple[Floats, Floats, Floats]:
        mean = (share * value).sum(axis=1, keepdims=True)
        apart = value - mean
        variance, third = ((share * apart**n).sum(axis=1) for n in (2, 3))
        return self.count(mean[:, 0]), self.count(variance), self.count(third)

    def by_catches(self, catches: CatchTrials | None) -> Evidence:
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
        chance = np.nan_to_num(share_of(guesses, trials))
        return self._shares(columns, hits, trials, chance, "catch trials: passed in")

    def _rows_of(self, catches: CatchTrials) -> tuple[Bools, Ints]:
        if catches.observer is None:
            raise JudgmentError("these catch trials have no observers: give observer=")
        person = places_in(self.names, catches.observer)
        return person >= 0, person[person >= 0]

    def _shares(
        self,
        columns: dict[str, NDArray[Any]],
        hits: Floats,
        trials: Floats,
        chance: Floats,
        words: str,
        power: int = 1,
    ) -> Evidence:
        """Test hits against the share of others; beyond chance, hits grow as care ** power."""
        crowd = self._of_others(hits, trials)
        beyond = np.maximum(crowd - chance, 0.0)

        def tail(care: Floats | float) -> Floats:
            return np.asarray(binom.cdf(hits, trials, chance + beyond * care**power))

        def describe(i: int) -> str:
            return f"{words} {hits[i]:.0f} of {trials[i]:.0f}, others in {crowd[i]:.0%}"

        worst = (1 - chance - beyond * self.least_care**power) ** trials
        return Evidence(columns, describe, worst < self.level, tail)

    def _of_others(self, hits: Floats, trials: Floats) -> Floats:
        """Return the share of hits among all but each person."""
        own, all_own = hits * self.crowd, trials * self.crowd
        share = share_of(own.sum() - own, all_own.sum() - all_own)
        return np.where(np.isnan(share), np.nan_to_num(share_of(hits, trials)), share)


def _lagrange(care: Floats) -> Floats:
    gaps = care - np.array(NODES)[:, None]
    return np.array(
        [
            np.prod([gaps[j] / (NODES[k] - NODES[j]) for j in range(4) if j != k], axis=0)
            for k in range(4)
        ]
    )


def mixed(care: Any, p: Floats, guess: Floats) -> Floats:
    """Return probabilities of answers of which a share follow p, and the others are guesses."""
    return np.asarray(care * p + (1 - care) * guess)


def share_of(hits: Floats, trials: Floats) -> Floats:
    return np.divide(hits, trials, out=np.full(len(trials), np.nan), where=trials > 0)
