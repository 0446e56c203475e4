"""Models to files and back."""

import json
import zipfile

import numpy as np
import pytest

import resemblance as rs
from resemblance.errors import FileError, SettingError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(9, 2))
ITEMS = rs.Items([f"item {k}" for k in range(9)], features=X, labels=["a", None, 3] * 3)
ASKED = np.array([RNG.choice(9, 3, replace=False) for _ in range(300)])
TRIPLETS = rs.Triplets(rs.SpaceObserver(X, random_state=0).answer(ASKED).index, ITEMS)
PAIRS = np.column_stack(np.triu_indices(9, 1))
COUNTS = rs.Confusions(PAIRS, RNG.integers(0, 15, 36), 40, ITEMS)
SIMILAR = rs.judgments.similar_from_confusions(COUNTS, 0.2)
MODELS = [
    (rs.TSTE(2, random_state=0), TRIPLETS),
    (rs.STE(2, form="gram", random_state=0), TRIPLETS),
    (rs.CKL(2, mu=0.1, random_state=0), TRIPLETS),
    (rs.GNMDS(2, random_state=0), TRIPLETS),
    (rs.SOE(2, random_state=0), TRIPLETS),
    (rs.STE(2, form="linear", random_state=0), TRIPLETS),
    (rs.TSTE(2, form=rs.forms.KernelMap(bandwidth=2.0, landmarks=5)), TRIPLETS),
    (rs.fitting.OrdinalEmbedding(rs.choice.StudentT(2.0), 2, random_state=0), TRIPLETS),
    (rs.Yada(2, choice="exponential", lapse=0.05), COUNTS),
    (rs.Yada(1, kernel="linear"), COUNTS),
    (rs.NonmetricMDS(2, random_state=0), rs.judgments.pair_ranks_from_confusions(COUNTS)),
    (rs.SchultzJoachims(2), TRIPLETS),
    (rs.MMC(2), SIMILAR),
    (rs.KPSDE(2), SIMILAR),
]


@pytest.mark.parametrize(("model", "data"), MODELS, ids=lambda x: type(x).__name__)
@pytest.mark.filterwarnings("ignore::resemblance.errors.ResemblanceWarning")
def test_a_model_comes_back_as_it_was(model, data, tmp_path):
    fitted = model.fit(data)
    again = rs.load(rs.save(fitted, tmp_path / "model.npz"))
    assert type(again) is type(fitted)
    np.testing.assert_array_equal(again.embedding_, fitted.embedding_)
    assert again.items_.names == fitted.items_.names
    assert again.items_.labels.tolist() == ["a", None, 3] * 3
    settings = [
        {k: repr(v) for k, v in m.get_params().items() if k != "form"} for m in (again, fitted)
    ]
    assert settings[0] == settings[1]
    if hasattr(fitted, "score"):
        assert again.score(data) == fitted.score(data)
    if hasattr(fitted, "components_"):
        np.testing.assert_array_equal(again.transform(X[:3] + 0.1), fitted.transform(X[:3] + 0.1))
    again.fit(data)  # and can be fitted again


def test_what_is_in_the_file_is_plain(tmp_path):
    path = rs.save(rs.STE(1).set_positions([[0.0], [1.0]]), tmp_path / "line")
    assert path.name == "line.npz"
    with zipfile.ZipFile(path) as archive:
        header = json.loads(archive.read("model.json"))
        assert header["format"] == "resemblance model"
        assert {"model.json", "a0.npy"} <= set(archive.namelist())
    assert [p.name for p in tmp_path.iterdir()] == ["line.npz"]


def test_what_cannot_be_written_is_told(tmp_path):
    with pytest.raises(SettingError, match="not fitted"):
        rs.save(rs.STE(), tmp_path / "a.npz")
    called = rs.Yada(1, kernel=lambda X, Y: X @ Y.T).fit(COUNTS)
    with pytest.raises(SettingError, match="kernel of Yada is <function"):
        rs.save(called, tmp_path / "a.npz")
    with pytest.raises(FileError, match="cannot be written"):
        rs.save(rs.STE(1).set_positions([[0.0], [1.0]]), tmp_path / "none" / "a.npz")
    assert not list(tmp_path.iterdir())


def changed(path, tmp_path, change):
    """Write the file again with its header changed."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    header = json.loads(parts["model.json"])
    change(header)
    parts["model.json"] = json.dumps(header).encode()
    other = tmp_path / "changed.npz"
    with zipfile.ZipFile(other, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return other


def test_files_that_are_no_models_are_told(tmp_path):
    path = rs.save(rs.STE(1).set_positions([[0.0], [1.0]]), tmp_path / "line.npz")
    with pytest.raises(FileError, match="not there"):
        rs.load(tmp_path / "none.npz")
    with pytest.raises(FileError, match="model of STE, not of TSTE"):
        rs.load(path, rs.TSTE)
    assert type(rs.load(path, rs.OrdinalEmbedding)) is rs.STE
    (tmp_path / "short.npz").write_bytes(path.read_bytes()[:-40])
    with pytest.raises(FileError, match="broken"):
        rs.load(tmp_path / "short.npz")
    np.savez(tmp_path / "other.npz", a=np.zeros(3))
    with pytest.raises(FileError, match="not a model"):
        rs.load(tmp_path / "other.npz")
    for change, words in [
        (lambda h: h.update(version=99), "version 99"),
        (lambda h: h.update(format="cake"), "not a model of this package"),
        (lambda h: h["model"].update(estimator="Popen"), "describes an unknown model"),
    ]:
        with pytest.raises(FileError, match=words):
            rs.load(changed(path, tmp_path, change))


def test_pickled_arrays_are_not_read(tmp_path):
    path = rs.save(rs.STE(1).set_positions([[0.0], [1.0]]), tmp_path / "line.npz")
    with zipfile.ZipFile(path) as archive:
        header = archive.read("model.json")
    bad = tmp_path / "bad.npz"
    with zipfile.ZipFile(bad, "w") as archive:
        archive.writestr("model.json", header)
        with archive.open("a0.npy", "w") as file:
            np.lib.format.write_array(file, np.array([{"a": 1}], dtype=object))
    with pytest.raises(FileError, match="broken"):
        rs.load(bad)
