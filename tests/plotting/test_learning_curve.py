"""The curve of error against answers."""

import numpy as np
import pytest

import resemblance as rs
from resemblance.errors import SettingError


def test_the_band_holds_the_middle_runs_and_the_line_is_their_median():
    errors = np.array([[0.5, 0.1], [0.4, 0.2], [0.3, 0.3]])
    ax = rs.plot_learning_curve(
        [10, 20], errors, ceiling=0.05, target=0.15, level=1.0, title="Plan"
    )
    np.testing.assert_allclose(ax.lines[0].get_ydata(), [0.4, 0.2])
    band = ax.collections[0].get_paths()[0].vertices
    assert (band[:, 1].min(), band[:, 1].max()) == (0.1, 0.5)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["noise ceiling", "target"]


def test_an_error_is_given_for_each_number_of_answers():
    with pytest.raises(SettingError, match=r"\(1, 2\)"):
        rs.plot_learning_curve([1, 2, 3], [0.4, 0.3])
