"""The calibration slope: how far log odds must be stretched to mean what they say."""

import numpy as np
import pytest
from scipy.special import expit, softmax
from sklearn.linear_model import LogisticRegression

from resemblance.errors import JudgmentError, SettingError
from resemblance.scores import calibration_slope


def told(rng, truth, m=4000):
    """Return p of the answers that came, where the true log odds are ``truth`` times those told."""
    odds = 2 * rng.normal(size=m)
    first = rng.random(m) < expit(truth * odds)
    p = expit(np.where(first, odds, -odds))
    return np.column_stack([p, 1 - p])


@pytest.mark.parametrize("truth", [0.4, 2.0])
def test_it_is_the_slope_and_its_interval_covers(truth):
    rng = np.random.default_rng(0)
    found = [calibration_slope(told(rng, truth)) for _ in range(60)]
    assert np.mean([slope for slope, _ in found]) == pytest.approx(truth, rel=0.03)
    assert sum(low < truth < high for _, (low, high) in found) >= 50  # 57 are meant to


def test_it_is_that_of_a_logistic_regression():
    rng = np.random.default_rng(1)
    p = told(rng, 0.7, 500)
    odds = np.log(p[:, :1] / p[:, 1:])
    both, answer = np.vstack([odds, -odds]), np.repeat([1, 0], 500)
    fitted = LogisticRegression(C=np.inf, fit_intercept=False, tol=1e-10).fit(both, answer)
    assert calibration_slope(p)[0] == pytest.approx(fitted.coef_[0, 0], abs=1e-4)


def test_weights_are_repeats():
    p = told(np.random.default_rng(2), 1.0, 50)
    weight = np.arange(50) % 4
    assert calibration_slope(p, weight)[0] == pytest.approx(
        calibration_slope(np.repeat(p, weight, axis=0))[0], abs=1e-5
    )


def test_several_answers_and_rows_of_fewer():
    rng = np.random.default_rng(3)
    logits = 2 * rng.normal(size=(6000, 4))
    logits[::2, 3] = -np.inf  # three options only
    shares = softmax(0.6 * np.where(np.isfinite(logits), logits, -1e9), axis=1)
    answer = (rng.random((6000, 1)) > shares.cumsum(axis=1)).sum(axis=1)
    p = softmax(logits, axis=1)
    first = p[np.arange(6000), answer]
    rest = np.where(np.arange(4) == answer[:, None], 0.0, p)
    assert calibration_slope(np.column_stack([first, rest]))[0] == pytest.approx(0.6, abs=0.06)


def test_what_answers_do_not_say():
    assert calibration_slope([[0.5, 0.5]] * 20) == (None, None)
    assert calibration_slope([[0.9, 0.1]] * 20) == (None, None)  # right each time
    with pytest.raises(SettingError):
        calibration_slope([0.5, 0.5])
    with pytest.raises(JudgmentError):
        calibration_slope(np.empty((0, 2)))


def test_the_interval_holds_the_slope_where_questions_were_answered_by_many():
    """Twelve answers to each of sixty questions whose odds are off: by rows it holds it seldom."""
    rng, held, by_rows = np.random.default_rng(0), 0, 0
    odds = rng.normal(0, 1.5, 100_000)
    p, truth = expit(odds), expit(odds + rng.normal(0, 2.0, 100_000))
    both = np.column_stack([np.append(p, 1 - p), np.append(1 - p, p)])
    best = calibration_slope(both, np.append(truth, 1 - truth))[0]
    for _ in range(200):
        odds, off = rng.normal(0, 1.5, 60), rng.normal(0, 2.0, 60)
        question = np.repeat(np.arange(60), 12)
        first = rng.random(720) < expit(odds + off)[question]
        p = expit(np.where(first, odds[question], -odds[question]))
        low, high = calibration_slope(np.column_stack([p, 1 - p]), groups=question)[1]
        held += low <= best <= high
        low, high = calibration_slope(np.column_stack([p, 1 - p]))[1]
        by_rows += low <= best <= high
    assert 0.9 * 200 <= held <= 0.99 * 200
    assert by_rows < 0.8 * 200
