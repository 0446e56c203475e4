"""Uncertainty of templates."""

import numpy as np
import pytest

import resemblance as rs
from resemblance.errors import SettingError

SETTINGS = {"n_templates": 2, "smoothness": 0.0, "penalty": 1.0}


def trials_of(seed, n=400, **notes):
    rng = np.random.default_rng(seed)
    images = rng.normal(size=(n, 4))
    return rs.Classifications(images, images[:, 0] + rng.logistic(size=n) > 0, **notes)


def test_it_is_how_far_templates_of_other_trials_are():
    trials = trials_of(0)
    model = rs.DecisionTemplates(**SETTINGS).fit(trials)
    maps = rs.template_uncertainty(model, trials, n_resamples=60, random_state=0)
    others = [rs.DecisionTemplates(**SETTINGS).fit(trials_of(s)).templates_ for s in range(1, 41)]
    expected = np.std(others, axis=0)
    np.testing.assert_allclose(maps.standard_error.mean(), expected.mean(), rtol=0.25)
    np.testing.assert_allclose(maps.z * maps.standard_error, model.templates_)
    assert (maps.low < model.templates_).all()
    assert (maps.high > model.templates_).all()
    assert maps.z[1, 0] > 4.5 > np.abs(maps.z[1, 1:]).max()
    assert np.median(np.abs(maps.z[1, 1:])) < 2


def test_whole_groups_are_drawn_and_a_seed_can_be_repeated():
    one = trials_of(0, 100)
    same = rs.Classifications(
        np.repeat(one.stimuli, 4, axis=0),
        np.repeat(one.labels, 4),
        response_id=np.repeat(range(100), 4),
    )
    loose = rs.Classifications(same.stimuli, same.labels)
    model = rs.DecisionTemplates(**SETTINGS).fit(same)
    grouped, again, single = (
        rs.template_uncertainty(model, trials, n_resamples=30, random_state=0).standard_error.mean()
        for trials in (same, same, loose)
    )
    assert grouped == again
    assert grouped > 1.5 * single


def test_settings_out_of_range_are_refused():
    trials = trials_of(0, 60)
    model = rs.DecisionTemplates(**SETTINGS).fit(trials)
    with pytest.raises(SettingError, match="n_resamples is 1"):
        rs.template_uncertainty(model, trials, n_resamples=1)
