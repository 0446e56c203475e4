"""Data of which hardly anything can be known: the report says so, and tells no number for it."""

import pytest

import resemblance as rs

EVERY = [[0, a, b] for a in range(1, 8) for b in range(1, 8) if a != b]
FIVE = [[0, 1, 2], [1, 0, 2], [2, 1, 0], [0, 1, 3], [3, 1, 0]]
DATA = {
    "one answer": rs.Triplets([[0, 1, 2]], items=3),
    "one question": rs.Triplets([[0, 1, 2]] * 40, items=3, observer=[f"p{i}" for i in range(40)]),
    "only repeats": rs.Triplets([[0, 1, 2], [0, 2, 1]] * 30, items=3),
    "one item alone, either way": rs.Triplets(EVERY, items=12),
    "a person with one answer": rs.Triplets(FIVE, items=4, observer=["ann"] * 4 + ["bob"]),
    "nothing at random": rs.Triplets(FIVE * 5, items=4, extra={"strategy": ["predictive"] * 25}),
}


@pytest.fixture(params=DATA)
def told(request):
    return DATA[request.param]


def evaluated(told, by=None):
    units = len(told) if by is None else len(set(told.observer))
    model = rs.STE(2, penalty="auto", random_state=0)
    return rs.evaluate(model, told, cv=min(units, 10) if units > 1 else 0, by=by)


def test_no_number_stands_for_what_cannot_be_known(told):
    found = evaluated(told).as_dict()
    assert found["noise_ceiling"]["error"] is None
    if found["held_out"] is not None:
        assert found["held_out"]["of"] == "the questions asked"
        low, high = found["held_out"]["interval"]
        assert 0.0 <= low < high <= 1.0
        assert high - low > 0.1  # few answers, or one question: wide
        assert found["held_out"]["calibration_slope"] is None


def test_it_is_said_in_words(told):
    said = dict(evaluated(told).lines())
    assert "calibration" not in said
    assert said["noise ceiling"].startswith("unknown")
    assert ("questions" in said) == (len({frozenset(row[1:]) for row in told.index}) < 10)


def test_one_person_of_two_says_little_of_people():
    told = DATA["a person with one answer"]
    low, high = evaluated(told, by="observer").held_out.interval
    assert high - low > 0.9


def test_chosen_questions_look_chosen_where_nobody_says_so():
    import numpy as np

    rng = np.random.default_rng(0)
    points = 2 * rng.normal(size=(20, 2))
    person = rs.SpaceObserver(points, random_state=0)
    asked = np.array([rng.choice(20, 3, replace=False) for _ in range(4000)])
    near = np.argsort(np.abs(person.probability(asked) - 0.5))[:1500]  # the toss-ups
    found = {
        name: rs.evaluate(rs.STE(2, penalty="auto", random_state=0), person.answer(rows), cv=2)
        for name, rows in (("chosen", asked[near]), ("random", asked[:1500]))
    }
    assert found["chosen"].hardness.chosen
    assert "questions" in dict(found["chosen"].lines())
    assert not found["random"].hardness.chosen
