"""The picture of who is found from the answers of each model."""

import numpy as np

import resemblance as rs


def test_rows_are_models_best_first_and_cells_are_shares():
    names = ("one", "two", "three")
    confusion = np.array([[0.9, 0.1, 0.0], [0.0, 1.0, 0.0], [0.2, 0.3, 0.5]])
    losses, p = np.array([0.6, 0.4, 0.5]), np.array([0.0, 1.0, 0.3])
    found = rs.observers.ModelRecovery(names, losses, confusion, p, np.array([0.0, 1.0, 0.0]), 100)
    ax = rs.plot_recovery(found, title="Who?")
    np.testing.assert_allclose(ax.images[0].get_array(), confusion[np.ix_([1, 2, 0], [1, 2, 0])])
    assert [label.get_text().split("\n")[0] for label in ax.get_yticklabels()] == [
        "two",
        "three",
        "one",
    ]
    written = {text.get_text() for text in ax.texts}
    assert {"1.00", "0.50", "0.90"} <= written
    assert "0.00" not in written
    assert "three" in found.rivals
