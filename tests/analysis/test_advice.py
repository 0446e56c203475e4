"""What to do next: the table of steps."""

import json

import numpy as np
import pytest

import resemblance as rs
from resemblance.analysis.advice import FEW_QUESTIONS, LEAST_REPEATED, STEPS, next_step

HELD = {
    "error": 0.2,
    "interval": [0.18, 0.22],
    "log_loss": 0.45,
    "calibration": "honest",
    "guessing": {"error": 0.5, "log_loss": 0.693},
}
CEILING = {"error": 0.19, "interval": [0.17, 0.21]}


def known(ceiling=CEILING, models=None, dimensions=None, questions=500, **held):
    return {
        "held_out": HELD | held,
        "noise_ceiling": ceiling,
        "data": {"questions": questions},
        "models": models,
        "dimensions": dimensions,
    }


def counts(log_likelihood):
    held = {"log_likelihood": log_likelihood, "guessing": {"log_likelihood": -0.693}}
    return {"held_out": held, "data": {"questions": None, "trials": 40}, "models": None}


OFF = {"calibration": "not sure enough"}
BRANCHES = {
    "hold_out": [{**known(), "held_out": None}, known(error=None)],
    "other_questions": [known(questions=FEW_QUESTIONS - 1)],
    "above_chance": [known(interval=[0.4, 0.52]), known(error=0.55, interval=None), counts(-0.7)],
    "penalty": [known(log_loss=0.8), known(log_loss=0.8, calibration="too sure")],
    "other_model": [
        known(**OFF),
        known(calibration="too sure"),
        known(ceiling={"error": None}, **OFF),
    ],
    "other_dimensions": [known(models={"ste": {}}, **OFF)],
    "counts": [counts(-0.3)],
    "more_trials": [known(questions=None, ceiling={"error": None}, log_loss=None)],
    "repeat_questions": [known(ceiling={"error": None})],
    "more_answers": [known(ceiling={"error": 0.1}), known(ceiling={"error": 0.1}, interval=None)],
    "probabilities": [known(models={"ste": {}}, dimensions={"chosen": 2}, **OFF)],
    "use_it": [known(), known(calibration=None, log_loss=None), known(ceiling={"error": 0.25})],
}


@pytest.mark.parametrize("code", BRANCHES)
def test_each_step_has_its_condition(code):
    for found in BRANCHES[code]:
        assert next_step(found)["code"] == code


def test_all_steps_are_named_once_and_are_one_sentence():
    assert [step.code for step in STEPS] == list(BRANCHES)
    for step in STEPS:
        assert step.text.endswith(".")
        assert ". " not in step.text


def test_a_report_ends_with_it_and_json_has_it():
    rng = np.random.default_rng(0)
    person = rs.SpaceObserver(2 * rng.normal(size=(12, 2)), random_state=0)
    asked = [rng.choice(12, 3, replace=False) for _ in range(400)]
    once = rs.evaluate(rs.STE(2, penalty="auto", random_state=0), person.answer(asked), cv=5)
    told = json.loads(once.to_json())["next"]
    assert once.lines()[-1] == ("next", told["text"])
    assert told == next_step(once.as_dict())
    assert next_step(rs.evaluate(once.model, once.judgments, cv=0).as_dict())["code"] == "hold_out"


def test_repeated_questions_end_the_asking_for_them():
    rng = np.random.default_rng(1)
    person = rs.SpaceObserver(2 * rng.normal(size=(12, 2)), random_state=0)
    asked = [rng.choice(12, 3, replace=False) for _ in range(10 * LEAST_REPEATED)]
    who = ["ann"] * len(asked) + ["bob"] * len(asked)
    answers = person.answer(rs.Triplets(asked * 2, 12, observer=who))
    found = rs.evaluate(rs.STE(2, penalty="auto", random_state=0), answers, cv=5).as_dict()
    assert found["noise_ceiling"]["error"] is not None
    assert found["next"]["code"] != "repeat_questions"
