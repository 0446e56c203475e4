"""Compute features of a picture or sound from formulas or an ONNX network."""

from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from scipy.signal import resample_poly, stft

from resemblance.arrays import Floats
from resemblance.errors import FileError, SettingError
from resemblance.optional import require
from resemblance.pictures import read_picture

SIDE = 160  # length of the longer side of scaled pictures, in pixels
NEIGHBOURS = 8  # number of neighbours of a pixel in a local binary pattern
SCALES = 1, 2, 4, 8, 16  # scales of contrast, in pixels
DIRECTIONS, CELLS = 6, 2  # number of directions of edges, and number of cells along each side
MOMENTS = (
    "area",
    "eccentricity",
    "solidity",
    "extent",
)  # features of the shape in the foreground
NEEDING = "features of pictures need"


def describe_picture(path: Path) -> dict[str, float]:
    """Describe a picture by features that do not depend on its size.

    ``colour_`` is the mean and standard deviation of L*, a*, b* (CIELAB). ``texture_`` is the
    shares of uniform local binary patterns of 8 neighbours (Ojala, Pietikäinen & Mäenpää 2002), and
    the contrast at five scales (differences of Gaussians). ``edges_`` is gradients in 6 directions
    in 2 x 2 cells (Dalal & Triggs 2005). ``shape_`` is about the pixels that differ from the border
    of the picture: share of the area, eccentricity, solidity, extent, and logarithms of four
    moments of Hu (1962).
    """
    image = read_picture(path)
    image.thumbnail((SIDE, SIDE))
    lab = require(NEEDING, "skimage.color").rgb2lab(np.asarray(image))
    return {**_colour(lab), **_texture(lab[..., 0]), **_edges(lab[..., 0]), **_shape(lab)}


def _colour(lab: Floats) -> dict[str, float]:
    axes = dict(zip("Lab", np.moveaxis(lab, -1, 0), strict=True))
    means = {f"colour_{name}": float(axis.mean()) for name, axis in axes.items()}
    return means | {f"colour_{name}_spread": float(axis.std()) for name, axis in axes.items()}


def _texture(light: Floats) -> dict[str, float]:
    feature = require(NEEDING, "skimage.feature")
    patterns = feature.local_binary_pattern(light.astype(np.uint8), NEIGHBOURS, 1, "uniform")
    counts = np.bincount(patterns.astype(int).ravel(), minlength=NEIGHBOURS + 2)
    features = {f"texture_pattern_{k}": float(n) / patterns.size for k, n in enumerate(counts)}
    blur = require(NEEDING, "skimage.filters").gaussian
    blurred = [blur(light, scale, mode="reflect") for scale in SCALES]
    finer = [light, *blurred[:-1]]
    contrasts = [float((a - b).std()) for a, b in zip(finer, blurred, strict=True)]
    return features | {f"texture_scale_{s}": c for s, c in zip(SCALES, contrasts, strict=True)}


def _edges(light: Floats) -> dict[str, float]:
    down, right = np.gradient(light)
    strength, angle = np.hypot(down, right), np.arctan2(down, right) % np.pi
    direction = np.minimum((angle / np.pi * DIRECTIONS).astype(int), DIRECTIONS - 1)
    features = {}
    for row, rows in enumerate(np.array_split(np.arange(light.shape[0]), CELLS)):
        for column, columns in enumerate(np.array_split(np.arange(light.shape[1]), CELLS)):
            cell = np.ix_(rows, columns)
            sums = np.bincount(direction[cell].ravel(), strength[cell].ravel(), DIRECTIONS)
            for k, total in enumerate(sums):
                features[f"edges_{row}{column}_{k}"] = float(total) / max(strength[cell].size, 1)
    return features


def _shape(lab: Floats) -> dict[str, float]:
    border = np.concatenate([lab[0], lab[-1], lab[:, 0], lab[:, -1]])
    apart = np.linalg.norm(lab - np.median(border, axis=0), axis=-1)
    features = {f"shape_{name}": 0.0 for name in MOMENTS}
    features |= {f"shape_hu_{k}": 0.0 for k in range(1, 5)}
    if np.ptp(apart) < 1.0:  # a picture in a single colour has no shape
        return features
    mask = apart > require(NEEDING, "skimage.filters").threshold_otsu(apart)
    region = require(NEEDING, "skimage.measure").regionprops(mask.astype(np.uint8))[0]
    features |= {f"shape_{name}": float(getattr(region, name)) for name in MOMENTS[1:]}
    features["shape_area"] = float(mask.mean())
    hu = np.log10(np.abs(np.asarray(region.moments_hu[:4])) + 1e-12)
    return features | {f"shape_hu_{k}": float(value) for k, value in enumerate(hu, 1)}


NETWORK_SIDE = 224  # side of the input in pixels, if the network does not set it
# Most networks expect colours standardised with these means and deviations of ImageNet.
MEAN, SPREAD = np.array([0.485, 0.456, 0.406]), np.array([0.229, 0.224, 0.225])


class Network:
    """An ONNX network for pictures, whose first output is the features.

    The central square of a picture is scaled to the network's input size and standardised with the
    means of ImageNet. Spatial outputs are averaged over positions. ``source`` is a file or an
    https:// address. A file at an address is downloaded once, and needs the SHA-256 ``checksum``.
    """

    def __init__(self, source: str, checksum: str | None = None) -> None:
        runtime = require("a network needs", "onnxruntime")
        path = _fetched(source, checksum)
        try:
            self.session: Any = runtime.InferenceSession(path, providers=["CPUExecutionProvider"])
        except Exception as error:  # errors of onnxruntime have no common base class
            raise FileError(f"{path} is not an ONNX network ({error}): export it again") from None
        taken = self.session.get_inputs()
        if len(taken) != 1 or len(taken[0].shape) != 4 or taken[0].shape[1] not in (3, "3"):
            shapes = ", ".join(f"{tensor.name} {tensor.shape}" for tensor in taken)
            raise FileError(
                f"{path} takes {shapes}: give a network with one input (n, 3, height, width)"
            )
        self.input, self.size = (
            taken[0].name,
            [side if isinstance(side, int) else NETWORK_SIDE for side in taken[0].shape[2:]],
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
                f"{source} is fetched only from https:// with an SHA-256: give the checksum",
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


RATE = 22_050  # sampling rate of resampled sounds, in Hz
FRAME = 1_024  # number of samples per frame
BANDS, LOWEST, HIGHEST = 20, 50.0, 10_000.0  # number of frequency bands, and their range in Hz
SILENCE = 1e-10  # minimum power before taking logarithms


def describe_sound(path: Path) -> dict[str, float]:
    """Describe a sound by log power in 20 mel bands: mean and standard deviation over time.

    The bands are triangles between 50 Hz and 10 kHz. They are evenly spaced in mel (Stevens,
    Volkmann & Newman 1937), m = 2595 log10(1 + f / 700) for f in Hz. ``duration`` is the logarithm
    of seconds.
    """
    soundfile = require("features of sounds need", "soundfile")
    try:
        samples, rate = soundfile.read(path, dtype="float64", always_2d=True)
    except (OSError, RuntimeError) as error:
        raise FileError(f"{path} cannot be read as a sound ({error}): save it as WAV") from None
    if not len(samples):
        raise FileError(f"{path} has no samples: leave it out, or record it again")
    common = int(np.gcd(RATE, rate))
    wave = resample_poly(samples.mean(axis=1), RATE // common, rate // common)
    wave = np.pad(wave, (0, max(FRAME - len(wave), 0)))
    frequencies, _, spectrum = stft(wave, RATE, nperseg=FRAME)
    levels = np.log10(mel_bands(frequencies) @ np.abs(spectrum) ** 2 + SILENCE)
    means = {f"mel_{k}": float(level.mean()) for k, level in enumerate(levels)}
    spread = {f"mel_{k}_spread": float(level.std()) for k, level in enumerate(levels)}
    return means | spread | {"duration": float(np.log(len(samples) / rate))}


def mel_bands(frequencies: Floats) -> Floats:
    low, high = 2595.0 * np.log10(1.0 + np.array([LOWEST, HIGHEST]) / 700.0)
    edges = 700.0 * (10.0 ** (np.linspace(low, high, BANDS + 2) / 2595.0) - 1.0)
    lower, middle, upper = (edges[k : k + BANDS, None] for k in range(3))
    rising = (frequencies - lower) / (middle - lower)
    falling = (upper - frequencies) / (upper - middle)
    return np.asarray(np.maximum(0.0, np.minimum(rising, falling)))
