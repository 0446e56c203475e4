"""What one observer weighs is found, and sooner by questions that are chosen for it."""

import numpy as np
import pytest

import resemblance as rs
from resemblance.asking.one_observer import ObserverSession
from resemblance.errors import JudgmentError, SettingError, UnknownQuestionError
from resemblance.fitting import OrdinalEmbedding
from resemblance.fitting.laplace.noise import Noise

X = np.random.default_rng(0).normal(size=(20, 3))
MODELS = [
    rs.CKL(3, mu=0.05).set_positions(X),
    rs.STE(3).set_positions(X),
    rs.TSTE(3, alpha=2.0).set_positions(X),
    OrdinalEmbedding(rs.choice.Logistic(), 3).set_positions(X),
]
KINDS = [{"n_options": 2}, {"n_options": 4}, {"n_options": 4, "odd_one_out": True}]
LAPSE, V = 0.1, np.array([0.4, -0.3, 0.2])


def observer(model, v=V, seed=0):
    weights, points = np.exp(v), model.embedding_
    return rs.SpaceObserver(points, model.choice_, LAPSE, weights=weights, random_state=seed)


def answered(session, person, n):
    for _ in range(n):
        question = session.ask()
        session.tell(question, question.answered_by(person))
    return session


def probabilities(session, v, rows):
    """Of every option of questions: each in turn stands where the answer does."""
    seen = rs.SpaceObserver(session.points, session.choice, LAPSE, weights=np.exp(v))
    options = range(session.asks.heads, session.asks.width)
    turned = [np.roll(rows[:, session.asks.heads :], -k, axis=1) for k in range(len(options))]
    heads = rows[:, : session.asks.heads]
    asked = [session.asks.judgments(np.hstack([heads, t]), len(X)) for t in turned]
    return np.column_stack([seen.probability(one) for one in asked])


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m.choice_).__name__)
def test_information_is_the_expected_square_of_the_slopes(model, kind):
    session = ObserverSession(model, noise=Noise(lapse=LAPSE), **kind)
    session.log_weights, h = V, 1e-5
    rows = session.asks.random(np.random.default_rng(1), 5, len(X))
    p = probabilities(session, V, rows)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    nudged = [
        (
            np.log(probabilities(session, V + h * e, rows))
            - np.log(probabilities(session, V - h * e, rows))
        )
        / (2 * h)
        for e in np.eye(3)
    ]
    expected = np.einsum("mk,amk,bmk->mab", p, nudged, nudged)
    J = session._information(rows)
    np.testing.assert_allclose(np.einsum("mra,mrb->mab", J, J), expected, rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m.choice_).__name__)
def test_no_weights_are_more_probable(model):
    session = ObserverSession(model, noise=Noise(lapse=LAPSE), random_state=1)
    answered(session, observer(model), 40)

    def log_posterior(v):
        seen = rs.SpaceObserver(X, model.choice_, LAPSE, weights=np.exp(v))
        told = np.log(seen.probability(session.judgments())).sum()
        return told - v @ session._prior @ v / 2

    best, rng = log_posterior(session.log_weights), np.random.default_rng(0)
    others = session.log_weights + rng.normal(size=(200, 3)) * rng.choice([0.01, 0.1, 1], (200, 1))
    assert max(map(log_posterior, others)) <= best + 1e-6


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_the_best_question_leaves_the_least_variance(kind):
    session = ObserverSession(MODELS[1], random_state=2, **kind)
    answered(session, observer(MODELS[1]), 3)
    out = np.array([session.ask().row for _ in range(4)])  # which count as if answered
    rows = session.asks.random(np.random.default_rng(1), 40, len(X))
    known = session._precision(np.vstack([session._rows(), out]))
    left = [
        np.trace(session._contrast @ np.linalg.inv(known + J.T @ J))
        for J in session._information(rows)
    ]
    assert session._best(rows) == np.argmin(left)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_chosen_questions_are_surer_of_the_weights(kind):
    chosen, random = (
        answered(ObserverSession(MODELS[1], adaptive=one, **kind), observer(MODELS[1]), 25)
        for one in (True, False)
    )
    # .28 ± .05, .30 ± .07 and .42 ± .07 of it in 40 worlds
    assert chosen.deviation.mean() < 0.75 * random.deviation.mean()


def test_chosen_questions_find_the_weights_sooner():
    people, model = 0.4 * np.random.default_rng(3).normal(size=(8, 3)), MODELS[1]
    off = {True: [], False: []}
    for adaptive, of in off.items():
        for seed, v in enumerate(people):
            session = ObserverSession(model, adaptive=adaptive, random_state=seed)
            answered(session, observer(model, v, seed), 40)
            of.append(np.log(session.weights) - v + v.mean())
    chosen, random = (np.mean(np.square(off[one])) for one in (True, False))
    assert chosen < random  # by 1.25 ± .32 in the log of its root, in 40 worlds


def test_questions_that_are_out_count_and_none_comes_twice():
    session = ObserverSession(MODELS[0], "ann", random_state=5)
    first, again = (
        [one.ask() for _ in range(30)]
        for one in (session, ObserverSession(MODELS[0], random_state=5))
    )
    assert [one.row for one in first] == [one.row for one in again]
    assert len({one.key for one in first}) == 30
    before = session.deviation
    session.tell(first[0], first[0].options[1])
    session.tell(first[1].number, None)  # a skip tells nothing
    assert (session.deviation <= before).all()
    assert len(session.judgments()) == 1
    assert session.judgments().observer.tolist() == ["ann"]


def test_a_course_goes_on_after_a_break():
    whole = answered(ObserverSession(MODELS[1], random_state=3), observer(MODELS[1]), 12)
    told = whole.judgments().index[:, 1].tolist()
    again = ObserverSession(MODELS[1], random_state=3)
    for chosen in told:
        again.tell(again.ask(), chosen)
    assert again.ask().row == whole.ask().row


def test_before_any_answer_people_differ_as_expected():
    session = ObserverSession(MODELS[0], spread=0.4)
    np.testing.assert_allclose(session.deviation, 0.4 * np.sqrt(2 / 3))
    np.testing.assert_allclose(np.linalg.inv(session._prior).mean(), 0.4**2)  # of the mean


def test_of_one_dimension_it_is_how_clearly_somebody_answers():
    model = rs.STE(1).set_positions(X[:, :1])
    clear, unclear = (
        answered(ObserverSession(model), rs.SpaceObserver(X[:, :1] * s, random_state=0), 150)
        for s in (2.0, 0.5)
    )
    assert clear.log_weights[0] > 0.3 > -0.3 > unclear.log_weights[0]
    assert clear.weights == [1]


def test_the_weights_of_many_are_learned_together():
    """As a crowd these people contradict themselves; of each nearly all is known.

    Of the variance between people .96 to 1 in eight such studies.
    """
    model = rs.STE(3).set_positions(2 * X)
    log_weights = 0.8 * np.random.default_rng(1).normal(size=(8, 3))
    log_weights -= log_weights.mean(axis=1, keepdims=True)
    sessions = [
        answered(ObserverSession(model, str(k), random_state=k), observer(model, v, k), 40)
        for k, v in enumerate(log_weights)
    ]
    index = np.concatenate([one.judgments().index for one in sessions])
    names = [name for one in sessions for name in one.judgments().observer]
    learned = rs.fit_observers(model, rs.Triplets(index, len(X), observer=names))
    found = np.log(learned.table.filter(regex=r"^weight_\d$").to_numpy())
    apart = [(logs - logs.mean(axis=0)).ravel() for logs in (found, log_weights)]
    assert np.corrcoef(*apart)[0, 1] ** 2 > 0.9


def test_such_answers_say_that_they_are_not_of_random_questions():
    own, random = (
        answered(ObserverSession(MODELS[1], "ann", adaptive=adaptive), observer(MODELS[1]), 20)
        for adaptive in (True, False)
    )
    assert not own.judgments().at_random.any()
    assert random.judgments().at_random.all()
    joined = rs.join_judgments([random.judgments(), own.judgments()])
    people = {"left": "left", "right": "right"}
    two = joined._with(observer=np.repeat(list(people), 20))
    for together in (  # where people who differ look like guessers
        lambda: rs.score_participants(joined, model=MODELS[1]),
        lambda: rs.IndividualSpaces(MODELS[1], keep_space=True).fit(two),
        lambda: rs.compare_groups(two, people),
    ):
        with pytest.raises(JudgmentError, match="rows 20, 21"):
            together()
    assert len(rs.score_participants(joined)) == 1
    rs.score_participants(random.judgments(), model=MODELS[1])


def test_what_cannot_be_asked_is_refused():
    with pytest.raises(SettingError):
        ObserverSession(rs.SOE(3).set_positions(X))
    with pytest.raises(SettingError):
        ObserverSession(MODELS[0], n_options=20)
    with pytest.raises(SettingError):
        ObserverSession(MODELS[0], spread=0.0)
    with pytest.raises(SettingError, match="random_state"):
        ObserverSession(MODELS[0], random_state=1.7)
    with pytest.raises(SettingError):
        ObserverSession(MODELS[0], noise=0.1)
    session = ObserverSession(MODELS[0])
    with pytest.raises(JudgmentError):
        session.judgments()
    question = session.ask()
    with pytest.raises(UnknownQuestionError):
        session.tell(question, 99)
    session.tell(question, question.options[0])
    with pytest.raises(UnknownQuestionError):
        session.tell(question, question.options[0])


def test_a_dimension_without_extent_has_no_weight():
    model = rs.STE(2, random_state=0).fit([[0, 1, 2], [1, 0, 2], [2, 1, 0]])
    model.embedding_ = model.embedding_ * [1.0, 0.0]
    with pytest.raises(SettingError) as problem:
        rs.ObserverSession(model)
    assert problem.value.setting == "model"
