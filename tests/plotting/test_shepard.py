"""The Shepard diagram tells what people said, and what the model expects."""

import numpy as np
import pytest

import resemblance as rs
from resemblance.errors import JudgmentError, SettingError
from resemblance.plotting import plot_map, plot_shepard

RNG = np.random.default_rng(0)
X = RNG.normal(size=(12, 2))
PAIRS = np.column_stack(np.triu_indices(12, 1))


def placed(model, points=X):
    return model.set_positions(points)


def test_dots_of_answers_of_the_model_lie_on_its_line():
    model = placed(rs.STE(2))
    observer = rs.SpaceObserver(X, rs.choice.Softmax(), random_state=0)
    questions = np.array([RNG.choice(12, 3, replace=False) for _ in range(6000)])
    ax = plot_shepard(model, observer.answer(rs.Triplets(questions)))
    dots = ax.containers[0].lines[0].get_ydata()
    line = next(line for line in ax.lines if line.get_label() == "model").get_ydata()
    assert len(dots) == 12
    assert np.abs(dots - line).max() < 0.08
    assert dots[-1] > 0.9
    assert dots[0] < 0.65


def test_shares_do_not_depend_on_which_option_is_written_first():
    quadruplets = np.column_stack([PAIRS[:40], PAIRS[26:66]])
    near = ((X[quadruplets[:, 0]] - X[quadruplets[:, 1]]) ** 2).sum(1)
    far = ((X[quadruplets[:, 2]] - X[quadruplets[:, 3]]) ** 2).sum(1)
    right = np.where((near < far)[:, None], quadruplets, quadruplets[:, [2, 3, 0, 1]])
    wrong = right[:, [2, 3, 0, 1]]
    ax = plot_shepard(placed(rs.STE(2)), rs.Quadruplets(np.concatenate([right, wrong])), n_bins=1)
    assert ax.containers[0].lines[0].get_ydata() == pytest.approx([0.5])


def test_confusions_show_each_pair_and_the_curve_of_the_choice_model():
    d2 = ((X[PAIRS[:, 0]] - X[PAIRS[:, 1]]) ** 2).sum(1)
    errors = np.round(1000 * np.exp(-d2) / 2)
    counts = rs.Confusions(PAIRS, errors, 1000, rs.Items(features=X))
    yada = rs.Yada(2, kernel="linear", penalty=1e-6).fit(counts)
    ax = plot_shepard(yada, counts)
    dots = ax.collections[0].get_offsets()
    at, curve = ax.lines[0].get_data()
    assert len(dots) == len(PAIRS)
    assert np.abs(np.interp(dots[:, 0], at, curve) - dots[:, 1]).max() < 0.02


def test_ranks_show_a_rising_curve():
    d = np.linalg.norm(X[PAIRS[:, 0]] - X[PAIRS[:, 1]], axis=1)
    ranks = rs.PairRanks(PAIRS, d.argsort().argsort() + 1)
    model = rs.NonmetricMDS(2, random_state=0).fit(ranks)
    ax = plot_shepard(model, ranks)
    assert (np.diff(ax.lines[0].get_xdata()) >= 0).all()


def test_what_has_no_diagram_is_refused():
    similar = rs.SimilarPairs(PAIRS[:2], [True, False])
    with pytest.raises(SettingError, match="no Shepard diagram"):
        plot_shepard(placed(rs.STE(2)), similar)
    turned = rs.Triplets([[0, 1, 2]], [*map(str, range(12)[::-1])])
    with pytest.raises(JudgmentError, match="other items"):
        plot_shepard(placed(rs.STE(2)), turned)
    with pytest.raises(SettingError, match="n_bins is 0"):
        plot_shepard(placed(rs.STE(2)), rs.Triplets([[0, 1, 2]]), n_bins=0)


def test_ellipses_have_the_axes_of_the_covariances():
    covariances = np.tile(np.diag([0.04, 0.01]), (12, 1, 1))
    ax = plot_map(X, covariances=covariances)
    ellipses = [patch for patch in ax.patches if patch.get_gid() == "uncertainty"]
    assert len(ellipses) == 12
    assert ellipses[0].width == pytest.approx(0.4)
    assert ellipses[0].height == pytest.approx(0.2)
    assert np.cos(np.radians(ellipses[0].angle)) ** 2 == pytest.approx(1.0)
    with pytest.raises(SettingError, match="one 2 x 2 matrix for each of the 12"):
        plot_map(X, covariances=np.ones(12))
    covariances[3, 0, 0] = -1.0
    with pytest.raises(SettingError, match="item 3"):
        plot_map(X, covariances=covariances)


def test_ratings_lie_around_the_curve_of_the_choice_model():
    choice = rs.choice.StudentT(1.0)
    model, asked = placed(rs.OrdinalEmbedding(choice, 2)), np.tile(PAIRS, (400, 1))
    ratings = rs.SpaceObserver(X, choice, random_state=0).rate(asked, 7)
    with pytest.raises(SettingError):
        plot_shepard(model, ratings)
    ax = plot_shepard(model.set_positions(X, ratings=ratings), ratings)
    dots = np.asarray(ax.collections[0].get_offsets()).reshape(400, -1, 2).mean(axis=0)
    curve = ax.lines[0]
    expected = np.interp(dots[:, 0], curve.get_xdata(), curve.get_ydata())
    assert np.abs(dots[:, 1] - expected).max() < 0.08
