"""Items that come to a session later."""

import json

import numpy as np
import pytest

from asking.replaying import replay
from resemblance import Items
from resemblance.asking import RandomQuestions, Session, embed_item
from resemblance.embeddings import SOE, TSTE
from resemblance.errors import JudgmentError, SettingError

SPACE = 2 * np.random.default_rng(0).normal(size=(14, 2))
NAMES = [f"dot {n}" for n in range(14)]
# How the penalty is chosen and kept is read in test_model_choice.py.
SETTINGS = {"start_per_head": 4, "random_state": 7, "model": TSTE(2, penalty=0.1)}


def play(session, n, out=0):
    """Answer n questions, so many out at a time; give those answered."""
    asked = []
    for _ in range(n):
        while len(session.pending) <= out:
            session.ask()
        question = next(iter(session.pending.values()))
        asked.append(question)
        near = [((SPACE[question.head] - SPACE[o]) ** 2).sum() for o in question.options]
        odd = question.number % 6 == 0  # some answers are wrong
        session.tell(question, question.options[int(np.argsort(near)[int(odd)])])
    return asked


def grown(answers=150, **settings):
    session = Session(NAMES[:12], **{**SETTINGS, **settings})
    play(session, answers)
    session.add_items(NAMES[12:])
    return session


def test_new_items_are_asked_about_first_each_its_share_and_then_join():
    session = grown()
    asked = play(session, 24)
    assert sorted(question.head for question in asked) == [12] * 12 + [13] * 12
    assert {question.strategy for question in asked} == {"new item"}
    assert all(max(question.options) < 12 for question in asked)
    assert len({question.key for question in asked}) == 24
    assert not session.newcomers
    assert not session.is_placing
    later = play(session, 60)
    assert "new item" not in {question.strategy for question in later}
    assert {12, 13} & {item for question in later for item in (question.head, *question.options)}


def test_only_a_few_questions_about_an_item_are_out_at_a_time_and_others_go_on():
    session = grown()
    asked = [session.ask() for _ in range(20)]
    about = [question.head for question in asked if question.strategy == "new item"]
    assert about == [12, 13] * 3
    others = [question for question in asked if question.strategy != "new item"]
    assert all(max(question.head, *question.options) < 12 for question in others)
    shown = [option for question in asked[:6:2] for option in question.options]
    assert len(shown) == len(set(shown))


def test_new_items_lie_near_their_true_neighbours():
    """Their distances from the others are like the true ones, in four trials."""
    alike, settings = [], {"strategies": RandomQuestions(), "refit_every": 150, "per_new_item": 40}
    for seed in range(2):
        session = grown(200, **settings, random_state=seed)
        play(session, 80)
        X = session.model_.embedding_
        for new in (12, 13):
            true = np.linalg.norm(SPACE[:12] - SPACE[new], axis=1)
            found = np.linalg.norm(X[:12] - X[new], axis=1)
            alike.append(np.corrcoef(true, found)[0, 1])
    assert np.mean(alike) > 0.6  # .82 ± .05 in ten worlds; placed anywhere: .27 ± .11


def test_a_fit_begins_with_new_items_where_their_answers_put_them():
    session = grown()
    play(session, 20)  # of 24
    X = session.model_.embedding_
    known = TSTE(2).set_positions(X[:12])
    start = session.fit_job().positions
    np.testing.assert_array_equal(start[:12], X[:12])
    for new in (12, 13):
        told = [one for one in session.answers.values() if one.question.head == new]
        rows = [sorted(one.question.options, key=lambda o: o != one.chosen) for one in told]
        assert len(rows) == 10
        placed = embed_item(known, rows, noise=session.noise)
        np.testing.assert_allclose(start[new], placed.position)


@pytest.mark.parametrize(("when", "settings"), [(10, {"refit_every": 7}), (70, {"n_options": 3})])
def test_a_log_in_which_items_came_later_gives_the_same_session(when, settings):
    session = Session(NAMES[:12], **{**SETTINGS, **settings})
    play(session, when, out=4)
    session.add_items(NAMES[12:13])
    play(session, 9, out=4)
    session.add_items(NAMES[13:])
    for further in (8, 40):
        play(session, further, out=4)
        log = json.loads(json.dumps(session.log))
        for again in (replay, Session.resume):
            same = again(log, NAMES[:12], **{**SETTINGS, **settings})
            assert same.log == session.log
            assert same.newcomers == session.newcomers
            assert same.items.names == tuple(NAMES)
            before = [same.ask().as_dict() for _ in range(15)]
            if again is Session.resume:
                assert before == [session.ask().as_dict() for _ in range(15)]


def test_a_fit_begun_before_items_came_is_adopted_and_replayed():
    session = Session(NAMES[:12], auto_refit=False, **SETTINGS)
    play(session, 60)
    session.refit()
    play(session, 20)
    job = session.fit_job()
    play(session, 5)
    session.add_items(NAMES[12:])
    play(session, 6)
    session.adopt(job.run())
    assert session.model_.embedding_.shape == (14, 2)
    play(session, 10)
    again = replay(session.log, NAMES[:12], auto_refit=False, **SETTINGS)
    assert again.log == session.log


def test_skips_and_answers_left_out_are_no_share_but_nobody_is_asked_for_ever():
    session = grown(per_new_item=3)
    for _ in range(12):
        assert session.newcomers
        question = session.ask()
        assert question.strategy == "new item"
        session.tell(question, None)
    assert not session.newcomers
    session = grown(per_new_item=3, auto_refit=False)
    session.refit()
    for _ in range(6):
        question = session.ask()
        session.tell(question, question.options[0], "bot")
    assert session.newcomers.ready(session.left_out)
    assert session.is_due
    session.exclude_observers(["bot"])
    assert session.ask().strategy == "new item"


def test_before_the_first_fit_the_start_is_about_the_first_items():
    session = Session(NAMES[:12], **SETTINGS)
    play(session, 5)
    session.add_items(NAMES[12:])
    asked = play(session, 43)
    assert max(max(question.head, *question.options) for question in asked) == 11
    assert session.n_fits == 1
    assert play(session, 1)[0].strategy == "new item"


def test_a_model_without_a_likelihood_asks_at_random():
    session = Session(NAMES[:12], RandomQuestions(), guard=False, **SETTINGS | {"model": SOE(2)})
    play(session, 80)
    session.add_items(NAMES[12:])
    asked = play(session, 24)
    assert sorted(question.head for question in asked) == [12] * 12 + [13] * 12


def test_what_cannot_be_added_is_refused():
    session = grown()
    with pytest.raises(JudgmentError, match="dot 3"):
        session.add_items(["dot 3"])
    assert len(session.items) == 14
    with pytest.raises(SettingError, match="features"):
        Session(Items(5, features=np.eye(5))).add_items(["x"])
    with pytest.raises(SettingError, match="offer"):
        Session(5, offer=np.array([[0, 1, 2]])).add_items(["x"])
    with pytest.raises(SettingError, match="per_new_item"):
        Session(5, per_new_item=0)
