"""List the answers that a map overrules, and find the people and items that give most of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression
from scipy.stats import norm

from resemblance.arrays import Floats
from resemblance.errors import SettingError, first_few
from resemblance.fitting import OrdinalEmbedding
from resemblance.judgments import Judgments, as_judgments
from resemblance.judgments.convert import JudgmentsLike
from resemblance.notebook import Card, Shown
from resemblance.optional import pd
from resemblance.scores.directions import holm

LEVEL = 0.05
MOST_CERTAIN = 10  # answers that as_dict lists
LEAST = 10  # answers of a person, or about an item, of which one can be tested


@dataclass(frozen=True)
class OverruledAnswers(Shown):
    """The answers to which a map prefers another, the most certain of them first.

    Attributes
    ----------
    table : DataFrame
        The columns of the answers, with ``row`` (from 0) and ``probability``, that of the answer
        given.
    n_answers : int
        All answers.
    expected : float
        How many overruled answers the map's probabilities lead one to expect.
    people, items : DataFrame
        For each person, and for each item: answers, overruled, expected, and p_value, the chance of
        so many if only questions differed and everybody, or every item, were alike (corrected for
        their number by Holm).
    columns : tuple of str
        The columns of the table that say what was asked, answered, and by whom.
    """

    table: pd.DataFrame
    n_answers: int
    expected: float
    people: pd.DataFrame
    items: pd.DataFrame
    columns: tuple[str, ...]

    def to_pandas(self) -> pd.DataFrame:
        """Return a copy of the table of answers.

        Returns
        -------
        DataFrame
        """
        return self.table.copy()

    @property
    def unusual(self) -> dict[str, list[str]]:
        """The people and the items with p-values below 0.05."""
        return {
            "people": self.people["person"][self.people["p_value"] < LEVEL].tolist(),
            "items": self.items["item"][self.items["p_value"] < LEVEL].tolist(),
        }

    def as_dict(self) -> dict[str, Any]:
        """Return the counts, who is unusual, and the most certain answers, as plain values."""
        certain = self.table[["row", *self.columns, "probability"]][:MOST_CERTAIN]
        counts = {"n": len(self.table), "expected": self.expected}
        return counts | self.unusual | {"most_certain": certain.to_dict("records")}

    def _card(self) -> Card:
        facts = {"answers": self.n_answers, "expected": self.expected}
        unusual = {name: first_few(names) or None for name, names in self.unusual.items()}
        return Card(type(self).__name__, facts | unusual, self.table)


def overruled_answers(model: OrdinalEmbedding, judgments: JudgmentsLike) -> OverruledAnswers:
    r"""List the answers to which a map prefers another one.

    An answer is overruled if another one to its question is more probable. With q the probability
    that an answer is not the most probable one, the overruled answers of a person are tested
    against

    .. math:: E = \sum_i r(q_i), \qquad V = \sum_i r(q_i) (1 - r(q_i))

    where r, the share of all answers that is overruled at q (isotonic regression), makes up for
    probabilities that are too sure and for lapses. Items are tested likewise, by all answers about
    them.

    Parameters
    ----------
    model : OrdinalEmbedding
        A fitted model with probabilities.
    judgments : Triplets, Quadruplets, Choices, OddOneOuts, or array
        Answers about its items, those fitted or others.

    Returns
    -------
    OverruledAnswers

    Raises
    ------
    SettingError
        For a model that gives no probabilities (GNMDS, SOE).
    JudgmentError
        For judgments without a right answer, such as ratings.

    Examples
    --------
    >>> import resemblance as rs
    >>> model = rs.STE(1).set_positions([[0.0], [1.0], [3.0]])
    >>> overruled_answers(model, [[0, 1, 2], [0, 2, 1], [2, 0, 1]]).to_pandas()["row"].tolist()
    [1, 2]
    """
    answers = as_judgments(judgments)
    if not model.choice_.one_of_many:
        raise SettingError(
            f"{type(model).__name__} gives answers no probability: fit STE, TSTE or CKL"
        )
    probability = model.predict_proba(answers)
    unlikely = 1.0 - probability.max(axis=1)
    weight = answers.weights
    is_overruled = probability[:, 0] < probability.max(axis=1)
    expectation = _rising(unlikely, is_overruled, weight)
    rows = np.flatnonzero(is_overruled)
    rows = rows[np.argsort(probability[rows, 0], kind="stable")]
    table = answers[rows].to_pandas()
    table.insert(0, "row", rows)
    table["probability"] = probability[rows, 0]
    columns = tuple(answers[:0]._with(_extra={}).to_pandas())
    return OverruledAnswers(
        table.reset_index(drop=True),
        len(answers),
        float(unlikely @ weight),
        _tested("person", *_people(answers), is_overruled, expectation),
        _tested("item", *_items(answers), is_overruled, expectation),
        columns,
    )


def _rising(unlikely: Floats, is_overruled: NDArray[np.bool_], weight: Floats) -> Floats:
    """Return the share overruled at each probability, which rises with it."""
    distinct, place = np.unique(unlikely, return_inverse=True)
    weights = np.maximum(np.bincount(place, weight, len(distinct)), 1e-12)
    shares = np.bincount(place, weight * is_overruled, len(distinct)) / weights
    return np.asarray(isotonic_regression(shares, weights=weights).x)[place]


def _people(answers: Judgments) -> tuple[list[str], NDArray[np.intp], NDArray[np.intp]]:
    """Return the names, and the row and number of each person who answered it."""
    if answers.observer is None:
        return [], np.empty(0, np.intp), np.empty(0, np.intp)
    names, numbers = np.unique(answers.observers_named().astype(str), return_inverse=True)
    return names.tolist(), np.arange(len(answers)), numbers


def _items(answers: Judgments) -> tuple[list[str], NDArray[np.intp], NDArray[np.intp]]:
    """Return the names, and the rows and numbers of the items that they are about."""
    index = answers.index
    rows = np.repeat(np.arange(len(index)), index.shape[1])
    mentioned = np.unique(np.column_stack([rows, index.ravel()])[index.ravel() >= 0], axis=0)
    return list(map(str, answers.items.names)), mentioned[:, 0], mentioned[:, 1]


def _tested(
    what: str,
    names: list[str],
    rows: NDArray[np.intp],
    numbers: NDArray[np.intp],
    is_overruled: NDArray[np.bool_],
    expectation: Floats,
) -> pd.DataFrame:
    n = len(names)
    count = np.bincount(numbers, minlength=n)
    overruled = np.bincount(numbers, is_overruled[rows], minlength=n)
    expected = np.bincount(numbers, expectation[rows], minlength=n)
    spread = np.bincount(numbers, (expectation * (1 - expectation))[rows], minlength=n)
    z = (overruled - 0.5 - expected) / np.sqrt(np.maximum(spread, 1e-12))
    p_value = np.where(count < LEAST, 1.0, norm.sf(z))
    table = pd.DataFrame({what: names, "answers": count, "overruled": overruled.astype(int)})
    table["expected"], table["p_value"] = expected, holm(p_value) if n else p_value
    return table.sort_values("p_value", kind="stable", ignore_index=True)
