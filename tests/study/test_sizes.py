"""Pictures at the size that a screen shows: smaller, as exact as before, bounded on the disk."""

import numpy as np
import pytest
from PIL import Image, ImageCms

from resemblance.study import stimuli
from resemblance.study.stimuli import of_file, sides_of, sized


@pytest.fixture
def make(tmp_path):
    def make_(name, side=600, mode="RGB", **how):
        rng = np.random.default_rng(len(name))
        smooth = Image.fromarray(rng.integers(0, 255, (9, 12, 3), np.uint8))
        path = tmp_path / name
        smooth.resize((side, side * 3 // 4)).convert(mode).save(path, **how)
        return of_file(path, path.stem)

    return make_


def opened(path):
    with Image.open(path) as picture:
        picture.load()
        return picture


def test_a_photograph_is_as_large_as_is_asked_for_and_keeps_its_colours(make, tmp_path):
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("LAB")).tobytes()
    photo = make("photo.jpg", quality=95, icc_profile=profile)
    small = sized(tmp_path, photo, 240)
    assert opened(small).size == (240, 180)
    assert opened(small).info["icc_profile"] == profile
    assert small.stat().st_size < photo.path.stat().st_size
    again = small.stat().st_mtime_ns
    assert sized(tmp_path, photo, 240).stat().st_mtime_ns == again


def test_what_was_stored_without_loss_stays_so(make, tmp_path):
    drawn = make("drawn.png")
    small = opened(sized(tmp_path, drawn, 160)).convert("RGB")
    exact = opened(drawn.path)
    exact.thumbnail((160, 160), Image.Resampling.LANCZOS)
    assert np.array_equal(np.array(small), np.array(exact))


@pytest.mark.parametrize(
    ("name", "mode", "how"),
    [
        ("small.png", "RGB", {"side": 240}),
        ("print.jpg", "CMYK", {}),
        ("deep.png", "I;16", {}),
        ("moves.gif", "P", {}),
    ],
)
def test_what_would_be_no_smaller_or_another_colour_is_sent_whole(make, tmp_path, name, mode, how):
    one = make(name, **how) if mode != "I;16" else None
    if one is None:
        path = tmp_path / name
        Image.fromarray(np.arange(600 * 400, dtype=np.uint16).reshape(400, 600)).save(path)
        one = of_file(path, "deep")
    elif mode == "CMYK":
        one = make(name, mode="CMYK")
    assert sized(tmp_path, one, 240) == one.path
    assert (sides_of(one) == []) == name.endswith("gif")


def test_the_oldest_sizes_go_where_all_take_too_much(make, tmp_path, monkeypatch):
    photo = make("photo.jpg", quality=95)
    first = sized(tmp_path, photo, 120)
    monkeypatch.setattr(stimuli, "MOST_BYTES", first.stat().st_size + 1)
    second = sized(tmp_path, photo, 160)
    assert (first.exists(), second.exists()) == (False, True)
    assert [one.name for one in (tmp_path / stimuli.FOLDER).iterdir()] == [second.name]
