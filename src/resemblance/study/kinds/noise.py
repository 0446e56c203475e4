"""Noisy images, drawn from their seed: the same seed and signal give the same bytes."""

from io import BytesIO
from pathlib import Path
from typing import Any

from resemblance.study.folder import StudyFolder


def noisy_png(study: StudyFolder, spec: dict[str, Any]) -> bytes:
    """Draw the image of a question as PNG."""
    from PIL import Image

    image = study.by_name[spec["head"]]
    assert image.path is not None
    pixels = noisy_pixels(image.path, spec["signal"], spec["seed"], study)
    out = BytesIO()
    Image.fromarray(pixels).save(out, "PNG")
    return out.getvalue()


def noisy_pixels(path: Path, signal: float, seed: int, study: StudyFolder) -> Any:
    r"""Draw grey levels of a picture in noise.

    .. math:: x = \tfrac12 + s (x_0 - \tfrac12) + \sigma z, \qquad z \sim N(0, 1)

    for each pixel, cut to 0..1 and rounded to 8 bits.

    Parameters
    ----------
    path : Path
        The picture of the class.
    signal, seed : float, int
        The level s, and the seed of the noise, below 2^32 (NumPy's RandomState).
    study : StudyFolder
        Says the noise and the side in pixels.

    Returns
    -------
    array (pixels, pixels) of uint8
    """
    import numpy as np
    from PIL import Image

    staircase = study.settings.staircase
    side = staircase.pixels
    with Image.open(path) as picture:
        grey = picture.convert("L").resize((side, side), Image.Resampling.BOX)
    clean = np.asarray(grey, dtype=float) / 255
    noise = np.random.RandomState(seed).standard_normal((side, side))  # a stream that never changes
    light = 0.5 + signal * (clean - 0.5) + staircase.noise * noise
    return np.round(255 * light.clip(0, 1)).astype(np.uint8)
