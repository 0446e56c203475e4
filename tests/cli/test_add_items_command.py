"""The command that adds items to a study."""

import numpy as np
import pytest
from PIL import Image

from resemblance.stimuli import Screws
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


@pytest.fixture
def screws(run, tmp_path):
    """A study of drawn stimuli that was begun, and two further stimuli."""
    run("new", "screws", "--draw", "screws", "--grid", "2x3", "--bounds", "angle=0:60")
    begin(tmp_path / "screws")
    more = Screws([[60, 10], [80, 45]])
    more.save(tmp_path / "more")
    more.to_pandas().to_csv(tmp_path / "more.csv", index=False)
    return tmp_path / "screws"


def test_features_of_new_items_are_added_once(run, screws):
    given = ("add-items", "screws", "--images", "more", "--features", "more.csv")
    run(*given)
    folder = begin(screws).folder
    known = np.array(folder.known_features(folder.names))
    assert known[-2:].tolist() == [[60.0, 10.0], [80.0, 45.0]]
    drawn = Screws.on_grid((2, 3), {"angle": (0, 60)})
    assert sorted(known[:-2].tolist()) == sorted(drawn.features.tolist())
    assert len((screws / "features.csv").read_text().splitlines()) == 1 + 8


@pytest.mark.parametrize(
    ("table", "named"),
    [
        ("item,diameter\ndiameter=60_angle=10,60\n", "angle"),
        ("item,diameter,angle\ndiameter=60_angle=10,60,10\n", "diameter=80_angle=45"),
    ],
)
def test_features_that_lack_are_named_and_nothing_is_added(run, screws, table, named):
    before = (screws / "features.csv").read_text(), sorted((screws / "stimuli").iterdir())
    (screws.parent / "few.csv").write_text(table)
    given = ("add-items", "screws", "--images", "more", "--features", "few.csv")
    assert named in run(*given, code=1).output
    assert ((screws / "features.csv").read_text(), sorted((screws / "stimuli").iterdir())) == before


def test_features_need_a_study_with_features(run, ties):
    (ties.parent / "f.csv").write_text("item,x\na,1\nc,2\n")
    given = ("add-items", "ties", "--images", "new", "--features", "f.csv")
    assert "[features]" in run(*given, code=1).output
    assert begin(ties).folder.names == ("b", "d", "f")
