"""Templates as pictures."""

import numpy as np
import pytest

import resemblance as rs
from resemblance.errors import SettingError

MAPS = np.arange(24.0).reshape(2, 3, 4)


def pictures(figure):
    return [ax.images[0].get_array() for ax in figure.axes]


def test_templates_masks_and_means_have_a_row_each():
    regions = np.repeat([[0, 0, 1, -1]], 3, axis=0)
    figure = rs.plot_templates(MAPS, 1 / (1 + MAPS), labels=["a", "b"], regions=regions)
    shown = pictures(figure)
    assert len(shown) == 6
    np.testing.assert_array_equal(shown[1], MAPS[1])
    np.testing.assert_allclose(shown[2], 1 / (1 + MAPS[0]))
    mask = 1 / (1 + MAPS[0])
    np.testing.assert_allclose(shown[4][:, :2], mask[:, :2].mean())
    np.testing.assert_allclose(shown[4][:, 2], mask[:, 2].mean())
    assert np.ma.masked_invalid(shown[4])[:, 3].mask.all()
    assert [ax.get_title() for ax in figure.axes[:2]] == ["a", "b"]


def test_pixels_without_a_mask_are_blank_and_rows_say_their_range():
    masks = np.ones((2, 3, 4))
    masks[:, 1] = 0.0
    masks[0, 0, 0] = 0.5
    figure = rs.plot_templates(MAPS - 2, masks, name="picture")
    for shown in pictures(figure):
        assert np.ma.masked_invalid(shown)[1].mask.all()
        assert np.isfinite(np.delete(shown, 1, axis=0)).all()
    assert figure.axes[0].get_ylabel() == "picture\n\N{MINUS SIGN}2 to 21"
    assert figure.axes[2].get_ylabel() == "mask\n0.5 to 1"


def test_a_model_knows_all_of_it():
    rng = np.random.default_rng(0)
    images = rng.normal(size=(80, 2, 3))
    model = rs.TemplateClassifier(random_state=0).fit(images, images[:, 0, 0] > 0)
    figure = rs.plot_templates(model)
    n = len(model.templates_)
    assert len(figure.axes) == 2 * n
    np.testing.assert_allclose(pictures(figure)[0], model.templates_[0].reshape(2, 3))
    assert figure.axes[0].get_title() == "False"


def test_images_of_one_dimension_are_curves():
    figure = rs.plot_templates(MAPS.reshape(2, 12))
    assert [len(ax.lines) for ax in figure.axes] == [1, 1]
    np.testing.assert_array_equal(figure.axes[0].lines[0].get_ydata(), MAPS[0].ravel())


def test_shapes_that_disagree_are_refused():
    with pytest.raises(SettingError, match="give image_shape="):
        rs.plot_templates(MAPS, image_shape=(5, 5))
    with pytest.raises(SettingError, match="give one per pixel"):
        rs.plot_templates(MAPS, regions=[0, 1])
