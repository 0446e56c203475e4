"""What every model of templates takes: trials, or images and answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from resemblance.arrays import Floats
from resemblance.errors import JudgmentError, SettingError
from resemblance.judgments import Classifications
from resemblance.judgments.classifications import as_images

ImagesLike: TypeAlias = Classifications | ArrayLike


def as_trials(X: ImagesLike, y: ArrayLike | None = None) -> Classifications:
    """Take trials as they are, or make them of images and answers."""
    if isinstance(X, Classifications):
        return X
    if y is None:
        raise JudgmentError("there are images and no answers: give Classifications, or fit(X, y)")
    return Classifications(X, y)


def images_like(X: ImagesLike, n_pixels: int) -> NDArray[Any]:
    """Take the images of trials, or images alone, of as many pixels as those of a fit."""
    images = X.stimuli if isinstance(X, Classifications) else as_images(X)
    flat = images.reshape(len(images), -1)
    if flat.shape[1] != n_pixels:
        raise JudgmentError(
            f"these images have {flat.shape[1]} pixels, those of the fit {n_pixels}: give images "
            "of the same size"
        )
    return flat


def check_whole(model: Any, least: Mapping[str, int]) -> None:
    """Refuse settings that are neither whole numbers from the least one allowed, nor left out."""
    for name, bound in least.items():
        value = getattr(model, name)
        whole = isinstance(value, int | float | np.number) and float(value).is_integer()
        if value is not None and not (whole and value >= bound):
            raise SettingError(f"{name} is {value!r}: give a whole number from {bound}")


def codes_among(classes: NDArray[Any], trials: Classifications) -> NDArray[np.intp]:
    """Number the answers of trials as a fit has numbered them, (m,)."""
    place = {name: code for code, name in enumerate(classes.tolist())}
    given = trials.classes[np.unique(trials.codes)].tolist()
    strange = [name for name in given if name not in place]
    if strange:
        raise JudgmentError(
            f"the answer {strange[0]!r} was not among those of the fit, "
            f"{', '.join(map(str, place))}: leave its trials out, or fit with them"
        )
    return np.array([place.get(name, -1) for name in trials.classes.tolist()])[trials.codes]


def region_means(maps: Floats, regions: ArrayLike) -> Floats:
    """Average maps (K, d) over regions of the image, (K, n_regions); negative ones are none."""
    region = np.asarray(regions).ravel()
    if region.dtype.kind not in "iu" or len(region) != maps.shape[1] or region.max() < 0:
        raise SettingError(
            f"regions are {region.dtype} of {len(region)} pixels: give the number of a region, "
            f"from 0, for each of {maps.shape[1]} pixels"
        )
    members = (region == np.arange(region.max() + 1)[:, None]).astype(float)
    sizes = members.sum(axis=1)
    if not sizes.all():
        raise SettingError(f"region {int(sizes.argmin())} has no pixel: number them without gaps")
    return maps @ (members / sizes[:, None]).T
