"""What the metric learners from similar and dissimilar pairs share."""

from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score

from resemblance.arrays import Floats
from resemblance.errors import JudgmentError
from resemblance.judgments import SimilarPairs
from resemblance.mappings.metric import MetricMapping


class SimilarPairsMapping(MetricMapping):
    """A metric learned from pairs that are similar and pairs that are not."""

    judged = SimilarPairs

    def score(self, X: SimilarPairs, y: None = None) -> float:
        """Return how often a similar pair is nearer than a dissimilar one, a tie counting one half.

        Over all couples of a similar and a dissimilar pair, by weight: the area under the ROC
        curve, which depends neither on the scale of the space nor on a threshold.

        Parameters
        ----------
        X : SimilarPairs
            Pairs of both kinds, about the items of the fit.
        y : ignored

        Returns
        -------
        float
            1 where every similar pair is nearer than every dissimilar one; 0.5 is guessing.
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
    """Return the difference of the two items' columns, one row per pair."""
    a, b = pairs.index.T
    return columns[a] - columns[b]


def orthonormal_basis(gram: Floats) -> Floats:
    """Return B with B' gram B = I, so that the columns times B have ordinary lengths.

    Directions of the columns that are no more than rounding are left out.
    """
    values, vectors = np.linalg.eigh(gram)
    kept = values > 1e-10 * values[-1]
    return np.asarray(vectors[:, kept] / np.sqrt(values[kept]))
