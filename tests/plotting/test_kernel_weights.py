import numpy as np
import pytest

import resemblance as rs

VIEWS = {"size": np.arange(8.0)[:, None], "no$ise": np.random.default_rng(0).normal(size=(8, 2))}
INDEX = [[0, 1, 5], [1, 2, 7], [7, 6, 2], [3, 4, 0], [5, 4, 1]]


@pytest.mark.parametrize("diagonal", [False, True])
def test_a_row_for_each_kernel_the_largest_first(diagonal, tmp_path):
    triplets = rs.Triplets(INDEX, items=rs.Items(features=VIEWS))
    model = rs.MKPOE(diagonal=diagonal, beta=100).fit(triplets)
    axes = rs.plot_kernel_weights(model, title="Weights")
    shares = sorted(model.kernel_weights_.values(), reverse=True)
    assert [ax.get_ylabel().split("\n")[1] for ax in axes] == [f"{s:.1%}" for s in shares]
    heights = [
        sum(path.vertices[:, 1].max() for path in ax.collections[0].get_paths()) for ax in axes
    ]
    np.testing.assert_allclose(heights, shares, atol=1e-9)
    axes[0].figure.savefig(tmp_path / "weights.png")


def test_a_map_to_one_point_has_no_weights():
    triplets = rs.Triplets(INDEX, items=rs.Items(features=VIEWS))
    axes = rs.plot_kernel_weights(rs.MKPOE(beta=1e-6).fit(triplets))
    assert all(ax.get_ylabel().endswith("0.0%") for ax in axes)
