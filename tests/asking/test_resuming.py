"""Sessions that go on from a log, questions asked elsewhere, and answers left out."""

import json

import numpy as np
import pytest

from asking.replaying import replay
from resemblance.asking import Session
from resemblance.errors import UnknownQuestionError

SPACE = 2 * np.random.default_rng(0).normal(size=(12, 2))
SETTINGS = {"start_per_head": 3, "random_state": 7}
OFFER = np.array(
    [[h, (h + a) % 12, (h + b) % 12] for h in range(12) for a in (1, 2) for b in (5, 9)]
)


def play(session, n, out=0):
    """Answer n questions, so many out at a time."""
    waiting = list(session.pending.values())
    for _ in range(n):
        while len(waiting) <= out:
            waiting.append(session.ask())
        question = waiting.pop(0)
        near = [((SPACE[question.head] - SPACE[o]) ** 2).sum() for o in question.options]
        odd = question.number % 5 == 0  # some answers are wrong
        chosen = question.options[int(np.argsort(near)[int(odd)])]
        session.tell(question, chosen, observer=f"p{question.number % 3}")
    return session


def through_json(log):
    return json.loads(json.dumps(log))


@pytest.mark.parametrize(
    ("answers", "settings"), [(20, {}), (200, {}), (111, {"offer": np.repeat(OFFER, 6, axis=0)})]
)
def test_a_resumed_session_asks_what_the_interrupted_one_would_have(answers, settings):
    settings = {**SETTINGS, **settings}
    session = play(Session(12, **settings), answers, out=6)
    again = Session.resume(through_json(session.log), 12, **settings)
    assert again.log == session.log
    assert again.pending == session.pending
    assert again.current_shares() == session.current_shares()
    assert play(again, 40, out=6).log == play(session, 40, out=6).log


def test_so_it_does_where_the_first_fit_is_late():
    """Of 60 questions 36 are the start; the others are at random, some of them held out."""
    settings = {**SETTINGS, "auto_refit": False}
    session = play(Session(12, **settings), 60)
    again = Session.resume(through_json(session.log), 12, **settings)
    assert play(again, 40).log == play(session, 40).log


def test_the_log_keeps_what_a_resumed_session_needs_and_no_more():
    log = play(Session(12, **SETTINGS), 200).log
    fits = [line for line in log if line["event"] == "fit"]
    assert len(fits) > 8
    assert ["positions" in line for line in fits] == [False] * (len(fits) - 1) + [True]
    assert ["held_out_loss" in line for line in fits[-7:]] == [False] + [True] * 6


def test_a_question_asked_elsewhere_can_be_told_and_is_replayed():
    session = play(Session(12, **SETTINGS), 40)
    noted = session.note(3, (5, 1), strategy="fallback")
    session.tell(noted, 1, "p9")
    assert session.judgments().index[-1].tolist() == [3, 1, 5]
    for again in (replay, Session.resume):
        assert again(session.log, 12, **SETTINGS).log == session.log


def test_noted_questions_count_among_those_of_the_start():
    session = Session(12, held_out=0.0, **SETTINGS)
    for head in range(12):
        session.note(head, ((head + 1) % 12, (head + 2) % 12))
    asked = [session.ask().strategy for _ in range(25)]
    assert asked == 24 * ["start"] + ["random"]


@pytest.mark.parametrize("row", [(0, 1), (0, 1, 1), (0, 1, 12), (-1, 1, 2), (0, 1, 2, 3)])
def test_what_is_no_question_cannot_be_noted(row):
    with pytest.raises(UnknownQuestionError, match=r"give a head and 2 options.* 0 to 11"):
        Session(12, **SETTINGS).note(row[0], row[1:])


def test_a_withdrawn_question_is_not_out_and_may_be_asked_again():
    session = Session(12, offer=OFFER, **SETTINGS)
    out = [session.ask() for _ in range(len(OFFER))]
    taken_back = [question for question in out if question.number % 2]
    for question in taken_back:
        session.withdraw(question)
    assert len(session.pending) == len(out) - len(taken_back)
    with pytest.raises(UnknownQuestionError, match=r"question 1 was withdrawn: call note"):
        session.tell(1, None)
    key = lambda question: (question.head, *sorted(question.options))  # noqa: E731
    again = Session.resume(through_json(session.log), 12, offer=OFFER, **SETTINGS)
    for resumed in (session, again):
        asked = [resumed.ask() for _ in taken_back]
        assert {key(question) for question in asked} == {key(question) for question in taken_back}
    assert again.log == session.log
    with pytest.raises(UnknownQuestionError, match="no question of the offer is left"):
        session.ask()


def test_answers_left_out_are_in_no_fit_and_can_come_back():
    session = play(Session(12, auto_refit=False, **SETTINGS), 90)
    fitted = session.judgments()
    session.exclude_observers({"p0"})
    assert set(session.judgments().observer) == {"p1", "p2"}
    assert len(session.judgments("all")) == 90
    without = session.fit_job()
    assert set(without.judgments.observer) == {"p1", "p2"}
    assert Session.resume(session.log, 12, auto_refit=False, **SETTINGS).left_out == {"p0"}
    session.exclude_observers(())
    np.testing.assert_array_equal(session.judgments().index, fitted.index)


def test_without_positions_one_fit_is_made_and_the_session_goes_on():
    session = play(Session(12, **SETTINGS), 100, out=4)
    log = through_json(session.log)
    for line in log:
        line.pop("positions", None)
    again = Session.resume(log, 12, **SETTINGS)
    assert again.n_fits == session.n_fits
    test = session.judgments("all")
    assert again.model_.score(test) == pytest.approx(session.model_.score(test), abs=0.03)
    assert play(again, 30).n_fits > session.n_fits
