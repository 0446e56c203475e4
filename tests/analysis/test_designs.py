"""Designs of real labs: the same questions for everybody, and few people who give most answers."""

import numpy as np
import pytest
from sklearn.base import clone

import resemblance as rs
from resemblance.choice import StudentT
from resemblance.fitting.held_out import AGAIN, ASKED
from resemblance.scores import mean_interval

N_ITEMS = 20
MODEL = rs.STE(2, penalty=0.1, random_state=0)


def people(n, seed, differ=0.0, choice=None, size=2):
    rng = np.random.default_rng(seed)
    points, weights = size * rng.normal(size=(N_ITEMS, 2)), np.exp(differ * rng.normal(size=(n, 2)))
    settings = {} if choice is None else {"choice": choice}
    return [
        rs.SpaceObserver(points * own, random_state=seed + k, **settings)
        for k, own in enumerate(weights)
    ]


def questions(m, seed):
    return np.random.default_rng([seed, 1]).random((m, N_ITEMS)).argsort(axis=1)[:, :3]


def answers(crowd, asked_of_each):
    rows = [one.answer(asked).index for one, asked in zip(crowd, asked_of_each, strict=True)]
    who = np.repeat([f"p{k}" for k in range(len(crowd))], [len(part) for part in rows])
    return rs.Triplets(np.concatenate(rows), N_ITEMS, observer=who)


def true_error(model, crowd):
    asked = questions(2000, 99)
    p = np.mean([one.probability(asked) for one in crowd], axis=0)
    says = model.predict_proba(asked)[:, 0]
    return float(np.where(says > 0.5, 1 - p, p).mean())


@pytest.mark.parametrize(("model", "seed"), [("ste", 0), ("auto", 1)])
def test_a_list_that_everybody_answers_tells_the_error_on_new_questions(seed, model):
    crowd = people(12, seed)
    told = answers(crowd, [questions(40, seed)] * 12)
    analysis = rs.analyse(told, model, random_state=seed)
    held, truth = analysis.held_out, true_error(analysis.model, crowd)
    assert (held.by, held.of) == ("question", ASKED)
    assert held.interval[0] <= truth <= held.interval[1]
    assert held.people_interval[0] <= truth <= held.people_interval[1]
    again = rs.evaluate(analysis.model, told, cv=10, by="observer")
    assert (again.held_out.by, again.held_out.of) == ("observer", AGAIN)
    assert again.held_out.error < held.error
    assert "error on the same questions, asked again" in dict(again.lines())


ONE = questions(1, 0)


@pytest.mark.parametrize(
    ("asked_of_each", "dims"),
    [([ONE] * 30, "auto"), ([np.repeat(ONE, 50, axis=0), ONE], None)],
    ids=["of everybody", "one person repeats it and another gives it once"],
)
def test_answers_to_one_question_say_nothing_of_others(asked_of_each, dims):
    crowd = people(len(asked_of_each), 0)
    analysis = rs.analyse(answers(crowd, asked_of_each), MODEL, dims=dims, folds=3)
    assert analysis.held_out.of == AGAIN
    said = analysis.as_dict()
    assert said["next"]["code"] in ("other_questions", "above_chance")
    assert said["noise_ceiling"]["error"] is None


def test_a_person_who_repeats_one_question_alone_is_heard_beside_the_others():
    crowd = people(3, 0)
    told = answers(crowd, [questions(150, 1), questions(150, 2), np.repeat(ONE, 60, axis=0)])
    held = rs.analyse(told, MODEL).held_out
    assert (held.by, held.of) == ("question", ASKED)
    assert held.interval[0] < held.error < held.interval[1]


def test_few_who_give_most_are_held_out_whole_for_others_like_them():
    crowd = people(12, 3, differ=0.7)
    sizes = [300, 300, 200] + [20] * 9
    told = answers(crowd, [questions(m, k) for k, m in enumerate(sizes)])
    held = rs.evaluate(MODEL, told, cv=10).held_out
    folds = list(rs.GroupedKFold(10, "observer", random_state=0).split(told))
    losses = [clone(MODEL).fit(told[train]).row_losses(told[test]) for train, test in folds]
    tested = told[np.concatenate([test for _, test in folds])]
    expected = mean_interval(
        np.concatenate(losses), groups=tested.observer, crossed=tested.questions()
    )[1]
    np.testing.assert_allclose(held.people_interval, expected)
    even = answers(crowd, [questions(90, k) for k in range(12)])
    of_even = rs.evaluate(MODEL, even, cv=10).held_out
    mean = (of_even.people_interval[0] + of_even.people_interval[1]) / 2
    assert mean == pytest.approx(of_even.error, abs=0.03)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.long
def test_choices_between_the_two_models_are_found_with_honest_probabilities(seed):
    crowd = people(6, seed, choice=StudentT(3.0), size=4)
    told = answers(crowd, [questions(250, 10 * seed + k) for k in range(6)])
    analysis = rs.analyse(told, random_state=seed)
    assert analysis.model.get_params()["alpha"] in (3.0, 10.0)
    assert analysis.models.chosen == f"tste alpha={analysis.model.alpha:g}"
    assert 0.8 < analysis.held_out.slope < 1.25
    losses = rs.compare_models(told).to_pandas()["log_loss"]
    assert losses[analysis.models.chosen] == losses.min()
    assert losses.min() < losses[["tste", "ste"]].min() - 0.005
