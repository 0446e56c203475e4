import base64
from io import BytesIO

import pytest
from PIL import Image

from resemblance.errors import FileError
from resemblance.plotting.thumbnails import data_uri, thumbnail


@pytest.mark.parametrize(("size", "small"), [((300, 200), (96, 64)), ((40, 20), (40, 20))])
def test_a_thumbnail_fits_its_square_and_keeps_its_shape(tmp_path, size, small):
    Image.new("RGB", size).save(tmp_path / "a.png")
    assert thumbnail(str(tmp_path / "a.png"), "a", 96).size == small


@pytest.mark.parametrize(
    ("mode", "kind"), [("RGB", "jpeg"), ("RGBA", "png"), ("L", "jpeg"), ("P", "jpeg")]
)
def test_a_data_uri_holds_the_picture(tmp_path, mode, kind):
    Image.new(mode, (30, 10)).save(tmp_path / "a.png")
    uri = data_uri(thumbnail(str(tmp_path / "a.png"), "a", 96))
    head, content = uri.split(",")
    assert head == f"data:image/{kind};base64"
    assert Image.open(BytesIO(base64.b64decode(content))).size == (30, 10)


def test_a_missing_or_broken_picture_names_its_item(tmp_path):
    (tmp_path / "broken.png").write_text("no picture")
    for file in ("missing.png", "broken.png"):
        with pytest.raises(FileError, match=rf"{file} of item 'pear'.*items file"):
            thumbnail(str(tmp_path / file), "pear", 96)
