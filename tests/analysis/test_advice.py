"""The table of steps that advises what to do next."""

import json
import tomllib

import numpy as np
import pytest
from typer.testing import CliRunner

import resemblance as rs
from resemblance.analysis.advice import DOORS, FEW_QUESTIONS, STEPS, expected_gain, next_step
from resemblance.analysis.record import ceiling_part
from resemblance.analysis.wording import another_words, ceiling_words, models_words
from resemblance.cli import app
from resemblance.scores import NoiseCeiling
from resemblance.scores.ceiling import LEAST_REPEATED
from resemblance.study.settings import Settings

HELD = {
    "error": 0.2,
    "interval": [0.18, 0.22],
    "widest_interval": [0.18, 0.22],
    "log_loss": 0.45,
    "calibration": "honest",
    "guessing": {"error": 0.5, "log_loss": 0.693},
}
CEILING = {"error": 0.19, "interval": [0.17, 0.21], "agreement": 0.7, "repeated_questions": 400}
UNKNOWN = {"error": None}
DATA = {"items": 24, "unmentioned": []}
LOW = CEILING | {"error": 0.1, "interval": [0.08, 0.12]}
WIDE = CEILING | {"error": None, "interval": [0.05, 0.3], "repeated_questions": 40}


def gaining(low, high):
    return {"dimensions": 3, "gain": (low + high) / 2, "interval": [low, high]}


def known(
    ceiling=CEILING,
    models=None,
    dimensions=None,
    questions=1700,
    copies=1,
    another=None,
    answers=2000,
    **held,
):
    held.setdefault("interval", held.get("widest_interval", HELD["interval"]))
    return {
        "fit": {"dimensions": 2},
        "another_dimension": another,
        "held_out": HELD | held,
        "noise_ceiling": ceiling,
        "data": DATA | {"questions": questions, "copies": copies, "answers": answers},
        "expected_excess": 0.02,
        "models": models,
        "dimensions": dimensions,
    }


def counts(log_likelihood, interval=None):
    held = {
        "log_likelihood": log_likelihood,
        "widest_interval": interval,
        "answers": 40,
        "guessing": {"log_likelihood": -0.693},
    }
    return {"held_out": held, "data": {"questions": None, "trials": 40}, "models": None}


OFF = {"calibration": "not sure enough"}
BRANCHES = {
    "hold_out": [{**known(), "held_out": None}, known(error=None)],
    "other_questions": [known(questions=FEW_QUESTIONS - 1)],
    "copied": [known(copies=3)],
    "features_alone": [
        known() | {"features_alone": {"error": 0.15, "interval": [0.12, 0.18], "n_answers": 100}},
    ],
    "above_chance": [
        known(widest_interval=[0.4, 0.52]),
        known(error=0.55, widest_interval=None),
        counts(-0.7),
        counts(-0.35, interval=[-1.2, 0.0]),
        counts(None),  # some answer was impossible by a fit
    ],
    "few_answers": [known(answers=359), known(answers=300, ceiling=LOW, **OFF)],
    "penalty": [known(log_loss=0.8), known(log_loss=0.8, calibration="too sure")],
    "other_model": [
        known(**OFF),
        known(calibration="too sure"),
        known(ceiling=UNKNOWN, **OFF),
    ],
    "counts": [counts(-0.3), counts(-0.3, interval=[-0.4, -0.2])],
    "more_trials": [known(questions=None, ceiling=UNKNOWN, log_loss=None)],
    "duplicates_removed": [known(ceiling=WIDE | {"agreement": 0})],
    "repeat_questions": [known(ceiling=UNKNOWN)],
    "more_dimensions": [
        known(ceiling=LOW, another=gaining(0.01, 0.05)),
    ],
    "more_answers": [
        known(ceiling=LOW),
        known(ceiling=LOW, models={"ste": {}}, **OFF),
        known(ceiling=LOW, another=gaining(-0.01, 0.05)),
        known(ceiling=LOW, another=gaining(0.01, 0.05), dimensions={"chosen": 2}),
    ],
    "probabilities": [
        known(models={"ste": {}}, dimensions={"chosen": 2}, widest_interval=[0.18, 0.21], **OFF)
    ],
    "use_it": [
        known(widest_interval=[0.18, 0.21]),
        known(calibration="unknown", widest_interval=[0.18, 0.21]),
        known(widest_interval=[0.18, 0.21], another=gaining(-0.02, 0.02)),
        known(widest_interval=[0.18, 0.21], another=gaining(0.001, 0.04)),
        known(ceiling=CEILING | {"interval": [0.2, 0.3]}),
    ],
    "more_repeats": [known(ceiling=WIDE), known(widest_interval=[0.17, 0.24])],
    "cannot_tell": [
        known(widest_interval=None, questions=1410),  # of 2,000 answers
        known(widest_interval=[0.1, 0.3], questions=1410),
        known(ceiling=WIDE, questions=1410),
    ],
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
        assert ("{n}" in step.text) == (step.n is not None)


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


def test_as_many_repeats_as_are_asked_for_settle_it():
    found = known(ceiling=WIDE, widest_interval=[0.17, 0.19], questions=9000, answers=9000)
    n = next_step(found)["n"]
    assert n > WIDE["repeated_questions"]
    share = (WIDE["repeated_questions"] / (WIDE["repeated_questions"] + n)) ** 0.5
    middle, half = 0.175, 0.125 * share
    told = WIDE | {"interval": [middle - half, middle + half]}
    assert next_step(known(ceiling=told, widest_interval=[0.17, 0.19]))["code"] == "use_it"


@pytest.mark.parametrize("repeats", [40, 200, 500])
def test_repeats_are_never_more_than_three_tenths_of_the_answers(repeats):
    ceiling = WIDE | {"repeated_questions": repeats}
    report = known(ceiling=ceiling, questions=2000 - repeats, widest_interval=[0.17, 0.19])
    step = next_step(report)
    assert step["code"] == "more_repeats"
    assert repeats + step["n"] <= 0.3 * 2000


def test_what_answers_would_bring_is_told_beside_how_many():
    few = known(answers=300)
    step = next_step(few)
    gain, (low, high) = expected_gain(0.02, 300, step["n"])
    assert step["n"] == 15 * 24 - 300
    assert f"{gain:.3f} ({low:.3f} to {high:.3f})" in step["text"]
    assert "expected" not in next_step(few | {"expected_excess": None})["text"]


@pytest.mark.parametrize("error", [0.1, 0.3])
def test_lack_of_evidence_is_no_verdict(error):
    held = {"error": error, "widest_interval": [error - 0.06, error + 0.06]}
    code = next_step(known(ceiling=WIDE, **held))["code"]
    assert code == "more_repeats"


def test_rows_there_several_times_are_told():
    rng = np.random.default_rng(2)
    person = rs.SpaceObserver(2 * rng.normal(size=(12, 2)), random_state=0)
    rows = person.answer([rng.choice(12, 3, replace=False) for _ in range(300)])
    pasted = rs.Triplets(np.tile(rows.index, (3, 1)), 12)
    for answers, copies in ((rows, 1), (pasted, 3)):
        found = rs.evaluate(rs.STE(2, penalty=1.0, random_state=0), answers, cv=2).as_dict()
        assert found["data"]["copies"] == copies
        assert (found["next"]["code"] == "copied") == (copies > 1)


def test_a_file_of_distinct_rows_has_no_ceiling():
    """As where every question was answered twice, and equal answers were kept once."""
    rng = np.random.default_rng(4)
    rows = np.unique([np.sort(rng.choice(30, 3, replace=False)) for _ in range(60)], axis=0)
    both = rs.Triplets(np.concatenate([rows, rows[:, [0, 2, 1]]]), 30)
    found = rs.evaluate(rs.STE(2, penalty=1.0, random_state=0), both, cv=2).as_dict()
    assert found["noise_ceiling"]["error"] is None
    assert found["noise_ceiling"]["agreement"] == 0


@pytest.mark.parametrize(("least", "is_told"), [(0.93, True), (0.88, False)])
def test_a_ceiling_is_told_as_an_interval_and_not_where_that_is_wide(least, is_told):
    """Everybody agreed, so that the estimate is 0: it is never told as such."""
    part = ceiling_part(NoiseCeiling(1.0, 1.0, (least, 1.0), 1.0, 60, 60))
    assert (part["error"] is not None) == is_told
    assert part["interval"] == pytest.approx([0.0, 1 - least])
    words = ceiling_words(part).replace(",", " ").split()
    assert [float(word) for word in words if "." in word] == pytest.approx([0.0, 1 - least])


def test_advice_goes_by_the_wider_of_these_people_and_others():
    rng = np.random.default_rng(3)
    people = [rs.SpaceObserver(2 * rng.normal(size=(12, 2)), random_state=k) for k in range(4)]
    asked = [np.array([rng.choice(12, 3, replace=False) for _ in range(80)]) for _ in people]
    rows = np.concatenate([who.answer(q).index for who, q in zip(people, asked, strict=True)])
    answers = rs.Triplets(rows, 12, observer=np.repeat(list("abcd"), 80))
    held = rs.evaluate(rs.STE(2, penalty="auto", random_state=0), answers, cv=5).held_out
    low, high = held.widest
    assert low == min(held.interval[0], held.people_interval[0])
    assert high == max(held.interval[1], held.people_interval[1])
    alone = rs.evaluate(rs.STE(2, penalty=1.0, random_state=0), answers, cv=2, by="observer")
    assert alone.held_out.people_interval is None  # its interval is that of people already


def repeated(d, m=3000, n=14, people=8):
    """Let people answer the same random questions about items in so many dimensions."""
    rng = np.random.default_rng(d)
    person = rs.SpaceObserver(1.2 * rng.normal(size=(n, d)), random_state=0)
    asked = [rng.choice(n, 3, replace=False) for _ in range(m // people)]
    who = np.arange(people).repeat(len(asked))
    return person.answer(rs.Triplets(asked * people, n, observer=who))


def test_a_map_with_too_few_dimensions_is_not_enough():
    """Models are compared, as else their probabilities may be the first thing to mend."""
    found = rs.analyse(repeated(5, m=16000, n=20, people=4), folds=5).as_dict()
    another = found["another_dimension"]
    assert another["dimensions"] == 3
    assert another["interval"][0] > 0
    assert found["next"]["code"] == "more_dimensions"


def test_of_enough_dimensions_another_one_gains_nothing():
    found = rs.analyse(repeated(2), "ste", folds=5).as_dict()
    another = found["another_dimension"]
    assert another is None or another["interval"][0] <= 0
    assert found["next"]["code"] != "more_dimensions"


def test_what_another_dimension_costs_is_told_as_more_and_not_as_less_of_a_gain():
    words = another_words({"dimensions": 3, "gain": -0.009, "interval": (-0.02, 0.001)})
    assert [part for part in words.split() if part.strip("(),").lstrip("-")[0].isdigit()] == [
        *("3", "0.009", "(95%", "-0.001", "0.020)")
    ]
    assert "higher" in words


def test_an_estimator_that_is_given_is_tried_in_its_own_dimensions_alone():
    given = rs.STE(2, penalty="auto", random_state=0)
    assert rs.evaluate(given, repeated(3), cv=5).another is None


def test_where_dimensions_are_chosen_those_tried_say_what_others_gain():
    found = rs.analyse(repeated(2, m=400, n=10), "gnmds", dims="auto", folds=3)
    assert found.another is None or found.another.dimensions > found.curve.chosen
    assert found.as_dict()["dimensions"]["is_exact"] == found.curve.is_exact
    assert found.curve.per_item == 400 / 10


def test_models_within_two_standard_errors_are_not_told_apart():
    behind = {"ste": (0.40, 0.0, 0.0), "tste": (0.41, 0.01, 0.008), "ckl": (0.5, 0.1, 0.02)}
    columns = "log_loss", "behind", "standard_error"
    models = {name: dict(zip(columns, row, strict=True)) for name, row in behind.items()}
    assert models_words(models).endswith("ste is not distinguished from tste")
    del models["tste"]
    assert models_words(models).endswith("ste is distinguished from the others")


def said(door):
    """Return what steps name in the words of one door."""
    return sorted({step.do[DOORS.index(door)] for step in STEPS})


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.code)
def test_every_advice_names_what_does_it_in_the_words_of_its_door(step):
    assert step.text.count("{do}") == 1
    report = BRANCHES[step.code][0]
    for door, words in zip(DOORS, step.do, strict=True):
        told = next_step(report, door)
        assert told["code"] == step.code
        assert words.format(more=3) in told["text"]
        assert not any(other in told["text"] for other in set(step.do) - {words})


@pytest.mark.parametrize("words", said("python"))
def test_what_is_named_in_python_is_there_and_runs(words):
    if "=" not in words:
        assert hasattr(rs, words)
        return
    settings = eval(f"dict({words})")
    rng = np.random.default_rng(0)
    asked = [rng.choice(6, 3, replace=False) for _ in range(40)]
    answers = rs.Triplets(asked, 6, observer=np.arange(40) % 4)
    analysis = rs.analyse(answers, **({"model": "ste", "folds": 4} | settings))
    assert analysis.held_out.n_folds > 1


@pytest.mark.parametrize("words", said("command"))
def test_what_is_named_at_the_command_line_is_there_and_runs(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    asked = [rng.choice(6, 3, replace=False) for _ in range(40)]
    rs.Triplets(asked, 6, observer=np.arange(40) % 4).write("answers.csv")
    run = CliRunner()
    if words.startswith("--"):
        given = words.replace("FILE", "all.csv").split()
        quick = ["fit", "answers.csv", "--model", "ste", "--folds", "4", "--penalty", "0.1"]
        done = run.invoke(app, [*quick[: 4 if "--model" in given else None], *given])
    elif "convert" in words or "clean" in words:
        done = run.invoke(app, words.replace("ANSWERS", "answers.csv").split()[1:])
    else:  # takes a server, or a study
        name = words.partition("resemblance ")[2].split()[0]
        done = run.invoke(app, [name, "--help"])
    assert done.exit_code == 0, done.output


@pytest.mark.parametrize("words", said("desk"))
def test_what_is_named_at_the_desk_is_a_setting_or_a_command(words):
    if words.startswith("resemblance "):
        assert CliRunner().invoke(app, [words.split()[1], "--help"]).exit_code == 0
        return
    name, _, value = words.format(more=3).partition(" = ")
    section, key = name.split(".")
    if not value:
        assert key in type(getattr(Settings(study={"name": "x"}), section)).model_fields
        return
    settings = tomllib.loads(f'[study]\nname = "x"\n[{section}]\n{key} = {value}')
    assert getattr(getattr(Settings(**settings), section), key) == settings[section][key]
