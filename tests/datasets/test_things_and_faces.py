"""Loaders of odd ones out of objects, and of faces, from a host that the tests run."""

import io

import numpy as np
import pandas as pd
import pytest

from resemblance.datasets import fetch_faces, fetch_things, photographs
from resemblance.errors import FileError, SettingError

NAMES = b"ant\nbee\ncat\ndog\n"
FILES = {
    "TEST": "0 1 2\n",
    "PEOPLE": "3 1 0 7\n1 0 2 8\n3 1 0 9\n",  # the second is a question of the test
    "FURTHER": ("1 3 0 5\n", "2 3 0\n", "3 1 0 7\n2 1 0 7\n"),  # first and third: known answers
}


def array(values):
    file = io.BytesIO()
    np.save(file, values)
    return file.getvalue()


@pytest.fixture
def objects(mirror, monkeypatch):
    for name in ("TEST", "PEOPLE"):
        remote = mirror.offer(getattr(photographs, name), FILES[name].encode())
        monkeypatch.setattr(photographs, name, remote)
    further = [
        mirror.offer(remote, content.encode())
        for remote, content in zip(photographs.FURTHER, FILES["FURTHER"], strict=True)
    ]
    monkeypatch.setattr(photographs, "FURTHER", tuple(further))
    monkeypatch.setattr(photographs, "NAMES", mirror.offer(photographs.NAMES, NAMES))
    clip = mirror.offer(photographs.FEATURES["clip"], array(np.eye(4, 3, dtype=np.float32)))
    monkeypatch.setitem(photographs.FEATURES, "clip", clip)
    return mirror


def test_different_answers_without_questions_of_the_test(objects):
    told = fetch_things().judgments
    shown = [(set(row), row[0]) for row in told.index.tolist()]
    assert shown == [({3, 1, 0}, 0), ({2, 3, 0}, 0)]  # 2 1 0 asks of the test's objects
    assert told.items.names == ("ant", "bee", "cat", "dog")


def test_the_odd_one_is_the_last_of_a_row(objects):
    data = fetch_things("test", features="clip")
    assert data.judgments.index[0, 0] == 2
    assert data.items.features.shape == (4, 3)


def test_people_have_names(objects):
    assert fetch_things("people").judgments.observer.tolist() == ["7", "8", "9"]


@pytest.mark.parametrize("setting", [{"part": "tets"}, {"features": "vgg"}])
def test_no_such_part(setting):
    with pytest.raises(SettingError) as refused:
        fetch_things(**setting)
    assert refused.value.setting in setting


class TestBrokenFiles:
    @pytest.fixture
    def folder(self, tmp_path):
        (tmp_path / "unique_id.txt").write_bytes(NAMES)
        (tmp_path / "test_10.txt").write_text(FILES["TEST"])
        return tmp_path

    @pytest.mark.parametrize("content", ["0 1\n", "0 1 4\n", "0 1 two\n", "0 1 2\n0 1\n"])
    def test_rows_that_are_no_answers(self, folder, content):
        (folder / "test_10.txt").write_text(content)
        with pytest.raises(FileError, match=r"test_10\.txt"):
            fetch_things("test", folder)

    def test_features_of_other_items(self, folder):
        (folder / "spose49-embeddings.npy").write_bytes(array(np.ones((3, 2))))
        with pytest.raises(FileError, match="spose49"):
            fetch_things("test", folder, features="spose49")

    def test_a_changed_download(self, objects, monkeypatch):
        monkeypatch.setattr(
            photographs, "TEST", photographs.PEOPLE.__class__("x", photographs.TEST.upstream, "0")
        )
        with pytest.raises(FileError, match="no longer the file"):
            fetch_things("test")


FACES = pd.DataFrame({
    "head": [1, 0], "winner": [0, 1], "loser": [2, 2], "worker_id": [78972, 5], "rt": [900, 80],
    "Center": ["BF-1", "BF-0"], "Left": "x", "Right": "y", "sampleAlg": ["random", "check"],
    "sampleSet": ["train", ""],
})  # fmt: skip
THIRD = {"head": 2, "Center": "BF-2", "winner": 1, "loser": 0, "worker_id": 5}


def test_faces_have_people_times_and_codes(mirror, monkeypatch):
    same = {"head": 0, "Center": "BF-0", "winner": 0, "loser": 1}  # the head beside itself
    more = [FACES.iloc[:1].assign(**row) for row in (THIRD, same)]
    table = pd.concat([FACES, *more])
    remote = mirror.offer(photographs.TRIPLETS, table.to_csv(index=False).encode())
    monkeypatch.setattr(photographs, "TRIPLETS", remote)
    told = fetch_faces().judgments
    assert told.index.tolist() == [[1, 0, 2], [0, 1, 2], [2, 1, 0]]
    assert told.catches.index.tolist() == [[0, 0, 1]]
    assert told.items.names == ("BF-0", "BF-1", "BF-2")
    assert told.observer.tolist() == ["78972", "5", "5"]
    assert told.extra["sampleAlg"].tolist() == ["random", "check", "random"]


def test_faces_with_a_missing_column(tmp_path):
    FACES.drop(columns="rt").to_csv(tmp_path / photographs.TRIPLETS.name, index=False)
    with pytest.raises(FileError, match="rt"):
        fetch_faces(tmp_path)
