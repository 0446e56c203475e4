"""The declarations of every kind of judgment, by which engines, scores and reports work."""

import numpy as np
import pytest

import resemblance as rs
from resemblance.fitting.answers import FittedSpace
from resemblance.judgments import OneKind

ANSWERS = np.random.default_rng(0)
X = ANSWERS.normal(size=(8, 2))
PAIRS = np.argwhere(np.triu(np.ones((8, 8)), 1))
ROWS = np.array([ANSWERS.choice(8, 4, replace=False) for _ in range(60)])
WEIGHT = ANSWERS.integers(1, 4, len(ROWS)).astype(float)
PLACES = X[ROWS] + 0.3 * ANSWERS.normal(size=(len(ROWS), 4, 2))
KINDS = {
    "triplets": rs.Triplets(ROWS[:, :3], 8, weight=WEIGHT),
    "quadruplets": rs.Quadruplets(ROWS, 8, weight=WEIGHT),
    "choices": rs.Choices(ROWS[:, 0], ROWS[:, 1:], ROWS[:, 1], 8, weight=WEIGHT),
    "odd_one_outs": rs.OddOneOuts(ROWS, ROWS[:, 0], 8, weight=WEIGHT),
    "confusions": rs.Confusions(PAIRS, ANSWERS.integers(0, 5, len(PAIRS)), 12, 8),
    "ratings": rs.Ratings(PAIRS, ANSWERS.integers(1, 6, len(PAIRS)), 5, 8),
    "arrangements": rs.Arrangements(ROWS, PLACES, 8, weight=WEIGHT),
}


@pytest.fixture(params=KINDS)
def judged(request):
    return KINDS[request.param]


@pytest.fixture
def model(judged):
    ratings = judged if judged.scoring.rated else None
    return rs.STE(2).set_positions(X, judged.items, ratings)


def test_each_kind_is_here_by_its_own_name():
    def below(kind):
        return {kind}.union(*map(below, kind.__subclasses__()))

    here = {type(one) for one in KINDS.values()}
    assert {kind for kind in below(OneKind) if not kind.__subclasses__()} == here
    assert [one.kind() for one in KINDS.values()] == list(KINDS)


def test_the_score_is_that_of_the_mean_loss(judged, model):
    losses, weights = model.row_losses(judged), judged.trial_weights
    mean = float((losses * weights).sum() / weights.sum())
    assert model.score(judged) == pytest.approx(judged.scoring.score(mean))
    assert len(losses) == len(weights) == len(judged)


def test_guesses_are_named_as_the_score_is_and_are_of_every_row(judged):
    guesses = judged.guesses()
    assert next(iter(guesses)) == judged.scoring.name
    assert all(len(scores) == len(judged) for scores in guesses.values())
    assert ("log_loss" in guesses) == judged.scoring.of_answers


def test_errors_are_shares_and_likelihoods_are_below_0(judged, model):
    losses = model.row_losses(judged)
    assert (losses >= 0).all()
    assert not judged.scoring.is_error or (losses <= 1).all()


@pytest.mark.parametrize(
    "kind", sorted(KINDS.keys() - {"ratings", "confusions"})
)  # whose guess knows the shares of all
def test_items_in_one_place_score_as_a_guess(kind):
    judged = KINDS[kind]
    losses = judged.losses(FittedSpace(np.zeros((8, 2)), rs.choice.Softmax()))
    (guess,) = list(judged.guesses().values())[:1]
    np.testing.assert_allclose(judged.scoring.value(1.0) * losses, guess, atol=1e-12)


def test_only_what_has_a_likelihood_tells_one(judged, model):
    if judged.scoring.has_likelihood:
        assert np.isfinite(model.log_loss(judged))
        np.testing.assert_allclose(model.predict_proba(judged).sum(axis=1), 1.0)
    else:
        with pytest.raises(rs.errors.JudgmentError):
            model.log_loss(judged)


@pytest.mark.parametrize("kind", [kind for kind, one in KINDS.items() if one.weight is not None])
def test_a_weight_is_as_many_rows(kind):
    judged = KINDS[kind]
    model = rs.STE(2).set_positions(X, judged.items)
    repeated = judged[np.repeat(np.arange(len(judged)), WEIGHT.astype(int))]
    ones = repeated.reweighted(np.ones(len(repeated)))
    assert model.score(ones) == pytest.approx(model.score(judged))


@pytest.mark.parametrize("part", ["error", "log_likelihood"])
def test_a_report_tells_what_the_kind_scores(part, judged, model):
    held = rs.evaluate(model, judged).as_dict()["held_out"]
    assert (held.get(part) is not None) == (judged.scoring.name == part)
