"""Compute features of pictures with an ONNX network."""

from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from resemblance.errors import FileError, SettingError
from resemblance.optional import require
from resemblance.pictures import read_picture

SIDE = 224  # pixels, where the network takes any
# Means and deviations of ImageNet's colours, which most networks expect.
MEAN, SPREAD = np.array([0.485, 0.456, 0.406]), np.array([0.229, 0.224, 0.225])


class Network:
    """An ONNX network of pictures; its first output, flattened, are the features.

    A picture is scaled so that its shorter side fits, cropped to a central square, and
    standardised like ImageNet. Spatial outputs are averaged over places. ``source`` is a file, or
    an https:// address that is fetched once and needs the SHA-256 ``checksum``.
    """

    def __init__(self, source: str, checksum: str | None = None) -> None:
        runtime = require("a network needs", "onnxruntime")
        path = _fetched(source, checksum)
        try:
            self.session: Any = runtime.InferenceSession(path, providers=["CPUExecutionProvider"])
        except Exception as error:  # its own kinds, which have no common root
            raise FileError(f"{path} is no ONNX network ({error}): export it again") from None
        taken = self.session.get_inputs()
        if len(taken) != 1 or len(taken[0].shape) != 4 or taken[0].shape[1] not in (3, "3"):
            shapes = ", ".join(f"{tensor.name} {tensor.shape}" for tensor in taken)
            raise FileError(
                f"{path} takes {shapes}: one input is needed, of shape (n, 3, height, width)"
            )
        self.input, self.size = (
            taken[0].name,
            [side if isinstance(side, int) else SIDE for side in taken[0].shape[2:]],
        )

    def describe(self, path: Path) -> dict[str, float]:
        ops = require("features of pictures need", "PIL.ImageOps")
        height, width = self.size
        pixels = np.asarray(ops.fit(read_picture(path), (width, height)), dtype=float) / 255.0
        given = ((pixels - MEAN) / SPREAD).transpose(2, 0, 1)[None].astype(np.float32)
        out = np.asarray(self.session.run(None, {self.input: given})[0][0], dtype=float)
        values = out.mean(axis=(1, 2)) if out.ndim == 3 else out.ravel()
        return {f"network_{k}": float(value) for k, value in enumerate(values)}


def _fetched(source: str, checksum: str | None) -> Path:
    if "://" in source:
        if checksum is None or not source.startswith("https://"):
            raise SettingError(
                f"{source} is fetched only from https:// and with its SHA-256: give a checksum",
                setting="checksum",
            )
        pooch = require("fetching a network needs", "pooch")
        try:
            return Path(pooch.retrieve(source, f"sha256:{checksum.lower()}"))
        except (OSError, ValueError) as error:
            raise FileError(f"{source} was not fetched ({error}): download it yourself") from None
    path = Path(source)
    if not path.is_file():
        raise FileError(f"{path} is not there: give an ONNX file, or an address with a checksum")
    if checksum is not None and sha256(path.read_bytes()).hexdigest() != checksum.lower():
        raise FileError(
            f"{path} has another SHA-256 than {checksum}: give the right file or checksum"
        )
    return path
