"""Responses as classes, so that scikit-learn's scorers can compare predictions with y."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from resemblance.arrays import Floats
from resemblance.judgments import OneKind


def learn_classes(model: Any, y: Any) -> None:
    """Set the classes of the given responses; none without responses, or for one-hot rows."""
    vars(model).pop("classes_", None)
    if y is not None and np.ndim(y) == 1:
        model.classes_ = np.array([False, True] if np.asarray(y).dtype == bool else [-1, 1])


def _speaks_classes(model: Any, X: Any) -> bool:
    """Return whether rows are unordered questions, as in the fit, and not judgments."""
    return "classes_" in vars(model) and not isinstance(X, OneKind)


def in_classes(model: Any, X: Any, columns: NDArray[Any]) -> NDArray[Any]:
    """Return the nearer pairs as responses: the last class for the first pair, else the other."""
    if not _speaks_classes(model, X):
        return columns
    return np.asarray(model.classes_[(columns == 0).astype(int)])


def by_class(model: Any, X: Any, probabilities: Floats) -> Floats:
    return probabilities[:, ::-1] if _speaks_classes(model, X) else probabilities
