"""Questions about which models disagree."""

import numpy as np
import pytest

import resemblance as rs
from resemblance.asking import Belief
from resemblance.asking.question import MostSimilar, OddOneOut
from resemblance.errors import JudgmentError, SettingError
from resemblance.observers.explained_accuracy import noise_of, utilities_of
from resemblance.observers.space import answer_shares

N = 20


def vectors(rng, n=6):
    """Models that are the same but for a 25th of their variance."""
    base = rng.normal(size=(N, 5))
    return [np.sqrt(0.96) * base + np.sqrt(0.04) * rng.normal(size=base.shape) for _ in range(n)]


def observers(points, items=None, **settings):
    return {
        f"m{k}": rs.ModelObserver(x, "euclidean", items=items, **settings)
        for k, x in enumerate(points)
    }


def test_the_gain_is_the_mutual_information_of_model_and_answer():
    rng = np.random.default_rng(0)
    models = observers(vectors(rng, 3))
    answered = next(iter(models.values())).answer(MostSimilar(2).random(rng, 60, N)).index
    belief, rows = Belief(np.zeros((N, 1)), answered=answered), MostSimilar(2).random(rng, 9, N)
    strategy = rs.ControversialQuestions(models, doubt=0.2)
    answers, p = [], []
    for one in models.values():
        t, lapse = noise_of(utilities_of(one, belief.judgments(answered)), np.ones(60))
        for index, to in ((answered, answers), (rows, p)):
            u = utilities_of(one, belief.judgments(index))
            first = (1 - lapse) / (1 + np.exp((u[:, 1] - u[:, 0]) / t)) + lapse / 2
            to.append(first)
    likelihood = np.prod(np.array(answers) / np.max(answers, axis=0), axis=1)
    w = 0.8 * likelihood / likelihood.sum() + 0.2 / 3
    for q, found in enumerate(strategy.told(belief, rows)):
        joint = np.array([[w[k] * p[k][q], w[k] * (1 - p[k][q])] for k in range(3)])
        apart = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0)
        assert found == pytest.approx((joint * np.log(joint / apart)).sum(), abs=1e-9)


def found(strategy, seed, n=30):
    """Ask somebody who follows one of six models; say whether it is the likeliest."""
    rng = np.random.default_rng(seed)
    points = vectors(rng)
    models = observers(points)
    person = rs.ModelObserver(points[0], "euclidean", temperature=0.4, random_state=seed)
    chosen = rs.ControversialQuestions(models, max_candidates=500)
    asks = chosen if strategy == "controversial" else strategy
    belief = Belief(np.zeros((N, 1)))
    while len(belief.answered) < n:
        told = person.answer(belief.judgments(asks.propose(belief, 10, rng))).index
        belief = Belief(belief.points, answered=np.concatenate([belief.answered, told]))
    answers = belief.judgments(belief.answered)
    given = [utilities_of(one, answers) for one in models.values()]
    noise = [noise_of(u, answers.weights) for u in given]
    likely = [np.log(answer_shares(u, *of)[:, 0]).sum() for u, of in zip(given, noise, strict=True)]
    return np.argmax(likely) == 0


def test_the_model_is_found_from_fewer_answers_than_by_random_questions():
    """In 120 worlds .96 and .58."""
    seeds = range(25)
    controversial = sum(found("controversial", seed) for seed in seeds)
    assert controversial - sum(found(rs.RandomQuestions(), seed) for seed in seeds) >= 4


def test_a_session_asks_models_by_the_names_of_items_new_ones_too():
    rng = np.random.default_rng(1)
    names = [f"i{k}" for k in range(N)]
    order = rng.permutation(N)
    points = vectors(rng, 2)
    models = observers([x[order] for x in points], [names[k] for k in order])
    plain = rs.ControversialQuestions(observers(points))
    named = rs.ControversialQuestions(models)
    belief = Belief(np.zeros((N, 1)), items=rs.Items(names))
    rows = MostSimilar(2).random(rng, 30, N)
    np.testing.assert_allclose(named.told(belief, rows), plain.told(belief, rows))
    some = np.array([0, 1, *range(5, N)])
    part = MostSimilar(2).random(rng, 30, 9)
    np.testing.assert_allclose(
        named.told(belief.among(some).among(np.arange(9)), part),
        plain.told(belief, some[part].astype(np.int32)),
    )
    session = rs.Session(names[:-1], {"models": named}, start_per_head=1, random_state=0)
    person = rs.SpaceObserver(points[0], random_state=0)
    for number in range(120):
        if number == 90:
            session.add_items(names[-1:])
        question = session.ask()
        session.tell(question, question.answered_by(person))
    assert session.ask().strategy == "models"


@pytest.mark.parametrize("asks", [MostSimilar(4), OddOneOut(3)])
def test_other_kinds_of_questions_are_chosen_as_well(asks):
    rng = np.random.default_rng(2)
    strategy = rs.ControversialQuestions(observers(vectors(rng, 3)))
    belief = Belief(np.zeros((N, 1)), asks=asks, answered=asks.random(rng, 20, N))
    chosen = strategy.told(belief, strategy.propose(belief, 20, rng)).mean()
    assert chosen > 1.5 * strategy.told(belief, asks.random(rng, 200, N)).mean()


def test_wrong_models_and_numbers_are_refused():
    models = observers(vectors(np.random.default_rng(3), 2))
    for wrong in ({"doubt": 0.0}, {"max_candidates": 0}, {"models": {"one": models["m0"]}}):
        with pytest.raises(SettingError):
            rs.ControversialQuestions(**{"models": models, **wrong})
    strategy = rs.ControversialQuestions(models)
    with pytest.raises(JudgmentError, match="20"):
        strategy.propose(Belief(np.zeros((N + 1, 1))), 1, np.random.default_rng(0))


def test_items_that_a_model_lacks_are_refused_before_they_are_asked_about():
    models = {name: rs.ModelObserver(np.eye(4)[:, :d]) for name, d in (("all", 4), ("two", 2))}
    strategies = {"told": rs.ControversialQuestions(models)}
    with pytest.raises(JudgmentError):
        rs.Session(5, strategies)
    session = rs.Session(4, strategies)
    with pytest.raises(JudgmentError):
        session.add_items(["new"])
    assert len(session.items) == 4
