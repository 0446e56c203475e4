import numpy as np
import pandas as pd
import pytest

import resemblance as rs
from resemblance.errors import JudgmentError, SettingError
from resemblance.observers import InattentiveObserver, PositionBiasObserver

POINTS = 1.2 * np.random.default_rng(0).normal(size=(20, 2))
MODEL = rs.STE(2).set_positions(POINTS)


def random_index(m, seed=0, width=3):
    return np.random.default_rng(seed).permuted(np.tile(np.arange(20), (m, 1)), axis=1)[:, :width]


def study(seed, n_people=30, own=80):
    """Ask every person 20 gold questions and some of their own; give the answers and the crowd."""
    gold = rs.gold_questions(rs.Triplets(random_index(1), 20), 20, model=MODEL)
    crowd = rs.Crowd.like(POINTS, n_people, cheaters=0.2, random_state=seed)
    asked = [(gold.index, random_index(own, [seed, i])) for i in range(n_people)]
    index = np.vstack([part for person in asked for part in person])
    who = np.repeat(crowd.names, own + 20)
    return crowd.answer(rs.Triplets(index, 20, observer=who)), gold, crowd.table["kind"].to_numpy()


@pytest.fixture(scope="module")
def studies():
    return [study(seed) for seed in range(2)]


@pytest.mark.parametrize("evidence", ["gold", "model", "both"])
def test_cheaters_are_found_and_honest_people_kept(studies, evidence):
    """With the sides known, .93 of 30 cheaters are found in the mean of 7 sets, .77 at least.

    Of 120 others .2 are lost in 12 such sets of studies, two at most.
    """
    found, lost = [], []
    for answers, gold, kind in studies:
        settings = {"gold": gold, "model": MODEL}
        given = settings if evidence == "both" else {evidence: settings[evidence]}
        rejected = rs.score_participants(answers, **given)["rejected"].to_numpy()
        found += rejected[kind != "SpaceObserver"].tolist()
        lost += rejected[kind == "SpaceObserver"].tolist()
    assert len(found) == 12
    assert np.mean(found) >= 0.6
    assert len(lost) == 48
    assert sum(lost) <= 2


def test_sides_alone_find_those_who_stay_on_one(studies):
    """Of some 140 others .25 are rejected in 12 such sets of studies, two at most."""
    others = 0
    for answers, _, kind in studies:
        scores = rs.score_participants(answers)
        biased = kind == "PositionBiasObserver"
        assert scores["rejected"][biased].all()
        assert scores["flags"][biased].str.contains("answers on the first side").all()
        assert scores["gold_correct"].sum() == 0
        assert scores["log_loss"].isna().all()
        others += scores["rejected"][~biased].sum()
    assert others <= 5


def test_columns_count_what_they_say(studies):
    answers, gold, kind = studies[0]
    scores = rs.score_participants(answers, gold, MODEL).set_index("observer")
    failed_gold = scores["flags"].str.contains("gold: right in", regex=False)
    name = scores.index[scores["rejected"] & failed_gold][0]
    mine = answers[answers.observer == name]
    row = scores.loc[name]
    asked = {(h, *sorted(rest)) for h, *rest in gold.index.tolist()}
    right = {tuple(row) for row in gold.index.tolist()}
    assert row["answers"] == 100
    assert row["gold_answers"] == sum((h, *sorted(r)) in asked for h, *r in mine.index.tolist())
    assert row["gold_correct"] == sum(tuple(r) in right for r in mine.index.tolist())
    assert row["side_share"] == (mine.extra["side"] == 0).mean()
    assert "model: log loss" in row["flags"]
    assert (scores.loc[kind == "SpaceObserver", "z_chance"] < -3).all()
    assert (scores.loc[scores["rejected"], "z_crowd"] > 3).all()


def test_repeats_are_compared_with_the_answer_before():
    index = [[0, 1, 2], [3, 4, 5], [0, 2, 1], [0, 2, 1], [3, 4, 5], [0, 1, 2]]
    scores = rs.score_participants(rs.Triplets(index, 20, observer=[*"aaaaab"]))
    assert scores["repeat_answers"].tolist() == [3, 0]
    assert scores["repeat_agreement"][0] == pytest.approx(2 / 3)  # swapped, kept, kept
    assert np.isnan(scores["repeat_agreement"][1])


def test_guesses_at_repeats_show():
    crowd = rs.Crowd(
        [rs.SpaceObserver(3 * POINTS, random_state=0) for _ in range(9)] + [InattentiveObserver(0)],
        random_state=0,
    )
    index = np.vstack([random_index(300, i).repeat(2, axis=0) for i in range(10)])
    answers = crowd.answer(rs.Triplets(index, 20, observer=np.repeat(crowd.names, 600)))
    scores = rs.score_participants(answers)
    assert scores["rejected"].tolist() == [False] * 9 + [True]
    assert scores["flags"][9].startswith("repeats: the same answer in")


def test_no_number_of_answers_rejects_somebody_who_is_only_less_careful():
    points = 3 * POINTS
    people = [rs.SpaceObserver(points, random_state=i) for i in range(5)]
    people.append(rs.SpaceObserver(points, lapse=0.35, random_state=9))
    crowd = rs.Crowd(people, random_state=0)
    gold = rs.gold_questions(rs.Triplets(random_index(1), 20), 20, model=MODEL)
    asked = np.tile(gold.index, (6 * 100, 1))
    answers = crowd.answer(rs.Triplets(asked, 20, observer=np.repeat(crowd.names, 2000)))
    scores = rs.score_participants(answers, gold, MODEL)
    assert scores["gold_correct"][5] < 0.87 * 2000
    assert not scores["rejected"].any()


def test_honest_people_are_lost_no_more_often_than_the_level_says():
    """With the crowd's true answers, somebody is lost in few of 40 studies."""
    crowd = rs.Crowd([rs.SpaceObserver(POINTS, random_state=i) for i in range(4)], random_state=0)
    lost = 0
    for seed in range(40):
        asked = rs.Triplets(random_index(120, seed), 20, observer=np.repeat(crowd.names, 30))
        lost += rs.score_participants(crowd.answer(asked), model=MODEL)["rejected"].any()
    assert lost <= 40 * 0.05 + 3 * np.sqrt(40 * 0.05 * 0.95)


def test_catch_trials_count():
    rows = [[0, 1, 2]] * 2 + [[3, 3, 4]] * 30 + [[3, 3, 4], [3, 4, 3]] * 15
    answers = rs.Triplets.split_catches(rows, 20, observer=["a", "b", *"a" * 30, *"b" * 30])
    scores = rs.score_participants(answers)
    assert scores["catch_answers"].tolist() == [30, 30]
    assert scores["catch_passed"].tolist() == [30, 15]
    assert "catch trials: passed in 15 of 30" in scores["flags"][1]
    assert scores["rejected"].tolist() == [False, True]
    cut = rs.score_participants(answers[:], catches=answers.catches)
    pd.testing.assert_frame_equal(cut, scores)


def test_one_of_many_is_scored_against_one_in_many():
    crowd = rs.Crowd(
        [rs.SpaceObserver(2 * POINTS, random_state=0), PositionBiasObserver(1)], "ab", 0
    )
    index = random_index(160, width=6)
    asked = rs.Choices(index[:, 0], index[:, 1:], index[:, 1], 20, observer=[*"ab"] * 80)
    scores = rs.score_participants(crowd.answer(asked), model=MODEL)
    assert scores["rejected"].tolist() == [False, True]
    assert scores["side_share"][0] == pytest.approx(0.2, abs=0.15)
    assert scores["side_share"][1] == 0.0


def test_rejected_answers_reach_no_fit_unless_asked(studies):
    answers, gold, kind = studies[1]
    scores = rs.score_participants(answers, gold, MODEL)
    kept = rs.drop_rejected(answers, scores)
    assert not set(kept.observer) & set(scores["observer"][scores["rejected"]])
    assert len(kept) == scores["answers"][~scores["rejected"]].sum()
    assert kept.n_items == 20
    assert rs.drop_rejected(answers, scores, keep=True) is answers
    assert len(kept) < len(answers)
    assert kind[~scores["rejected"]].tolist().count("SpaceObserver") == 24


def test_bad_input(studies):
    answers, gold, _ = studies[0]
    with pytest.raises(JudgmentError, match="name no observers"):
        rs.score_participants(rs.Triplets([[0, 1, 2]]))
    with pytest.raises(SettingError, match="level"):
        rs.score_participants(answers, level=0)
    with pytest.raises(JudgmentError, match="gold has 3 items"):
        rs.score_participants(answers, rs.Triplets([[0, 1, 2]]))
    torn = rs.Triplets([*gold.index, gold.index[0][[0, 2, 1]]], gold.items)
    with pytest.raises(JudgmentError, match="row 0 of gold"):
        rs.score_participants(answers, torn)
    with pytest.raises(JudgmentError, match="are not numbers"):
        rs.score_participants(
            rs.Triplets([[0, 1, 2]], observer=["a"], extra={"side": ["left"]}),
        )
    scores = rs.score_participants(answers, gold)
    with pytest.raises(JudgmentError, match="'eve' has no score"):
        rs.drop_rejected(rs.Triplets([[0, 1, 2]], 20, observer=["eve"]), scores)
    for unclear in (np.nan, "False", "no"):
        with pytest.raises(JudgmentError, match=r"rejected is"):
            rs.drop_rejected(answers, scores.assign(rejected=unclear))
    with pytest.raises(JudgmentError, match="two rows"):
        rs.drop_rejected(answers, scores.iloc[[0, *range(len(scores))]])
    with pytest.raises(JudgmentError, match="every participant is rejected"):
        rs.drop_rejected(answers, scores.assign(rejected=True))


@pytest.mark.parametrize("with_model", [False, True])
def test_who_guesses_four_of_ten_is_kept_whatever_the_number_of_answers(with_model):
    """The bound is a test of level 5 %: of 40 people, 7 or more are rejected in 1 of 1,000 runs."""
    points = 3 * POINTS
    people = [rs.SpaceObserver(points, random_state=i) for i in range(20)]
    people += [rs.SpaceObserver(points, lapse=0.4, random_state=100 + i) for i in range(40)]
    crowd = rs.Crowd(people, random_state=0)
    gold = rs.gold_questions(rs.Triplets(random_index(1), 20), 20, model=MODEL)
    asked = rs.Triplets(np.tile(gold.index, (600, 1)), 20, observer=np.repeat(crowd.names, 200))
    model = rs.STE(2).set_positions(points) if with_model else None
    scores = rs.score_participants(crowd.answer(asked), gold, model)
    assert scores["rejected"][:20].sum() == 0
    assert scores["rejected"][20:].sum() <= 7
    assert (scores["most_care"][:20] > 0.8).all()


def test_folds_judge_people_by_a_fit_to_the_others():
    """A fit follows guessers too: judged by others' answers, more of them are found."""
    people = [rs.SpaceObserver(2 * POINTS, random_state=i) for i in range(12)]
    people += [InattentiveObserver(i) for i in range(6)]
    crowd = rs.Crowd(people, random_state=0)
    index = np.vstack([random_index(100, i) for i in range(18)])
    answers = crowd.answer(rs.Triplets(index, 20, observer=np.repeat(crowd.names, 100)))
    model = rs.STE(2, random_state=0).fit(answers)
    alone, folded = (rs.score_participants(answers, model=model, folds=n) for n in (None, 3))
    assert folded["most_care"][12:].mean() < alone["most_care"][12:].mean()
    assert folded["rejected"][12:].sum() >= 4
    assert not folded["rejected"][:12].any()
    with pytest.raises(SettingError, match="folds"):
        rs.score_participants(answers, model=model, folds=1)


def test_gold_of_another_kind_is_refused():
    odd = rs.OddOneOuts([[0, 1, 2], [0, 1, 2]], [0, 0], observer=["ann", "bob"])
    triplets = rs.Triplets([[0, 1, 2], [0, 2, 1]], observer=["ann", "bob"])
    for answers, gold in ((odd, triplets[:1]), (triplets, odd[:1]), (triplets, [[0, 1, 2]])):
        with pytest.raises(JudgmentError):
            rs.score_participants(answers, gold)
