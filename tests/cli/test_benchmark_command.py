"""The command `benchmark`, on small public data sets that a folder has, and on a file."""

import numpy as np
import pandas as pd
import pytest

from analysis.test_benchmarking import NAMES, NOISE, SPACE, answers
from resemblance.catalog import PUBLIC_DATA, Entry
from resemblance.datasets import Dataset
from resemblance.errors import FileError, UnavailableError


def small(path=None):
    told = answers(900)
    return Dataset("", "", "", told.items, told)


def away(path=None):
    if path is not None:
        raise FileError(f"{path} has no such file")
    raise UnavailableError("no such host")


@pytest.fixture
def public(monkeypatch):
    """Two public data sets, of which one cannot be fetched."""
    for name in list(PUBLIC_DATA):
        monkeypatch.delitem(PUBLIC_DATA, name)
    for name, loader in (("small", small), ("away", away)):
        monkeypatch.setitem(PUBLIC_DATA, name, Entry(name, f"{__name__}:{loader.__name__}"))


@pytest.fixture
def networks(tmp_path):
    np.save(tmp_path / "alike.npy", SPACE)
    (tmp_path / "chance").mkdir()
    table = pd.DataFrame(NOISE, columns=[f"f{k}" for k in range(NOISE.shape[1])])
    table.insert(0, "item", NAMES)
    table.to_csv(tmp_path / "chance" / "small.csv", index=False)
    return "alike.npy", "chance"


def test_files_and_folders_of_features_fit_what_can_be_fetched(
    public, networks, run, report, tmp_path
):
    result = run("benchmark", *networks, "--path", ".")
    assert "away is left out: no such host" in result.stderr
    table = pd.read_csv(tmp_path / "benchmark" / "benchmark.csv")
    assert table[["data", "network"]].to_numpy().tolist() == [
        ["small", "alike"],
        ["small", "chance"],
    ]
    differences = pd.read_csv(tmp_path / "benchmark" / "differences.csv")
    assert differences["verdict"].tolist() == ["apart", "apart"]
    assert (tmp_path / "benchmark" / "benchmark.png").stat().st_size > 10_000
    written = report("benchmark")
    assert written["verdicts"] == {"small": "all apart"}
    assert list(written["left_out"]) == ["away"]


def test_other_rows_and_names_are_refused_by_name(public, networks, run, tmp_path):
    np.save(tmp_path / "other.npy", SPACE[1:])
    said = run("benchmark", "other.npy", "--data", "small", code=1).stderr
    assert "other.npy" in said
    assert "(59, 3)" in said
    assert "small" in run("benchmark", "other.npy", code=1).stderr  # fits nothing
    assert "away" in run("benchmark", "alike.npy", "--data", "away", code=1).stderr
    assert "nowhere.csv" in run("benchmark", "alike.npy", "--data", "nowhere.csv", code=1).stderr
    run("benchmark", "alike.npy", "chance/../alike.npy", code=1)
    np.save(tmp_path / "chance" / "small.npy", NOISE)
    assert "small.csv" in run("benchmark", "chance", code=1).stderr  # two files of one data set
    np.save(tmp_path / "number.npy", 7.0)
    run("benchmark", "number.npy", "--data", "small", code=1)


def test_answers_of_ones_own(networks, run, report, tmp_path):
    told = answers(300)
    rows = np.array(NAMES)[told.index]
    table = pd.DataFrame(rows, columns=["head", "near", "far"]).assign(observer=told.observer)
    table.to_csv(tmp_path / "own.csv", index=False)
    (tmp_path / "chance" / "small.csv").rename(tmp_path / "chance" / "own.csv")
    run("benchmark", "chance", "--data", "own.csv", "--out", "out")
    assert report("out")["verdicts"] == {"own": "unknown"}  # there is one network
    assert "i0" in run("benchmark", "alike.npy", "--data", "own.csv", code=1).stderr


def test_files_that_are_not_of_use_are_named(public, networks, run, tmp_path):
    np.save(tmp_path / "texts.npy", np.full(SPACE.shape, "x"))
    np.save(tmp_path / "complex.npy", SPACE + 1j)
    (tmp_path / "broken.npy").write_bytes(b"no array")
    (tmp_path / "empty").mkdir()
    gap, still, zero = SPACE.copy(), np.ones_like(SPACE), SPACE.copy()
    gap[7, 1], zero[7] = np.nan, 0
    for name, features in (("gap", gap), ("still", still), ("zero", zero)):
        np.save(tmp_path / f"{name}.npy", features)
    for name in ("texts.npy", "complex.npy", "broken.npy", "empty", "gap.npy", "still.npy"):
        assert name in run("benchmark", "alike.npy", name, "--data", "small", code=1).stderr
    said = run("benchmark", "alike.npy", "zero.npy", "--data", "small", code=1).stderr
    assert "i7" in said
    assert "--similarity euclidean" in said
    run("benchmark", "zero.npy", "--data", "small", "--similarity", "euclidean")


def test_names_may_have_dots(public, run, tmp_path):
    for name in ("net.v1.npy", "net.v2.npy"):
        np.save(tmp_path / name, SPACE)
    run("benchmark", "net.v1.npy", "net.v2.npy", "--data", "small")
    table = pd.read_csv(tmp_path / "benchmark" / "benchmark.csv")
    assert table["network"].tolist() == ["net.v1", "net.v2"]
