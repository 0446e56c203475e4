"""The error on random questions: of studies that choose their questions, these alone are scored."""

import json

import numpy as np
import pytest

import resemblance as rs
from resemblance.fitting.held_out import ASKED, LEAST_RANDOM, RANDOM_QUESTIONS, ceiling_of


@pytest.fixture(scope="module")
def session():
    """A study of 16 items, whose questions were chosen after a random start."""
    rng = np.random.default_rng(0)
    person = rs.SpaceObserver(1.5 * rng.normal(size=(16, 2)), random_state=0)
    session = rs.Session(16, start_per_head=5, held_out=0.1, random_state=0)
    while len(session.answers) < 300:
        question = session.ask()
        who = f"p{len(session.answers) % 9}"
        session.tell(question, question.answered_by(person), observer=who)
    return session


def test_a_sessions_answers_say_which_questions_were_random(session):
    told = session.judgments("all")
    random = session.judgments("random")
    assert told.at_random.sum() == len(random)
    np.testing.assert_array_equal(told[told.at_random].index, random.index)
    assert random.at_random.all()


@pytest.mark.parametrize(
    ("column", "known"),
    [
        (["start", "predictive"], [True, False]),
        (["held out", "my own"], [True, False]),
        (["random", "predictive"], [True, False]),
        (["random", "careful"], None),  # somebody else's column
        (["start", "middle"], None),
        (["start", "random"], [True, True]),
        ([1.5, 2.5], None),
        (None, None),
    ],
)
def test_which_columns_are_taken_at_their_word(column, known):
    extra = None if column is None else {"strategy": column}
    told = rs.Triplets([[0, 1, 2], [1, 2, 0]], extra=extra).at_random
    assert (told if told is None else told.tolist()) == known


def test_folds_hold_out_random_questions_alone_and_fit_the_others(session, monkeypatch):
    told = session.judgments("all")
    fitted = []
    fit = rs.TSTE.fit
    monkeypatch.setattr(rs.TSTE, "fit", lambda model, X: fitted.append(X) or fit(model, X))
    monkeypatch.setattr(
        "resemblance.analysis.workflow.guessing", lambda *_: None
    )  # which fits, too
    model = rs.TSTE(2, alpha=1.0, random_state=0)
    found = rs.evaluate(model, told, cv=5)
    held, chosen = found.held_out, int((~told.at_random).sum())
    assert (held.of, held.n_answers) == (RANDOM_QUESTIONS, told.at_random.sum())
    whole, *folds = fitted
    assert len(whole) == len(told)
    for fold in folds:
        assert 0.7 * chosen < (~fold.at_random).sum() <= chosen  # less those that repeat the tested
        assert fold.at_random.sum() < told.at_random.sum()
    assert any(name == "error on random questions" for name, _ in found.lines())


def test_people_held_out_whole_leave_with_their_chosen_questions_too(session, monkeypatch):
    told = session.judgments("all")
    seen = []
    fit = rs.STE.fit
    monkeypatch.setattr(rs.STE, "fit", lambda model, X: seen.append(X) or fit(model, X))
    held = rs.evaluate(rs.STE(2, random_state=0), told, cv=3, by="observer").held_out
    assert held.by == "observer"
    people = [set(fold.observer) for fold in seen[1:]]
    assert all(len(some) == 6 for some in people)


def test_too_few_random_questions_leave_those_asked(session):
    told = session.judgments("all")
    rows = np.flatnonzero(~told.at_random)
    few = np.append(rows, np.flatnonzero(told.at_random)[: LEAST_RANDOM - 1])
    held = rs.evaluate(rs.STE(2, random_state=0), told[np.sort(few)], cv=3).held_out
    assert (held.of, held.n_answers) == (ASKED, len(few))


def test_the_ceiling_is_of_random_questions_too(session):
    told = session.judgments("all")
    assert ceiling_of(told) == rs.noise_ceiling(session.judgments("random"))


def test_new_answers_are_scored_on_random_questions(session):
    told = session.judgments("all")
    model = rs.STE(2, random_state=0).fit(session.judgments("fitted"))
    held = rs.evaluate(model, told).held_out
    assert held.error == pytest.approx(1 - model.score(told[told.at_random]))


def test_a_log_keeps_the_penalty(session):
    """Between fresh fits the penalty is the one chosen last, also after a restart."""
    log = json.loads(json.dumps(session.log))
    settings = {"start_per_head": 5, "held_out": 0.1, "random_state": 0}
    again = rs.Session.resume(log, 16, **settings)
    assert repr(again.settings) == repr(session.settings)  # a form is told by its settings
    penalties = [line["penalty"] for line in log if line["event"] == "fit"]
    assert 1 < len(set(penalties)) < len(penalties)
    again.refit()
    session_again = rs.Session.resume(log, 16, **settings)
    session_again.refit()
    np.testing.assert_array_equal(again.model_.embedding_, session_again.model_.embedding_)
