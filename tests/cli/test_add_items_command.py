"""The command that adds items to a study."""

import pytest
from PIL import Image

from resemblance.study.live import open_folders, open_stores


@pytest.fixture
def ties(run, tmp_path):
    """A study that was begun, and a folder of new pictures."""
    for folder, names in {"pictures": "bdf", "new": "ac"}.items():
        (tmp_path / folder).mkdir()
        for name in names:
            Image.new("L", (4, 4), ord(name)).save(tmp_path / folder / f"{name}.png")
    run("new", "ties", "--images", "pictures")
    begin(tmp_path / "ties")
    return tmp_path / "ties"


def begin(folder):
    lives, stores = open_stores(open_folders([folder]))
    for store in stores:
        store.close()
    return lives[0]


def test_items_are_added_and_the_study_goes_on(run, ties):
    said = run("add-items", "ties", "--images", "new").output
    assert "ties: 2 new (a, c)" in said
    assert "5 items in total" in said
    assert "each new item gets 12 answers" in said
    assert "5 items" in run("check", "ties").output
    assert begin(ties).folder.names == ("b", "d", "f", "a", "c")
