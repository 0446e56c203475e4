"""Staircases, alone and with an observer."""

import numpy as np
import pytest
from scipy.stats import norm

import resemblance as rs
from resemblance.errors import SettingError
from resemblance.observers import run_staircase
from resemblance.stimuli import FourSquares


@pytest.mark.parametrize(
    ("down", "up", "level"), [(1, 1, 0.5), (2, 1, 0.7071), (3, 1, 0.7937), (4, 1, 0.8409)]
)
def test_the_level_of_convergence_is_levitts(down, up, level):
    assert rs.Staircase(1.0, down=down, up=up).converges_at == pytest.approx(level, abs=1e-4)


@pytest.mark.parametrize(("down", "up"), [(3, 1), (2, 2), (3, 2)])
def test_it_goes_to_the_level_where_it_converges(down, up):
    rng = np.random.default_rng(0)
    stairs = rs.Staircase(2.0, [0.3, 0.03], down=down, up=up)
    for _ in range(6000):
        stairs.tell(rng.uniform() < norm.cdf(stairs.level - 1.0))
    expected = 1.0 + norm.ppf(stairs.converges_at)
    assert stairs.threshold(20) == pytest.approx(expected, abs=0.06)
    assert np.mean(stairs.answers[1000:]) == pytest.approx(stairs.converges_at, abs=0.012)


def test_runs_steps_and_reversals_by_hand():
    stairs = rs.Staircase(5.0, [1.0, 0.5, 0.25], down=2, up=1, lowest=4.0)
    levels = [stairs.tell(right) for right in (1, 1, 1, 1, 0, 1, 1, 0, 1, 0)]
    assert levels == [5, 4, 4, 4, 4.5, 4.5, 4.25, 4.5, 4.5, 4.75]
    assert stairs.reversals == [4, 6, 7]
    assert stairs.threshold(1) == 4.375


def test_steps_of_the_logarithm_are_ratios():
    stairs = rs.Staircase(1.0, np.log(2), down=1, log=True)
    assert [stairs.tell(True), stairs.tell(True), stairs.tell(False)] == pytest.approx(
        [0.5, 0.25, 0.5]
    )


@pytest.mark.parametrize(
    "settings",
    [{"down": 0}, {"down": 2.5}, {"up": 0}, {"steps": 0}, {"steps": []}, {"start": -1.0}],
)
def test_settings_out_of_range_are_refused(settings):
    with pytest.raises(SettingError, match="give"):
        rs.Staircase(**({"start": 1.0} | settings))


def test_a_threshold_needs_reversals():
    with pytest.raises(SettingError, match="0 reversals and skip is 4"):
        rs.Staircase(1.0).threshold()


def test_a_session_stays_near_the_level_and_can_be_repeated():
    task = FourSquares(4)

    def session():
        person = rs.TemplateObserver(task.signals, task.labels, lapse=0.02, random_state=1)
        return run_staircase(person, task, rs.Staircase(1.0, [0.2, 0.05]), 1500, random_state=2)

    trials = session()
    assert trials.correct[100:].mean() == pytest.approx(0.79, abs=0.03)
    np.testing.assert_array_equal(trials.stimuli, session().stimuli)
    signal = task.signals.reshape(4, -1)[trials.extra["place"]] * trials.extra["contrast"][:, None]
    assert (trials.stimuli - signal).std() == pytest.approx(1.0, abs=0.02)


@pytest.mark.parametrize("right", ["no", None, float("nan"), 2])
def test_an_answer_is_right_or_not(right):
    stairs = rs.Staircase(1.0)
    with pytest.raises(SettingError):
        stairs.tell(right)
    assert not stairs.answers


@pytest.mark.parametrize("start", ["1", float("nan")])
def test_a_start_is_a_number(start):
    with pytest.raises(SettingError):
        rs.Staircase(start)
