"""Describe the loudness of a sound in each frequency band, and its changes."""

from pathlib import Path

import numpy as np
from scipy.signal import resample_poly, stft

from resemblance.arrays import Floats
from resemblance.errors import FileError
from resemblance.optional import require

RATE = 22_050  # samples a second, of what is looked at
FRAME = 1_024  # samples
BANDS, LOWEST, HIGHEST = 20, 50.0, 10_000.0  # Hz
SILENCE = 1e-10  # power, below which nothing is heard


def describe_sound(path: Path) -> dict[str, float]:
    """Describe a sound: mean and standard deviation over time of log power in 20 mel bands.

    The bands are triangles between 50 Hz and 10 kHz, evenly spaced in mel (Stevens, Volkmann &
    Newman 1937), m = 2595 log10(1 + f / 700). ``duration`` is the logarithm of the seconds.
    """
    soundfile = require("features of sounds need", "soundfile")
    try:
        samples, rate = soundfile.read(path, dtype="float64", always_2d=True)
    except (OSError, RuntimeError) as error:
        raise FileError(f"{path} is no sound that can be read ({error}): save it as WAV") from None
    if not len(samples):
        raise FileError(f"{path} holds no sound: leave it out, or record it again")
    common = int(np.gcd(RATE, rate))
    wave = resample_poly(samples.mean(axis=1), RATE // common, rate // common)
    wave = np.pad(wave, (0, max(FRAME - len(wave), 0)))
    frequencies, _, spectrum = stft(wave, RATE, nperseg=FRAME)
    levels = np.log10(mel_bands(frequencies) @ np.abs(spectrum) ** 2 + SILENCE)
    means = {f"mel_{k}": float(level.mean()) for k, level in enumerate(levels)}
    spread = {f"mel_{k}_spread": float(level.std()) for k, level in enumerate(levels)}
    return means | spread | {"duration": float(np.log(len(samples) / rate))}


def mel_bands(frequencies: Floats) -> Floats:
    """Return the weights of frequencies in each band, (20, n): triangles with half overlap."""
    low, high = 2595.0 * np.log10(1.0 + np.array([LOWEST, HIGHEST]) / 700.0)
    edges = 700.0 * (10.0 ** (np.linspace(low, high, BANDS + 2) / 2595.0) - 1.0)
    lower, middle, upper = (edges[k : k + BANDS, None] for k in range(3))
    rising = (frequencies - lower) / (middle - lower)
    falling = (upper - frequencies) / (upper - middle)
    return np.asarray(np.maximum(0.0, np.minimum(rising, falling)))
