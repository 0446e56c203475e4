import io

import numpy as np
import pytest

import resemblance as rs
from resemblance.errors import JudgmentError, SettingError
from resemblance.scaling import ScaleIntervals

LEVELS = np.array([30.0, 0.0, 10.0])
MODEL = rs.MLDS(levels=LEVELS).set_scale([4.0, 0.0, 1.0])
HALF = np.array([1.0, 0.0, 0.4])
SURE = ScaleIntervals(MODEL.scale_, HALF / 2, MODEL.scale_ - HALF, MODEL.scale_ + HALF)


def test_the_scale_against_its_levels_with_bars():
    ax = rs.plot_scale(MODEL, SURE, xlabel="contrast ($)", label=r"$\one$")
    line = ax.lines[0]
    np.testing.assert_array_equal(line.get_xdata(), [0.0, 10.0, 30.0])
    np.testing.assert_array_equal(line.get_ydata(), [0.0, 1.0, 4.0])
    bars = [path[:, 1].tolist() for path in ax.collections[0].get_segments()]
    np.testing.assert_allclose(bars, [[0.0, 0.0], [0.6, 1.4], [3.0, 5.0]])
    assert ax.get_xlabel() == "contrast ($)"
    rs.plot_scale(MODEL, ax=ax, label="other")
    assert ax.lines[1].get_color() != line.get_color()
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [r"$\one$", "other"]
    ax.figure.savefig(io.BytesIO(), format="png")


def test_from_0_to_1():
    np.testing.assert_array_equal(
        rs.plot_scale(MODEL, normalised=True).lines[0].get_ydata(), [0.0, 0.25, 1.0]
    )
    with pytest.raises(JudgmentError):
        rs.plot_scale(rs.MLDS().set_scale([0.0, -1.0]), normalised=True)


def test_intervals_of_another_scale():
    with pytest.raises(SettingError) as error:
        rs.plot_scale(rs.MLDS().set_scale([0.0, 1.0]), SURE)
    assert error.value.setting == "intervals"
