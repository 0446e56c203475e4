"""Estimate the noise ceiling, the best accuracy of any model, from repeated questions."""

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

LEAST_REPEATED = 25  # Reports show a ceiling only if at least this many questions were repeated.
# Reports show a ceiling if its interval is at most this much longer than that between its bounds.
WIDEST = 0.1
# possible error of the ceiling's position between its bounds if a model gives the position, as a
# share of the distance between the bounds
PLACED = 0.15
# A group of questions has its own agreement if it has at least this many pairs of answers.
LEAST_PAIRS = 100


@dataclass(frozen=True)
class NoiseCeiling(Shown):
    """The best achievable accuracy, estimated from repeated questions.

    .. math:: error = 1 - accuracy

    Attributes
    ----------
    agreement : float
        Probability A that two independent people give the same answer to a question.
    accuracy : float
        Probability of the most frequent answer, which is the accuracy of the best model on new
        answers.
    interval : tuple of float
        Interval of the accuracy: the bounds, widened at both ends by the uncertainty of A.
    majority_accuracy : float
        Share of answers that equal the most frequent answer to their question. No model is more
        accurate on these answers. The share is too high if questions have few repeats, and 1
        without repeats.
    n_questions : int
        The number of questions with at least one pair of answers.
    n_pairs : float
        The number of pairs of answers, by weight.
    of_same_people : bool
        Whether pairs are two answers of one person, because no question was answered by two people.
    bounds : tuple of float
        The smallest and largest accuracy of any set of questions with agreement A.
    agreement_interval : tuple of float, optional
        Interval of A.
    n_options : float
        The largest number of possible answers to a question.
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
        """Whether reports show the ceiling: 25 repeated questions, uncertainty at most 0.1."""
        (low, high), (least, most) = self.interval, self.bounds
        narrow = high - low <= most - least + WIDEST and self.agreement > 0
        return narrow and self.n_questions >= LEAST_REPEATED

    def placed_by(self, probabilities: Floats) -> Self:
        r"""Return a ceiling whose position between the bounds comes from a model.

        .. math:: s = \frac{u(A') - \mathrm{E} \max_k p_k}{u(A') - A'}, \qquad
           A' = \mathrm{E} \sum_k p_k^2

        where p_k are the model's probabilities of the answers to a question, and u(A) is the upper
        bound for the agreement A. The position s is 1 at the lower bound, where each question is
        certain or a tie, and 0 at the upper bound. In simulated studies of ten designs the true
        position differed from s by .00 to .05 on average; by .11 with two groups with different
        spaces, .17 with trees and .16 with lapses (``papers/calibration/designs.py``).
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
        """Return the lowest achievable error for reports; None if it is too uncertain.

        The result is at most the ``measured`` error. It is None if the measured error is below the
        whole interval, because the repeated questions are then harder than the scored questions.
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

    where p_k is the share of people who give answer k of N to a question. The agreement A
    determines the concentration a: the smaller a, the more questions differ in difficulty. With two
    options :math:`1 - accuracy = I_{1/2}(a + 1, a)`, the regularised incomplete beta function.
    Questions are grouped by their number of answers, and each group has its own A, because
    questions that were asked more often may be harder. The accuracy is the mean over groups,
    weighted by numbers of answers.

    With other distributions of p, the accuracy at the same agreement is within

    .. math:: A \le accuracy \le \frac{1 + \sqrt{(N - 1)(N A - 1)}}{N}

    The accuracy equals the lower bound if each question is either certain or a tie, as in a tree
    with equally long branches. It equals the upper bound if all questions are equally hard, as when
    people either know the answer or guess. The interval contains these bounds.

    Parameters
    ----------
    judgments : Judgments or array_like of shape (m, 3) or (m, 4)
        Triplets, quadruplets or choices. Rows with the same possible answers in any order have the
        same question, such as triplets with near and far swapped.
    level : float, default 0.95
        Coverage of the interval of A, between 0 and 1. This is Wilson's interval, for the number of
        answers with which A has the variance observed between questions.

    Returns
    -------
    NoiseCeiling or None
        None if no question has two answers that can be paired.

    Raises
    ------
    JudgmentError
        If the judgments are not valid.
    SettingError
        If level is out of range.

    Notes
    -----
    A pair is two answers to one question by different observers. If observers are unknown, the
    answers are from different responses; if responses are also unknown, they are any two answers.
    If no question was answered by two people, a pair is two answers of one person in different
    responses (``of_same_people``). A question with k answers has k(k - 1)/2 pairs, and A is the
    mean over questions of the share of pairs that agree, weighted by k. Rows of weight u and v make
    u v pairs; without observers and responses, a row of weight w is w answers and also has w(w -
    1)/2 pairs itself.

    The ceiling applies to questions that are like the repeated questions. If mostly hard questions
    were repeated, as in adaptive sampling, a model may be better than the ceiling on other
    questions: repeat random questions instead. With fewer than about 25 repeated questions the
    estimate is too uncertain for reports. ``papers/calibration`` measures the coverage of the
    interval.

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
    votes = answers.groupby(["question", "answer"])["weight"].sum()
    outvoted = float(votes.sum() - votes.groupby("question").max().sum())
    return NoiseCeiling(
        agreement=agreement,
        accuracy=float(accuracy),
        interval=(bounds[0][0], bounds[2][1]),
        majority_accuracy=float(1 - outvoted / judgments.weights.sum()),
        n_questions=len(pairs),
        n_pairs=float(pairs.sum()),
        of_same_people=same,
        bounds=bounds[1],
        agreement_interval=ends,
        n_options=float(options.max()),
    )


def _bounds(agreement: float, n_options: float) -> tuple[float, float]:
    excess = max(n_options * agreement - 1, 0.0)
    most = (1 + np.sqrt((n_options - 1) * excess)) / n_options
    return max(agreement, 1 / n_options), min(float(most), 1.0)


def _asked_as_often(counts: Floats, pairs: Floats) -> list[np.ndarray]:
    """Group questions by number of answers, in powers of 2; merge groups that are too small."""
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
    """Return E max p of Dirichlet shares with the given agreement; see :func:`noise_ceiling`.

    Dirichlet shares are independent gamma variables g divided by their sum: E max p = E max g / (N
    a).
    """
    excess = n_options * agreement - 1
    if excess < 1e-6:
        return float(1 / n_options)
    a = (1 - agreement) / excess
    if a <= 0:  # All answers agree, and the functions below are undefined.
        return 1.0
    if n_options == 2:
        return float(1 - betainc(a + 1, a, 0.5))
    least = max(a, 1e-3)  # Below 1e-3, the difference of E max p from 1 is proportional to a.
    ends = (0.0, least), (least, np.inf)
    largest = sum(quad(lambda x: 1 - gammainc(least, x) ** n_options, *end)[0] for end in ends)
    return float(1 - (1 - largest / (n_options * least)) * a / least)


def _effective(agreement: float, agreeing: Floats, pairs: Floats, counts: Floats) -> float:
    """Return the number of independent pairs whose agreement would have the same variance.

    Pairs of one question depend on each other. If the variance is 0, each question counts as one
    pair.
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
    weight = answers["weight"]
    sums = answers.assign(alone=np.minimum(weight, weight**2)).groupby(cell)[["weight", "alone"]]
    total = sums.sum()
    return ((total["weight"] ** 2 - total["alone"]) / 2).groupby("question").sum().to_numpy()
