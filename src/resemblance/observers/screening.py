"""Screening: which participants answered as people who look do."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import binom

from resemblance.arrays import Floats
from resemblance.errors import JudgmentError, SettingError
from resemblance.fitting import OrdinalEmbedding
from resemblance.judgments import CatchTrials
from resemblance.observers.learning import fit_crowd, people_of
from resemblance.observers.observer import (
    Asked,
    option_counts,
    question_numbers,
    refuse_other_items,
)
from resemblance.observers.space import Contrasts

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


def score_participants(
    judgments: Asked,
    gold: Asked | None = None,
    model: OrdinalEmbedding | None = None,
    *,
    catches: CatchTrials | None = None,
    level: float = 0.05,
) -> pd.DataFrame:
    r"""Score participants by gold questions, repeats, sides, a model and catch trials.

    .. math:: p = \Pr(X \le x), \; X \sim Binomial(n, q); \qquad
       \Lambda = \prod_r \frac{1 / N_r}{P_r}

    Gold questions, catch trials and repeats are counted: x of n right, or the same as before,
    where the crowd's share is q. A participant is rejected if p < level / (participants x kinds of
    evidence) and x / n is also nearer to guessing than to q (of repeats, which agree beyond chance
    by the square of care, in the quarter nearest to guessing); so no number of answers rejects
    somebody who is only less careful than others. Sides: the two-sided p of an even choice of
    sides, and three quarters on one side (halfway between even and always). Model: rejected if
    guessing explains the answers better than the model, by a factor :math:`\Lambda` above the
    inverse of that limit, which answers drawn from the model reach at most so often (Markov's
    inequality). P has the noise of the crowd, found as in :func:`fit_observers`. So all honest
    participants together stay with probability 1 - level or more, if they answer like the crowd.

    Parameters
    ----------
    judgments : Triplets, Choices or OddOneOuts
        Answers that name their observer. Each row is one answer: weights do not count.
        ``extra["side"]``, where it is there, says which of the shown options was chosen, 0 for the
        first, with sides drawn evenly; NaN where it is not known.
    gold : judgments of the same kind, optional
        Questions with their right answers: see :func:`gold_questions`.
    model : OrdinalEmbedding, optional
        A fitted model with a likelihood.
    catches : CatchTrials, optional
        Default: those that the judgments carry.
    level : float
        How probable it may be that anybody honest is rejected, between 0 and 1.

    Returns
    -------
    pandas.DataFrame
        A row for each participant: ``observer, answers, gold_answers, gold_correct,
        repeat_answers, repeat_agreement, side_share`` (of the first side) and ``side_p,
        log_loss`` (nats) with ``z_chance`` and ``z_crowd`` (how many standard deviations it is
        above what guessing, and answers like the crowd's, would have), ``catch_answers,
        catch_passed, flags`` (the reasons, in words) and ``rejected``. NaN where there is nothing
        to tell.

    Raises
    ------
    JudgmentError
        If answers, or catch trials, do not name their observer, gold or model have other items, or
        a side is no number.
    SettingError
        If the level is not between 0 and 1.

    References
    ----------
    Tamuz et al. 2011, section 7: "the vast majority of these poor results came from a small number
    of individuals", whom gold questions showed.

    Examples
    --------
    >>> import numpy as np
    >>> import resemblance as rs
    >>> rng = np.random.default_rng(0)
    >>> points = 3 * rng.normal(size=(9, 2))
    >>> people = [rs.SpaceObserver(points, random_state=0), rs.PositionBiasObserver(0)]
    >>> questions = np.array([rng.choice(9, 3, replace=False) for _ in range(200)])
    >>> answers = rs.Crowd(people, ["ann", "bob"], random_state=0).answer(questions)
    >>> scores = score_participants(answers)
    >>> scores["rejected"].tolist(), scores["flags"][1]
    ([False, True], 'side: 100% of 101 answers on the first side (p = 8e-31)')
    """
    if not 0 < level < 1:
        raise SettingError(f"level is {level!r}: give a probability between 0 and 1.")
    answers = Answers(judgments)
    checks = getattr(judgments, "catches", None) if catches is None else catches
    found = [
        answers.by_gold(gold),
        answers.by_repeats(),
        answers.by_sides(),
        answers.by_model(model),
        answers.by_catches(checks),
    ]
    limit = level / (answers.n_people * max(sum(np.isfinite(e.p).any() for e in found), 1))
    reasons = [
        [reason for evidence in found if (reason := evidence.reason(i, limit))]
        for i in range(answers.n_people)
    ]
    table = pd.DataFrame({"observer": answers.names.tolist(), "answers": answers.n_answers})
    columns = {name: column for evidence in found for name, column in evidence.columns.items()}
    flags = ["; ".join(told) for told in reasons]
    return table.assign(**columns, flags=flags, rejected=[bool(told) for told in reasons])


def drop_rejected(judgments: Asked, scores: pd.DataFrame, *, keep: bool = False) -> Asked:
    """Leave the answers of rejected participants out, so that no fit sees them.

    Parameters
    ----------
    judgments : Triplets, Choices or OddOneOuts
        Answers that name their observer.
    scores : pandas.DataFrame
        What :func:`score_participants` gave; ``rejected`` may have been changed by hand.
    keep : bool
        Keep them all the same.

    Returns
    -------
    Triplets or Choices

    Raises
    ------
    JudgmentError
        If an observer has no score, or nobody is left.

    Examples
    --------
    >>> from resemblance import Triplets
    >>> answers = Triplets([[0, 1, 2], [0, 2, 1]], observer=["ann", "bob"])
    >>> scores = score_participants(answers).assign(rejected=[False, True])
    >>> drop_rejected(answers, scores).observer.tolist()
    ['ann']
    """
    names, who = people_of(judgments)
    rejected = dict(zip(scores["observer"], scores["rejected"], strict=True))
    unknown = [name for name in names.tolist() if name not in rejected]
    if unknown:
        raise JudgmentError(f"{unknown[0]!r} has no score: score these very judgments")
    if keep:
        return judgments
    kept = ~np.array([rejected[name] for name in names.tolist()], dtype=bool)
    if not kept.any():
        raise JudgmentError(
            "every participant is rejected: look at their flags, correct scores.rejected, or give "
            "keep=True"
        )
    return judgments[kept[who]]
