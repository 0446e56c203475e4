import base64
from io import BytesIO

import pytest
from PIL import Image

from resemblance.errors import FileError
from resemblance.plotting.item_squares import atlas, thumbnail


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "L", "P"])
def test_an_atlas_holds_every_picture_in_its_cell(tmp_path, mode):
    paths = [str(tmp_path / f"{i}.png") for i in range(5)]
    for path, shade in zip(paths, (0, 60, 120, 180, 240), strict=True):
        Image.new("L", (30, 10), shade).convert(mode).save(path)
    made = atlas([*paths[:4], None, paths[4]], list("abcdef"))
    head, content = made["source"].split(",")
    assert head == "data:image/webp;base64"
    whole = Image.open(BytesIO(base64.b64decode(content))).convert("RGBA")
    assert whole.size == (3 * made["side"], 2 * made["side"])
    assert made["sizes"] == [(30, 10)] * 4 + [None, (30, 10)]
    for i, shade in {0: 0, 1: 60, 3: 180, 5: 240}.items():
        x, y = i % 3 * made["side"] + 15, i // 3 * made["side"] + 5
        assert whole.getpixel((x, y)) == pytest.approx((shade, shade, shade, 255), abs=6)
    assert whole.getpixel((made["side"] + 15, made["side"] + 5))[3] == 0


def test_a_missing_or_broken_picture_names_its_item(tmp_path):
    (tmp_path / "broken.png").write_text("no picture")
    for file in ("missing.png", "broken.png"):
        with pytest.raises(FileError, match=rf"item 'pear'.*{file}.*items file"):
            thumbnail(str(tmp_path / file), "pear", 96)
