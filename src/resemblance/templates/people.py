"""Templates of each person, with a comparison of strategies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from resemblance.errors import JudgmentError, ResemblanceError, quiet
from resemblance.judgments import Classifications
from resemblance.judgments.checks import of_kind
from resemblance.notebook import Shown
from resemblance.optional import pd
from resemblance.progress import Steps, Told
from resemblance.templates.decisions import DecisionTemplates
from resemblance.templates.strategy import StrategyComparison, two_digits


@dataclass(frozen=True)
class PersonTemplates(Shown):
    """The templates of one person.

    Attributes
    ----------
    observer : str
    n_trials : int
    model : DecisionTemplates or None
        None if there are too few trials.
    strategy : StrategyComparison or None
    problem : str
        The reason if there is no model, otherwise empty.
    """

    observer: str
    n_trials: int
    model: DecisionTemplates | None
    strategy: StrategyComparison | None
    problem: str = ""

    @property
    def n_more(self) -> int | None:
        """Forecast of further trials for a verdict; None if there is a verdict, or no model."""
        needed = None if self.strategy is None else self.strategy.n_needed
        return None if needed is None else two_digits(needed - self.n_trials)

    @property
    def verdict(self) -> str:
        """The strategy, or "cannot be told yet" if it is undecided."""
        verdict = "undecided" if self.strategy is None else self.strategy.verdict
        return "cannot be told yet" if verdict == "undecided" else verdict

    @property
    def is_decided(self) -> bool:
        """Whether the strategy is known; there may be no forecast even if it is not."""
        return self.strategy is not None and self.strategy.verdict != "undecided"

    def __str__(self) -> str:
        if self.strategy is None:
            return f"{self.verdict}: {self.problem} ({self.n_trials:,} trials)"
        if self.n_more is not None:
            return f"{self.verdict}: about {self.n_more:,} trials more than {self.n_trials:,}"
        low, high = self.strategy.interval
        if low == high == 0.0:
            return f"{self.verdict}: more templates predict no better ({self.n_trials:,} trials)"
        return (
            f"{self.verdict} ({self.strategy.difference:.3f} nats an answer, "
            f"{self.strategy.level:.0%} interval {low:.3f} to {high:.3f}; {self.n_trials:,} trials)"
        )


@dataclass(frozen=True)
class PeopleTemplates(Shown):
    people: tuple[PersonTemplates, ...]

    def to_pandas(self) -> pd.DataFrame:
        """Return a table with a row for each person.

        Returns
        -------
        DataFrame
            ``observer, trials, verdict, difference, low, high`` (nats per answer), ``more`` (number
            of further trials needed for a verdict), ``templates`` (their number) and ``problem``.
        """
        rows = []
        for person in self.people:
            strategy, model = person.strategy, person.model
            low, high = (None, None) if strategy is None else strategy.interval
            rows.append(
                {
                    "observer": person.observer,
                    "trials": person.n_trials,
                    "verdict": strategy and strategy.verdict,
                    "difference": strategy and strategy.difference,
                    "low": low,
                    "high": high,
                    "more": person.n_more,
                    "templates": model and model.n_templates_,
                    "problem": person.problem,
                }
            )
        return pd.DataFrame(rows)


def templates_by_observer(
    trials: Classifications,
    model: DecisionTemplates | None = None,
    *,
    random_state: Any = 0,
    callback: Told | None = None,
) -> PeopleTemplates:
    """Fit the templates of each person separately, and compare strategies.

    Parameters
    ----------
    trials : Classifications
        Trials that name their ``observer``.
    model : DecisionTemplates, optional
        An unfitted model with the settings to use.
    random_state : int, RandomState or None
        The seed of the bootstrap of each comparison.
    callback : callable, optional
        Called with (people done, people in all).

    Returns
    -------
    PeopleTemplates
        The ``people``, each with a model and a strategy.

    Raises
    ------
    JudgmentError
        If the trials do not name observers.

    References
    ----------
    The paper on image templates, section 5: three of its four subjects used exemplars.

    Examples
    --------
    >>> import resemblance as rs
    >>> task = rs.stimuli.FourSquares(side=2)
    >>> person = rs.TemplateObserver(task.signals, task.labels, "prototype", random_state=0)
    >>> one = rs.observers.run_staircase(person, task, rs.Staircase(1.0), 400, random_state=0)
    >>> trials = rs.Classifications(one.stimuli, one.labels, observer=["ann"] * 400)
    >>> templates_by_observer(trials).to_pandas()["verdict"].tolist()
    ['prototype']
    """
    of_kind(trials, Classifications, "templates")
    if trials.observer is None:
        raise JudgmentError(
            "the trials name no observers: give observer=, or fit all with DecisionTemplates"
        )
    names = np.unique(trials.observer).tolist()
    steps, people = Steps(callback, len(names)), []
    for name in names:
        people.append(_person(name, trials[trials.observer == name], model, random_state))
        steps.take()
    return PeopleTemplates(tuple(people))


def _person(
    name: str, trials: Classifications, model: DecisionTemplates | None, random_state: Any
) -> PersonTemplates:
    own = clone(model or DecisionTemplates())
    try:
        with quiet():
            own.fit(trials)
        return PersonTemplates(
            name, len(trials), own, own.strategy_comparison(random_state=random_state)
        )
    except ResemblanceError as error:
        return PersonTemplates(name, len(trials), None, None, str(error))
