"""Models of strangers: whatever is in the file, the error is one of ours."""

import io
import json
import zipfile

import numpy as np
import pytest

import resemblance as rs
from resemblance.errors import FileError

HEADER = {"format": "resemblance model", "version": 2}
SMALL = {"estimator": "STE", "parts": {"embedding_": {"array": "a0"}}}


def npy(shape, data=b""):
    """An array that says of itself what it likes."""
    file = io.BytesIO()
    told = {"descr": "<f8", "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(file, told)
    return file.getvalue() + data


def nested(depth, inner="1"):
    return '{"format": "resemblance model", "version": 2, "model": ' + (
        "[" * depth + inner + "]" * depth + "}"
    )


HOSTILE = {
    "huge shape": (json.dumps({**HEADER, "model": SMALL}), npy((10**12, 10**3))),
    "more than it has": (json.dumps({**HEADER, "model": SMALL}), npy((100, 2), b"\0" * 80)),
    "negative": (json.dumps({**HEADER, "model": SMALL}), npy((-1, 2), b"\0" * 80)),
    "deep for the reader": (nested(200_000), npy((0,))),
    "deep for the maker": (nested(900, '{"tuple": [[[]]]}'), npy((0,))),
    "parts are a list": (json.dumps({**HEADER, "model": {"estimator": "STE", "parts": [1]}}), b""),
    "no array": (json.dumps({**HEADER, "model": {"array": []}}), npy((0,))),
    "items": (json.dumps({**HEADER, "model": {"items": {"nonsense": 3}}}), npy((0,))),
    "no text": ("\ud800".encode("utf-8", "surrogatepass"), b""),
    "a list": ("[]", b""),
    "a number": (json.dumps({**HEADER, "model": 5}), npy((0,))),
}


@pytest.mark.parametrize("hostile", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_file_is_a_file_error(tmp_path, hostile):
    header, array = hostile
    path = tmp_path / "model.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("model.json", header)
        archive.writestr("a0.npy", array)
    with pytest.raises(FileError, match=r"model\.npz"):
        rs.load(path)


def test_a_file_that_lies_about_its_size_is_refused(tmp_path):
    path = tmp_path / "model.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("model.json", json.dumps({**HEADER, "model": SMALL}))
        archive.writestr("a0.npy", npy((10, 2), b"\0" * 160))
    whole = path.read_bytes()
    for place in range(0, len(whole), 7):  # every seventh byte, turned over
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        try:
            rs.load(path)
        except FileError:
            continue
