import numpy as np
import pytest

import resemblance as rs
from resemblance.errors import JudgmentError, ResemblanceWarning, SettingError

POINTS = np.random.default_rng(3).normal(size=(10, 2)) * 1.5
MODEL = rs.STE(2).set_positions(POINTS)


def random_index(m, seed=0):
    rng = np.random.default_rng(seed)
    return rng.permuted(np.tile(np.arange(10), (m, 1)), axis=1)[:, :3]


def everybody(n_questions, people=25):
    """Let all of a crowd answer the same questions."""
    crowd = rs.Crowd.like(POINTS, people, cheaters=0.0, random_state=0)
    index = np.tile(random_index(n_questions), (people, 1))
    who = np.repeat(crowd.names, n_questions)
    return crowd.answer(rs.Triplets(index, 10, observer=who))


def true_share(gold):
    head, near, far = (POINTS[column] for column in gold.index.T)
    return (((head - near) ** 2).sum(axis=1) < ((head - far) ** 2).sum(axis=1)).mean()


def test_gold_is_where_people_agree_and_right():
    answers = everybody(60)
    gold = rs.gold_questions(answers, 12)
    assert len(gold) == 12
    assert (gold.extra["source"] == "answers").all()
    assert (gold.extra["agreement"] >= 0.9).all()
    assert (gold.extra["answers"] == 25).all()
    assert true_share(gold) == 1.0
    for row in gold.index:
        given = answers.index[(answers.index[:, 0] == row[0])]
        agree = (given == row).all(axis=1).sum()
        assert agree / (agree + (given == row[[0, 2, 1]]).all(axis=1).sum()) > 0.9


def test_gold_is_spread_over_heads():
    """No head comes twice while there is one that has not come."""
    answers = everybody(60)
    with pytest.warns(ResemblanceWarning, match="gold, not 60"):
        there = set(rs.gold_questions(answers, 60).index[:, 0].tolist())
    heads = rs.gold_questions(answers, 8).index[:, 0]
    assert len(set(heads)) == min(8, len(there))


def test_luck_among_toss_ups_is_not_gold():
    # of 400 toss-ups answered five times each, some 25 have five equal answers
    index = np.repeat(random_index(400), 5, axis=0)
    answers = rs.observers.InattentiveObserver(0).answer(index)
    with pytest.raises(JudgmentError, match="no question certainly has 5 answers"):
        rs.gold_questions(answers, 5)


def test_a_person_counts_once():
    answers = rs.Triplets([[0, 1, 2]] * 20, observer=["ann"] * 20)
    with pytest.raises(JudgmentError, match="no question"):
        rs.gold_questions(answers, 1)


def test_the_model_adds_what_is_lacking():
    """There are 47 (deviation 5, in 160 worlds 26 at least), of 20 questions answered 13."""
    answers = everybody(20)
    with pytest.warns(ResemblanceWarning, match="gold, not 22"):
        alone = rs.gold_questions(answers, 22)
    gold = rs.gold_questions(answers, 22, model=MODEL)
    assert len(gold) == 22
    np.testing.assert_array_equal(gold.index[: len(alone)], alone.index)
    added = gold[len(alone) :]
    assert (added.extra["source"] == "model").all()
    assert true_share(added) == 1.0
    np.testing.assert_allclose(added.extra["agreement"], MODEL.predict_proba(added)[:, 0])
    asked = {(h, *sorted(rest)) for h, *rest in answers.index.tolist()}
    assert not asked & {(h, *sorted(rest)) for h, *rest in added.index.tolist()}
    assert len({tuple(row) for row in gold.index.tolist()}) == 22


def test_items_that_no_answer_mentions_are_no_gold():
    answers = rs.Triplets(random_index(200) % 10, 11)
    answers = rs.SpaceObserver(np.vstack([POINTS, [[0, 0]]]), random_state=0).answer(answers)
    with pytest.warns(rs.errors.UnmentionedWarning):
        model = rs.STE(2, random_state=0).fit(answers)
    gold = rs.gold_questions(answers, 10, model=model)
    assert 10 not in gold.index


def test_bad_input():
    answers = everybody(5)
    for setting in ({"n": 0}, {"least_answers": 0}, {"least_agreement": 0.5}):
        with pytest.raises(SettingError, match=next(iter(setting))):
            rs.gold_questions(answers, **setting)
    with pytest.raises(JudgmentError, match="not Quadruplets"):
        rs.gold_questions([[0, 1, 2, 3]])
    other = rs.STE(1).set_positions(np.arange(4.0)[:, None])
    with pytest.raises(JudgmentError, match="4 items and the judgments 10"):
        rs.gold_questions(answers, 30, model=other)


def test_answers_of_no_weight_are_none():
    told = rs.Triplets([[0, 1, 2]] * 20 + [[0, 2, 1]] * 20, weight=[1] * 20 + [0] * 20)
    assert rs.gold_questions(told, 1).extra["answers"].tolist() == [20]
