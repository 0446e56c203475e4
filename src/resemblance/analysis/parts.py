"""Analyse parts of the answers, such as conditions, and test whether the parts differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from resemblance.analysis.analysis import Analysis
from resemblance.analysis.exclusions import without_gold
from resemblance.analysis.workflow import analyse
from resemblance.catalog import AUTO_MODEL
from resemblance.errors import JudgmentError, SettingError
from resemblance.files import as_json, plain
from resemblance.fitting import GroupComparison, JudgmentsLike, OrdinalEmbedding, compare_groups
from resemblance.judgments.convert import of_one_kind
from resemblance.judgments.joining import people_of
from resemblance.notebook import Shown
from resemblance.optional import pd


@dataclass(frozen=True)
class PartsAnalysis(Shown):
    """An analysis of each part of the answers, and a test whether the parts differ.

    ``print`` gives a summary, and ``to_pandas()`` the scores of all parts. ``as_dict()`` and
    ``to_json()`` return all results.

    Attributes
    ----------
    by : str
        The column that names the part of each row.
    parts : dict of str to Analysis
        The analysis of each part.
    difference : GroupComparison, optional
        The test whether people of different parts see differently. None if it is impossible.
    untested : str, optional
        The reason why the test is impossible.
    """

    by: str
    parts: dict[str, Analysis]
    difference: GroupComparison | None
    untested: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return all results as JSON values."""
        test, tested = self.difference, None
        if test is not None:
            people = dict(zip(test.groups, test.people, strict=True))
            tested = {
                "people": people,
                "p_value": test.p_value,
                "p_clarity": test.p_clarity,
                "power": {str(ratio): power for ratio, power in test.power.items()},
                "permutations": test.n_permutations,
                "weights": test.table.to_dict("records"),
            }
        parts = {name: part.as_dict() for name, part in self.parts.items()}
        kept: dict[str, Any] = plain(
            {"by": self.by, "parts": parts, "difference": tested, "untested": self.untested}
        )
        return kept

    def to_json(self) -> str:
        """Return all results as JSON. NaN and infinity become null."""
        return as_json(self.as_dict())

    def to_pandas(self) -> pd.DataFrame:
        """Return the scores of each part, as in :meth:`.Analysis.to_pandas`."""
        tables = {name: part.to_pandas() for name, part in self.parts.items()}
        return pd.concat(tables, names=[self.by, "score"])

    def __str__(self) -> str:
        parts = [f"{self.by} {name}\n{part}\n" for name, part in self.parts.items()]
        test, said = self.difference, f"not tested: {self.untested}"
        if test is not None:
            people = ", ".join(f"{n} of {g}" for g, n in zip(test.groups, test.people, strict=True))
            said = (
                f"p = {test.p_value:.2g} in how they weigh dimensions, {test.p_clarity:.2g} in how "
                f"clearly they answer: the share of {test.n_permutations:,} deals of the people "
                f"({people}) to parts at random that differ as much"
            )
        return "\n".join([*parts, f"do parts differ  {said}"])


def analyse_parts(
    judgments: JudgmentsLike,
    by: str,
    model: str | OrdinalEmbedding = AUTO_MODEL,
    *,
    n_permutations: int = 1999,
    n_resamples: int = 100,
    random_state: int = 0,
    **settings: Any,
) -> PartsAnalysis:
    """Analyse each part of the answers, such as each condition, and compare the parts.

    :func:`analyse` is applied to the rows of each part. :func:`compare_groups` tests whether people
    of different parts weigh the dimensions of one space differently. If people are in several
    parts, there is no such test; :func:`compare_rdms` compares the spaces.

    Parameters
    ----------
    judgments : judgments of one kind, or array
        The answers.
    by : str
        The column that names the part of each row, such as "condition" or "observer".
    model : str or estimator
        The model of :func:`analyse`.
    n_permutations, n_resamples : int
        Settings of :func:`compare_groups`.
    random_state : int
        The seed of the folds, the models and the comparison.
    **settings
        Further settings of :func:`analyse`, such as ``dims`` or ``folds``.

    Raises
    ------
    JudgmentError
        If there is no such column, a row names no part, or there is only one part.
    JudgmentError, SettingError
        If :func:`analyse` raises it for a part, with the name of the part.

    Examples
    --------
    >>> import resemblance as rs
    >>> triplets = rs.datasets.digits_triplets(n_triplets=600, n_items=60, random_state=0)
    >>> triplets = triplets.with_extra("condition", ["colour", "shape"] * 300)
    >>> parts = analyse_parts(triplets, "condition", "ste", folds=3)
    >>> {name: len(part.judgments) for name, part in parts.parts.items()}
    {'colour': 300, 'shape': 300}
    >>> parts.difference is None  # the observers are unknown
    True
    """
    answers = of_one_kind(judgments)
    compared, _ = without_gold(answers, settings.get("keep_gold", False))
    names, part_of = people_of(answers, by)
    if len(names) < 2:
        raise JudgmentError(f"all rows are of the {by} {names[0]!r}: use analyse for a single part")
    difference, untested = None, None
    try:
        difference = compare_groups(
            compared,
            by,
            n_permutations=n_permutations,
            n_resamples=n_resamples,
            random_state=random_state,
        )
    except JudgmentError as error:
        untested = str(error)
    parts = {}
    for number, name in enumerate(names.tolist()):
        rows = answers[part_of == number]
        try:
            parts[name] = analyse(rows, model, random_state=random_state, **settings)
        except (JudgmentError, SettingError) as error:
            kind = SettingError if isinstance(error, SettingError) else JudgmentError
            raise kind(f"{by} {name!r}: {error}", setting=error.setting) from error
    return PartsAnalysis(by, parts, difference, untested)
