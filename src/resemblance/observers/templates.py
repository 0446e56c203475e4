"""Simulated people who classify images by templates."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.polynomial.hermite_e import hermegauss
from numpy.typing import ArrayLike, NDArray
from scipy.special import log_ndtr
from sklearn.utils import check_random_state

from resemblance.arrays import Floats
from resemblance.errors import JudgmentError, SettingError
from resemblance.judgments import Classifications
from resemblance.judgments.classifications import as_images
from resemblance.ranges import NOT_NEGATIVE, SHARE, Range, check, one_of

Strategy = Literal["exemplar", "prototype", "linear"]
NODES, WEIGHTS = hermegauss(80)


class TemplateObserver:
    r"""A person who classifies images by the best matching template.

    .. math:: \hat y = y_k, \quad k = \arg\max_k \; \langle x, t_k \rangle / \lVert t_k \rVert
        + \sigma \varepsilon_k, \quad \varepsilon_k \sim N(0, 1)

    except in a share of lapses, where each class is as likely. The strategy says which templates
    are compared: *exemplar*, all of them; *prototype*, the mean of those of each class; *linear*,
    one difference of the two classes' means, with one noise (the ideal observer where each class
    has one signal in white noise).

    Parameters
    ----------
    templates : array (K, d) or (K, height, width)
        The observer's templates.
    labels : array (K,)
        The class of each template.
    strategy : {"exemplar", "prototype", "linear"}
    noise : float
        Sigma, the standard deviation of internal noise, 0 or more, in units of a match: in white
        noise of standard deviation 1 the match itself varies with standard deviation 1.
    lapse : float
        The share of answers by chance, 0 to 1.
    bias : float
        A constant that is added to the match of the templates of the first class.
    random_state : int, RandomState or None
        Draws the noise.

    Attributes
    ----------
    templates : array (K, d)
        The templates compared, of length 1.
    labels : array (K,)
        Their classes.
    classes : array (n_classes,)
        The classes, sorted.

    Raises
    ------
    SettingError
        If the noise or the lapse is out of range, there is not one class per template, a template
        is 0, or a linear observer has other than two classes.

    Examples
    --------
    >>> person = TemplateObserver(np.eye(2), ["left", "right"], random_state=0)
    >>> person.classify([[9.0, 0.0], [0.0, 9.0]]).labels.tolist()
    ['left', 'right']
    """

    def __init__(
        self,
        templates: ArrayLike,
        labels: ArrayLike,
        strategy: Strategy = "exemplar",
        *,
        noise: float = 0.5,
        lapse: float = 0.0,
        bias: float = 0.0,
        random_state: Any = None,
    ) -> None:
        images, given = np.asarray(templates, float), np.asarray(labels)
        self.classes = np.unique(given)
        _check(images, given, self.classes, strategy, noise, bias)
        self.strategy, self.noise, self.bias = strategy, float(noise), float(bias)
        check(lapse=(lapse, SHARE))
        self.lapse = lapse
        flat = images.reshape(len(images), -1)
        if strategy != "exemplar":
            flat = np.array([flat[given == name].mean(axis=0) for name in self.classes])
            given = self.classes
        if strategy == "linear":
            flat = np.array([flat[0] - flat[1], np.zeros(flat.shape[1])])
        lengths = np.linalg.norm(flat, axis=1, keepdims=True)
        self.templates, self.labels = flat / np.where(lengths > 0, lengths, 1.0), given
        self._noises = np.full(len(flat), self.noise)
        self._noises[1:] *= strategy != "linear"
        self._shift = self.bias * (given == self.classes[0])
        self._codes = np.searchsorted(self.classes, given)
        self._random = check_random_state(random_state)

    def matches(self, stimuli: ArrayLike) -> Floats:
        """Return how well each image matches each template, without internal noise, (m, K)."""
        images = as_images(stimuli)
        images = images.reshape(len(images), -1)
        if images.shape[1] != (n := self.templates.shape[1]):
            raise JudgmentError(
                f"these images have {images.shape[1]} pixels, the templates {n}: give as many"
            )
        return np.asarray(images @ self.templates.T + self._shift)

    def probabilities(self, stimuli: ArrayLike) -> Floats:
        """Return the probability of each answer, (m, n_classes), in the order of ``classes``."""
        matches = self.matches(stimuli)
        n = len(self.classes)
        if self.noise == 0:
            best = np.eye(n)[self._codes[matches.argmax(axis=1)]]
        elif self.strategy == "linear":
            first = np.exp(log_ndtr((matches[:, 0] - matches[:, 1]) / self.noise))
            best = np.column_stack([first, 1.0 - first])
        else:
            best = _largest(matches / self.noise) @ np.eye(n)[self._codes]
        return (1.0 - self.lapse) * best + self.lapse / n

    def pick(self, stimuli: ArrayLike) -> NDArray[np.intp]:
        """Draw the answer to each image, as its position among ``classes``, (m,)."""
        noisy = self.matches(stimuli)
        noisy = noisy + self._noises * self._random.normal(size=noisy.shape)
        lapsed = self._random.uniform(size=len(noisy)) < self.lapse
        guess = self._random.randint(len(self.classes), size=len(noisy))
        return np.where(lapsed, guess, self._codes[noisy.argmax(axis=1)])

    def classify(self, stimuli: ArrayLike, shown: ArrayLike | None = None) -> Classifications:
        """Classify images.

        Parameters
        ----------
        stimuli : array (m, d) or (m, height, width)
        shown : array (m,), optional
            The right answers, which are kept beside the given ones.

        Returns
        -------
        Classifications
        """
        images = as_images(stimuli)
        return Classifications(images, self.classes[self.pick(images)], shown=shown)


def _largest(z: Floats) -> Floats:
    r"""Return the probability that each of several normal numbers of means z is the largest.

    .. math:: P_k = \int \varphi(u) \prod_{j \ne k} \Phi(u + z_k - z_j) \, du

    by Gauss-Hermite quadrature.
    """
    out = np.empty_like(z)
    for k in range(z.shape[1]):
        others = np.delete(z[:, k, None] - z, k, axis=1)
        below = log_ndtr(NODES[None, None, :] + others[:, :, None]).sum(axis=1)
        out[:, k] = np.exp(below) @ WEIGHTS
    return out / out.sum(axis=1, keepdims=True)


def _check(
    images: Floats,
    labels: NDArray[Any],
    classes: NDArray[Any],
    strategy: str,
    noise: float,
    bias: float,
) -> None:
    check(strategy=(strategy, one_of("exemplar", "prototype", "linear")))
    if images.ndim < 2 or len(images) != len(labels) or len(classes) < 2:
        raise SettingError(
            f"there are templates of shape {images.shape} and {len(labels)} labels of "
            f"{len(classes)} classes: give one label per template, of two classes at least"
        )
    if strategy == "linear" and len(classes) != 2:
        raise SettingError(f"a linear observer tells 2 classes apart, not {len(classes)}")
    flat = images.reshape(len(images), -1)
    empty = ~(np.isfinite(flat).all(axis=1) & flat.any(axis=1))
    if empty.any():
        raise SettingError(f"template {int(empty.argmax())} is 0 or not finite: correct it")
    check(noise=(noise, NOT_NEGATIVE), bias=(bias, Range()))
