"""Base class of metric learners, which learn a quadratic form of features."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.metrics import roc_auc_score
from sklearn.utils.validation import check_is_fitted

from resemblance.arrays import Floats
from resemblance.errors import JudgmentError
from resemblance.fitting.estimator import Estimator
from resemblance.fitting.objective import checks
from resemblance.geometry import kernel_matrix, principal_rotation
from resemblance.geometry.kernels import Kernel, as_features
from resemblance.judgments import SimilarPairs
from resemblance.judgments.checks import of_kind
from resemblance.judgments.convert import refuse_y
from resemblance.judgments.rows import Rows
from resemblance.mappings.poe_solver import Optimum
from resemblance.ranges import NOT_NEGATIVE, integers, setting
from resemblance.solvers import Callback


class MetricMapping(Estimator):
    """A map of features in which distance is a learned metric.

    d_ij = (c_i - c_j)' A (c_i - c_j),  A psd

    is the squared distance. c_i are the *columns* of item i: its kernel with each item of the fit,
    or its features if ``kernel=None``. A is positive semidefinite (psd). The map is c -> (c - mean)
    ``components_``, the leading principal axes of the items under A. The subclasses
    :class:`SchultzJoachims`, :class:`MMC` and :class:`KPSDE` learn A.
    """

    judged: ClassVar[type[Rows]]  # kind of judgments that the class learns from

    n_components: int = field(default=2, kw_only=False)
    kernel: Kernel | None = "rbf"
    bandwidth: float = 1.0
    degree: int = 2
    max_iter: int = setting(integers(1), default=500)
    tol: float = setting(NOT_NEGATIVE, default=1e-5)
    callback: Callback | None = None

    def fit(self, X: Any, y: None = None) -> Self:
        """Learn the metric from judgments X of the class's kind, whose items have features."""
        self._check_settings()
        refuse_y(y, X)
        judgments = self._checked(X)
        n_components = checks.check_components(self.n_components, judgments.n_items)
        if (features := checks.one_view(judgments.items)) is None:
            raise JudgmentError(
                f"the items have no features, which {type(self).__name__} needs: give the "
                "judgments Items(names, features=...), or fit one of the embeddings."
            )
        self.features_ = features
        columns = self._columns(self.features_)
        # For a map c -> v'c, the squared length is v' gram v.
        gram = np.eye(columns.shape[1]) if self.kernel is None else columns
        factor, optimum = self._learn(judgments, columns, gram)
        checks.keep_features(self, judgments.items)
        self.items_, self.mean_ = judgments.items, columns.mean(axis=0)
        self.metric_ = factor @ factor.T
        turned = factor @ principal_rotation(columns @ factor)[0][:, :n_components]
        self.components_ = np.pad(turned, ((0, 0), (0, n_components - turned.shape[1])))
        self.embedding_ = (columns - self.mean_) @ self.components_
        self.loss_, self.gap_ = optimum.loss, optimum.gap
        self.n_iter_, self.converged_ = optimum.n_iter, optimum.converged
        if not self.converged_:
            self._warn_unconverged(optimum)
        return self

    def transform(self, X: ArrayLike) -> Floats:
        """Map features X (m, d), also of new items, into the space, (m, n_components).

        With ``kernel="precomputed"`` X is the kernel with the items of the fit, (m, n_items).
        """
        check_is_fitted(self, "embedding_")
        X = checks.named_features(self, X)
        return np.asarray((self._columns(as_features(X)) - self.mean_) @ self.components_)

    @abstractmethod
    def _learn(self, judgments: Any, columns: Floats, gram: Floats) -> tuple[Floats, Optimum]:
        """Return a factor L of the metric A = L L', and the solver's result."""

    def _checked(self, X: Any) -> Any:
        return of_kind(X, self.judged, type(self).__name__, "build or convert them first")

    def _columns(self, features: Floats) -> Floats:
        if self.kernel is not None:
            reference = None if features is self.features_ else self.features_
            return self._kernel(features, reference)
        return features

    def _kernel(self, X: Floats, Y: Floats | None = None) -> Floats:
        assert self.kernel is not None
        return kernel_matrix(X, Y, self.kernel, self.bandwidth, self.degree)

    def _judged(self, X: Any) -> Any:
        check_is_fitted(self, "embedding_")
        judgments = self._checked(X)
        checks.check_same_items(judgments, self.items_)
        return judgments

    def _warn_unconverged(self, optimum: Optimum) -> None:
        checks.tell_unconverged(
            self,
            optimum,
            f"after {self.n_iter_} iterations with its loss {self.loss_:.4g} up to "
            f"{self.gap_:.2g} above the least one: raise max_iter ({self.max_iter}) or tol "
            f"({self.tol}), or choose less extreme settings.",
        )


class SimilarPairsMapping(MetricMapping):
    judged = SimilarPairs

    def score(self, X: SimilarPairs, y: None = None) -> float:
        """Return the weighted area under the ROC curve, from 0.5 (guessing) to 1.

        This is the probability that a similar pair of X is nearer than a dissimilar pair; ties
        count one half.
        """
        pairs = self._judged(X)
        distance = np.linalg.norm(differences(pairs, self.embedding_), axis=1)
        return float(roc_auc_score(pairs.similar, -distance, sample_weight=pairs.weight))

    def _checked(self, X: Any) -> SimilarPairs:
        pairs: SimilarPairs = super()._checked(X)
        counted = pairs.similar[pairs.weights > 0]
        if counted.all() or not counted.any():
            kind = "similar" if counted.any() else "dissimilar"
            raise JudgmentError(
                f"all {len(counted)} pairs are {kind}, which does not tell {type(self).__name__} "
                "similar from dissimilar: add pairs of the other kind, or change the threshold."
            )
        return pairs


def differences(pairs: SimilarPairs, columns: Floats) -> Floats:
    a, b = pairs.index.T
    return columns[a] - columns[b]


def orthonormal_basis(gram: Floats) -> Floats:
    """Return B with B' gram B = I; directions as small as rounding errors are left out."""
    values, vectors = np.linalg.eigh(gram)
    kept = values > 1e-10 * values[-1]
    return np.asarray(vectors[:, kept] / np.sqrt(values[kept]))
