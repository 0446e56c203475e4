"""The picture of groups."""

import itertools
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import resemblance as rs


def found(n_groups=2, n_dims=3):
    rng = np.random.default_rng(0)
    names = ["clarity", *map(str, range(1, n_dims + 1))]
    groups = tuple(f"group {g}" for g in range(n_groups))
    weight = np.exp(rng.normal(size=(len(names), n_groups)))
    table = pd.DataFrame(
        {
            "dimension": np.repeat(names, n_groups),
            "group": np.tile(groups, len(names)),
            "weight": weight.ravel(),
            "low": 0.8 * weight.ravel(),
            "high": 1.3 * weight.ravel(),
        }
    )
    return SimpleNamespace(
        groups=groups, people=(5,) * n_groups, p_value=0.03, n_permutations=999, table=table
    )


def test_a_row_for_each_dimension_and_a_dot_for_each_group():
    ax = rs.plot_groups(found(), title="Ages")
    assert ax.get_yticklabels()[0].get_text() == "how clearly"
    assert len(ax.get_yticklabels()) == 4
    assert len(ax.containers) == 2
    assert ax.get_xscale() == "log"
    assert ax.get_title(loc="left") == "Ages"


@pytest.mark.parametrize("reach", [1.02, 3.0, 1e9])
def test_numbers_of_the_axis_do_not_overprint_each_other(reach):
    told = found()
    told.table["low"] = told.table["weight"] / reach
    told.table["high"] = told.table["weight"] * reach
    ax = rs.plot_groups(told)
    ax.figure.canvas.draw()
    boxes = [text.get_window_extent() for text in ax.get_xticklabels() if text.get_text()]
    assert len(boxes) >= 2
    assert all(a.x1 < b.x0 for a, b in itertools.pairwise(boxes))


def test_a_weight_that_answers_cannot_tell_is_not_drawn():
    told = found()
    told.table.loc[told.table["dimension"] == "2", ["weight", "low", "high"]] = np.nan
    ax = rs.plot_groups(told)
    assert len(ax.texts) == len(rs.plot_groups(found()).texts) + 1
    assert np.isfinite(ax.get_xlim()).all()


def test_a_dollar_in_a_name_starts_no_formula():
    told = found()
    told.groups = ("$50", "$100")
    told.table["group"] = np.tile(told.groups, 4)
    ax = rs.plot_groups(told)
    ax.figure.canvas.draw()
    assert ax.get_legend().get_texts()[0].get_text().startswith("$50")
