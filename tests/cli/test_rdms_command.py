"""`fit --rdm` and `compare-rdms`: what they write and print is what the library computes."""

import numpy as np
import pandas as pd
import pytest

import resemblance as rs


@pytest.mark.parametrize("name", ["rdm.csv", "rdm.jsonl", "rdm.h5"])
def test_fit_writes_the_distances_of_its_space(quick, answers, tmp_path, name):
    if name.endswith("h5"):
        pytest.importorskip("h5py")
    quick("fit", answers, "--penalty", 0.1, "--model", "ste", "--folds", 0, "--rdm", name)
    model = rs.load(tmp_path / "answers-map" / "model.npz")
    found = rs.read_rdms(tmp_path / name, model.items_)
    np.testing.assert_allclose(found.dissimilarities, rs.rdm(model).dissimilarities, rtol=1e-12)


def test_models_are_compared_with_people(quick, tmp_path):
    rng = np.random.default_rng(0)
    points = rng.normal(size=(10, 2))
    true = rs.rdm(points)
    told = rs.RDMs(true.dissimilarities + rng.normal(size=(4, 45)), names=list("wxyz"))
    both = np.vstack([true.dissimilarities, rng.random((1, 45))])
    models = rs.RDMs(both, names=["true", "chance"])
    rs.write_rdms(told, tmp_path / "people.csv")
    rs.write_rdms(models, tmp_path / "models.csv")
    given = ("people.csv", "models.csv", "--resamples", 100, "--out", "found.csv")
    printed = quick("compare-rdms", *given).stdout
    found = rs.compare_rdms(told, models, n_resamples=100, random_state=0)
    table = pd.read_csv(tmp_path / "found.csv")
    pd.testing.assert_frame_equal(table, found.table, check_dtype=False)
    for value in (
        *found.table["estimate"],
        *found.ceiling[:2],
        *found.ceiling.lower_interval,
        found.differences["difference"][0],
    ):
        assert f"{value:.3f}" in printed
    quick("compare-rdms", *given, "--over", "items")
    found = rs.compare_rdms(told, models, over=["items"], n_resamples=100, random_state=0)
    table = pd.read_csv(tmp_path / "found.csv")
    pd.testing.assert_frame_equal(table, found.table, check_dtype=False)


def test_other_items_are_an_error_of_one_line(quick, tmp_path):
    for name, items in (("a.csv", "wxyz"), ("b.csv", "vwxy")):
        rs.write_rdms(rs.RDMs(np.arange(6.0), list(items)), tmp_path / name)
    assert "z" in quick("compare-rdms", "a.csv", "b.csv", code=1).stderr
