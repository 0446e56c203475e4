"""The four-square task and the three sets in the plane."""

import numpy as np
import pytest

from resemblance.errors import SettingError
from resemblance.stimuli import FourSquares, bands, circles, overlapping_gaussians


def test_the_square_is_bright_at_its_place_alone():
    task = FourSquares(3, noise=1e-9, gap=2)
    images = task.draw(np.arange(4), contrast=0.7, random_state=0)
    assert images.shape == (4, 8, 8)
    for place, image in enumerate(images):
        np.testing.assert_allclose(image[task.regions == place], 0.7, atol=1e-6)
        np.testing.assert_allclose(image[task.regions != place], 0.0, atol=1e-6)
    assert task.labels.tolist() == ["top", "top", "bottom", "bottom"]
    assert task.signals.sum(axis=(1, 2)).tolist() == [9.0] * 4


def test_noise_is_in_the_squares_and_not_between():
    task = FourSquares(20, noise=2.0, gap=1)
    image = task.draw(0, contrast=0.0, random_state=0)[0]
    assert (image[task.regions < 0] == 0).all()
    assert image[task.regions >= 0].std() == pytest.approx(2.0, rel=0.05)


def test_one_seed_gives_one_set_of_images_and_each_may_have_its_contrast():
    task = FourSquares(2)
    weak, strong = (task.draw([1, 1], [0.0, c], random_state=3) for c in (0.0, 1.0))
    np.testing.assert_allclose(strong - weak, [0 * task.signals[1], task.signals[1]], atol=1e-12)


@pytest.mark.parametrize("settings", [{"side": 0}, {"noise": 0}, {"gap": -1}])
def test_settings_out_of_range_are_refused(settings):
    with pytest.raises(SettingError, match="give a side"):
        FourSquares(**settings)


def test_the_bands_are_one_upright_and_one_upright_with_a_level_one():
    points, classes = bands(900, random_state=0)
    assert np.bincount(classes).tolist() == [0, 300, 600]
    one, other = points[classes == 1], points[classes == 2]
    assert np.ptp(one[:, 1]) > 3 * np.ptp(one[:, 0])
    assert np.ptp(other[:300, 1]) > 3 * np.ptp(other[:300, 0])
    assert np.ptp(other[300:, 0]) > 3 * np.ptp(other[300:, 1])


def test_the_circles_do_not_overlap_and_are_empty():
    points, classes = circles(400, random_state=0)
    centres = np.array([points[classes == c].mean(axis=0) for c in (1, 2)])
    away = np.linalg.norm(points - centres[classes - 1], axis=1)
    assert away.min() > 0.7
    assert away.max() < np.linalg.norm(centres[0] - centres[1]) / 2


def test_one_gaussian_is_narrow_and_the_other_reaches_around_it():
    points, classes = overlapping_gaussians(4000, random_state=0)
    one, other = points[classes == 1], points[classes == 2]
    assert other.std(axis=0).min() > 3 * one.std(axis=0).max()
    assert (other[:, 0] < one[:, 0].mean() - 2 * one[:, 0].std()).mean() > 0.05
