"""Estimate templates as Gaussian prototypes, with the algorithm of the paper."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from resemblance.arrays import Floats
from resemblance.errors import NotConvergedWarning, ResemblanceWarning, SettingError, quiet
from resemblance.fitting import GroupedKFold
from resemblance.fitting.estimator import Estimator
from resemblance.judgments import Classifications
from resemblance.ranges import Range, check, integers, one_of, setting
from resemblance.templates.gaussians import (
    Clusters,
    Covariance,
    Gaussians,
    assign,
    check_enough,
    estimate,
    needed_points,
    settle,
    two_clusters,
)
from resemblance.templates.pixels import (
    ImagesLike,
    Pixels,
    images_like,
    region_means,
    score_of,
    trials_to_fit,
)

THRESHOLDS = tuple((np.arange(1, 10) / 20).tolist())


IMPURITY = Range(0, 0.5)  # allowed thresholds of impurity, above which a prototype is split


class TemplateClassifier(Estimator):
    r"""Templates of an observer as Gaussian prototypes, split until the prototypes are pure.

    .. math:: \hat y(x) = y_{k(x)}, \quad
        k(x) = \arg\max_k \; -\tfrac12 (x - c_k)' W_k^{-1} (x - c_k) - \tfrac12 \log\det W_k

    Here x is an image, and c_k, W_k and y_k are the centre, covariance and class of prototype k.
    The first prototypes are two Gaussian clusters of all images: k-means in which every centre has
    its own covariance, and each image belongs to the Gaussian with the highest density. The
    impurity of a prototype is the share of its images whose answer is not the majority's. If the
    impurity is above the threshold, the prototype is split into two Gaussian clusters of its
    images; one starts at the images with the majority's answer, the other at the other images. The
    children are kept if both are purer (with ``rule="cart"``: if their mean Gini impurity is
    lower). Then all prototypes are refitted to all images. This repeats until no prototype splits.
    Only splits use the answers.

    Parameters
    ----------
    threshold : float or "cv"
        The impurity above which a prototype is split, from 0 to 0.5. "cv" chooses from
        ``thresholds`` by the accuracy on held-out answers; if thresholds tie, the largest is
        chosen, which gives the fewest templates.
    covariance : {"diagonal", "shrunk", "full"}
        The kind of the matrices W. Diagonal matrices give each template a mask. Full matrices need
        more images than pixels; shrunk matrices (Ledoit and Wolf) do not.
    rule : {"both", "cart"}
        The condition for keeping children. "both": both are purer, as in the paper. "cart": the
        mean Gini impurity (1 - sum of squared shares), weighted by images, is lower, as in CART.
    n_init : int
        The number of starts of the first two clusters; the most likely result is kept.
    max_iter : int
        The largest number of iterations of Gaussian clusters, and of rounds of splitting.
    thresholds : sequence of float
        The thresholds from which "cv" chooses.
    cv : int
        The number of folds; responses stay whole.
    random_state : int, RandomState or None
        The seed of the starts and folds.

    Attributes
    ----------
    templates_ : array (K, d)
        The centres c, sorted by class.
    labels_ : array (K,)
        The class of each template: the answer of the majority.
    masks_ : array (K, d)
        The inverse variances of each template's pixels; 0 for pixels that are the same in all
        images.
    impurity_ : array (K,)
        The share of each template's images with another answer than its class.
    shares_ : array (K, n_classes)
        The share of each answer at each template.
    counts_ : array (K,) of int
        The number of images of each template.
    error_rate_ : float
        The share of all images with another answer than their template's class.
    classes_ : array (n_classes,)
        The classes.
    covariances_ : array (K, d) or (K, d, d)
        The matrices W, for the pixels that vary.
    image_shape_ : tuple of int
        The shape of an image.
    threshold_ : float
        The threshold that was used.
    n_rounds_ : int
        The number of rounds of splitting.
    n_stalled_ : int
        The number of templates whose impurity is above the threshold and that no split makes purer.

    Raises
    ------
    SettingError
        For a threshold that is not from 0 to 0.5, or fewer trials than the covariance needs.
    JudgmentError
        For trials that :class:`~resemblance.Classifications` refuses.

    Warns
    -----
    ConstantFeatureWarning
        If pixels are the same in all images; they are left out.
    ResemblanceWarning
        If splitting stalls.

    References
    ----------
    The paper on image templates, section 3 (title, authors and settings are unknown to us, so the
    defaults are our own). L. Breiman and others (1984), Classification and Regression Trees. O.
    Ledoit, M. Wolf (2004), A well-conditioned estimator for large-dimensional covariance matrices,
    Journal of Multivariate Analysis 88, 365-411.

    Examples
    --------
    >>> from resemblance.stimuli import bands
    >>> points, classes = bands(random_state=0)
    >>> model = TemplateClassifier(covariance="full", random_state=0).fit(points, classes)
    >>> model.labels_.tolist(), model.error_rate_
    ([1, 2, 2], 0.0)
    """

    threshold: float | Literal["cv"] = setting(IMPURITY.besides("cv"), default=0.25, kw_only=False)
    covariance: Covariance = "diagonal"
    rule: Literal["both", "cart"] = setting(one_of("both", "cart"), default="both")
    n_init: int = setting(integers(1), default=5)
    max_iter: int = setting(integers(1), default=100)
    thresholds: Sequence[float] = THRESHOLDS
    cv: int = 5
    random_state: Any = None

    def fit(self, X: Classifications | ArrayLike, y: ArrayLike | None = None) -> Self:
        """Fit to classifications X, or to images X (m, ...) and answers y (m,)."""
        trials = trials_to_fit(X, y)
        self._check_settings()
        if not len(self.thresholds):
            raise SettingError("thresholds are none: give some.", setting="thresholds")
        for threshold in self.thresholds:
            check(thresholds=(threshold, IMPURITY))
        points = Pixels.of(trials.stimuli)
        check_enough(len(points), points.n_pixels, self.covariance)
        self.threshold_ = self._chosen(trials) if self.threshold == "cv" else self.threshold
        self._keep(points, self._grown(points, trials), trials)
        if self.n_stalled_:
            warnings.warn(
                f"splitting stalled: {self.n_stalled_} of {len(self.labels_)} prototypes have an "
                f"impurity above the threshold of {self.threshold_:g}, and no split makes "
                f"{'both halves' if self.rule == 'both' else 'the halves'} purer: raise the "
                "threshold, or take rule='cart'",
                ResemblanceWarning,
                stacklevel=2,
            )
        return self

    def predict(self, X: ImagesLike) -> NDArray[Any]:
        """Return the class of the template with the highest density at each image, (m,)."""
        return self.labels_[self.nearest(X)]

    def predict_proba(self, X: ImagesLike) -> Floats:
        """Return the shares of answers for the template of each image, (m, n_classes)."""
        return self.shares_[self.nearest(X)]

    def score(self, X: Classifications | ArrayLike, y: ArrayLike | None = None) -> float:
        """Return the share of answers that are predicted correctly."""
        return score_of(self, X, y)

    def nearest(self, X: ImagesLike) -> NDArray[np.intp]:
        """Return the index of the template with the highest density at each image, (m,)."""
        check_is_fitted(self, "templates_")
        images = images_like(X, self.image_shape_)
        varying = np.any(self.masks_, axis=0)
        pixels = Pixels(images, None, varying, self.mean_, np.ones(len(self.mean_)))
        centres = (self.templates_ - self.mean_)[:, varying]
        return assign(pixels, Gaussians(centres, self.covariances_))[0]

    def region_averages(self, regions: ArrayLike) -> Floats:
        """Average the masks over regions of the image, (K, n_regions).

        ``regions``, of an image's shape, has the region of each pixel, from 0; negative outside.
        """
        check_is_fitted(self, "templates_")
        return region_means(self.masks_, regions)

    def _grown(self, points: Pixels, trials: Classifications) -> Clusters:
        random = check_random_state(self.random_state)
        clusters = two_clusters(points, self.covariance, self.n_init, self.max_iter, random)
        for n_rounds in range(1, self.max_iter + 1):
            self.n_rounds_ = n_rounds
            parts = [self._split(points, trials.codes, clusters, k) for k in range(len(clusters))]
            if all(len(part) == 1 for part in parts):
                return clusters
            centres = np.concatenate([part.centres for part in parts])
            start = Gaussians(centres, np.concatenate([part.covariances for part in parts]))
            clusters = settle(points, start, self.covariance, self.max_iter)
        warnings.warn(
            f"prototypes were still being split after {self.max_iter} rounds: raise the threshold "
            f"({self.threshold_:g}), which may be too low for these answers, or max_iter",
            NotConvergedWarning,
            stacklevel=3,
        )
        return clusters

    def _split(
        self, points: Pixels, codes: NDArray[np.intp], clusters: Clusters, k: int
    ) -> Gaussians:
        centres, covariances = clusters.gaussians.centres, clusters.gaussians.covariances
        parent = Gaussians(centres[k : k + 1], covariances[k : k + 1])
        mine = np.flatnonzero(clusters.assigned == k)
        own, answers = points.take(mine), codes[mine]
        impurity, majority = _impurity(answers)
        minority = answers != majority
        fewest = needed_points(self.covariance, points.n_pixels)
        if impurity <= self.threshold_ or min(minority.sum(), (~minority).sum()) < fewest:
            return parent
        start = estimate(own, minority.astype(np.intp), self.covariance)
        children = settle(own, start, self.covariance, self.max_iter)
        parts = [answers[children.assigned == c] for c in range(len(children))]
        if len(parts) < 2 or not all(map(len, parts)):
            return parent
        if self.rule == "cart":
            purer = np.average([*map(_gini, parts)], weights=[*map(len, parts)]) < _gini(answers)
        else:
            purer = max(_impurity(part)[0] for part in parts) < impurity
        return children.gaussians if purer else parent

    def _keep(self, points: Pixels, clusters: Clusters, trials: Classifications) -> None:
        counts = np.zeros((len(clusters), len(trials.classes)))
        np.add.at(counts, (clusters.assigned, trials.codes), 1)
        order = np.argsort(counts.argmax(axis=1), kind="stable")  # Templates are sorted by class.
        counts, gaussians = counts[order], clusters.gaussians
        self.counts_ = counts.sum(axis=1).astype(np.intp)
        self.shares_ = counts / self.counts_[:, None]
        self.classes_, self.labels_ = trials.classes, trials.classes[counts.argmax(axis=1)]
        self.impurity_ = 1.0 - self.shares_.max(axis=1)
        self.n_stalled_ = int((self.impurity_ > self.threshold_).sum())
        self.error_rate_ = float(self.impurity_ @ self.counts_ / len(trials))
        self.image_shape_ = trials.image_shape
        self.mean_, self.covariances_ = points.mean, gaussians.covariances[order]
        self.templates_ = points.mean + points.whole(gaussians.centres[order])
        variances = self.covariances_
        if variances.ndim == 3:
            variances = np.diagonal(variances, axis1=1, axis2=2)
        self.masks_ = points.whole(1.0 / variances)

    def _chosen(self, trials: Classifications) -> float:
        folds = list(GroupedKFold(self.cv, random_state=0).split(trials))
        model = clone(self)

        def held_out(threshold: float) -> float:
            model.threshold = threshold
            return float(np.mean([model.fit(trials[a]).score(trials[b]) for a, b in folds]))

        with quiet():
            return max(sorted(self.thresholds, reverse=True), key=held_out)


def _impurity(codes: NDArray[np.intp]) -> tuple[float, int]:
    counts = np.bincount(codes)
    return 1.0 - counts.max() / len(codes), int(counts.argmax())


def _gini(codes: NDArray[np.intp]) -> float:
    shares = np.bincount(codes) / len(codes)
    return 1.0 - float(shares @ shares)
