import pandas as pd

from resemblance.stimuli import Blobs


def test_features_are_written_for_fits(run, tmp_path):
    Blobs().save(tmp_path / "blobs")
    said = run("features", tmp_path / "blobs", "--out", "f.csv").output
    written = pd.read_csv(tmp_path / "f.csv")
    assert set(written["item"]) == set(Blobs().names)
    assert written.shape[1] > 50
    assert "image" not in written
    assert str(len(written)) in said
    run("features", tmp_path / "none", code=1)
