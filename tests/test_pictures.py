"""Pictures of every make are decoded alike by all that show or measure them."""

import struct
import zlib

import numpy as np
import pandas as pd
import pytest
from PIL import Image

import resemblance as rs
from resemblance.descriptors.features import describe_picture
from resemblance.errors import FileError
from resemblance.pictures import check_drawing, read_grey, read_picture
from resemblance.plotting.item_squares import thumbnail
from resemblance.study.kinds.classify import Staircase, noisy_pixels
from resemblance.study.stimuli import of_file, sized
from resemblance.study.thumbnails import digest_of_pixels
from resemblance.web.search.pictures import Pictures

SIDE = 40
RAMP = np.tile(np.linspace(0, 255, SIDE).round().astype(np.uint8), (SIDE, 1))
RAMP[:8] = 200  # so that no turn of it looks the same
GREY = Image.fromarray(RAMP)
COLOURS = np.stack([RAMP, RAMP.T, 255 - RAMP], axis=2)


def turned(picture, path, tag):
    """Save as a camera does that was held otherwise: the pixels turned, and a note of it."""
    back = {6: Image.Transpose.ROTATE_90, 3: Image.Transpose.ROTATE_180, 2: Image.Transpose(0)}
    exif = Image.Exif()
    exif[0x0112] = tag
    how = {".jpg": {"quality": 100}, ".webp": {"lossless": True}}.get(path.suffix, {})
    picture.transpose(back[tag]).save(path, exif=exif, **how)


def with_hole(mode, path, **how):
    """Save with a transparent left half, whose hidden colours are black."""
    rgba = Image.fromarray(np.dstack([COLOURS, np.full_like(RAMP, 255)]))
    rgba.paste((0, 0, 0, 0), (0, 0, SIDE // 2, SIDE))
    rgba.convert(mode).save(path, **how)


def palette_with_hole(path):
    picture = Image.fromarray(np.where(RAMP > 127, 1, 0).astype(np.uint8), "P")
    picture.putpalette([0, 0, 0, 30, 60, 90])
    picture.save(path, transparency=0)


def deep_with_hole(path):
    """Write a PNG of 16 bits by hand, one level of which is transparent."""
    levels = np.where(RAMP > 127, RAMP.astype(np.uint16) * 257, 7).astype(">u2")
    lines = b"".join(b"\0" + line.tobytes() for line in levels)
    chunks = (
        (b"IHDR", struct.pack(">IIBBBBB", SIDE, SIDE, 16, 0, 0, 0, 0)),
        (b"tRNS", struct.pack(">H", 7)),
        (b"IDAT", zlib.compress(lines)),
        (b"IEND", b""),
    )
    parts = (
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in chunks
    )
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(parts))


def deep(path, dtype=np.uint16):
    top = 65535 if dtype is not np.float32 else 1.0
    Image.fromarray((RAMP / 255 * top).astype(dtype)).save(path)


def moving(path, **how):
    others = [Image.new("RGB", (SIDE, SIDE), c) for c in ("red", "black")]
    Image.fromarray(COLOURS).save(path, save_all=True, append_images=others, duration=50, **how)


HALF = COLOURS.copy()
HALF[:, : SIDE // 2] = 255
HALF_GREY = np.repeat(np.where(RAMP > 127, RAMP, 255)[..., None], 3, axis=2)
TWO = np.where(RAMP[..., None] > 127, np.array([30, 60, 90]), 255).astype(np.uint8)
RAMPS = np.repeat(RAMP[..., None], 3, axis=2)
MAKES = {
    "grey.png": (GREY.save, RAMPS),
    "colours.png": (Image.fromarray(COLOURS).save, COLOURS),
    "deep.png": (deep, RAMPS),
    "deep.tiff": (deep, RAMPS),
    "whole_numbers.tiff": (lambda path: deep(path, np.int32), RAMPS),
    "fractions.tiff": (lambda path: deep(path, np.float32), RAMPS),
    "deep_with_hole.png": (deep_with_hole, HALF_GREY),
    "hole.png": (lambda path: with_hole("RGBA", path), HALF),
    "hole.webp": (lambda path: with_hole("RGBA", path, lossless=True), HALF),
    "palette_hole.png": (palette_with_hole, TWO),
    "palette_hole.gif": (palette_with_hole, TWO),
    "bits.png": (GREY.point(lambda v: 255 * (v > 127)).convert("1").save, None),
    "print.jpg": (
        lambda path: Image.fromarray(COLOURS).convert("CMYK").save(path, quality=100), COLOURS
    ),
    "print.tiff": (Image.fromarray(COLOURS).convert("CMYK").save, COLOURS),
    "turned.jpg": (lambda path: turned(GREY, path, 6), RAMPS),
    "upside_down.png": (lambda path: turned(GREY, path, 3), RAMPS),
    "mirrored.webp": (lambda path: turned(Image.fromarray(COLOURS), path, 2), COLOURS),
    "turned.tiff": (lambda path: turned(GREY, path, 6), RAMPS),
    "moves.gif": (moving, COLOURS),
    "moves.webp": (lambda path: moving(path, lossless=True), COLOURS),
    "moves.png": (moving, COLOURS),
}  # fmt: skip
LOSSY = {"print.jpg": 4, "turned.jpg": 4, "moves.gif": 40}


def make(folder, name):
    """Return the file, and the pixels that people see, in RGB."""
    write, pixels = MAKES[name]
    path = folder / name
    write(path)
    if pixels is None:
        pixels = np.where(RAMPS > 127, 255, 0)
    return path, pixels.astype(float), LOSSY.get(name, 1)


@pytest.fixture(params=["deep.png", "hole.webp", "turned.jpg"])
def made(request, tmp_path):
    return make(tmp_path, request.param)


@pytest.mark.parametrize("name", MAKES)
def test_the_decoder(name, tmp_path):
    path, pixels, off = make(tmp_path, name)
    seen = read_picture(path)
    assert (seen.mode, seen.size) == ("RGB", (SIDE, SIDE))
    assert np.abs(np.asarray(seen) - pixels).max() <= off
    grey = np.asarray(Image.fromarray(pixels.astype(np.uint8)).convert("L"))
    assert np.abs(255 * read_grey(path) - grey).max() <= off


def test_features(made, tmp_path):
    path, pixels, off = made
    plain = tmp_path / "plain.bmp"
    Image.fromarray(pixels.astype(np.uint8)).save(plain)
    seen, right = describe_picture(path), describe_picture(plain)
    for name in ("colour_L", "colour_L_spread", "edges_00_0"):
        assert seen[name] == pytest.approx(right[name], abs=0.5 + off / 6), name


def test_maps(made):
    path, pixels, off = made
    assert np.abs(np.asarray(thumbnail(str(path), "a", 96)) - pixels).max() <= off


def test_thumbnails_of_search(made, tmp_path):
    path, pixels, off = made
    copy, media = Pictures((path,), tmp_path / "small").small(0)
    with Image.open(copy) as small:
        assert media == "image/webp"
        assert np.abs(np.asarray(small.convert("RGB")) - pixels).mean() <= 3 + off


def test_noisy_images(made):
    path, pixels, off = made
    seen = noisy_pixels(path, 1.0, 0, Staircase(noise=0.0, pixels=SIDE))
    grey = np.asarray(Image.fromarray(pixels.astype(np.uint8)).convert("L")).astype(float)
    assert np.abs(seen - grey).max() <= off + 1


def test_images_of_templates(made, tmp_path):
    path, pixels, off = made
    pd.DataFrame({"image": [path.name] * 2, "label": list("ab")}).to_csv(
        tmp_path / "t.csv", index=False
    )
    seen = rs.read_classifications(tmp_path / "t.csv").stimuli[0].reshape(SIDE, SIDE)
    grey = np.asarray(Image.fromarray(pixels.astype(np.uint8)).convert("L"))
    assert np.abs(255 * seen - grey).max() <= off


def test_what_is_sent_to_participants_keeps_what_is_transparent(tmp_path):
    path = tmp_path / "hole.png"
    large = Image.new("RGBA", (400, 300), (10, 20, 30, 255))
    large.paste((0, 0, 0, 0), (0, 0, 200, 300))
    noise = np.random.default_rng(0).integers(0, 255, (300, 200, 3), np.uint8)
    large.paste(Image.fromarray(noise), (200, 0))
    large.save(path)
    with Image.open(sized(tmp_path, of_file(path, "a"), 120)) as small:
        assert small.size == (120, 90)
        assert small.convert("RGBA").getpixel((5, 5))[3] == 0


@pytest.mark.parametrize("name", ["a.jpg", "a.png", "a.gif", "a.webp", "a.tiff"])
def test_a_picture_that_ends_too_early_is_refused(tmp_path, name):
    rng = np.random.default_rng(1)
    path = tmp_path / name
    Image.fromarray(rng.integers(0, 255, (90, 120, 3), np.uint8)).save(path)
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 3])
    for read in (
        (read_picture, read_grey, digest_of_pixels) if name != "a.tiff" else (read_picture,)
    ):
        with pytest.raises(FileError, match=name):
            read(path)


def test_levels_that_nobody_can_place_are_refused(tmp_path):
    for name, levels in (("a.tiff", [[0.0, 255.0]]), ("b.tiff", [[-0.5, 1.0]])):
        Image.fromarray(np.array(levels, np.float32)).save(tmp_path / name)
        with pytest.raises(FileError, match="save it as PNG"):
            read_picture(tmp_path / name)
    Image.fromarray(np.array([[0, 70_000]], np.int32)).save(tmp_path / "c.tiff")
    with pytest.raises(FileError, match="save it as PNG"):
        read_grey(tmp_path / "c.tiff")


@pytest.mark.parametrize(
    "text",
    [
        "<svg xmlns='http://www.w3.org/2000/svg'><circle r='4'></svg>",
        "<svg xmlns='http://www.w3.org/2000/svg'",
        "<svg><circle r='4'/></svg>",  # which browsers do not draw in a page
        "<html xmlns='http://www.w3.org/1999/xhtml'/>",
        "",
        "\x89PNG",
    ],
)
def test_a_drawing_that_browsers_do_not_draw_is_refused(tmp_path, text):
    path = tmp_path / "a.svg"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FileError, match=r"a\.svg"):
        check_drawing(path)
    path.write_text("<svg xmlns='http://www.w3.org/2000/svg'><circle r='4'/></svg>")
    check_drawing(path)
