"""Templates of each person."""

from dataclasses import replace

import numpy as np
import pytest

import resemblance as rs
from resemblance.errors import JudgmentError
from resemblance.templates import PersonTemplates, compare_strategies, templates_by_observer

TASK = rs.stimuli.FourSquares(2)


def session(kind, n_trials, seed=0):
    person = rs.TemplateObserver(TASK.signals, TASK.labels, kind, noise=0.3, random_state=seed)
    stairs = rs.Staircase(1.0, [0.1, 0.05])
    return rs.observers.run_staircase(person, TASK, stairs, n_trials, random_state=seed)


def test_each_person_has_templates_and_a_strategy_of_their_own():
    sessions = {"ann": session("prototype", 900), "bob": session("exemplar", 900)}
    more = session("exemplar", 60)
    few = more[np.concatenate([np.flatnonzero(more.labels == one)[:3] for one in more.classes])]
    trials = rs.Classifications(
        np.concatenate([*(one.stimuli for one in sessions.values()), few.stimuli]),
        np.concatenate([*(one.labels for one in sessions.values()), few.labels]),
        observer=["ann"] * 900 + ["bob"] * 900 + ["cy"] * 6,
    )
    steps = []
    found = templates_by_observer(trials, callback=lambda *step: steps.append(step))
    assert steps == [(1, 3), (2, 3), (3, 3)]
    table = found.to_pandas().set_index("observer")
    assert table["verdict"].tolist()[:2] == ["prototype", "exemplar"]
    assert table["trials"].tolist() == [900, 900, 6]
    assert table["templates"].tolist()[:2] == [2, 4]
    assert found.people[2].model is None or table["more"]["cy"] > 0
    bob = sessions["bob"]
    alone = rs.DecisionTemplates().fit(rs.Classifications(bob.stimuli, bob.labels))
    np.testing.assert_array_equal(found.people[1].model.templates_, alone.templates_)


def test_a_person_without_a_forecast_is_not_decided():
    alike = np.zeros(100)  # no gain of one strategy, and one template is not known well
    strategy = compare_strategies(alike, alike + 0.02, margin=0.0, kept=0.0)
    forecast = replace(strategy, difference=0.0, interval=(0.0, 0.0), margin=0.0)
    assert (forecast.verdict, forecast.n_needed) == ("undecided", None)
    person = PersonTemplates("ann", 100, None, forecast)
    assert (person.is_decided, person.n_more) == (False, None)


def test_trials_of_nobody_are_refused():
    with pytest.raises(JudgmentError, match="observer"):
        templates_by_observer(session("prototype", 50))


@pytest.mark.parametrize(
    ("difference", "kept", "least", "most"),
    [(0.06, 1.0, 1.1, 3.0), (-0.02, 1.0, 1.1, 6.0), (0.0, 0.3, 2.0, 40.0)],
)
def test_fewer_trials_are_needed_the_clearer_the_difference(difference, kept, least, most):
    noise = np.random.default_rng(0).normal(0.0, 0.6, 300)
    noise += difference - noise.mean()
    strategy = compare_strategies(noise - 0.5, np.full(300, -0.5), kept=kept)
    assert strategy.verdict == "undecided"
    assert least <= strategy.n_needed / 300 <= most
    clearer = compare_strategies(noise / 2 + difference / 2 - 0.5, np.full(300, -0.5), kept=kept)
    assert clearer.n_needed is None or clearer.n_needed <= strategy.n_needed


def test_a_margin_of_nothing_between_equals_forecasts_nothing():
    equal = np.full(50, -0.5)
    strategy = compare_strategies(equal, equal, margin=0.0)
    assert strategy.verdict == "undecided"
    assert strategy.n_needed is None
    assert str(strategy)
