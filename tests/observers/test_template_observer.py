"""Simulated people who compare images with templates."""

import numpy as np
import pytest

import resemblance as rs
from resemblance.errors import JudgmentError, SettingError
from resemblance.stimuli import FourSquares

PAIR = ("exemplar", "prototype")
TASK = FourSquares(3)
IMAGES = TASK.draw(np.repeat(np.arange(4), 5), 0.5, random_state=0)


def person(strategy="exemplar", **settings):
    settings = {"noise": 0.5, "random_state": 0} | settings
    return rs.TemplateObserver(TASK.signals, TASK.labels, strategy, **settings)


@pytest.mark.parametrize("strategy", ["exemplar", "prototype", "linear"])
@pytest.mark.parametrize("settings", [{}, {"lapse": 0.3}, {"noise": 0.0}, {"bias": 0.7}])
def test_answers_come_with_their_probabilities(strategy, settings):
    p = person(strategy, **settings).probabilities(IMAGES)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    one = person(strategy, **settings)
    said = np.mean([one.pick(IMAGES) for _ in range(1000)], axis=0)
    np.testing.assert_allclose(said, p[:, 1], atol=0.07)


def test_the_prototype_is_the_mean_of_its_class_and_the_linear_one_their_difference():
    top = TASK.signals[:2].reshape(2, -1).mean(axis=0)
    np.testing.assert_allclose(person("prototype").templates[1], top / np.linalg.norm(top))
    w = person("linear").templates[0]
    bottom = TASK.signals[2:].reshape(2, -1).mean(axis=0)
    np.testing.assert_allclose(w, (bottom - top) / np.linalg.norm(bottom - top))


def test_scaling_a_template_changes_nothing():
    one = rs.TemplateObserver(TASK.signals, TASK.labels)
    other = rs.TemplateObserver(TASK.signals * [[[2.0]], [[9.0]], [[1.0]], [[0.1]]], TASK.labels)
    np.testing.assert_allclose(one.probabilities(IMAGES), other.probabilities(IMAGES))


def test_exemplars_answer_by_the_best_one_and_prototypes_by_the_sum():
    image = 3.0 * TASK.signals[0] + 2.0 * TASK.signals[2] + 2.0 * TASK.signals[3]
    said = {strategy: person(strategy, noise=0.1).pick([image])[0] for strategy in PAIR}
    assert said == {"exemplar": 1, "prototype": 0}  # top, bottom


def test_a_linear_observer_errs_as_signal_detection_says():
    from scipy.stats import norm

    p = person("linear", noise=1.0).probabilities(0.4 * TASK.signals)
    # the unit difference template overlaps a square of 9 pixels by 9 / sqrt(36)
    np.testing.assert_allclose(p[[2, 0], 0], norm.cdf([0.6, -0.6]), atol=1e-9)


def test_the_right_answers_are_kept_beside_the_given_ones():
    shown = np.repeat(TASK.labels, 5)
    trials = person(noise=0.0).classify(IMAGES, shown)
    assert trials.image_shape == (6, 6)
    assert trials.correct.mean() > 0.5


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"noise": -1}, "noise is -1"),
        ({"lapse": 2}, "lapse"),
        ({"strategy": "guess"}, "strategy is 'guess'"),
    ],
)
def test_settings_out_of_range_are_refused(settings, problem):
    with pytest.raises(SettingError, match=problem):
        person(**settings)


def test_templates_that_make_no_sense_are_refused():
    with pytest.raises(SettingError, match="one label per template"):
        rs.TemplateObserver(TASK.signals, ["top", "bottom"])
    with pytest.raises(SettingError, match="template 1 is 0"):
        rs.TemplateObserver([[1.0, 0.0], [0.0, 0.0]], ["a", "b"])
    with pytest.raises(SettingError, match="needs 2 classes, not 3"):
        rs.TemplateObserver(np.eye(3), ["a", "b", "c"], "linear")


def test_images_of_another_size_are_refused():
    person = rs.TemplateObserver(np.eye(2), ["left", "right"], random_state=0)
    with pytest.raises(JudgmentError):
        person.classify(np.ones((4, 3)))
    with pytest.raises(SettingError):
        rs.TemplateObserver(np.eye(2), ["left", "right"], bias=np.inf)
