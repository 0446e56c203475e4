"""Uncertainty of templates."""

import numpy as np
import pytest

import resemblance as rs
from resemblance.errors import JudgmentError, SettingError

SETTINGS = {"n_templates": 2, "smoothness": 0.0, "penalty": 1.0}


def trials_of(seed, n=400, **notes):
    rng = np.random.default_rng(seed)
    images = rng.normal(size=(n, 4))
    return rs.Classifications(images, images[:, 0] + rng.logistic(size=n) > 0, **notes)


def test_it_is_how_far_templates_of_other_trials_are():
    """In 12 such sets 1.06 (deviation .10), 7.2 (.9) and 1.5 (.6)."""
    trials = trials_of(0)
    model = rs.DecisionTemplates(**SETTINGS).fit(trials)
    maps = rs.template_uncertainty(model, trials, n_resamples=60, random_state=0)
    np.testing.assert_allclose(maps.z * maps.standard_error, model.templates_)
    assert (maps.low < model.templates_).all()
    assert (maps.high > model.templates_).all()
    others = [trials_of(k) for k in range(1, 41)]
    expected = np.std(
        [rs.DecisionTemplates(**SETTINGS).fit(other).templates_ for other in others], axis=0
    )
    assert maps.standard_error.mean() / expected.mean() == pytest.approx(1.0, abs=0.5)
    assert maps.z[1, 0] > 4 > np.abs(maps.z[1, 1:]).max()


def test_whole_groups_are_drawn_and_a_seed_can_be_repeated():
    """Twice as unsure as four times the trials: 2.9 (deviation 1.1) in 40 sets; means of two."""
    ratios = []
    for seed in range(2):
        one = trials_of(seed, 100)
        same = rs.Classifications(
            np.repeat(one.stimuli, 4, axis=0),
            np.repeat(one.labels, 4),
            response_id=np.repeat(range(100), 4),
        )
        loose = rs.Classifications(same.stimuli, same.labels)
        model = rs.DecisionTemplates(**SETTINGS).fit(same)
        settings = {"n_resamples": 30, "random_state": 0}
        grouped, again, single = (
            rs.template_uncertainty(model, trials, **settings).standard_error.mean()
            for trials in (same, same, loose)
        )
        assert grouped == again
        ratios.append(np.log(grouped / single))
    assert np.exp(np.mean(ratios)) > 1.3


def test_settings_out_of_range_are_refused():
    trials = trials_of(0, 60)
    model = rs.DecisionTemplates(**SETTINGS).fit(trials)
    with pytest.raises(SettingError, match="n_resamples is 1"):
        rs.template_uncertainty(model, trials, n_resamples=1)


def test_other_trials_and_other_models_are_refused():
    images = np.random.default_rng(0).normal(size=(60, 4))
    told = images[:, 0] > 0
    model = rs.DecisionTemplates(2, smoothness=0, penalty=1.0).fit(images, told)
    others = ((images[:, :3], told), (images, np.where(told, "yes", "no")))
    for other in others:
        with pytest.raises(JudgmentError):
            rs.template_uncertainty(model, *other, n_resamples=5)
    with pytest.raises(SettingError):
        rs.template_uncertainty(rs.TemplateClassifier().fit(images, told), images, told)
