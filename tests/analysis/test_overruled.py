"""Answers that a map overrules."""

import sys

import numpy as np
import pytest

import resemblance as rs
from resemblance.analysis import overruled_answers
from resemblance.errors import JudgmentError, SettingError

N_ITEMS, PEOPLE, EACH = 20, 8, 150


def study(seed, guesser=False, moved=False):
    """Let people who see one space answer; person 0 may guess, item 0 may have two places."""
    rng = np.random.default_rng(seed)
    space = 1.5 * rng.normal(size=(N_ITEMS, 2))
    elsewhere = space.copy()
    elsewhere[0] = 1.0 - 1.5 * space[0]
    rows = []
    for number in range(PEOPLE):
        asked = rs.Triplets([rng.choice(N_ITEMS, 3, replace=False) for _ in range(EACH)], N_ITEMS)
        lapse = 1.0 if guesser and number == 0 else 0.05
        told, other = (
            rs.SpaceObserver(seen, lapse=lapse, random_state=rng.integers(1 << 30)).answer(asked)
            for seen in (space, elsewhere)
        )
        is_moved = (rng.random(EACH) < 0.5) & moved
        rows.append(np.where(is_moved[:, None], other.index, told.index))
    who = np.repeat([f"p{number}" for number in range(PEOPLE)], EACH)
    answers = rs.Triplets(np.concatenate(rows), N_ITEMS, observer=who)
    return rs.STE(2, penalty=0.5, random_state=0).fit(answers), answers


def test_answers_to_which_another_is_preferred_are_listed_by_certainty():
    model, answers = study(0)
    found = overruled_answers(model, answers)
    probability = model.predict_proba(answers)
    expected = np.flatnonzero(probability[:, 0] < 0.5)
    table = found.to_pandas()
    assert sorted(table["row"]) == expected.tolist()
    assert table["probability"].is_monotonic_increasing
    np.testing.assert_allclose(table["probability"], probability[table["row"], 0])
    assert table["head"].tolist() == [
        answers.items.names[answers.index[row, 0]] for row in table["row"]
    ]
    assert found.expected == pytest.approx(probability.min(axis=1).sum())
    assert found.people["answers"].tolist() == [EACH] * PEOPLE
    assert found.people["overruled"].sum() == len(table)
    assert found.items["answers"].sum() == 3 * len(answers)


@pytest.mark.long
def test_a_guesser_and_an_item_with_two_places_are_named_and_hardly_anybody_else():
    named = [overruled_answers(*study(seed, guesser=True)).unusual for seed in range(5)]
    assert sum("p0" in unusual["people"] for unusual in named) >= 4
    items = [overruled_answers(*study(seed, moved=True)).unusual["items"] for seed in range(5)]
    assert sum("0" in unusual for unusual in items) >= 3
    alike = [overruled_answers(*study(seed)).unusual for seed in range(20)]
    assert sum(bool(unusual["people"] or unusual["items"]) for unusual in alike) <= 4


@pytest.mark.parametrize("kind", ["choices", "odd ones out"])
def test_answers_of_several_options_are_overruled_by_the_likeliest(kind):
    rng = np.random.default_rng(0)
    rows = np.array([rng.choice(8, 4, replace=False) for _ in range(200)])
    person = rs.SpaceObserver(rng.normal(size=(8, 2)), lapse=0.3, random_state=0)
    asked = rs.Choices(rows[:, 0], rows[:, 1:], rows[:, 1], items=8)
    answers = person.answer(asked if kind == "choices" else rs.OddOneOuts(rows[:, :3], rows[:, 0]))
    model = rs.STE(2, penalty=0.1, random_state=0).fit(answers)
    likeliest = model.predict_proba(answers).argmax(axis=1)
    assert len(overruled_answers(model, answers).table) == (likeliest > 0).sum()


def test_models_without_probabilities_and_ratings_overrule_nothing():
    ratings = rs.Ratings([[0, 1], [1, 2]], [3, 1], 5)
    model = rs.STE(1).set_positions([[0.0], [1.0], [3.0]])
    with pytest.raises(JudgmentError, match="Ratings"):
        overruled_answers(model, ratings)
    without = rs.GNMDS(1).set_positions([[0.0], [1.0], [3.0]])
    with pytest.raises(SettingError):
        overruled_answers(without, [[0, 1, 2]])
    assert rs.evaluate(without, [[0, 1, 2]] * 12).overruled is None


def test_a_worker_that_keeps_arrow_out_lists_them_too(monkeypatch):
    model, answers = study(0)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert len(overruled_answers(model, answers).table)
