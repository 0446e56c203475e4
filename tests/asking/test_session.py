import json

import numpy as np
import pytest

import resemblance as rs
from asking.replaying import replay
from resemblance.asking import Session
from resemblance.asking.settings import checked_picks
from resemblance.errors import JudgmentError, SettingError, UnknownQuestionError

SPACE = 2 * np.random.default_rng(0).normal(size=(12, 2))
EARLIER = rs.STE(2).set_positions(SPACE)
# How the penalty is chosen and kept is read in test_model_choice.py.
SETTINGS = {
    "start_per_head": 3,
    "random_state": 7,
    "model": rs.TSTE(2, penalty=0.1),
    "held_out": 0.2,
}


def play(session, n, seed=0):
    person = rs.SpaceObserver(SPACE, rs.choice.StudentT(1.0), random_state=seed)
    for _ in range(n):
        question = session.ask()
        p = [-((SPACE[question.head] - SPACE[o]) ** 2).sum() for o in question.options]
        picked = (
            person.pick([[question.head, *question.options]])[0]
            if len(p) == 2
            else int(np.argmax(p))
        )
        session.tell(question, question.options[picked], observer=f"p{question.number % 3}")
    return session


@pytest.fixture(scope="module")
def played():
    return play(Session(12, **SETTINGS), 120)


def test_every_head_starts_with_its_random_questions(played):
    start = [question for question in played.questions if question.strategy == "start"]
    assert np.bincount([question.head for question in start]).tolist() == [3] * 12
    assert [question.number for question in start] == list(range(36))


def test_questions_then_come_by_strategy_and_some_are_held_out(played):
    later = {question.strategy for question in played.questions[36:]}
    assert later == {"adaptive", "held out"}
    held_out = played.judgments("held out")
    assert 0 < len(held_out) < 45  # of 84; 17 are expected
    assert len(played.judgments()) + len(held_out) == len(played.judgments("all")) == 120
    assert played.model_.embedding_.shape == (12, 2)
    assert set(played.judgments().observer) == {"p0", "p1", "p2"}


def test_a_log_gives_the_same_session_again(played):
    again = replay(played.log, 12, **SETTINGS)
    assert again.log == played.log
    np.testing.assert_array_equal(again.model_.embedding_, played.model_.embedding_)
    both = play(again, 30, 5), play(replay(played.log, 12, **SETTINGS), 30, 5)
    assert both[0].log == both[1].log


def test_a_log_about_other_items_is_refused(played):
    with pytest.raises(UnknownQuestionError, match="other items"):
        Session.resume(played.log, [*"abcdefghijkl"], **SETTINGS)


def test_many_questions_may_be_out_and_none_twice():
    session = play(Session(12, **SETTINGS), 40)
    out = [session.ask() for _ in range(60)]
    assert len({(q.head, frozenset(q.options)) for q in out}) == 60
    for question in reversed(out):
        session.tell(question, None)
    assert not session.pending
    assert len(session.judgments("all")) == 40


def ranked(settings, n):
    """Let somebody who sees the space rank options, or pick the nearest of them."""
    session, person = Session(12, **settings), rs.SpaceObserver(SPACE, random_state=0)
    for _ in range(n):
        question = session.ask()
        session.tell(question, question.answered_by(person, settings["picks"]), observer="p")
    return session


@pytest.mark.parametrize(("picks", "ordered", "widths"), [(3, True, [4, 3, 2]), (2, False, [3, 3])])
def test_several_picked_are_choices_of_one_answer(picks, ordered, widths):
    model = rs.STE(2, penalty=0.1)
    settings = {**SETTINGS, "model": model, "n_options": 4, "picks": picks, "ordered": ordered}
    session = ranked(settings, 90)
    told = session.judgments("all")
    assert told.n_options[: len(widths)].tolist() == widths
    assert np.bincount(told.response_id).tolist() == [len(widths)] * 90
    assert len(session.answers) == 90
    truth = rs.SpaceObserver(SPACE).answer(rs.judgments.triplets_from_choices(told)).index
    assert session.model_.score(truth) > 0.85
    log = json.loads(json.dumps(session.log))
    again = Session.resume(log, 12, **settings)
    assert [again.ask() for _ in range(5)] == [session.ask() for _ in range(5)]


@pytest.mark.parametrize("picked", [[0, 1], [0, 1, 1], [0, 1, 99], 0, [0, 1, 2, 3]])
def test_what_picks_other_than_asked_is_refused(picked):
    session = Session(12, n_options=4, picks=3)
    question = session.note(5, [0, 1, 2, 3])
    with pytest.raises(UnknownQuestionError):
        session.tell(question, picked)


@pytest.mark.parametrize("picks", [0, 4, 1.5])
def test_a_person_leaves_an_option(picks):
    person = rs.SpaceObserver(SPACE, random_state=0)
    with pytest.raises(SettingError, match="picks"):
        Session(12, n_options=4).note(5, [0, 1, 2, 3]).answered_by(person, picks)


def test_shares_are_kept():
    strategies = {"random": rs.RandomQuestions(), "unsure": rs.UncertainQuestions()}
    session = play(Session(12, strategies, {"random": 0.25, "unsure": 0.75}, **SETTINGS), 200)
    asked = [q.strategy for q in session.questions[36:] if not q.held_out]
    assert asked.count("unsure") / len(asked) == pytest.approx(0.75, abs=0.12)


def test_a_fit_may_run_elsewhere_while_questions_go_out():
    session = play(Session(12, auto_refit=False, **SETTINGS), 36)
    assert session.is_due
    job = session.fit_job()
    play(session, 5)
    session.adopt(job.run())
    assert session.n_fits == 1
    assert session.model_.embedding_.shape == (12, 2)
    assert not session.is_due
    play(session, 20)
    again = replay(session.log, 12, auto_refit=False, **SETTINGS)
    assert again.log == session.log
    np.testing.assert_array_equal(again.model_.embedding_, session.model_.embedding_)


def test_only_what_is_on_offer_is_asked_as_often_as_offered():
    offer = np.array(
        [
            [h, (h + a) % 12, (h + b) % 12]
            for h in range(12)
            for a, b in [(1, 2), (3, 5), (4, 7), (2, 9)]
        ]
    )
    session = play(Session(12, offer=np.repeat(offer, 2, axis=0), **SETTINGS), 96)
    asked = {}
    for question in session.questions:
        key = (question.head, *sorted(question.options))
        asked[key] = asked.get(key, 0) + 1
    assert set(asked.values()) == {2}
    with pytest.raises(UnknownQuestionError, match="no question of the offer is left"):
        session.ask()


@pytest.mark.parametrize(
    ("number", "chosen", "message"),
    [
        (999, 0, "never asked"),
        (0, 0, "answered before"),
        (1, 99, "has the options"),
    ],
)
def test_answers_that_do_not_fit(number, chosen, message):
    session = Session(12, **SETTINGS)
    first = session.ask()
    session.ask()
    session.tell(first, first.options[0])
    with pytest.raises(UnknownQuestionError, match=message):
        session.tell(number, chosen)


@pytest.mark.parametrize(
    ("items", "settings", "message"),
    [
        (2, {}, "n_items is 2"),
        (12, {"start_per_head": -1}, "start_per_head"),
        (12, {"n_options": 12}, "n_options is 12"),
        (12, {"held_out": 1.0}, "held_out"),
        (12, {"shares": {"adaptive": 0.7}}, "sum to 0.7"),
        (12, {"shares": {"random": 1.0}}, "shares are given for"),
        (12, {"model": rs.GNMDS(2)}, "Hinge gives no probability of answers"),
        (12, {"strategies": {"start": rs.RandomQuestions()}}, "the session itself uses"),
        (12, {"trust": 0.5}, "without a prior"),
        (12, {"prior": EARLIER, "trust": 2.0}, "trust is 2.0"),
        (12, {"prior": EARLIER, "model": rs.STE(2)}, "'ste' takes its trust"),
        (12, {"offer": [0, 1, 2]}, r"\(3,\): give integers, a row \(a head and 2 options\)"),
        (12, {"offer": [[0, 1, 2, 3]]}, r"\(1, 4\): give"),
        (12, {"offer": [[0, 1, 2], [3, 4]]}, "differ in length: give"),
        (12, {"offer": [[0, 1, 2.5]]}, "array of float64"),
        (12, {"offer": [[0, 1, 2], [0, 1, 12]]}, r"row 1 of the offer is \[0, 1, 12\].*0 to 11"),
        (12, {"offer": [[0, 1, -1]]}, r"row 0 of the offer is \[0, 1, -1\]"),
        (12, {"offer": [[0, 1, 2], [3, 4, 5], [0, 1, 0]]}, "row 2 .*different items"),
        (12, {"offer": np.array([[0, 1, 2**32 + 2]])}, "row 0 of the offer"),
    ],
)
def test_bad_settings(items, settings, message):
    with pytest.raises(SettingError, match=message):
        Session(items, **settings)


def test_what_is_no_item_and_no_list_of_names_is_refused():
    session = Session(12, **SETTINGS)
    for head, options in [(0.7, [1, 2]), (0, [1.2, 2]), (0, ["1", "2"])]:
        with pytest.raises(UnknownQuestionError, match="not a question"):
            session.note(head, options)
    asked = Session(12, **SETTINGS).ask()
    for part in (asked.options[0] + 0.4, str(asked.options[0])):
        with pytest.raises(UnknownQuestionError, match="has the options"):
            checked_picks(part, asked, asked.type)
    with pytest.raises(SettingError, match="observers"):
        session.exclude_observers("ann")
    with pytest.raises(SettingError, match="names"):
        session.add_items("new")
    assert (len(session.questions), session.left_out, len(session.items)) == (0, frozenset(), 12)


def test_the_guard_gives_shares_to_random_while_fits_get_worse():
    from resemblance.asking.fit_job import WINDOW, FitResult, Guard

    guard = Guard()
    loss = np.random.default_rng(0).uniform(0.4, 0.6, 200)
    for step in range(WINDOW + 3):
        guard.see(FitResult(None, None, 100, loss + 0.1 * step))
    assert guard.trust == pytest.approx(0.25)
    for _ in range(2 * WINDOW + 3):
        guard.see(FitResult(None, None, 100, loss))
    assert guard.trust == 1.0
    session = Session(12, **SETTINGS)
    session.guard.trust = 0.25
    assert session.current_shares() == {"adaptive": 0.25, "random": 0.75}


def test_a_start_of_skips_alone_is_no_fit():
    session = Session(5, start_per_head=1, random_state=0)
    for _ in range(12):
        session.tell(session.ask(), None)
    assert session.n_fits == 0
    with pytest.raises(JudgmentError, match="no answer to fit"):
        session.refit()
    again = Session.resume(session.log, 5, start_per_head=1, random_state=0)
    assert len(again.answers) == 12


ODD = {"n_options": 3, "odd_one_out": True, **SETTINGS}


def play_odd(session, n, seed=0):
    """Answer as a person would who sees SPACE."""
    person = rs.SpaceObserver(SPACE, random_state=seed)
    for _ in range(n):
        question = session.ask()
        session.tell(question, question.answered_by(person), observer=f"p{question.number % 3}")
    return session


def test_odd_ones_out_are_asked_and_learned():
    session = play_odd(Session(12, **ODD), 250)
    answers = session.judgments("all")
    assert isinstance(answers, rs.OddOneOuts)
    assert len(answers) == 250
    assert {question.head for question in session.questions} == {None}
    assert {question.strategy for question in session.questions} > {"start", "adaptive"}
    asked = np.array([np.random.default_rng(i).permutation(12)[:3] for i in range(1000)])
    sure = rs.SpaceObserver(100 * SPACE, random_state=0).answer(asked)  # without noise
    assert rs.triplet_error(session.model_.embedding_, sure) < 0.18
    assert rs.stopping_advice(session, n_more=100).gain > 0


def test_odd_ones_out_replay_and_resume():
    session = play_odd(Session(12, **ODD), 90)
    for again in (replay(session.log, 12, **ODD), Session.resume(session.log, 12, **ODD)):
        assert again.questions == session.questions
        assert again.ask() == session.ask() if again.n_fits else True
        np.testing.assert_allclose(again.model_.embedding_, session.model_.embedding_)
        session = play_odd(Session(12, **ODD), 90)


def test_odd_ones_out_of_an_offer():
    rng = np.random.default_rng(0)
    offer = np.array([np.sort(rng.choice(12, 3, replace=False)) for _ in range(60)])
    session = play_odd(Session(12, offer=offer, **ODD), 60)
    asked = sorted(tuple(sorted(question.options)) for question in session.questions)
    assert asked == sorted(map(tuple, offer.tolist()))


def test_new_items_join_a_session_of_odd_ones_out():
    session = play_odd(Session([str(n) for n in range(10)], **ODD | {"per_new_item": 6}), 60)
    session.add_items(["10", "11"])
    asked = [play_odd(session, 1).questions[-1] for _ in range(12)]
    assert all({10, 11} & set(question.options) for question in asked)
    play_odd(session, 20)
    assert not session.newcomers
    assert len(session.model_.embedding_) == 12


def test_what_odd_ones_out_cannot_be():
    with pytest.raises(SettingError, match="n_options"):
        Session(12, n_options=2, odd_one_out=True)
    with pytest.raises(SettingError, match="InformationGain"):
        Session(12, rs.InformationGain(), n_options=3, odd_one_out=True)
    session = Session(12, **ODD)
    with pytest.raises(UnknownQuestionError, match="3 options"):
        session.note(0, [1, 2, 3])


def test_a_log_holds_plain_numbers_whatever_was_noted():
    session = Session(12, **SETTINGS)
    session.tell(session.note(np.int64(3), np.array([1, 2])), np.int64(2))
    assert json.loads(json.dumps(session.log)) == session.log


@pytest.mark.parametrize("odd", [False, True])
def test_simulated_people_answer_the_options_as_they_are_shown(odd):
    session = rs.Session(9, n_options=4, odd_one_out=odd, start_per_head=3, random_state=0)
    second = rs.observers.PositionBiasObserver(1, random_state=0)
    for _ in range(20):
        question = session.ask()
        assert question.answered_by(second) == question.options[1]


@pytest.mark.parametrize("chosen", [{1: 2}, {1}, [[1]], "1", 1.0, True, []])
def test_answers_that_are_no_option(chosen):
    session = rs.Session(5)
    asked = session.ask()
    with pytest.raises(UnknownQuestionError):
        session.tell(asked, chosen)


@pytest.mark.parametrize("question", [False, 0.0, "0", None])
def test_what_is_no_question(question):
    session = rs.Session(5)
    with pytest.raises(UnknownQuestionError):
        session.tell(question, session.ask().options[0])


@pytest.mark.parametrize("seed", [None, "a", -1, 1.5])
def test_a_seed_is_a_whole_number(seed):
    with pytest.raises(SettingError):
        rs.Session(5, random_state=seed)


def test_completion_offers_what_a_caller_uses():
    session = rs.Session(5)
    offered = [name for name in dir(session) if not name.startswith("_")]
    assert {"ask", "tell", "judgments", "model", "log", "resume"} <= {*offered}
    assert len(offered) <= 20
    assert all(hasattr(session, name) for name in offered if name != "model_")
