import numpy as np

import resemblance as rs
from resemblance.plotting import plot_several_maps


def test_maps_are_side_by_side_with_weights_of_items_with_several_places():
    rng = np.random.default_rng(0)
    model = rs.fitting.MultipleMaps()
    model.maps_ = np.repeat(rng.normal(size=(1, 6, 3)), 2, axis=0)
    model.maps_[1, 2] = rng.normal(size=3)
    model.weights_ = np.full((6, 2), 0.5)
    model.weights_[2] = 0.8, 0.2
    model.several_, model.items_ = np.array([2]), rs.Items(list("abcdef"))
    figure = plot_several_maps(model)
    words = [{text.get_text() for text in ax.texts} for ax in figure.axes]
    assert "c (80%)" in words[0]
    assert "c (20%)" in words[1]
    assert "a" in words[0] & words[1]
