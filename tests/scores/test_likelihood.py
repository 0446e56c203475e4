import numpy as np
import pytest
from sklearn.metrics import log_loss as sklearn_log_loss

from resemblance.errors import JudgmentError, SettingError
from resemblance.scores import log_loss

RNG = np.random.default_rng(0)


def test_equals_scikit_learns_on_two_answers():
    probability, weights = RNG.uniform(0.01, 0.99, 50), RNG.uniform(0.1, 2, 50)
    table = np.column_stack([1 - probability, probability])
    expected = sklearn_log_loss(np.ones(50), table, sample_weight=weights, labels=[0, 1])
    assert log_loss(probability, weights) == pytest.approx(expected)


def test_an_impossible_answer_costs_infinity_unless_clipped_or_not_counted():
    assert log_loss([0.0, 1.0]) == np.inf
    assert log_loss([0.0, 1.0], eps=1e-3) == pytest.approx(-np.log(1e-3) / 2)
    assert log_loss([0.0, 1.0], weights=[0, 1]) == 0


def test_what_is_no_probability_is_named():
    for wrong in (-0.1, 1.1, np.nan):
        with pytest.raises(SettingError, match="probability of row 1"):
            log_loss([0.5, wrong])
    with pytest.raises(SettingError, match="answer given"):
        log_loss([[0.5, 0.5]])
    with pytest.raises(SettingError, match="eps is 1"):
        log_loss([0.5], eps=1)
    with pytest.raises(JudgmentError, match="no rows"):
        log_loss([])
