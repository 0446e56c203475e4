"""Responses as classes, so that scikit-learn's scorers can compare predictions with y."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from resemblance.arrays import Floats
from resemblance.judgments import OneKind


def learn_classes(model: Any, y: Any) -> None:
    """Keep the classes of the responses that a fit was given; none without, or of one-hot rows."""
    vars(model).pop("classes_", None)
    if y is not None and np.ndim(y) == 1:
        model.classes_ = np.array([False, True] if np.asarray(y).dtype == bool else [-1, 1])


def _speaks_classes(model: Any, X: Any) -> bool:
    """Say whether questions are in no order, as those of the fit: judgments hold their answers."""
    return "classes_" in vars(model) and not isinstance(X, OneKind)


def in_classes(model: Any, X: Any, columns: NDArray[Any]) -> NDArray[Any]:
    """Give the nearer pairs as responses; the first pair is the last class, a tie the other."""
    if not _speaks_classes(model, X):
        return columns
    return np.asarray(model.classes_[(columns == 0).astype(int)])


def by_class(model: Any, X: Any, probabilities: Floats) -> Floats:
    """Give the probabilities in the order of the classes."""
    return probabilities[:, ::-1] if _speaks_classes(model, X) else probabilities
