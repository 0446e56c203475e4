"""The noise ceiling: the best accuracy any model can reach, from repeated questions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.integrate import quad
from scipy.special import betainc, gammainc

from resemblance.arrays import Floats
from resemblance.judgments import Judgments, OneKind, as_judgments
from resemblance.notebook import Shown
from resemblance.optional import pd
from resemblance.scores.intervals import wilson_interval
from resemblance.scores.weighted import weighted_mean

LEAST_REPEATED = 25  # questions asked more than once, below which the ceiling says nothing
WIDEST = 0.1  # most that the reported interval may be wider than the ceiling's bounds
PLACED = 0.15  # a model may misplace the ceiling by this share of the bounds' distance
LEAST_PAIRS = 100  # least pairs of answers for an agreement of a question's own


@dataclass(frozen=True)
class NoiseCeiling(Shown):
    """What repeated questions say about the best achievable accuracy.

    .. math:: error = 1 - accuracy

    Attributes
    ----------
    agreement : float
        Probability A that two independent people answer a question alike.
    accuracy : float
        Probability that a person gives the answer people give most: the accuracy that the best
        model reaches on new answers.
    interval : tuple of float
        Interval of the accuracy: the bounds, as far as the agreement is known.
    majority_accuracy : float
        Share of all answers that are their question's most frequent one: no model scores better on
        these very answers. Optimistic where questions have few repeats; 1 where they have none.
    n_questions : int
        The number of questions with at least one pair of answers.
    n_pairs : float
        The number of pairs of answers, by weight.
    of_same_people : bool
        Whether these are pairs of answers of one person each, as no question was answered by two.
    bounds : tuple of float
        Between which the accuracy lies by an agreement of exactly A, whatever the questions are.
    agreement_interval : tuple of float, optional
        Interval of A.
    n_options : float
        The most answers that a question may have.
    """

    agreement: float
    accuracy: float
    interval: tuple[float, float]
    majority_accuracy: float
    n_questions: int
    n_pairs: float
    of_same_people: bool = False
    bounds: tuple[float, float] = (0.0, 0.0)
    agreement_interval: tuple[float, float] | None = None
    n_options: float = 2.0

    @property
    def error(self) -> float:
        """The lowest achievable error, 1 - accuracy."""
        return 1 - self.accuracy

    @property
    def is_certain(self) -> bool:
        """Whether reports give it: of 25 repeated questions, with an uncertainty of at most 0.1."""
        (low, high), (least, most) = self.interval, self.bounds
        narrow = high - low <= most - least + WIDEST and self.agreement > 0
        return narrow and self.n_questions >= LEAST_REPEATED

    def placed_by(self, probabilities: Floats) -> Self:
        r"""Return the ceiling at a model's own place between the bounds.

        .. math:: s = \frac{u(A') - \mathrm{E} \max_k p_k}{u(A') - A'}, \qquad
           A' = \mathrm{E} \sum_k p_k^2

        with p the model's probabilities of the answers to some questions, and u(A) the upper bound:
        s says how far answers are either all alike or ties. In simulated studies of ten designs the
        true place differed from it by .00 to .05 in the mean, by .11 where two groups have a space
        each, by .17 in trees and .16 with lapses (``papers/calibration/designs.py``).
        """
        if self.agreement_interval is None:
            return self
        agreement = float((probabilities**2).sum(axis=1).mean())
        least, most = _bounds(agreement, self.n_options)
        if most - least < 1e-9:
            return self
        place = float(most - probabilities.max(axis=1).mean()) / (most - least)

        def accuracy(agreement: float, place: float) -> float:
            least, most = _bounds(agreement, self.n_options)
            return most - float(np.clip(place, 0.0, 1.0)) * (most - least)

        low, high = self.agreement_interval
        near, far = place - PLACED, place + PLACED
        return replace(
            self,
            accuracy=accuracy(self.agreement, place),
            interval=(accuracy(low, far), accuracy(high, near)),
            bounds=(accuracy(self.agreement, far), accuracy(self.agreement, near)),
        )

    def told(self, measured: float | None = None) -> float | None:
        """Return the error for reports, at most the measured one; None if uncertain.

        None, too, where what was measured is below all of the interval: the questions that were
        repeated are then harder than those it is of.
        """
        if not self.is_certain:
            return None
        if measured is None:
            return self.error
        return min(self.error, measured) if measured >= 1 - self.interval[1] else None


def noise_ceiling(judgments: Judgments | ArrayLike, level: float = 0.95) -> NoiseCeiling | None:
    r"""Estimate the best achievable accuracy from questions that were asked more than once.

    .. math:: p \sim \mathrm{Dirichlet}(a, \dots, a), \qquad
       A = \mathrm{E} \sum_k p_k^2 = \frac{a + 1}{N a + 1}, \qquad
       accuracy = \mathrm{E} \max_k p_k

    where p are the shares of the N possible answers to one question. The agreement A sets the
    concentration a, and so how much easier some questions are than others. With two options
    :math:`1 - accuracy = I_{1/2}(a + 1, a)`, the regularised incomplete beta function. Questions
    are grouped by how often they were answered, each group with its own A, because questions that
    were asked more often may be harder; the accuracy is the groups' mean, weighted by their
    numbers of answers.

    Other distributions of p give another accuracy at the same agreement, within

    .. math:: A \le accuracy \le \frac{1 + \sqrt{(N - 1)(N A - 1)}}{N}

    The lower bound is reached where each question is either certain or a tie, as in a tree with
    equally long branches; the upper bound where all questions are equally hard, as where people
    know the answer or guess. The interval holds these bounds.

    Parameters
    ----------
    judgments : Judgments or array_like of shape (m, 3) or (m, 4)
        Triplets, quadruplets or choices. Two rows ask the same question when they offer the same
        answers in any order: a head with near and far swapped, the two pairs of a quadruplet
        swapped.
    level : float, default 0.95
        Coverage of the interval of A, between 0 and 1. It is Wilson's interval for the number of
        answers whose variance equals that of A between questions.

    Returns
    -------
    NoiseCeiling or None
        None where no question has two answers to pair.

    Raises
    ------
    JudgmentError
        If the judgments are not valid.
    SettingError
        If level is out of range.

    Notes
    -----
    Two answers to a question pair when they come from different observers; without observers, from
    different responses; without either, always. Where no question was answered by two people,
    answers of one person in different responses pair (``of_same_people``). A question with k
    answers has k(k - 1)/2 pairs, and A is the mean over questions of the share of pairs that agree,
    weighted by k. Rows of weight u and v make u v pairs; without observers and responses, a row of
    weight w stands for w answers and has w(w - 1)/2 pairs of its own.

    The ceiling holds for questions like the repeated ones. Where hard questions were repeated
    most, as adaptive sampling does, a model may beat it on the others: repeat random questions
    instead. With fewer than about 25 repeated questions the estimate is too uncertain, and reports
    leave it out. ``papers/calibration`` measures the coverage of the interval.

    Examples
    --------
    >>> answers = [[0, 1, 2]] * 3 + [[0, 2, 1]] + [[3, 4, 5]] * 3
    >>> ceiling = noise_ceiling(answers)
    >>> ceiling.n_questions, ceiling.n_pairs, round(ceiling.agreement, 3)
    (2, 9.0, 0.714)
    >>> round(ceiling.accuracy, 3)
    0.79
    """
    judgments = as_judgments(judgments)
    sources = [judgments.response_id if judgments.observer is None else judgments.observer]
    if judgments.observer is not None:
        sources.append(judgments.response_id)
    for source in sources if len(judgments) else ():
        answers = _repeated(judgments, source)
        pairs = _independent_pairs(answers, ["question"])
        if (pairs > 0).any():
            same = len(sources) > 1 and source is sources[1]
            return _ceiling(judgments, answers, pairs, level, same)
    return None


def _ceiling(
    judgments: Judgments, answers: pd.DataFrame, pairs: Floats, level: float, same: bool
) -> NoiseCeiling:
    asked = pairs > 0
    pairs = pairs[asked]
    agreeing = _independent_pairs(answers, ["question", "answer"])[asked] / pairs
    by_question = answers.groupby("question")
    options = by_question["options"].first()[asked].to_numpy()
    counts = by_question["weight"].sum()[asked].to_numpy()
    agreement = weighted_mean(agreeing, counts)
    accuracy = sum(
        counts[alike].sum()
        * best_accuracy(
            weighted_mean(agreeing[alike], counts[alike]),
            weighted_mean(options[alike], counts[alike]),
        )
        for alike in _asked_as_often(counts, pairs)
    ) / float(counts.sum())
    ends = wilson_interval(agreement, _effective(agreement, agreeing, pairs, counts), level)
    bounds = [_bounds(end, options.max()) for end in (ends[0], agreement, ends[1])]
    return NoiseCeiling(
        agreement=agreement,
        accuracy=float(accuracy),
        interval=(bounds[0][0], bounds[2][1]),
        majority_accuracy=float(1 - _outvoted(answers) / judgments.weights.sum()),
        n_questions=len(pairs),
        n_pairs=float(pairs.sum()),
        of_same_people=same,
        bounds=bounds[1],
        agreement_interval=ends,
        n_options=float(options.max()),
    )


def _bounds(agreement: float, n_options: float) -> tuple[float, float]:
    """Return the least and the largest E max p at an agreement: see :func:`noise_ceiling`."""
    excess = max(n_options * agreement - 1, 0.0)
    most = (1 + np.sqrt((n_options - 1) * excess)) / n_options
    return max(agreement, 1 / n_options), min(float(most), 1.0)


def _asked_as_often(counts: Floats, pairs: Floats) -> list[np.ndarray]:
    """Group questions by number of answers, within a factor of two; few join the next lower."""
    octave = np.log2(np.maximum(counts, 1.0)).astype(int)
    groups: list[np.ndarray] = []
    waiting = np.zeros(len(counts), dtype=bool)
    for each in np.unique(octave)[::-1]:
        waiting = waiting | (octave == each)
        if pairs[waiting].sum() >= LEAST_PAIRS:
            groups.append(waiting)
            waiting = np.zeros(len(counts), dtype=bool)
    if waiting.any():
        groups = [*groups[:-1], groups[-1] | waiting] if groups else [waiting]
    return groups


def n_questions(judgments: OneKind) -> int:
    return int(judgments.questions().max(initial=-1)) + 1


def best_accuracy(agreement: float, n_options: float) -> float:
    """Return E max p of the shares of answers that agree so often: see :func:`noise_ceiling`.

    Dirichlet shares are independent gamma variables g over their sum: E max p = E max g / (N a).
    """
    excess = n_options * agreement - 1
    if excess < 1e-6:
        return float(1 / n_options)
    a = (1 - agreement) / excess
    if a <= 0:  # all agree, where the functions below have no value
        return 1.0
    if n_options == 2:
        return float(1 - betainc(a + 1, a, 0.5))
    least = max(a, 1e-3)  # for smaller a, E max p falls from 1 in proportion to a
    ends = (0.0, least), (least, np.inf)
    largest = sum(quad(lambda x: 1 - gammainc(least, x) ** n_options, *end)[0] for end in ends)
    return float(1 - (1 - largest / (n_options * least)) * a / least)


def _effective(agreement: float, agreeing: Floats, pairs: Floats, counts: Floats) -> float:
    """Count the independent pairs of answers that would vary as the agreement does.

    The pairs of one question are alike, so a question counts as one; where all agree, all count.
    """
    variance = ((agreeing - agreement) ** 2 * counts**2).sum() / counts.sum() ** 2
    if not variance:
        return float(min(len(pairs), pairs.sum()))
    return float(min(agreement * (1 - agreement) / variance, pairs.sum()))


def _repeated(judgments: Judgments, source: np.ndarray | None) -> pd.DataFrame:
    question, weight = judgments.questions(), judgments.weights
    columns = {
        "question": question,
        "answer": judgments.row_hashes(named=False),
        "weight": weight,
        "options": judgments.answers_possible(),
    }
    if source is not None:
        columns["source"] = source
    kept = (np.bincount(question)[question] > 1) | (weight > 1)
    return pd.DataFrame(columns)[kept]


def _independent_pairs(answers: pd.DataFrame, cell: list[str]) -> np.ndarray:
    pairs = _pairs(answers, cell)
    return pairs - _pairs(answers, [*cell, "source"]) if "source" in answers else pairs


def _pairs(answers: pd.DataFrame, cell: list[str]) -> np.ndarray:
    """Sum of u v over the pairs of rows of a cell, and w(w - 1)/2 of each row, by question."""
    weight = answers["weight"]
    sums = answers.assign(alone=np.minimum(weight, weight**2)).groupby(cell)[["weight", "alone"]]
    total = sums.sum()
    return ((total["weight"] ** 2 - total["alone"]) / 2).groupby("question").sum().to_numpy()


def _outvoted(answers: pd.DataFrame) -> float:
    """Weight of the answers that are not the most frequent of their question."""
    votes = answers.groupby(["question", "answer"])["weight"].sum()
    return float(votes.sum() - votes.groupby("question").max().sum())
