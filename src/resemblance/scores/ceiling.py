"""The best that any model can do, read off how well people agree with each other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from resemblance.judgments import Comparison, Judgments, as_judgments
from resemblance.scores.intervals import bootstrap_interval
from resemblance.scores.weighted import weighted_mean

_HASH = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class NoiseCeiling:
    r"""What repeated questions say about the best achievable accuracy.

    .. math:: error = 1 - accuracy

    Attributes
    ----------
    agreement : float
        Probability A that two independent people answer a question alike.
    accuracy : float
        Probability q that a person gives the answer people commonly give: the accuracy that the
        best model reaches on new answers.
    interval : tuple of float
        Bootstrap interval of the accuracy, resampling questions.
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


def noise_ceiling(
    judgments: Judgments | ArrayLike,
    level: float = 0.95,
    n_resamples: int = 2000,
    random_state: int | np.random.RandomState | None = None,
) -> NoiseCeiling | None:
    r"""Estimate the best achievable accuracy from questions that were asked more than once.

    .. math:: A = q^2 + (1 - q)^2 \quad\Longrightarrow\quad q = \frac{1 + \sqrt{2A - 1}}{2}

    where each person gives the common answer with probability q; A below 1/2 gives q = 1/2. With N
    options the others share the rest evenly, :math:`A = q^2 + (1 - q)^2 / (N - 1)`, and the least
    q is 1/N.

    Parameters
    ----------
    judgments : Judgments or array_like of shape (m, 3) or (m, 4)
        Triplets, quadruplets or choices. Two rows ask the same question when they offer the same
        answers in any order: a head with near and far swapped, the two pairs of a quadruplet
        swapped.
    level : float, default 0.95
        Coverage of the interval, between 0 and 1.
    n_resamples : int, default 2000
        Bootstrap resamples of the interval.
    random_state : int, RandomState or None, default None
        Seed of the interval.

    Returns
    -------
    NoiseCeiling or None
        None where no question has two answers that may be paired.

    Raises
    ------
    JudgmentError
        If the judgments are not valid.
    SettingError
        If level or n_resamples is out of range.

    Notes
    -----
    Answers pair when they came from different observers; where observers are not known, from
    different responses (groups); where neither is known, whenever they are two. To measure how
    well one person repeats their own answers, leave the observers out. A question answered k times
    gives k(k - 1)/2 pairs and A is the share of all pairs that agree, so a question counts by its
    pairs. Rows of weight u and v make u v pairs; where neither observers nor groups are known, a
    row of weight w stands for w answers and has w(w - 1)/2 pairs of its own.

    The formula takes q to be the same for every question. Where it varies, q is an upper bound of
    its mean over the repeated questions. It speaks for those questions only: where hard ones were
    repeated most, as adaptive sampling does, a model may beat it on the others.

    Examples
    --------
    >>> answers = [[0, 1, 2]] * 3 + [[0, 2, 1]] + [[3, 4, 5]] * 3
    >>> ceiling = noise_ceiling(answers, random_state=0)
    >>> ceiling.n_questions, ceiling.n_pairs, round(ceiling.agreement, 3)
    (2, 9.0, 0.667)
    >>> round(ceiling.accuracy, 3)
    0.789
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
    slip = weighted_mean(answers.groupby("question")["slip"].first()[asked], pairs)
    agreement = weighted_mean(agreeing, pairs)
    low, high = bootstrap_interval(agreeing, pairs, None, level, n_resamples, random_state)
    return NoiseCeiling(
        agreement=agreement,
        accuracy=_accuracy(agreement, slip),
        interval=(_accuracy(low, slip), _accuracy(high, slip)),
        majority_accuracy=float(1 - _outvoted(answers) / judgments.weights.sum()),
        n_questions=len(pairs),
        n_pairs=float(pairs.sum()),
    )


def _accuracy(agreement: float, slip: float) -> float:
    """Solve A = q^2 + (1 - q)^2 s for q at or above guessing, s = 1/(N - 1)."""
    excess = max(agreement * (1 + slip) - slip, 0.0)
    return float((slip + np.sqrt(excess)) / (1 + slip))


def _repeated(judgments: Judgments) -> pd.DataFrame:
    """Answers to questions asked more than once: question, answer, weight, 1/(N - 1), source."""
    source = judgments.group if judgments.observer is None else judgments.observer
    tables, first = [], 0
    for comparison in judgments.comparisons():
        answer, options = _coded(comparison, judgments.n_items)
        weight = judgments.weights[comparison.rows]
        kept = options.duplicated(keep=False) | (weight > 1)
        question = options[kept].groupby(list(options.columns), sort=False).ngroup() + first
        table = pd.DataFrame({"question": question, "answer": answer[kept], "weight": weight[kept]})
        table["slip"] = 1 / (options.shape[1] - 1)
        if source is not None:
            table["source"] = source[comparison.rows][kept]
        tables.append(table)
        first += len(table)
    return pd.concat(tables)


def _coded(comparison: Comparison, n_items: int) -> tuple[np.ndarray, pd.DataFrame]:
    """Code an answer by its pairs, whichever item is first, and a question as its sorted answers.

    An answer of several pairs is coded by the sum of their hashes (odd multiples modulo 2^64).
    """
    n = np.uint64(n_items)
    ends = [(np.minimum(a, b), np.maximum(a, b)) for a, b in comparison.pairs]
    of_pair = np.stack([low.astype(np.uint64) * n + high.astype(np.uint64) for low, high in ends])
    members = comparison.layout.members
    if members.shape[1] > 1:
        of_pair = (of_pair + np.uint64(1)) * _HASH
        of_pair ^= of_pair >> np.uint64(32)
        of_pair *= _HASH
    code = of_pair[members].sum(axis=1)
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
