"""Classical classification image: weighted sums of the images."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from resemblance.arrays import Floats
from resemblance.errors import JudgmentError
from resemblance.judgments import Classifications
from resemblance.judgments.checks import of_kind
from resemblance.judgments.classifications import known_labels
from resemblance.notebook import Shown
from resemblance.ranges import check, integers
from resemblance.templates.gaussians import spreads
from resemblance.templates.pixels import Pixels

LEVEL = 0.05
PERMUTED = 100  # number of permutations that are computed together


@dataclass(frozen=True)
class ClassificationImage(Shown):
    """Pixels that predict one answer, and their significance.

    Attributes
    ----------
    image : array (d,)
        The difference of mean images, summed over the signals shown.
    z : array (d,)
        The image divided by its standard error; without any effect, ``|z|`` is above 2 for one
        pixel in twenty.
    p_value : array (d,) or None
        The probability that any pixel is as far from 0 as this pixel, if answers do not depend on
        the images (corrected for the number of pixels). None without permutations.
    towards : str, int or bool
        The answer that bright pixels of the image predict.
    """

    image: Floats
    z: Floats
    towards: object
    p_value: Floats | None = None

    @property
    def n_significant(self) -> int:
        """The number of pixels whose p-value is below 0.05."""
        return 0 if self.p_value is None else int((self.p_value < LEVEL).sum())


def classification_image(
    trials: Classifications,
    within: ArrayLike | None = None,
    towards: object = None,
    *,
    n_permutations: int = 1000,
    random_state: Any = 0,
) -> ClassificationImage:
    r"""Compute the classification image by weighted sums.

    .. math:: c = \sum_s \bar x_{s,1} - \bar x_{s,0}, \qquad
        z_j = c_j \Big/ \hat\sigma_j \sqrt{\sum_s \frac{1}{n_{s,1}} + \frac{1}{n_{s,0}}}

    where x_s,1 and x_s,0 are the mean images of trials with signal s and answer 1 (``towards``) or
    0 (any other answer), n the numbers of these trials, and sigma_j the standard deviation of pixel
    j within these cells. For yes-no trials this is hits - misses + false alarms - correct
    rejections. Signals to which all answers were equal are left out.

    The p-value of a pixel comes from permutations of the answers within each signal: it is the
    share of permutations in which any pixel has a larger value, in units of the pixel's standard
    deviation. So p-values are corrected for the number of pixels.

    Source: A. J. Ahumada (2002), Classification image weights and internal noise level estimation,
    Journal of Vision 2(1):8. R. F. Murray (2011), Classification images: a review, Journal of
    Vision 11(5):2. P. H. Westfall, S. S. Young (1993), Resampling-Based Multiple Testing, Wiley.

    Parameters
    ----------
    trials : Classifications
    within : array (m,), optional
        The signal shown in each trial. Default: the trials' ``shown``.
    towards : a class, optional
        The answer to predict. Default: the last class.
    n_permutations : int
        The number of permutations of the answers; 0 for no p-values.
    random_state : int, RandomState or None
        The seed of the permutations.

    Raises
    ------
    JudgmentError
        If nobody gave this answer, or if all answers to each signal were equal.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> noise = rng.normal(size=(500, 3))
    >>> image = classification_image(Classifications(noise, noise[:, 1] > 0))
    >>> int(image.z.argmax())
    1
    """
    of_kind(trials, Classifications, "a classification image")
    check(n_permutations=(n_permutations, integers(0)))
    answer = trials.classes[-1] if towards is None else towards
    said = trials.labels == answer
    if not said.any():
        raise JudgmentError(
            f"nobody answered {answer!r}: the answers are {', '.join(map(str, trials.classes))}"
        )
    given = trials.shown if within is None else known_labels(within, "within")
    kinds = np.zeros(len(trials), int) if given is None else _numbered(given, len(trials))
    varied = np.array([0 < said[kinds == s].mean() < 1 for s in range(kinds.max() + 1)])
    if not varied.any():
        raise JudgmentError(
            "trials with the same signal were always answered alike, so pixels explain nothing: "
            "show more noise, or give other signals as within="
        )
    kept = varied[kinds]
    cells = 2 * (np.cumsum(varied) - 1)[kinds[kept]] + said[kept]
    every = Pixels.of(trials.stimuli)
    points = every.take(kept)
    image, z = _weighted_sum(points, cells)
    p_value = None
    if n_permutations:
        random = check_random_state(random_state)
        p_value = every.whole(_p_values(points, cells, image, n_permutations, random), 1.0)
    return ClassificationImage(every.whole(image), every.whole(z), answer, p_value)


def _weighted_sum(points: Pixels, cells: NDArray[np.intp]) -> tuple[Floats, Floats]:
    """Return the sum of differences of mean images (odd minus even cell), and z scores."""
    means, variances = spreads(points, cells)
    counts = np.bincount(cells)
    image = (means[1::2] - means[::2]).sum(axis=0)
    pooled = counts @ variances / max(1, len(cells) - len(counts))
    return image, image / np.sqrt(pooled * (1.0 / counts).sum())


def _p_values(
    points: Pixels,
    cells: NDArray[np.intp],
    image: Floats,
    n: int,
    random: np.random.RandomState,
) -> Floats:
    """Return for each pixel the share of permutations with a larger value in any pixel."""
    counts = np.bincount(cells)
    signs = np.where(np.arange(len(counts)) % 2, 1.0, -1.0) / counts
    kinds = cells // 2
    deviation = np.sqrt(np.bincount(kinds) @ spreads(points, kinds)[1] / len(kinds))
    deviation[deviation == 0] = np.inf
    own, larger = np.abs(image) / deviation, np.ones(len(image))
    members = [np.flatnonzero(kinds == kind) for kind in range(kinds.max() + 1)]
    for start in range(0, n, PERMUTED):
        weights = np.empty((min(PERMUTED, n - start), len(cells)), dtype=np.float32)
        for mine in members:
            for row in weights:
                row[mine] = signs[random.permutation(cells[mine])]
        sums = np.zeros((len(weights), points.n_pixels))
        for rows, block in points.blocks():
            sums += weights[:, rows] @ block
        largest = (np.abs(sums) / deviation).max(axis=1)
        larger += (largest[:, None] >= own).sum(axis=0)
    return larger / (n + 1)


def _numbered(kinds: NDArray[Any], n_trials: int) -> NDArray[np.intp]:
    if kinds.shape != (n_trials,):
        raise JudgmentError(
            f"within has shape {kinds.shape} for {n_trials} trials: give one value per trial"
        )
    return np.unique(kinds, return_inverse=True)[1]
