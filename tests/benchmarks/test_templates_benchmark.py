"""The benchmark of templates runs, on little."""

import numpy as np
import pytest

from scripts import scripts


@pytest.mark.server
def test_a_fit_in_a_fresh_process_is_measured(tmp_path):
    with scripts("benchmarks", "templates") as modules:
        (row,) = modules.templates.run(tmp_path, n_trials=300, side=3)
        images, labels = modules.templates.write(tmp_path, 300, 3)
    assert row["seconds"] > 0
    assert row["prototypes"] >= 1
    assert row["peak_mb"] > row["data_mb"]
    stored = np.load(images, mmap_mode="r")
    assert stored.shape == (300, 6, 6)
    assert stored.dtype == np.float32
    assert len(np.load(labels)) == 300
