"""Analyses with a machine's answers beside people's."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist

import resemblance as rs
from beside_people import NAMES, N, answers, world
from resemblance.analysis.machine import machine_rows
from resemblance.errors import JudgmentError, SettingError


def of_machine(rows, names=NAMES, **notes):
    return rs.Triplets(rows, names, **notes)


def test_a_machine_that_sees_as_people_do_improves_the_map_and_is_in_the_report():
    X, people, machine = world(people=100)
    alone, both = rs.analyse(people, "ste"), rs.analyse(people, "ste", machine=machine)
    likeness = [np.corrcoef(pdist(a.model.embedding_), pdist(X))[0, 1] for a in (alone, both)]
    assert likeness[1] > likeness[0]
    assert both.held_out.n_answers == len(people)
    part = both.as_dict()["machine"]
    assert part["answers"] == len(machine)
    assert part["log_loss"][f"{part['weight']:g}"] < part["log_loss"]["0"]
    assert "machine" in dict(both.lines())
    assert "machine" not in dict(alone.lines())


def test_a_machine_that_does_not_help_changes_nothing():
    X, people, _ = world()
    alone = rs.analyse(people, "ste")
    both = rs.analyse(people, "ste", machine=answers(X, 1200, 5, turned=True))
    np.testing.assert_array_equal(both.model.embedding_, alone.model.embedding_)
    assert both.held_out == alone.held_out
    assert both.machine.weight == 0


def test_scores_are_of_people_alone():
    _, people, machine = world()
    both, alone = rs.analyse(people, "ste", machine=machine), rs.analyse(people, "ste")
    assert both.machine.weight > 0
    assert both.ceiling == alone.ceiling
    first, second = both.as_dict()["data"], alone.as_dict()["data"]
    assert first == second


def test_items_are_matched_by_name_and_further_items_of_people_stay():
    _, people, machine = world()
    order = np.random.default_rng(0).permutation(N)
    turned = of_machine(np.argsort(order)[machine.index], [NAMES[k] for k in order])
    np.testing.assert_array_equal(machine_rows(turned, people).index, machine.index)
    few = machine[(machine.index < N - 2).all(axis=1)]
    fewer = of_machine(few.index, NAMES[: N - 2])
    assert machine_rows(fewer, people).n_items == N


def test_a_confidence_is_a_weight():
    _, people, machine = world()
    rows = of_machine(machine.index[:3], extra={"confidence": [1.0, 0.5, 0.75]})
    np.testing.assert_allclose(machine_rows(rows, people).weights, [1.0, 0.0, 0.5])


def test_dimensions_are_chosen_beside_a_machine():
    _, people, machine = world(people=400)
    analysis = rs.analyse(people, "ste", dims="auto", folds=3, machine=machine)
    assert analysis.curve.chosen == analysis.model.n_components
    assert analysis.machine is not None


PEOPLE = world()[1]
ROWS = world()[2].index[:50]
WRONG = {
    "other items": of_machine(ROWS, [*NAMES[:-1], "unknown"]),
    "numbers": rs.Triplets(ROWS, N),
    "another kind": rs.OddOneOuts(ROWS, ROWS[:, 2], NAMES),
    "several kinds": [of_machine(ROWS), rs.OddOneOuts(ROWS, ROWS[:, 2], NAMES)],
    "a person": of_machine(ROWS, observer=["person 3"] * 50),
    "people's answers": of_machine(PEOPLE.index),
    "no probability": of_machine(ROWS, extra={"confidence": [1.2] + [0.5] * 49}),
    "no number": of_machine(ROWS, extra={"confidence": ["sure"] * 50}),
    "people among them": of_machine(
        ROWS, observer=["machine: a"] * 49 + ["b"], extra={"kind": ["machine"] * 49 + ["person"]}
    ),
}


@pytest.mark.parametrize("machine", WRONG.values(), ids=WRONG)
def test_wrong_answers_of_a_machine_are_refused(machine):
    with pytest.raises(JudgmentError):
        rs.analyse(PEOPLE, "ste", machine=machine)


@pytest.mark.parametrize("settings", [{"model": "soe"}, {"model": "ste", "folds": 0}])
def test_a_weight_needs_probabilities_and_folds(settings):
    with pytest.raises(SettingError) as refused:
        rs.analyse(PEOPLE, machine=of_machine(ROWS), **settings)
    assert refused.value.setting == "machine"
