import numpy as np
import pytest

import resemblance as rs
from resemblance.choice import Hinge, Logistic, Relative, Softmax, StudentT
from resemblance.errors import SettingError
from resemblance.fitting import Noise, PositionUncertainty

POINTS = np.random.default_rng(0).normal(size=(7, 2))
QUESTIONS = [np.array([[0, 3, 5]]), np.array([[2, 1, 6, 4]])]


@pytest.mark.parametrize("questions", QUESTIONS, ids=["pair", "one of three"])
@pytest.mark.parametrize("lapse", [0.0, 0.2])
@pytest.mark.parametrize("choice", [Relative(0.3), Softmax(), StudentT(2.0), Logistic()])
def test_rows_square_to_the_fisher_information(choice, lapse, questions):
    """Against sum over answers of P (grad log P)(grad log P)', by finite differences."""

    def log_p(x):
        head, options = x[questions[0, 0]], x[questions[0, 1:]]
        d = options @ head if choice.reads == "inner" else ((head - options) ** 2).sum(axis=1)
        p = np.exp(choice.log_similarity(d) / 1.5)
        return np.log((1 - lapse) * p / p.sum() + lapse / len(p))

    steps = np.eye(POINTS.size).reshape(-1, *POINTS.shape) * 1e-5
    grad = np.array([(log_p(POINTS + s) - log_p(POINTS - s)) / 2e-5 for s in steps])
    expected = grad @ np.diag(np.exp(log_p(POINTS))) @ grad.T
    belief = PositionUncertainty(POINTS, choice, [questions], noise=Noise(1.5, lapse))
    J = belief.information_rows(questions)
    np.testing.assert_allclose((J.T @ J).toarray(), expected, atol=1e-7)


def test_more_answers_make_positions_surer_and_strangers_stay_unsure():
    rng = np.random.default_rng(1)
    questions = np.array([rng.choice(6, 3, replace=False) for _ in range(400)])  # never item 6
    few, many = (PositionUncertainty(POINTS, Softmax(), [questions[:m]]) for m in (40, 400))
    assert (many.deviation[:6] < few.deviation[:6]).all()
    assert many.deviation[6] > 2 * many.deviation[:6].max()


def test_by_item_the_covariance_is_the_inverse_of_each_block():
    questions = np.random.default_rng(1).permuted(np.tile(np.arange(7), (50, 1)), axis=1)[:, :3]
    full = PositionUncertainty(POINTS, Softmax(), [questions])
    by_item = PositionUncertainty(POINTS, Softmax(), [questions], max_parameters=0)
    H, S = np.linalg.inv(full.covariance), by_item.covariance.toarray()
    for item in range(7):
        block = slice(2 * item, 2 * item + 2)
        np.testing.assert_allclose(S[block, block], np.linalg.inv(H[block, block]))


def test_a_loss_without_probabilities_is_refused():
    with pytest.raises(SettingError, match="Hinge"):
        PositionUncertainty(POINTS, Hinge(), [])


@pytest.mark.parametrize(("temperature", "lapse"), [(1.0, 0.0), (2.0, 0.0), (1.0, 0.3)])
def test_noise_is_recovered(temperature, lapse):
    rng = np.random.default_rng(4)
    person = rs.SpaceObserver(2 * POINTS, lapse=lapse, temperature=temperature, random_state=0)
    asked = np.array([rng.choice(7, 3, replace=False) for _ in range(6000)])
    found = rs.fitting.estimate_noise(rs.STE(2).set_positions(2 * POINTS), person.answer(asked))
    assert found.temperature == pytest.approx(temperature, rel=0.2)
    assert found.lapse == pytest.approx(lapse, abs=0.04)


@pytest.mark.parametrize("settings", [{"temperature": 0.0}, {"lapse": 1.0}, {"lapse": -0.1}])
def test_noise_out_of_range(settings):
    with pytest.raises(SettingError, match=next(iter(settings))):
        Noise(**settings)
