"""Ratings: rows, their likelihood, and the space that they come from."""

import numpy as np
import pytest
from sklearn.base import clone

import naive
import resemblance as rs
from resemblance.errors import JudgmentError, SettingError

MODELS = {
    "Softmax": (rs.choice.Softmax(), None),
    "StudentT": (rs.choice.StudentT(1.5), 1.5),
    "Relative": (rs.choice.Relative(0.2), 0.2),
}
N = 15
PAIRS = np.column_stack(np.triu_indices(N, 1))


def space(seed=0, n=N, d=2):
    return 0.6 * np.random.default_rng(seed).normal(size=(n, d))


def rated(seed=0, n_each=5, points=7, choice=None):
    person = rs.SpaceObserver(space(seed), choice, random_state=seed)
    return person.rate(np.tile(PAIRS, (n_each, 1)), points)


def test_rows_are_pairs_with_their_rating():
    ratings = rs.Ratings([[2, 1], [0, 1]], [3, 7], [5, 7], items=4)
    assert ratings.index.tolist() == [[1, 2], [0, 1]]
    assert ratings.ratio.tolist() == [0.5, 1.0]
    people = rs.Ratings([[0, 1]] * 3, [2, 1, 3], 3, weight=[4, 1, 2], observer=["b", "", "a"])
    assert people.numbers().tolist() == [[4, 1, 2, 2], [1, 0, 2, 0], [2, 2, 2, 1]]


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"rating": [1, 8]}, "row 1"),
        ({"rating": [0, 2]}, "row 0"),
        ({"rating": [1.5, 2]}, "row 0"),
        ({"rating": [1, np.nan]}, "row 1"),
        ({"rating": [1]}, r"\(1,\)"),
        ({"points": [7, 1]}, "row 1"),
        ({"points": [7, 7, 7]}, r"\(3,\)"),
        ({"pairs": [[0, 1], [2, 2]]}, "row 1"),
    ],
)
def test_wrong_rows_are_refused_by_name(changes, named):
    given = {"pairs": [[0, 1], [1, 2]], "rating": [1, 2], "points": 7}
    with pytest.raises(JudgmentError, match=named):
        rs.Ratings(**given | changes)


@pytest.mark.parametrize("name", MODELS)
def test_a_threshold_is_a_distance_that_the_pair_is_compared_with(name):
    choice, p = MODELS[name]
    d, remembered = np.array([0.0, 0.2, 1.0, 5.0]), 0.7
    share, slope = choice.log_share(d)
    s = [naive.similarity(name, one, p) / naive.similarity(name, 0.0, p) for one in d]
    np.testing.assert_allclose(share, np.log(s), atol=1e-12)
    above = [naive.sigmoid(one - choice.log_share(remembered)[0]) for one in share]
    np.testing.assert_allclose(above, choice.probability(d, np.full(4, remembered)))
    nudged = choice.log_share(d + 1e-6)[0], choice.log_share(np.maximum(d - 1e-6, 0))[0]
    np.testing.assert_allclose(slope[1:], ((nudged[0] - nudged[1]) / 2e-6)[1:], rtol=1e-6)


@pytest.mark.parametrize(
    "choice", [rs.choice.Gaussian(), rs.choice.Exponential(0.4, 0.1)], ids=repr
)
def test_a_decay_is_taken_without_its_ceiling_and_lapse(choice):
    d = np.array([0.0, 0.5, 2.0])
    np.testing.assert_allclose(choice.log_share(d)[0], -d)


def test_the_score_is_the_likelihood_of_a_rating():
    ratings, X = rated(n_each=1, points=7), space()
    model = rs.STE(2).set_positions(X, ratings.items, ratings)
    s = [-naive.distance(X, i, j, "squared") for i, j in ratings.index]
    thresholds = model.thresholds_.of(points=7)
    p = [[naive.rating_probability(one, c, thresholds) for c in range(7)] for one in s]
    np.testing.assert_allclose(model.predict_proba(ratings), p, atol=1e-12)
    given = np.log([row[r - 1] for row, r in zip(p, ratings.rating, strict=True)])
    assert model.score(ratings) == pytest.approx(given.mean())
    assert model.log_loss(ratings) == pytest.approx(-given.mean())
    np.testing.assert_allclose(model.row_losses(ratings), -given)
    np.testing.assert_allclose(model.predict(ratings), p @ np.arange(1, 8))


@pytest.mark.parametrize(
    ("model", "n_each"),
    [(rs.STE(2, penalty=0), 20), (rs.TSTE(2, penalty=0), 100)],
    ids=repr,
)
def test_the_space_is_found_again_with_its_scale(model, n_each):
    """Of 150 worlds of STE the distance was above .1 in 1 of 50, the ratio of sizes .92 to 1.15."""
    ratings = rated(0, n_each, choice=model._choice())
    model.fit(ratings)
    own = clone(model).set_positions(space(), ratings.items, ratings)
    assert model.score(ratings) >= own.score(ratings) - 1e-4
    assert rs.procrustes_distance(space(), model.embedding_) < 0.15
    spread = [np.linalg.norm(X - X.mean(axis=0)) for X in (model.embedding_, space())]
    assert spread[0] / spread[1] == pytest.approx(1, abs=0.25)


def test_weights_count_as_repeats():
    ratings = rated(n_each=2)
    weights = np.random.default_rng(0).integers(0, 3, len(ratings))
    once = ratings._with(weight=weights.astype(float))
    more = ratings[np.repeat(np.arange(len(ratings)), weights)]
    losses = [rs.STE(2, random_state=0).fit(r).loss_ for r in (once, more)]
    assert losses[0] == pytest.approx(losses[1], rel=1e-3)
    model = rs.STE(2).set_positions(space(), ratings.items, once)
    assert model.score(once) == pytest.approx(model.score(more))


@pytest.mark.parametrize("model", [rs.SOE(2), rs.GNMDS(2)], ids=repr)
def test_models_without_a_similarity_are_refused(model):
    with pytest.raises(SettingError, match="Gaussian"):
        model.fit(rated(n_each=1))


def test_what_needs_comparisons_refuses_ratings():
    with pytest.raises(JudgmentError, match="not comparisons"):
        rs.noise_ceiling(rated(n_each=2))
    with pytest.raises(JudgmentError, match="not comparisons"):
        rs.SpaceObserver(space()).answer(rated(n_each=1))


def test_ratings_of_two_files_are_joined():
    one = rs.Ratings([[0, 1]], [2], 5, ["a", "b"], observer=["x"])
    two = rs.Ratings([[0, 1]], [7], 9, ["c", "a"], weight=[2])
    both = rs.join_judgments([one, two])
    assert [tuple(both.items.names[i] for i in row) for row in both.index] == [
        ("a", "b"),
        ("a", "c"),
    ]
    assert both.rating.tolist() == [2, 7]
    assert both.points.tolist() == [5, 9]
    assert both.weight.tolist() == [1, 2]
    assert both.observer.tolist() == ["x", ""]
    counts = rs.Confusions([[0, 1]], [1], 4, ["a", "b"])
    with pytest.warns(rs.errors.RepeatedPairsWarning):
        summed = rs.join_judgments([counts, counts[:]])
    assert summed.errors.tolist() == [2]
