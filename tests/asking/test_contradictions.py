"""Questions whose answers contradict others."""

import numpy as np
import pytest

from resemblance.asking import ContradictingAnswers, Session
from resemblance.asking.question import MostSimilar
from resemblance.asking.strategies import Belief, RandomQuestions
from resemblance.errors import SettingError

# 0 is judged nearer to 1 than to 2 and the reverse; 3-4 < 3-5 < 4-5 < 3-4 is a cycle
ANSWERED = np.array(
    [[0, 1, 2], [0, 2, 1], [3, 4, 5], [3, 4, 5], [5, 3, 4], [5, 3, 4], [4, 5, 3], [6, 0, 1]],
    np.int32,
)


def proposed(**settings):
    belief = Belief(np.zeros((7, 2)), answered=ANSWERED, **settings)
    return ContradictingAnswers().propose(belief, 9, np.random.default_rng(0)).tolist()


def test_opposite_answers_come_first_then_the_lightest_of_a_cycle():
    assert proposed() == [[0, 1, 2], [4, 5, 3]]


def test_a_question_that_is_out_or_not_offered_is_not_asked():
    assert proposed(pending=np.array([[0, 2, 1]], np.int32)) == [[4, 5, 3]]
    twice = np.array([[0, 1, 2], [0, 1, 2], [4, 3, 5], [4, 3, 5]], np.int32)
    assert proposed(offer=twice) == [[4, 5, 3]]


def test_one_of_several_options_is_asked_again_whole():
    answered = np.array([[0, 1, 2, 3], [0, 3, 4, 1]], np.int32)
    belief = Belief(np.zeros((5, 2)), answered=answered, asks=MostSimilar(3))
    rows = ContradictingAnswers().propose(belief, 9, np.random.default_rng(0))
    assert sorted(rows[0].tolist()) in ([0, 1, 2, 3], [0, 1, 3, 4])
    assert len(rows) == 1


def test_nothing_is_asked_again_without_answers_or_contradictions():
    for answered in (ANSWERED[:0], ANSWERED[:1]):
        belief = Belief(np.zeros((7, 2)), answered=answered)
        assert len(ContradictingAnswers().propose(belief, 9, np.random.default_rng(0))) == 0


def test_a_session_asks_a_share_again():
    strategies = {"contradictions": ContradictingAnswers(), "random": RandomQuestions()}
    shares = {"contradictions": 0.3, "random": 0.7}
    session = Session(12, strategies=strategies, shares=shares, refit_every=40, random_state=0)
    rng, answered = np.random.default_rng(0), set()
    again = 0
    for _ in range(400):
        question = session.ask()
        key = question.head, frozenset(question.options)
        if question.strategy == "contradictions":
            again += key in answered
        answered.add(key)
        session.tell(question, int(rng.choice(question.options)))
    assert 40 < again < 140  # a random question is asked where no answers contradict each other


def test_questions_without_a_head_are_refused():
    with pytest.raises(SettingError, match="ContradictingAnswers"):
        Session(9, strategies={"again": ContradictingAnswers()}, odd_one_out=True, n_options=3)
