from types import SimpleNamespace

import numpy as np
import pytest

from resemblance.plotting import plot_dimensions


@pytest.fixture
def curve():
    return SimpleNamespace(
        dims=np.array([1, 2, 3, 5]),
        error_mean=np.array([0.3, 0.21, 0.2, 0.22]),
        error_se=np.array([0.03, 0.02, 0.015, 0.02]),
        best=3,
        chosen=2,
        noise_ceiling=None,
    )


def lines(ax):
    return {line.get_label(): line for line in ax.lines}


def test_means_and_standard_errors_are_drawn(curve):
    ax = plot_dimensions(curve)
    (container,) = ax.containers
    np.testing.assert_allclose(container[0].get_xydata(), np.c_[curve.dims, curve.error_mean])
    bars = np.array([segment[:, 1] for segment in container[2][0].get_segments()])
    np.testing.assert_allclose(np.diff(bars)[:, 0], 2 * curve.error_se)


def test_the_best_and_the_chosen_are_marked(curve):
    drawn = lines(plot_dimensions(curve))
    assert drawn["best: 3"].get_xydata().tolist() == [[3, 0.2]]
    assert drawn["chosen: 2"].get_xydata().tolist() == [[2, 0.21]]
    threshold = drawn["one standard error above the best"].get_ydata()
    assert list(threshold) == pytest.approx([0.215, 0.215])


def test_guessing_and_the_noise_ceiling_are_drawn_on_request(curve):
    plain = lines(plot_dimensions(curve))
    assert "guessing" not in plain
    assert "noise ceiling" not in plain
    curve.noise_ceiling = 0.12
    drawn = lines(plot_dimensions(curve, chance=True))
    assert list(drawn["guessing"].get_ydata()) == [0.5, 0.5]
    assert list(drawn["noise ceiling"].get_ydata()) == [0.12, 0.12]
