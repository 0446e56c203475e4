"""The best that any model can do, read off how well people agree with each other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.integrate import quad
from scipy.special import betainc, gammainc

from resemblance.arrays import Floats
from resemblance.judgments import Comparison, Judgments, OneKind, as_judgments
from resemblance.judgments.base import mixed
from resemblance.notebook import Shown
from resemblance.optional import pd
from resemblance.scores.intervals import wilson_interval
from resemblance.scores.weighted import weighted_mean


@dataclass(frozen=True)
class NoiseCeiling(Shown):
    r"""What repeated questions say about the best achievable accuracy.

    .. math:: error = 1 - accuracy

    Attributes
    ----------
    agreement : float
        Probability A that two independent people answer a question alike.
    accuracy : float
        Probability that a person gives the answer people give most: the accuracy that the best
        model reaches on new answers.
    interval : tuple of float
        Interval of the accuracy.
    majority_accuracy : float
        Share of all answers that are their question's most frequent one: no model scores better on
        these very answers. Optimistic where questions have few repeats; 1 where they have none.
    n_questions : int
        How many questions have at least one pair of answers.
    n_pairs : float
        How many pairs of answers there are, by weight.

    Raises
    ------
    AttributeError
        When changed: it is frozen.

    Examples
    --------
    >>> NoiseCeiling(0.625, 0.75, (0.7, 0.8), 0.9, 120, 360.0).error
    0.25
    """

    agreement: float
    accuracy: float
    interval: tuple[float, float]
    majority_accuracy: float
    n_questions: int
    n_pairs: float

    @property
    def error(self) -> float:
        """The lowest achievable error, 1 - accuracy."""
        return 1 - self.accuracy


def noise_ceiling(judgments: Judgments | ArrayLike, level: float = 0.95) -> NoiseCeiling | None:
    r"""Estimate the best achievable accuracy from questions that were asked more than once.

    .. math:: p \sim \mathrm{Dirichlet}(a, \dots, a), \qquad
       A = \mathrm{E} \sum_k p_k^2 = \frac{a + 1}{N a + 1}, \qquad
       accuracy = \mathrm{E} \max_k p_k

    where p are the shares of the answers to one of the questions, with N options: some questions
    are easy, and others hard, by as much as the agreement A says. With two options
    :math:`1 - accuracy = I_{1/2}(a + 1, a)`, the regularised incomplete beta function.

    Parameters
    ----------
    judgments : Judgments or array_like of shape (m, 3) or (m, 4)
        Triplets, quadruplets or choices. Two rows ask the same question when they offer the same
        answers in any order: a head with near and far swapped, the two pairs of a quadruplet
        swapped.
    level : float, default 0.95
        Coverage of the interval, between 0 and 1: that of Wilson for A, with as many answers as
        would vary as much as A does between questions.

    Returns
    -------
    NoiseCeiling or None
        None where no question has two answers that may be paired.

    Raises
    ------
    JudgmentError
        If the judgments are not valid.
    SettingError
        If level is out of range.

    Notes
    -----
    Answers pair when they came from different observers; where observers are not known, from
    different responses; where neither is known, whenever they are two. To measure how
    well one person repeats their own answers, leave the observers out. A question answered k times
    gives k(k - 1)/2 pairs and A is the share of all pairs that agree, so a question counts by its
    pairs. Rows of weight u and v make u v pairs; where neither observers nor responses are known, a
    row of weight w stands for w answers and has w(w - 1)/2 pairs of its own.

    It speaks for questions like the repeated ones: where hard ones were repeated most, as adaptive
    sampling does, a model may beat it on the others, so give answers to random questions. With
    fewer than some 25 repeated questions it says little, and reports leave it out.
    ``papers/calibration`` has what the interval covers.

    Examples
    --------
    >>> answers = [[0, 1, 2]] * 3 + [[0, 2, 1]] + [[3, 4, 5]] * 3
    >>> ceiling = noise_ceiling(answers)
    >>> ceiling.n_questions, ceiling.n_pairs, round(ceiling.agreement, 3)
    (2, 9.0, 0.667)
    >>> round(ceiling.accuracy, 3)
    0.75
    >>> noise_ceiling([[0, 1, 2], [1, 0, 2]]) is None
    True
    """
    judgments = as_judgments(judgments)
    if len(judgments) == 0:
        return None
    answers = _repeated(judgments)
    pairs = _independent_pairs(answers, ["question"])
    asked = pairs > 0
    if not asked.any():
        return None
    pairs = pairs[asked]
    agreeing = _independent_pairs(answers, ["question", "answer"])[asked] / pairs
    n_options = weighted_mean(answers.groupby("question")["options"].first()[asked], pairs)
    agreement = weighted_mean(agreeing, pairs)
    low, high = wilson_interval(agreement, _effective(agreement, agreeing, pairs), level)
    return NoiseCeiling(
        agreement=agreement,
        accuracy=best_accuracy(agreement, n_options),
        interval=(best_accuracy(low, n_options), best_accuracy(high, n_options)),
        majority_accuracy=float(1 - _outvoted(answers) / judgments.weights.sum()),
        n_questions=len(pairs),
        n_pairs=float(pairs.sum()),
    )


def n_questions(judgments: OneKind) -> int:
    """Count the different questions, whatever the order of their options.

    Examples
    --------
    >>> n_questions(as_judgments([[0, 1, 2], [0, 2, 1], [1, 0, 2]]))
    2
    """
    coded = (_coded(comparison, judgments.n_items)[1] for comparison in judgments.comparisons())
    return sum(len(options.drop_duplicates()) for options in coded)


def best_accuracy(agreement: float, n_options: float) -> float:
    """Return E max p of the shares of answers that agree so often: see :func:`noise_ceiling`.

    Dirichlet shares are independent gamma variables over their sum, from which they do not depend:
    E max p = E max g / (N a).
    """
    excess = n_options * agreement - 1
    if excess < 1e-6:
        return float(1 / n_options)
    a = (1 - agreement) / excess
    if n_options == 2:
        return float(1 - betainc(a + 1, a, 0.5))
    least = max(a, 1e-3)  # below it, E max p falls from 1 in proportion to a
    ends = (0.0, least), (least, np.inf)
    largest = sum(quad(lambda x: 1 - gammainc(least, x) ** n_options, *end)[0] for end in ends)
    return float(1 - (1 - largest / (n_options * least)) * a / least)


def _effective(agreement: float, agreeing: Floats, pairs: Floats) -> float:
    """Count the independent pairs of answers that would vary as the agreement does.

    The pairs of one question are alike, so a question counts as one; all of them where they agree
    alike, and no more than there are pairs.
    """
    variance = ((agreeing - agreement) ** 2 * pairs**2).sum() / pairs.sum() ** 2
    if not variance:
        return float(min(len(pairs), pairs.sum()))
    return float(min(agreement * (1 - agreement) / variance, pairs.sum()))


def _repeated(judgments: Judgments) -> pd.DataFrame:
    """Answers to questions asked more than once: question, answer, weight, options, source."""
    source = judgments.response_id if judgments.observer is None else judgments.observer
    tables, first = [], 0
    for comparison in judgments.comparisons():
        answer, options = _coded(comparison, judgments.n_items)
        weight = judgments.weights[comparison.rows]
        kept = options.duplicated(keep=False) | (weight > 1)
        question = options[kept].groupby(list(options.columns), sort=False).ngroup() + first
        table = pd.DataFrame({"question": question, "answer": answer[kept], "weight": weight[kept]})
        table["options"] = options.shape[1]
        if source is not None:
            table["source"] = source[comparison.rows][kept]
        tables.append(table)
        first += len(table)
    return pd.concat(tables)


def _coded(comparison: Comparison, n_items: int) -> tuple[np.ndarray, pd.DataFrame]:
    """Code an answer by its pairs, whichever item is first; a question as its sorted answers."""
    code = comparison.hashes(mixed(np.arange(n_items, dtype=np.uint64)))
    answer = code[0].copy()
    code.sort(axis=0)
    return answer, pd.DataFrame(code.T)


def _independent_pairs(answers: pd.DataFrame, cell: list[str]) -> np.ndarray:
    """Weight of each question's pairs within a cell that are not of one source."""
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
