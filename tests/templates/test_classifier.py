"""The paper's algorithm: Gaussian prototypes, split until they are pure."""

import numpy as np
import pytest
from sklearn.base import clone

import resemblance as rs
from resemblance.errors import (
    ConstantFeatureWarning,
    JudgmentError,
    NotConvergedWarning,
    ResemblanceWarning,
    SettingError,
)
from resemblance.stimuli import bands, circles, overlapping_gaussians
from resemblance.templates.gaussians import two_clusters
from resemblance.templates.pixels import Pixels

SETS = {bands: 3, circles: 2, overlapping_gaussians: 2}


def fitted(points, classes, **settings):
    settings = {"covariance": "full", "random_state": 0} | settings
    return rs.TemplateClassifier(**settings).fit(points, classes)


@pytest.mark.parametrize("draw", SETS, ids=lambda draw: draw.__name__)
def test_the_sets_of_the_paper_have_its_number_of_prototypes(draw):
    """Of 600 sets one had another."""
    models = [fitted(*draw(random_state=seed), random_state=seed) for seed in range(3)]
    numbers = [len(model.templates_) for model in models]
    assert numbers.count(SETS[draw]) >= 2
    assert all(set(model.labels_) == {1, 2} for model in models)


def test_the_wide_gaussian_surrounds_the_narrow_one():
    points, classes = overlapping_gaussians(2000, random_state=0)
    model = fitted(points, classes)
    narrow = np.argmin(np.linalg.det(model.covariances_))
    centre = model.templates_[narrow]
    ring = centre + 4 * np.column_stack([np.cos(np.arange(8)), np.sin(np.arange(8))])
    assert (model.nearest(ring) != narrow).all()
    assert model.nearest([centre])[0] == narrow


@pytest.mark.parametrize("covariance", ["diagonal", "shrunk", "full"])
def test_moving_and_scaling_all_images_moves_and_scales_the_templates(covariance):
    points, classes = bands(300, random_state=1)
    one = fitted(points, classes, covariance=covariance)
    other = fitted(10 * points + 3, classes, covariance=covariance)
    np.testing.assert_allclose(other.templates_, 10 * one.templates_ + 3, rtol=1e-6)
    np.testing.assert_allclose(other.masks_, one.masks_ / 100, rtol=1e-6)
    np.testing.assert_array_equal(other.counts_, one.counts_)


def test_names_of_classes_do_not_matter():
    points, classes = bands(300, random_state=1)
    one = fitted(points, classes)
    other = fitted(points, np.where(classes == 1, "z", "b"))
    order = np.lexsort(other.templates_.T), np.lexsort(one.templates_.T)
    np.testing.assert_allclose(other.templates_[order[0]], one.templates_[order[1]])
    np.testing.assert_array_equal(other.labels_[order[0]] == "z", one.labels_[order[1]] == 1)


def test_numbers_agree_with_each_other():
    points, classes = overlapping_gaussians(random_state=0)
    model = fitted(points, classes)
    wrong = np.mean(model.predict(points) != classes)
    assert model.error_rate_ == pytest.approx(wrong)
    assert model.score(points, classes) == pytest.approx(1 - wrong)
    assert model.counts_.sum() == len(points)
    assert model.impurity_ @ model.counts_ == pytest.approx(wrong * len(points))
    p = model.predict_proba(points)
    np.testing.assert_array_equal(model.classes_[p.argmax(axis=1)], model.predict(points))
    np.testing.assert_allclose(model.impurity_, 1 - model.shares_.max(axis=1))


def test_masks_are_inverse_variances():
    points, classes = circles(random_state=0)
    model = fitted(points, classes, covariance="diagonal")
    mine = points[model.nearest(points) == 0]
    np.testing.assert_allclose(model.masks_[0], 1 / mine.var(axis=0), rtol=0.02)
    means = model.region_averages([0, 0])
    np.testing.assert_allclose(means[:, 0], model.masks_.mean(axis=1))
    with pytest.raises(SettingError, match="the number of a region"):
        model.region_averages([0.5, 1.0])
    with pytest.raises(SettingError, match="region 0 has no pixel"):
        model.region_averages([1, 1])


def test_a_memory_map_gives_the_same_and_is_not_read_whole(tmp_path):
    points, classes = bands(900, random_state=0)
    np.save(tmp_path / "x.npy", points.astype(np.float32))
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    one = fitted(mapped, classes, covariance="diagonal")
    other = fitted(points.astype(np.float32), classes, covariance="diagonal")
    np.testing.assert_array_equal(one.templates_, other.templates_)


def test_a_seed_can_be_repeated_and_a_clone_fits_alike():
    points, classes = overlapping_gaussians(random_state=3)
    one = fitted(points, classes)
    np.testing.assert_array_equal(clone(one).fit(points, classes).templates_, one.templates_)


def test_the_threshold_is_chosen_by_held_out_answers():
    points, classes = bands(300, random_state=0)
    model = fitted(points, classes, threshold="cv", thresholds=(0.1, 0.5), cv=3)
    assert model.threshold_ == 0.1
    assert model.score(points, classes) > 0.97
    lazy = fitted(points, classes, threshold="cv", thresholds=(0.45, 0.5), cv=3)
    assert lazy.threshold_ in (0.45, 0.5)


def test_constant_pixels_have_no_mask_and_change_nothing():
    points, classes = bands(300, random_state=0)
    with pytest.warns(ConstantFeatureWarning):
        model = fitted(np.insert(points, 1, 7.0, axis=1), classes)
    plain = fitted(points, classes)
    np.testing.assert_allclose(model.templates_[:, [0, 2]], plain.templates_)
    assert (model.masks_[:, 1] == 0).all()
    assert (model.templates_[:, 1] == 7.0).all()
    again = np.insert(points, 1, 0.0, axis=1)
    np.testing.assert_array_equal(model.predict(again), plain.predict(points))


def test_answers_without_structure_do_not_split_for_ever():
    rng = np.random.default_rng(0)
    points, classes = rng.normal(size=(300, 2)), rng.integers(2, size=300)
    assert len(fitted(points, classes, threshold=0.0).labels_) < 20


def test_rounds_that_do_not_suffice_are_told():
    with pytest.warns(NotConvergedWarning, match="raise the threshold"):
        fitted(*bands(300, random_state=0), max_iter=1)


@pytest.mark.parametrize("threshold", [-0.1, 0.6, "auto", None])
def test_a_threshold_outside_its_range_is_refused(threshold):
    with pytest.raises(SettingError, match=r"threshold is .*0 to 0.5"):
        fitted(*bands(30, random_state=0), threshold=threshold)


def test_thresholds_to_choose_from_and_numbers_are_checked_too():
    with pytest.raises(SettingError, match=r"thresholds is 0.7.*0 to 0.5"):
        fitted(*bands(30, random_state=0), threshold="cv", thresholds=(0.2, 0.7))
    with pytest.raises(SettingError, match="thresholds"):
        fitted(*bands(30, random_state=0), threshold="cv", thresholds=[])
    for name in ("n_init", "max_iter"):
        with pytest.raises(SettingError, match=f"{name} is 0"):
            fitted(*bands(30, random_state=0), **{name: 0})


def test_more_starts_never_find_less_likely_clusters():
    rng = np.random.default_rng(1)
    points = Pixels.of(
        np.concatenate([rng.normal(size=(60, 2)) + c for c in ((0, 0), (9, 0), (4, 9))])
    )
    totals = [
        [
            two_clusters(points, "equal", n, 100, np.random.RandomState(seed)).log_likelihood
            for seed in range(12)
        ]
        for n in (1, 10)
    ]
    assert np.ptp(totals[0]) > 1.0  # single starts end differently
    assert np.ptp(totals[1]) < 1e-6


def test_nan_pixels_labels_missing_and_of_one_class_are_refused():
    points, classes = bands(30, random_state=0)
    with pytest.raises(JudgmentError, match="row 3: pixel 1 of the image is nan"):
        fitted(np.where(np.arange(60).reshape(30, 2) == 7, np.nan, points), classes)
    with pytest.raises(JudgmentError, match="row 2: the label is missing"):
        fitted(points, [1, 2, None] * 10)
    with pytest.raises(JudgmentError, match="all labels are 1"):
        fitted(points, np.ones(30, int))
    with pytest.raises(JudgmentError, match="all images are the same"):
        fitted(np.ones((30, 2)), classes)
    with pytest.raises(JudgmentError, match="without answers"):
        rs.TemplateClassifier().fit(np.zeros((4, 3)))


def test_too_few_trials_for_the_covariance_are_refused():
    rng = np.random.default_rng(0)
    trials = rs.Classifications(rng.normal(size=(30, 20)), ["a", "b"] * 15)
    with pytest.raises(SettingError, match='choose covariance="shrunk"'):
        rs.TemplateClassifier(covariance="full").fit(trials)
    with pytest.raises(SettingError, match="covariance is 'round'"):
        rs.TemplateClassifier(covariance="round").fit(trials)
    assert rs.TemplateClassifier(covariance="shrunk", random_state=0).fit(trials).templates_.size


@pytest.mark.parametrize(
    "model", [rs.TemplateClassifier(), rs.DecisionTemplates(2, smoothness=0, penalty=1)]
)
def test_images_and_answers_that_a_fit_has_not_seen_are_refused(model):
    images = np.random.default_rng(0).normal(size=(40, 2, 3))
    trials = rs.Classifications(images, np.where(images[:, 0, 0] > 0, "a", "b"))
    model.fit(trials)
    assert (model.predict(images) == model.predict(images.reshape(40, 6))).all()
    for use in (
        lambda: model.predict(images.reshape(40, 3, 2)),
        lambda: model.predict(trials[:0]),
        lambda: model.score(images, np.where(images[:, 0, 0] > 0, "yes", "no")),
        lambda: model.fit(trials[trials.labels == "a"]),
        lambda: model.fit(trials[:0]),
    ):
        with pytest.raises(JudgmentError):
            use()


def test_splitting_stalls_where_no_half_is_purer_and_says_so():
    rng = np.random.default_rng(0)
    points, answers = rng.normal(size=(300, 2)), rng.integers(0, 2, 300)
    with pytest.warns(ResemblanceWarning, match="stalled"):
        model = rs.TemplateClassifier(0.1, random_state=0).fit(points, answers)
    assert model.n_stalled_ == (model.impurity_ > 0.1).sum() > 0


def test_the_rule_of_cart_splits_where_one_half_alone_is_purer():
    cloud = np.stack(np.meshgrid(np.arange(8.0), np.arange(8.0)), -1).reshape(-1, 2) / 8
    right = np.array([1.0, 0.0])
    points = np.concatenate([cloud + 20 * right, cloud, cloud + 3 * right])
    mixed = np.arange(64) % 2
    answers = np.concatenate([np.zeros(64, int), np.ones(64, int), mixed])
    found = {}
    for rule in ("both", "cart"):
        model = rs.TemplateClassifier(0.05, rule=rule, random_state=0)
        with pytest.warns(ResemblanceWarning, match="stalled"):
            found[rule] = model.fit(points, answers)
    assert len(found["both"].labels_) == 2
    assert len(found["cart"].labels_) > 2
    assert found["cart"].error_rate_ <= found["both"].error_rate_
