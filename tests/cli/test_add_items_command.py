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
    assert "5 items in all" in said
    assert "each new one gets 12 answers" in said
    assert "5 items" in run("check", "ties").output
    assert begin(ties).folder.names == ("b", "d", "f", "a", "c")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["gone", "--images", "new"], "gone"),
        (["ties"], "Give --images, or --items"),
        (["ties", "--images", "new", "--items", "x.csv"], "Give --images, or --items"),
        (["ties", "--images", "pictures"], "items of these names: b, d, f"),
        (["ties", "--images", "none"], "none is no folder"),
        (["ties", "--items", "x.csv"], "without a table"),
    ],
)
def test_what_cannot_be_added_is_told_in_a_line(run, ties, words, says):
    said = run("add-items", *words, code=1).output
    assert says in said
    assert said.startswith("error: ")
    assert begin(ties).folder.names == ("b", "d", "f")
