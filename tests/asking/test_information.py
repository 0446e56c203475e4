import numpy as np
import pytest

import naive
from resemblance import InformationGain
from resemblance.asking import Belief, information
from resemblance.choice import Logistic, Relative, Softmax, StudentT
from resemblance.fitting import Noise

MODELS = [(Relative(0.05), 0.05), (Softmax(), None), (StudentT(2.0), 2.0), (Logistic(), None)]


def entropy(p):
    return -sum(x * np.log(x) for x in p if x > 0)


@pytest.mark.parametrize(("model", "p"), MODELS, ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("n_options", [2, 3, 9])
@pytest.mark.parametrize("lapse", [0.0, 0.2])
def test_score_is_the_expected_fall_of_entropy(model, p, n_options, lapse):
    """H(tau) - sum over answers of P H(tau given the answer), by plain loops."""
    rng = np.random.default_rng(n_options)
    X = rng.normal(size=(11, 2))
    tau = rng.dirichlet(np.ones(11))
    options = np.array([rng.choice(11, n_options, replace=False) for _ in range(20)])
    s = [[naive.similarity(type(model).__name__, naive.distance(X, x, b, model.reads), p)
          for b in range(11)] for x in range(11)]  # fmt: skip
    found = information(np.log(s), tau, options, lapse)
    for row, score in zip(options, found, strict=True):
        likelihood = np.array(
            [[s[x][b] / sum(s[x][o] for o in row) for b in row] for x in range(11)]
        )
        likelihood = (1 - lapse) * likelihood + lapse / n_options
        joint = tau[:, None] * likelihood
        expected = entropy(tau)
        for j in range(n_options):
            expected -= joint[:, j].sum() * entropy(joint[:, j] / joint[:, j].sum())
        assert score == pytest.approx(expected, abs=1e-9)


def test_similarities_far_beyond_the_range_of_numbers_stay_finite():
    log_s = np.array([[0.0, -5000.0, -9000.0], [-5000.0, 0.0, -9000.0]])
    found = information(log_s, [0.5, 0.5], [[0, 1], [0, 2], [1, 2]])
    assert found[0] == pytest.approx(np.log(2))
    assert np.isfinite(found).all()


def test_the_chosen_pair_is_the_best_of_all():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(9, 2))
    belief = Belief(X, Relative(0.1), answered=np.array([[0, 3, 4], [0, 5, 1]], np.int32))
    strategy = InformationGain()
    asked = strategy.propose(belief, 9, rng)
    b, c = next(row[1:] for row in asked if row[0] == 0)
    log_s = np.log([[1 / (0.1 + ((x - y) ** 2).sum()) for y in X] for x in X])
    tau = strategy.posterior(belief, 0, log_s)
    assert tau[0] == 0
    pairs = [(i, j) for i in range(1, 9) for j in range(i + 1, 9)]
    pairs = [pair for pair in pairs if pair not in ((3, 4), (1, 5))]
    scores = information(log_s, tau, pairs)
    assert {b, c} == set(pairs[int(scores.argmax())])


def test_posterior_is_the_product_of_answer_probabilities():
    X = np.random.default_rng(0).normal(size=(6, 2))
    belief = Belief(X, Softmax(), answered=np.array([[2, 3, 4], [2, 0, 5]], np.int32))
    d = ((X[:, None] - X) ** 2).sum(axis=2)
    expected = Softmax().probability(d[:, 3], d[:, 4]) * Softmax().probability(d[:, 0], d[:, 5])
    expected[2] = 0
    found = InformationGain().posterior(belief, 2, -d)
    np.testing.assert_allclose(found, expected / expected.sum())
    flat = InformationGain(power=0.3).posterior(belief, 2, -d)
    assert flat.max() < found.max()


def test_the_logistic_model_asks_extreme_questions():
    """Section 6.2: inner products as large as possible, where the relative model asks nearer."""
    X = np.linspace(-1, 1, 40)[:, None]
    gap = {}
    for model in (Logistic(), Relative(0.05)):
        belief = Belief(X, model)
        rows = InformationGain(max_pairs=10_000).propose(belief, 40, np.random.default_rng(0))
        gap[type(model).__name__] = np.abs(X[rows[:, 1]] - X[rows[:, 2]]).mean()
    assert gap["Logistic"] > 1.95
    assert gap["Relative"] < 1.4


def test_the_strategy_counts_the_lapses_of_its_belief():
    rng = np.random.default_rng(5)
    X, noise = rng.normal(size=(9, 2)), Noise(1.3, 0.25)
    belief = Belief(X, Softmax(), np.array([[0, 3, 4]], np.int32), noise=noise)
    (row,) = InformationGain().propose(belief, 1, rng)
    log_s = -((X[:, None] - X) ** 2).sum(axis=2)
    tau = InformationGain().posterior(belief, row[0], log_s)
    pairs = belief.candidates(rng, 4096, head=int(row[0]))[:, 1:]
    scores = information(log_s / 1.3, tau, pairs, lapse=0.25)
    assert set(row[1:]) == set(pairs[scores.argmax()])
