"""Evidence that a participant guesses, or sees differently from the crowd."""

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
from resemblance.catalog import MODEL, MODELS
from resemblance.errors import JudgmentError, ResemblanceWarning, quiet
from resemblance.fitting import OrdinalEmbedding
from resemblance.fitting.penalty import settled
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
# A person sees differently from the crowd if the care is below this share of ``least_care``. A
# person who sees one of two dimensions differently gives other answers to half of the questions.
ALIKE = 0.78
LEAST_PEOPLE = 5  # A gold question is disputed only if at least this many people have answered it.
HALVINGS = 14  # number of bisections in the search for a bound, which give four digits of the bound
LEVEL = 0.12  # probability of rejecting a person with the least sufficient care
LEAST_CARE = 0.6  # least sufficient care: honest people may guess 40 % of their answers
NODES = (0.0, 1 / 3, 2 / 3, 1.0)  # values of care at which the moments of a sum are computed


@dataclass(frozen=True)
class Evidence:
    """One measure of attention for each participant.

    ``words`` describes the evidence against a person, given the person's index. ``seen`` marks
    people with enough answers. ``tail`` returns the probability of answers at least as bad, given
    each person's care; it is None if the measure does not depend on care. ``p`` (m, K) are the
    crowd's probabilities of the options.
    """

    columns: dict[str, NDArray[Any]]  # columns of the result, (people,) each
    words: Callable[[int], str]
    seen: Bools  # mask of people with enough answers, (people,)
    tail: Tail | None = None
    p: Floats = field(default_factory=lambda: np.empty((0, 0)))  # (m, K)

    def bound(self, level: Floats) -> Floats:
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

    ``level`` is the probability of rejecting a person with the least sufficient care. All people
    are compared with the people marked in ``crowd``. ``ordinary`` marks answers to questions that
    are not gold.
    """

    judgments: Asked
    level: float = LEVEL
    least_care: float = LEAST_CARE
    crowd: Bools = field(init=False)  # the people with whom everybody is compared, (people,)
    ordinary: Bools = field(init=False)  # rows that are not gold questions, (m,)

    def __post_init__(self) -> None:
        self.names, self.who = people_of(self.judgments)
        self.n_people, self.n_answers = len(self.names), np.bincount(self.who)
        self.crowd = np.ones(self.n_people, dtype=bool)
        self.ordinary = np.ones(len(self.who), dtype=bool)

    @property
    def least_alike(self) -> float:
        """The care below which a person counts as seeing differently."""
        return ALIKE * self.least_care

    @property
    def answer(self) -> Ints:
        return self.judgments.index[:, self.judgments.options_from]

    def count(self, values: Any) -> Floats:
        return np.bincount(self.who, values, self.n_people).astype(float)

    @cached_property
    def first(self) -> Bools:
        """A mask of each person's first answer to each question; repeats are no new evidence."""
        return ~self.repeated()[1]

    @cached_property
    def chance(self) -> Floats:
        """The expected share of right answers of a person who guesses, (people,)."""
        return self.count(1 / self.judgments.answers_possible()) / self.n_answers

    def by_gold(self, right: Ints) -> Evidence:
        """Return evidence from gold questions; ``right`` is the right item, or -1 if unknown."""
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
        # -1 means that the right answer is unknown.
        answer = np.full(max(asked.max(), of_gold.max()) + 2, -1)
        right = gold.index[:, gold.options_from]
        answer[of_gold] = right
        if (torn := np.flatnonzero(answer[of_gold] != right)).size:
            raise JudgmentError(
                f"row {torn[0]} of gold and a later row have different right answers to the same "
                "question: leave one of them out"
            )
        return answer[np.where(self._is_disputed(asked, answer), -1, asked)]

    def _is_disputed(self, asked: Ints, right: Ints) -> Bools:
        """Warn of gold questions that half of the people miss; return a mask of them, (m,)."""
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
                f"{question} wrong (by gold, {names[right[number]]} is right), so it counts "
                "against nobody. Check the question: correct it, or leave it out of gold.",
                ResemblanceWarning,
                stacklevel=4,
            )
        return np.asarray(disputed[asked])

    def by_repeats(self) -> Evidence:
        """Return evidence from repeats: whether answers equal the person's previous answers."""
        same, again, _ = self.repeated()
        hits, trials = self.count(same), self.count(again)
        columns = {"repeat_answers": trials.astype(int), "repeat_agreement": share_of(hits, trials)}
        words = "repeats: the same answer in"
        # Beyond chance, the probability that two answers agree is proportional to care squared.
        return self._shares(columns, hits, trials, self.chance, words, power=2)

    def repeated(self) -> tuple[Bools, Bools, Ints]:
        """Return masks of equal repeats and of repeats, and the number of each question, (m,)."""
        (asked,) = question_numbers(self.judgments)
        order = np.lexsort([asked, self.who])
        before, after = order[:-1], order[1:]
        again = np.zeros(len(order), dtype=bool)
        again[after] = (asked[before] == asked[after]) & (self.who[before] == self.who[after])
        same = again.copy()
        same[after] &= self.answer[before] == self.answer[after]
        return same, again, asked

    def by_sides(self, limit: float) -> Evidence:
        """Compare the number of choices of the first side with chance, by a two-sided test.

        ``seen`` marks people who chose one side in at least three quarters of their answers.
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
                f"sides such as {str(side[0])!r} are not numbers: give 0 for the first option "
                "shown, 1 for the second"
            ) from None

    def by_model(self, model: OrdinalEmbedding | None, folds: int | None) -> Evidence:
        """Return evidence from the likelihood of answers under a model with the crowd's noise."""
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
        """Return the probability of each option, (m, K), under a model with the crowd's noise."""
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
        """Combine evidence: from the crowd on gold, from the model on other questions."""
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
        """Return the tail function of a log likelihood ratio: guesses against the least care."""
        least = mixed(self.least_care, p, guess)
        gain = np.log(np.where(guess > 0, guess, 1.0) / np.where(guess > 0, least, 1.0))
        gain[~self.first] = 0.0
        odds = self.count(gain[:, 0])
        at = [self._moments(mixed(care, p, guess), gain) for care in NODES]
        by_model, by_chance = p[:, 0], guess[:, 0]

        def tail(care: Floats) -> Floats:
            # The moments are polynomials in care, of degree 3 at most.
            mean, variance, third = np.einsum("kmi,ki->mi", np.array(at), _lagrange(care))
            spread = np.sqrt(np.maximum(variance, 1e-24))
            z = (odds - mean) / spread
            edgeworth = norm.sf(z) + norm.pdf(z) * third / spread**3 * (z**2 - 1) / 6
            share = np.maximum(mixed(care[self.who], by_model, by_chance), 1e-300)
            # The tail includes the observed answers, whose probability is therefore a lower bound.
            itself = np.exp(self.count(np.log(share)))
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
            raise JudgmentError("these catch trials name no observers: give observer=")
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
        """Test hits against the hits of other people; hits above chance grow as care ** power."""
        crowd = self._of_others(hits, trials)
        beyond = np.maximum(crowd - chance, 0.0)

        def tail(care: Floats | float) -> Floats:
            return np.asarray(binom.cdf(hits, trials, chance + beyond * care**power))

        def describe(i: int) -> str:
            return f"{words} {hits[i]:.0f} of {trials[i]:.0f}, others in {crowd[i]:.0%}"

        worst = (1 - chance - beyond * self.least_care**power) ** trials
        return Evidence(columns, describe, worst < self.level, tail)

    def _of_others(self, hits: Floats, trials: Floats) -> Floats:
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
    """Return the probabilities care * p + (1 - care) * guess."""
    return np.asarray(care * p + (1 - care) * guess)


def share_of(hits: Floats, trials: Floats) -> Floats:
    return np.divide(hits, trials, out=np.full(len(trials), np.nan), where=trials > 0)


FOLDS = 5  # number of folds of each suspect's answers
LEAST_CONTROLS = 2  # smallest number of careful people with whom suspects are compared
# smallest upper bound of care, under the suspects' map, of a person who shares this map
ONE_OF_THEM = 0.7
# Smallest gain, in nats, of the suspects' map over guesses and over the crowd's map.
CLEARLY = 3.0
HARDLY = 0.5  # largest gain over guesses, in nats, that may be luck
ROUNDS = 3  # largest number of fits of the suspects' map; each leaves out people who do not fit
LUCK = 0.02  # largest p-value at which repeats agree better than guesses
CARES = np.linspace(0.0, 0.95, 20)


@dataclass(frozen=True)
class Suspects:
    steady: Bools  # (people,), whether repeats agree better than guesses
    # (people,), whether the suspects' map predicts better than guesses and the crowd's map
    predicted: Bools
    bound: Floats  # (people,), upper bound of care under the suspects' map; 1 if unknown


def look_again(
    answers: Answers,
    suspected: Bools,
    doubtful: Bools,
    careful: Bools,
    by_model: Evidence,
    model: OrdinalEmbedding | None,
    level: Floats,
) -> Suspects:
    """Test whether suspects, who answer unlike the crowd, repeat their answers or share a map."""
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
    """Return gains of the members' map over guesses and the crowd's map, and bounds of care."""
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
    """Mark people whose answers to repeated questions agree more than guesses would."""
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
    """Return probabilities under the suspects' map, with the noise of careful people."""
    options = answers.judgments.index[:, answers.judgments.options_from :]
    utilities, rows = np.full(options.shape, -np.inf), np.zeros(len(options), dtype=bool)
    for group in (controls, suspects):
        mine = np.flatnonzero(group[answers.who])
        of_group = _held_out(answers, estimator, mine)
        # The scale of a map depends on the noise of its people, so both maps get the same scale.
        utilities[mine] = of_group / max(_spread(of_group), 1e-12)
        rows[mine] = True
    # Gold questions are easy only for the controls, so noise is measured on other questions.
    rows &= answers.ordinary | ~answers.ordinary[rows].any()
    shares = np.zeros(options.shape)
    shares[rows] = with_noise(utilities[rows], controls[answers.who[rows]].astype(float))
    return shares


def _held_out(answers: Answers, estimator: OrdinalEmbedding, rows: Ints) -> Floats:
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
    there = answers.first & (guess[:, 0] > 0)
    of_guess = np.log(np.where(there, guess[:, 0], 1.0))
    gains = [
        answers.count(np.where(there, np.log(mixed(care, p, guess)[:, 0] + ~there), 0.0) - of_guess)
        for care in CARES
    ]
    return np.asarray(np.max(gains, axis=0))
