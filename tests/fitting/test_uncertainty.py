import numpy as np
import pytest

import resemblance as rs
from resemblance.choice import Logistic, Relative, Softmax, StudentT
from resemblance.errors import SettingError
from resemblance.fitting import Noise, PositionUncertainty
from resemblance.judgments import Comparison

POINTS = np.random.default_rng(0).normal(size=(7, 2))
QUESTIONS = {
    "pair": rs.Triplets([[0, 3, 5]], 7),
    "one of three": rs.Choices([2], [[1, 6, 4]], [1], 7),
    "quadruplet": rs.Quadruplets([[2, 1, 6, 4]], 7),
    "odd of three": rs.OddOneOuts([[2, 1, 6]], [1], 7),
    "odd of four": rs.OddOneOuts([[2, 1, 6, 4]], [1], 7),
}


def heads(rows):
    return Comparison.of_heads(np.asarray(rows, np.int32))


@pytest.mark.parametrize("name", QUESTIONS)
@pytest.mark.parametrize("lapse", [0.0, 0.2])
@pytest.mark.parametrize("choice", [Relative(0.3), Softmax(), StudentT(2.0), Logistic()])
def test_rows_square_to_the_fisher_information(choice, lapse, name):
    """Against sum over answers of P (grad log P)(grad log P)', by finite differences."""

    (questions,) = QUESTIONS[name].comparisons()

    def log_p(x):
        a, b = (x[[pair[end][0] for pair in questions.pairs]] for end in (0, 1))
        d = (a * b if choice.reads == "inner" else (a - b) ** 2).sum(axis=1)
        s = choice.log_similarity(d)
        p = np.exp([s[list(pairs)].mean() / 1.5 for pairs in questions.layout.options])
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
    few, many = (PositionUncertainty(POINTS, Softmax(), [heads(questions[:m])]) for m in (40, 400))
    assert (many.deviation[:6] < few.deviation[:6]).all()
    assert many.deviation[6] > 2 * many.deviation[:6].max()


def test_by_item_the_covariance_is_the_inverse_of_each_block():
    questions = np.random.default_rng(1).permuted(np.tile(np.arange(7), (50, 1)), axis=1)[:, :3]
    full = PositionUncertainty(POINTS, Softmax(), [heads(questions)])
    by_item = PositionUncertainty(POINTS, Softmax(), [heads(questions)], max_parameters=0)
    H, S = np.linalg.inv(full.covariance), by_item.covariance.toarray()
    for item in range(7):
        block = slice(2 * item, 2 * item + 2)
        np.testing.assert_allclose(S[block, block], np.linalg.inv(H[block, block]))


@pytest.mark.parametrize("choice", [Softmax(), Relative(1e-9), StudentT(1.0)])
@pytest.mark.parametrize("full", [0, 100])
def test_answers_that_are_certain_make_no_nan(choice, full):
    rng = np.random.default_rng(0)
    far = 40 * rng.normal(size=(9, 2))
    pairs, triples = (
        np.array([rng.permutation(9)[:k] for _ in range(90)]).astype(np.int32) for k in (3, 4)
    )
    belief = PositionUncertainty(far, choice, [heads(pairs), heads(triples)], max_parameters=full)
    assert np.isfinite(belief.deviation).all()


def test_weights_are_repeats():
    rng = np.random.default_rng(1)
    questions = np.array([rng.choice(7, 3, replace=False) for _ in range(50)])
    times = rng.integers(1, 5, size=50)
    once = PositionUncertainty(POINTS, Softmax(), [heads(questions)], weights=[times.astype(float)])
    often = PositionUncertainty(POINTS, Softmax(), [heads(questions.repeat(times, axis=0))])
    np.testing.assert_allclose(once.covariance, often.covariance, rtol=1e-9)


def test_a_fit_tells_how_sure_it_is_and_a_group_counts_as_one_answer():
    rng = np.random.default_rng(2)
    index = np.array([rng.choice(7, 3, replace=False) for _ in range(60)])
    model = rs.STE(2, random_state=0).fit(index)
    plain = PositionUncertainty(model.embedding_, model.choice_, [heads(index)])
    told = PositionUncertainty.of_fit(model, rs.Triplets(index))
    np.testing.assert_allclose(told.deviation, plain.deviation)
    pairs = rs.Triplets(index.repeat(2, axis=0), response_id=np.arange(60).repeat(2))
    np.testing.assert_allclose(
        PositionUncertainty.of_fit(model, pairs).deviation, plain.deviation, rtol=1e-9
    )


@pytest.mark.parametrize(("temperature", "lapse"), [(2.0, 0.0), (1.0, 0.3)])
def test_noise_is_recovered(temperature, lapse):
    """In 40 worlds the standard errors are at most .03 and .005 (of lapses)."""
    rng = np.random.default_rng(4)
    points = rng.uniform(-2, 2, size=(7, 2))
    person = rs.SpaceObserver(points, lapse=lapse, temperature=temperature, random_state=0)
    asked = rng.random((40_000, 7)).argsort(axis=1)[:, :3]
    found = rs.fitting.estimate_noise(rs.STE(2).set_positions(points), person.answer(asked))
    assert found.temperature == pytest.approx(temperature, rel=0.2)
    assert found.lapse == pytest.approx(lapse, abs=0.04)


@pytest.mark.parametrize("settings", [{"temperature": 0.0}, {"lapse": 1.0}, {"lapse": -0.1}])
def test_noise_out_of_range(settings):
    with pytest.raises(SettingError, match=next(iter(settings))):
        Noise(**settings)
