import gzip
import io
import sys
from types import SimpleNamespace
from zipfile import ZipFile

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from scipy.io import savemat

from resemblance.datasets import (
    digits as mnist_room,
    eggs,
    fetch_alien_eggs,
    fetch_mnist_5k,
    fetch_music_artists,
    music as music_room,
)
from resemblance.errors import FileError, SettingError, UnavailableError

ARTISTS = "a_new_found_glory 7\nabba 1\nbach 2\ncash 3\nnew_found_glory 7\nzappa 9\n"
# numbers from 1 among the five distinct artists; number 2, bach, is in no triplet
MUSIC = np.array([[5, 1, 3], [5, 1, 4], [1, 3, 5], [4, 4, 3], [4, 1, 3]], dtype=np.uint16)
TAGS = {  # tag -> which of the five artists carry it
    "pop": [1, 0, 0, 0, 0],
    "r&amp;b": [1, 0, 0, 0, 1],
    "soul": [0, 0, 1, 0, 0],
    "country": [0, 0, 1, 0, 0],
    "pop punk": [0, 0, 0, 1, 0],
    "punk rock": [0, 0, 0, 1, 0],
}
GENRES = ["pop", "dance", "rock", "hiphop"]  # of abba, cash, new_found_glory, zappa


def matlab(**arrays):
    file = io.BytesIO()
    savemat(file, arrays)
    return file.getvalue()


class FakeHDF5(dict):
    """What h5py shows of a MATLAB v7.3 cell array and a logical matrix."""

    def __init__(self, file):
        cells = {f"ref{i}": np.array([[ord(c)] for c in tag]) for i, tag in enumerate(TAGS)}
        matrix = np.array(list(TAGS.values()), dtype=np.uint8)
        super().__init__(cells, lablist=np.array([list(cells)]), label_matrix=matrix)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None


@pytest.fixture
def music(mirror, monkeypatch):
    contents = {"TRIPLETS": matlab(triplets=MUSIC), "NAMES": ARTISTS.encode(), "TAGS": b"HDF5"}
    for name, content in contents.items():
        remote = mirror.offer(getattr(music_room, name), content)
        monkeypatch.setattr(music_room, name, remote)
    monkeypatch.setitem(sys.modules, "h5py", SimpleNamespace(File=FakeHDF5))
    return mirror


def test_music_keeps_the_artists_that_are_used(music):
    data = fetch_music_artists()
    assert data.items.names == ("abba", "cash", "new_found_glory", "zappa")
    assert_array_equal(data.judgments.index, [[3, 0, 1], [3, 0, 2], [0, 1, 3], [2, 0, 1]])


def test_music_keeps_rows_with_the_head_among_its_options_apart(music):
    assert_array_equal(fetch_music_artists().judgments.catches.index, [[2, 2, 1]])


def test_music_rows_of_one_response_share_a_group(music):
    group = fetch_music_artists().judgments.response_id
    assert group[0] == group[1]
    assert len(set(group.tolist())) == 3


def test_music_genre_is_the_first_that_a_tag_points_to(music):
    assert list(fetch_music_artists().items.labels) == GENRES


def test_music_without_h5py_says_what_to_install(music, monkeypatch):
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(UnavailableError, match=r"resemblance\[rsa\].*genres=False"):
        fetch_music_artists()
    assert fetch_music_artists(genres=False).items.labels is None


def test_music_from_a_folder_reads_the_derived_genres(tmp_path):
    (tmp_path / "music_triplets.mat").write_bytes(matlab(triplets=MUSIC))
    (tmp_path / "musician_names_cblearn.txt").write_text(ARTISTS)
    table = tmp_path / "artists_derived.csv"
    table.write_text(
        "artist,superclass\nabba,pop\nbach,other\ncash,country\nnew,rock\nzappa,jazz\n"
    )
    assert list(fetch_music_artists(tmp_path).items.labels) == ["pop", "country", "rock", "jazz"]
    table.write_text("artist,superclass\nabba,pop\n")
    with pytest.raises(FileError, match="1 artists have a genre but 5"):
        fetch_music_artists(tmp_path)


def test_mnist_splits_pixels_from_classes(mirror, monkeypatch):
    table = np.random.default_rng(0).integers(0, 256, size=(6, 785))
    table[:, -1] = [0, 0, 1, 1, 2, 2]
    content = gzip.compress(pd.DataFrame(table).to_csv(header=False, index=False).encode())
    monkeypatch.setattr(mnist_room, "DIGITS", mirror.offer(mnist_room.DIGITS, content))
    data = fetch_mnist_5k()
    assert_array_equal(data.items.features, table[:, :-1])
    assert_array_equal(data.items.labels, table[:, -1])
    assert data.judgments is None


def test_mnist_of_another_width_is_refused(tmp_path):
    (tmp_path / "mnist_5k.csv.gz").write_bytes(gzip.compress(b"1,2,3\n"))
    with pytest.raises(FileError, match="3 columns instead of 784 pixels"):
        fetch_mnist_5k(tmp_path)


@pytest.fixture
def egg_folder(tmp_path):
    (tmp_path / "targets_n30_derived.csv").write_text(
        "index,file,smoothness\n1,i0208.png,208\n0,i0126.png,126\n2,i0076.png,76\n"
    )
    (tmp_path / "triplets_n30_derived.csv").write_text(
        "head,winner,loser,participant,alg_label,response_time_s,time\n"
        "0,1,2,17,Random,1.5,2015-05-29\n2,1,0,18,Test,0.5,2015-05-30\n"
    )
    (tmp_path / "labels_n300.txt").write_text("i0002\ni0004\ni0006\n")
    (tmp_path / "triplets_n300_derived.csv").write_text(
        "head,winner,loser,participant,split,alg_label,response_time_ms\n0,1,2,1099,Train,Test,7955\n"
    )
    return tmp_path


def test_eggs_30_have_observers_times_and_truth(egg_folder):
    data = fetch_alien_eggs(egg_folder)
    assert data.items.names == ("i0126", "i0208", "i0076")
    assert data.truth.tolist() == [126, 208, 76]
    assert data.judgments.index.tolist() == [[0, 1, 2], [2, 1, 0]]
    assert data.judgments.observer.tolist() == ["17", "18"]
    assert data.judgments.extra["response_time_s"].tolist() == [1.5, 0.5]
    assert list(data.judgments.extra) == ["alg_label", "response_time_s", "time"]


def test_eggs_300_have_their_own_layout(egg_folder):
    data = fetch_alien_eggs(egg_folder, n=300)
    assert data.truth.tolist() == [2, 4, 6]
    assert data.judgments.observer.tolist() == ["1099"]
    assert data.judgments.extra["response_time_ms"].tolist() == [7955]


@pytest.mark.parametrize("source", ["folder", "download"])
def test_eggs_images_are_unpacked_into_the_cache(egg_folder, mirror, monkeypatch, source):
    file = io.BytesIO()
    with ZipFile(file, "w") as archive:
        for name in ("i0126", "i0208", "i0076", "i9999"):
            archive.writestr(f"{name}.png", name)
    if source == "folder":
        (egg_folder / "alienegg30.zip").write_bytes(file.getvalue())
    else:
        monkeypatch.setattr(eggs, "IMAGES", mirror.offer(eggs.IMAGES, file.getvalue()))
    images = fetch_alien_eggs(egg_folder, images=True).items.images
    folder = egg_folder / "cache" / "alien_eggs"
    assert [str(image) for image in images] == [
        str(folder / f"{name}.png") for name in ("i0126", "i0208", "i0076")
    ]
    assert (folder / "i0208.png").read_text() == "i0208"
    assert mirror.requests == (source == "download")


def test_eggs_are_not_downloaded_and_say_so():
    with pytest.raises(UnavailableError, match=r"triplets_n300_derived\.csv as path="):
        fetch_alien_eggs(n=300)


@pytest.mark.parametrize(
    ("settings", "message"), [({"n": 31}, "30 or 300"), ({"n": 300, "images": True}, "n=30")]
)
def test_eggs_settings_out_of_range(settings, message):
    with pytest.raises(SettingError, match=message):
        fetch_alien_eggs("somewhere", **settings)


def test_eggs_missing_column_is_named(egg_folder):
    (egg_folder / "triplets_n30_derived.csv").write_text("head,winner\n0,1\n")
    with pytest.raises(FileError, match=r"triplets_n30_derived\.csv.*loser"):
        fetch_alien_eggs(egg_folder)
