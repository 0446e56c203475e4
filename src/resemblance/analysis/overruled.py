"""List the answers that a map overrules, and find people and items with too many of them."""

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
MOST_CERTAIN = 10  # number of answers that as_dict lists
LEAST = 10  # minimum number of answers for a test of a person or an item


@dataclass(frozen=True)
class OverruledAnswers(Shown):
    """The answers that are not the most probable ones under a map, the least probable first.

    Attributes
    ----------
    table : DataFrame
        The columns of the answers, ``row`` (from 0), and the ``probability`` of the given answer.
    n_answers : int
        The number of answers, overruled or not.
    expected : float
        The expected number of overruled answers under the map's probabilities.
    people, items : DataFrame
        A row for each person or item: the numbers of answers, of overruled and of expected
        overruled answers, and the Holm-corrected ``p_value`` of the number of overruled answers if
        people (or items) do not differ.
    columns : tuple of str
        The columns of ``table`` with the question, the answer and the observer.
    """

    table: pd.DataFrame
    n_answers: int
    expected: float
    people: pd.DataFrame
    items: pd.DataFrame
    columns: tuple[str, ...]

    def to_pandas(self) -> pd.DataFrame:
        """Return a copy of the table of answers."""
        return self.table.copy()

    @property
    def unusual(self) -> dict[str, list[str]]:
        """The names of people and items with a p-value below 0.05."""
        return {
            "people": self.people["person"][self.people["p_value"] < LEVEL].tolist(),
            "items": self.items["item"][self.items["p_value"] < LEVEL].tolist(),
        }

    def as_dict(self) -> dict[str, Any]:
        """Return counts, unusual people and items, and the first 10 answers, as JSON values."""
        certain = self.table[["row", *self.columns, "probability"]][:MOST_CERTAIN]
        counts = {"n": len(self.table), "expected": self.expected}
        return counts | self.unusual | {"most_certain": certain.to_dict("records")}

    def _card(self) -> Card:
        facts = {"answers": self.n_answers, "expected": self.expected}
        unusual = {name: first_few(names) or None for name, names in self.unusual.items()}
        return Card(type(self).__name__, facts | unusual, self.table)


def overruled_answers(model: OrdinalEmbedding, judgments: JudgmentsLike) -> OverruledAnswers:
    r"""List the answers that are not the most probable ones under a map.

    An answer is overruled if another answer to its question is more probable. :math:`q_i` is one
    minus the probability of the most probable answer to question i. The number of overruled answers
    of a person is tested against the mean and variance

    .. math:: E = \sum_i r(q_i), \qquad V = \sum_i r(q_i) (1 - r(q_i))

    where r(q) is the share of all answers that is overruled at q, from isotonic regression. This
    share corrects for overconfident probabilities and lapses. Items are tested with all answers
    about them.

    Parameters
    ----------
    model : OrdinalEmbedding
        A fitted model with probabilities.
    judgments : Triplets, Quadruplets, Choices, OddOneOuts, or array
        Answers about the items of the model, fitted or new.

    Raises
    ------
    SettingError
        For a model without probabilities (GNMDS, SOE).
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
            f"{type(model).__name__} predicts no probabilities: fit STE, TSTE or CKL"
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
    """Return r(q), the isotonic estimate of the share of overruled answers, at each q, (m,)."""
    distinct, place = np.unique(unlikely, return_inverse=True)
    weights = np.maximum(np.bincount(place, weight, len(distinct)), 1e-12)
    shares = np.bincount(place, weight * is_overruled, len(distinct)) / weights
    return np.asarray(isotonic_regression(shares, weights=weights).x)[place]


def _people(answers: Judgments) -> tuple[list[str], NDArray[np.intp], NDArray[np.intp]]:
    if answers.observer is None:
        return [], np.empty(0, np.intp), np.empty(0, np.intp)
    names, numbers = np.unique(answers.observers_named().astype(str), return_inverse=True)
    return names.tolist(), np.arange(len(answers)), numbers


def _items(answers: Judgments) -> tuple[list[str], NDArray[np.intp], NDArray[np.intp]]:
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
