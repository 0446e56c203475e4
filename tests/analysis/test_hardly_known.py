"""Data of which hardly anything can be known: the report says so, and tells no number for it."""

import numpy as np
import pytest

import resemblance as rs
from resemblance.analysis.record import ceiling_part
from resemblance.fitting import HeldOut
from resemblance.fitting.held_out import AGAIN, ASKED
from resemblance.scores import NoiseCeiling

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
        n_questions = told.questions().max() + 1
        few = n_questions < min(len(told), 10)  # folds, which other questions cannot fill
        assert found["held_out"]["of"] == (AGAIN if few else ASKED)
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


def asked_again(n_questions, seed=0):
    """Let two people answer some of 300 questions about 12 items, and one the others."""
    rng = np.random.default_rng(seed)
    asked = np.array([rng.choice(12, 3, replace=False) for _ in range(300)])
    person = rs.SpaceObserver(1.2 * rng.normal(size=(12, 2)), random_state=seed)
    rows = np.concatenate([asked, asked[:n_questions]])
    who = np.arange(len(rows)) % 10
    who[300:] = (who[:n_questions] + 5) % 10
    return person.answer(rs.Triplets(rows, 12))._with(observer=who.astype(str))


@pytest.mark.parametrize("n_questions", [5, 290])
def test_every_reader_of_a_ceiling_knows_as_much_as_the_report(n_questions):
    """The picture of dimensions and the share explained show it where the report tells it."""
    answers = asked_again(n_questions)
    model = rs.STE(2, penalty=0.1, random_state=0)
    analysis = rs.evaluate(model, answers, cv=3)
    told = analysis.as_dict()["noise_ceiling"]["error"]
    assert (told is not None) == (n_questions == 290)
    curve = rs.select_dimension(model, answers, [1, 2], cv=3)
    explanation = rs.explained(analysis.model, answers, n_resamples=20)
    drawn = rs.plotting.plot_dimensions(curve).get_lines()
    for known in (
        curve.noise_ceiling is not None,
        rs.analyse(answers, model, dims="auto", folds=3).curve.noise_ceiling is not None,
        explanation.ceiling is not None,
        any(line.get_label() == "noise ceiling" for line in drawn),
    ):
        assert known == (told is not None)


def test_the_least_error_is_known_where_no_error_was_measured():
    """Nothing held out yet, or no fold finished: the interval is that of the agreement."""
    ceiling = NoiseCeiling(0.6, 0.69, (0.66, 0.74), 0.7, 60, 600.0)
    for held in (None, HeldOut("row", 2)):
        assert ceiling_part(ceiling, held)["interval"] == pytest.approx([0.26, 0.34])
    measured = HeldOut("row", 2, (0.3, 0.3), interval=(0.28, 0.32))
    assert ceiling_part(ceiling, measured)["interval"] == pytest.approx([0.26, 0.32])


@pytest.mark.parametrize("error", [0.2, 0.3, 0.34])
def test_a_report_tells_no_ceiling_above_the_error(error):
    """Where hard questions were repeated, the interval of the least error may lie above it."""
    held = HeldOut("row", 2, (error, error))
    part = ceiling_part(NoiseCeiling(0.6, 0.69, (0.66, 0.74), 0.7, 60, 600.0), held)
    if error < 0.26:
        assert part["error"] is None
        assert part["why"]
        assert "interval" not in part  # so that random questions are to be repeated
    else:
        assert part["error"] == pytest.approx(min(0.31, error))
        assert part["interval"] == pytest.approx([0.26, min(0.34, error)])
