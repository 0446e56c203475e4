"""Type aliases of arrays by their contents, and small functions of arrays."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int32]

ONE_VIEW = "features"  # name of the view if features are a single array


def by_view(features: Any, name: str = ONE_VIEW) -> Mapping[str, Any]:
    """Return features as a mapping of views; an array is a single view, None is no view."""
    if features is None:
        return {}
    return features if isinstance(features, Mapping) else {name: features}


def places_in(names: ArrayLike, wanted: ArrayLike) -> NDArray[np.intp]:
    """Return the index in ``names`` of each wanted name; -1 if it is not there."""
    place = {name: at for at, name in enumerate(np.asarray(names).tolist())}
    return np.array([place.get(name, -1) for name in np.asarray(wanted).tolist()], dtype=np.intp)


def below(arrays: Sequence[NDArray[Any]], fill: float = 0) -> NDArray[Any]:
    """Concatenate arrays by rows; narrower arrays are padded with ``fill``."""
    if arrays[0].ndim == 1:
        return np.concatenate(arrays)
    width = max(array.shape[1] for array in arrays)
    gaps = [[(0, 0), (0, width - a.shape[1]), *[(0, 0)] * (a.ndim - 2)] for a in arrays]
    pairs = zip(arrays, gaps, strict=True)
    return np.concatenate([np.pad(array, gap, constant_values=fill) for array, gap in pairs])
