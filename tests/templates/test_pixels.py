"""Images in blocks."""

import numpy as np
import pytest

from resemblance.templates import pixels
from resemblance.templates.pixels import Pixels

X = np.random.default_rng(0).normal(3.0, 2.0, size=(50, 4))


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int16])
@pytest.mark.parametrize("block", [2**18, 12])
def test_blocks_are_the_centred_images(monkeypatch, kind, block):
    monkeypatch.setattr(pixels, "BLOCK", block)
    images = (100 * X).astype(kind)
    found = Pixels.of(images)
    np.testing.assert_allclose(found.mean, images.mean(axis=0), rtol=1e-5)
    np.testing.assert_allclose(found.variance, images.var(axis=0), rtol=1e-5)
    np.testing.assert_allclose(found.matrix(), images - found.mean, atol=1e-3)
    some = found.take(np.arange(50) % 3 == 0).take(np.array([0, 2]))
    np.testing.assert_allclose(some.matrix(), images[[0, 6]] - found.mean, atol=1e-3)


def test_the_variance_of_bright_images_is_exact():
    assert Pixels.of(X + 1e8).variance == pytest.approx(X.var(axis=0), rel=1e-6)
