"""Arrays by what they hold, as type hints call them, and features by their views."""

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int32]

ONE_VIEW = "features"  # what a single array of features is called


def by_view(features: Any, name: str = ONE_VIEW) -> Mapping[str, Any]:
    """Return features by the names of their views; a single array is one view, none are none."""
    if features is None:
        return {}
    return features if isinstance(features, Mapping) else {name: features}
