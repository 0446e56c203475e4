"""Classifications from tables with pictures, and from arrays."""

import numpy as np
import pandas as pd
import pytest
from PIL import Image

import resemblance as rs
from resemblance.errors import FileError, JudgmentError, SettingError

GREY = (np.arange(3 * 4 * 5).reshape(3, 4, 5) * 4).astype(np.uint8)


@pytest.fixture
def folder(tmp_path):
    for name, picture in zip("abc", GREY, strict=True):
        Image.fromarray(picture).save(tmp_path / f"{name}.png")
    return tmp_path


@pytest.fixture
def table(folder):
    def write(rows, name="trials.csv", **columns):
        path = folder / name
        images = [f"{r}.png" for r in rows]
        pd.DataFrame({"image": images, "label": ["yes", "no"] * (len(rows) // 2)} | columns).to_csv(
            path, index=False
        )
        return path

    return write


def test_pictures_are_grey_from_black_to_white(table):
    trials = rs.read_classifications(table("abca"))
    np.testing.assert_allclose(trials[1], GREY[1] / 255, rtol=1e-6)
    np.testing.assert_array_equal(trials[3], trials[0])
    assert trials.labels.tolist() == ["yes", "no", "yes", "no"]
    assert trials.extra["image"].tolist() == ["a.png", "b.png", "c.png", "a.png"]


def test_colours_and_deep_greys_are_read(table, folder):
    Image.fromarray(np.repeat(GREY[0][..., None], 3, axis=2)).save(folder / "a.png")
    Image.fromarray(GREY[1].astype(np.uint16) * 257).save(folder / "b.png")
    trials = rs.read_classifications(table("ab"))
    np.testing.assert_allclose(trials.stimuli, GREY[:2].reshape(2, -1) / 255, atol=1e-5)


def test_notes_come_along(table):
    path = table(
        "abca", shown=list("ynyn"), response_id=[1, 1, 2, 2], observer=list("kkll"), rt=range(4)
    )
    trials = rs.read_classifications(path)
    assert trials.shown.tolist() == list("ynyn")
    assert trials.response_id.tolist() == [1, 1, 2, 2]
    assert trials.observer.tolist() == list("kkll")
    assert trials.extra["rt"].tolist() == [0, 1, 2, 3]


def test_columns_may_have_other_names(folder):
    path = folder / "t.csv"
    path.write_text("file,response\na.png,up\nb.png,down\n")
    trials = rs.read_classifications(path, columns={"image": "file", "label": "response"})
    assert trials.classes.tolist() == ["down", "up"]


def test_one_array_stays_on_the_disk(table, folder):
    np.save(folder / "stimuli.npy", GREY.astype(np.float32)[[0, 1]])
    trials = rs.read_classifications(table("ab"), folder / "stimuli.npy")
    assert isinstance(trials.stimuli.base, np.memmap) or trials.stimuli.base is not None
    assert trials.image_shape == (4, 5)
    np.testing.assert_array_equal(trials[1], GREY[1])


def test_archives_of_arrays(folder):
    path = folder / "t.npz"
    np.savez(path, noise=GREY, yes=[True, False, True], signal=[1, 1, 0], time=np.arange(7))
    names = {"stimuli": "noise", "label": "yes", "shown": "signal"}
    trials = rs.read_classifications(path, columns=names)
    assert trials.image_shape == (4, 5)
    assert trials.shown.tolist() == [1, 1, 0]
    assert not trials.extra  # the times are not of the trials
    with pytest.raises(FileError, match=r"no array 'stimuli'.*'noise'.*columns="):
        rs.read_classifications(path)
    with pytest.raises(SettingError, match="leave images out"):
        rs.read_classifications(path, folder, names)
    with pytest.raises(SettingError, match="columns= names far"):
        rs.read_classifications(path, columns=names | {"far": "x"})


def test_pictures_of_different_sizes_are_refused_with_the_line(table, folder):
    Image.fromarray(GREY[0][:3]).save(folder / "b.png")
    with pytest.raises(JudgmentError, match=r"trials.csv, line 3: .*b.png is of 5 x 3 pixels"):
        rs.read_classifications(table("ab"))


def test_missing_and_broken_files_are_named(table, folder):
    with pytest.raises(JudgmentError, match=r"line 3: the image .*z.png is not there"):
        rs.read_classifications(table("az"))
    (folder / "z.png").write_text("no picture")
    with pytest.raises(JudgmentError, match=r"line 3: .*z.png cannot be read as a picture"):
        rs.read_classifications(table("az"))
    for name in ("none.npz", "none.csv"):
        with pytest.raises(FileError, match="is not there"):
            rs.read_classifications(folder / name)
    with pytest.raises(FileError, match="is not there"):
        rs.read_classifications(table("ab"), folder / "none.npy")
    (folder / "t.npz").write_text("no archive")
    with pytest.raises(FileError, match="cannot be read as arrays"):
        rs.read_classifications(folder / "t.npz")


def test_missing_labels_and_columns_are_named(table, folder):
    path = folder / "t.csv"
    path.write_text("image,label\na.png,up\nb.png,\n")
    with pytest.raises(JudgmentError, match="line 3: label is empty"):
        rs.read_classifications(path)
    path.write_text("image,answer\na.png,up\n")
    with pytest.raises(FileError, match="no column 'label'"):
        rs.read_classifications(path)
