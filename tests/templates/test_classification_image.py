"""The classification image."""

import numpy as np
import pytest

import resemblance as rs
from resemblance.errors import JudgmentError

RNG = np.random.default_rng(0)
NOISE = RNG.normal(size=(4000, 6))
SHOWN = RNG.integers(2, size=4000)
OWN = np.array([1.0, -1.0, 0.5, 0.0, 0.0, 0.0])
SAID = (NOISE @ OWN + 0.8 * (2 * SHOWN - 1) + RNG.normal(size=4000) > 0).astype(int)


def test_it_is_hits_minus_misses_plus_false_alarms_minus_correct_rejections():
    trials = rs.Classifications(NOISE, SAID, shown=SHOWN)
    means = {(s, r): NOISE[(s == SHOWN) & (r == SAID)].mean(axis=0) for s in (0, 1) for r in (0, 1)}
    expected = means[1, 1] - means[1, 0] + means[0, 1] - means[0, 0]
    found = rs.classification_image(trials)
    np.testing.assert_allclose(found.image, expected)
    np.testing.assert_allclose(rs.classification_image(trials, towards=0).image, -expected)
    assert np.corrcoef(found.image, OWN)[0, 1] > 0.99
    assert (np.abs(found.z[:3]) > 10).all()


def test_z_is_a_standard_normal_where_nothing_is():
    said = RNG.integers(2, size=4000)
    noise = RNG.normal(3.0, 5.0, size=(4000, 1500))  # the mean of as many z has a deviation of .026
    z = rs.classification_image(rs.Classifications(noise, said, shown=SHOWN)).z
    assert z.std() == pytest.approx(1.0, abs=0.12)
    assert abs(z.mean()) < 0.15


def test_within_what_was_shown_the_signal_is_not_in_the_image():
    stimuli = NOISE + np.eye(6)[5] * 3.0 * SHOWN[:, None]
    told = rs.classification_image(rs.Classifications(stimuli, SAID, shown=SHOWN))
    untold = rs.classification_image(rs.Classifications(stimuli, SAID))
    assert abs(told.z[5]) < 4
    assert untold.z[5] > 10
    np.testing.assert_allclose(
        rs.classification_image(rs.Classifications(stimuli, SAID), within=SHOWN).image, told.image
    )


def test_what_was_always_answered_alike_is_passed_over():
    kinds = np.where(np.arange(4000) < 50, 2, SHOWN)
    said = np.where(kinds == 2, 1, SAID)
    found = rs.classification_image(rs.Classifications(NOISE, said, shown=kinds))
    plain = rs.classification_image(rs.Classifications(NOISE[50:], SAID[50:], shown=SHOWN[50:]))
    np.testing.assert_allclose(found.image, plain.image)
    with pytest.raises(JudgmentError, match="answered alike"):
        rs.classification_image(rs.Classifications(NOISE, SAID, shown=SAID))


def test_bad_arguments_are_named():
    trials = rs.Classifications(NOISE, SAID)
    with pytest.raises(JudgmentError, match="nobody answered 'yes': the answers are 0, 1"):
        rs.classification_image(trials, towards="yes")
    with pytest.raises(JudgmentError, match=r"within has shape \(3,\)"):
        rs.classification_image(trials, within=[1, 2, 3])


@pytest.mark.parametrize("within", [None, [1.0, np.nan] * 20])
def test_what_is_no_trial_or_has_no_kind(within):
    images = np.random.default_rng(0).normal(size=(40, 3))
    trials = rs.Classifications(images, images[:, 0] > 0)
    with pytest.raises(JudgmentError):
        rs.classification_image(images if within is None else trials, within)


def test_unrelated_answers_have_a_significant_pixel_in_one_image_of_twenty():
    rng = np.random.default_rng(0)
    images = 0
    for _ in range(150):
        pixels = rng.normal(size=(120, 30)) * rng.uniform(0.1, 5, size=30)
        pixels[:, 1:] += pixels[:, :1]  # neighbours go together
        shown = rng.integers(0, 2, 120)
        said = rng.random(120) < 0.3 + 0.4 * shown  # follows what was shown, not the noise
        trials = rs.Classifications(pixels, said, shown)
        found = rs.classification_image(trials, n_permutations=199, random_state=rng.integers(1000))
        images += found.n_significant > 0
    assert images <= 17  # 7.5 expected, 3.5 standard deviations above


def test_a_pixel_that_answers_follow_is_significant():
    pixels = np.random.default_rng(1).normal(size=(300, 20))
    trials = rs.Classifications(pixels, pixels[:, 3] + pixels[:, 4] / 8 > 0)
    found = rs.classification_image(trials)
    assert found.p_value.argmin() == 3
    assert found.p_value[3] < 0.01
    assert found.n_significant == (found.p_value < 0.05).sum() <= 4
    assert rs.classification_image(trials, n_permutations=0).p_value is None
