"""What searches for settings share: walks along a path of settings, and the best estimator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from typing import Any

import numpy as np
from joblib import Parallel
from numpy.typing import NDArray
from sklearn.model_selection import check_cv
from sklearn.utils.validation import check_is_fitted

from resemblance.fitting.estimator import Estimator

Told = Callable[[int, int], object]


class SettingSearch(Estimator):
    """The base of :class:`YadaCV` and :class:`POECV`, which choose settings on held-out rows."""

    estimator: Any = field(default=None, kw_only=False)
    cv: Any = 5
    n_jobs: int | None = None
    random_state: int = 0

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Map features into the space of the best estimator."""
        check_is_fitted(self, "best_estimator_")
        return np.asarray(self.best_estimator_.transform(X))

    def score(self, X: Any, y: None = None) -> float:
        """Return the score of the best estimator: see its own method."""
        check_is_fitted(self, "best_estimator_")
        return float(self.best_estimator_.score(X))

    def _folds(self, by_number: type[Any], **settings: Any) -> Any:
        """Return the splitter; a number of folds is made by the class that is given."""
        if isinstance(self.cv, int):
            return by_number(self.cv, random_state=self.random_state, **settings)
        return check_cv(self.cv)

    def _walks(self, tasks: Sequence[Any], callback: Told | None) -> list[Any]:
        """Run delayed tasks; tell the callback after each how many are done, and of how many."""
        found = []
        for one in Parallel(n_jobs=self.n_jobs, return_as="generator")(tasks):
            found.append(one)
            if callback is not None:
                callback(len(found), len(tasks))
        return found
