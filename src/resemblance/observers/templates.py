"""Simulated people who classify images by templates, and staircases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.polynomial.hermite_e import hermegauss
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq
from scipy.special import log_ndtr
from sklearn.utils import check_random_state

from resemblance.arrays import Floats
from resemblance.errors import JudgmentError, SettingError
from resemblance.judgments import Classifications
from resemblance.judgments.classifications import as_images
from resemblance.ranges import NOT_NEGATIVE, SHARE, Range, check, checks_bools, integers, one_of
from resemblance.staircase import StaircaseRule
from resemblance.stimuli import FourSquares

Strategy = Literal["exemplar", "prototype", "linear"]
NODES, WEIGHTS = hermegauss(80)


class TemplateObserver:
    r"""A simulated person who classifies images by the best matching template.

    .. math:: \hat y = y_k, \quad k = \arg\max_k \; \langle x, t_k \rangle / \lVert t_k \rVert
        + \sigma \varepsilon_k, \quad \varepsilon_k \sim N(0, 1)

    is the answer to image x, with templates t_k of classes y_k. In a lapse, each class is equally
    likely. The strategy sets the templates that are compared: *exemplar*, all templates;
    *prototype*, the mean of each class; *linear*, the difference between the means of two classes,
    with one noise term. A linear observer is ideal if each class has one signal in white noise.

    Parameters
    ----------
    templates : array (K, d) or (K, height, width)
        The observer's templates.
    labels : array (K,)
        The class of each template.
    strategy : {"exemplar", "prototype", "linear"}
    noise : float
        Sigma, the standard deviation of internal noise, 0 or more. A match has unit variance for
        images of white noise with standard deviation 1.
    lapse : float
        The share of answers given by chance, from 0 to 1.
    bias : float
        A constant added to the matches of the first class.
    random_state : int, RandomState or None
        The seed of the noise.

    Attributes
    ----------
    templates : array (K, d)
        The templates compared, scaled to length 1.
    labels : array (K,)
        The class of each template.
    classes : array (n_classes,)
        The classes, sorted.

    Raises
    ------
    SettingError
        If the noise or the lapse is out of range, there is not one class per template, a template
        is 0, or a linear observer does not have two classes.

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
        """Return the match of each image with each template, without internal noise, (m, K)."""
        images = as_images(stimuli)
        images = images.reshape(len(images), -1)
        if images.shape[1] != (n := self.templates.shape[1]):
            raise JudgmentError(
                f"the images have {images.shape[1]} pixels, the templates {n}: give the same number"
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
        """Return the index, in ``classes``, of the answer to each image, (m,)."""
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
            The right answers, stored in the result.
        """
        images = as_images(stimuli)
        return Classifications(images, self.classes[self.pick(images)], shown=shown)


def _largest(z: Floats) -> Floats:
    r"""Return the probability that each of several normal variables, with means z, is largest.

    .. math:: P_k = \int \varphi(u) \prod_{j \ne k} \Phi(u + z_k - z_j) \, du
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
            f"{len(classes)} classes: give one label per template, and two classes or more"
        )
    if strategy == "linear" and len(classes) != 2:
        raise SettingError(f"a linear observer needs 2 classes, not {len(classes)}")
    flat = images.reshape(len(images), -1)
    empty = ~(np.isfinite(flat).all(axis=1) & flat.any(axis=1))
    if empty.any():
        raise SettingError(f"template {int(empty.argmax())} is 0 or not finite: correct it")
    check(noise=(noise, NOT_NEGATIVE), bias=(bias, Range()))


class Staircase:
    r"""An n-down m-up staircase: harder after n right answers, easier after m wrong answers.

    Answers are counted in a row. The staircase converges to the probability p of a right answer at
    which n right answers in a row come before m wrong answers in half of the cases:

    .. math:: \frac{p^{n-1} (1 - q^m)}{p^{n-1} + q^{m-1} - p^{n-1} q^{m-1}} = \tfrac12,
        \quad q = 1 - p

    With m = 1 this is p^n = 1/2, or 79.4 % right answers for 3-down 1-up.
    Source: H. Levitt (1971), Transformed up-down methods in psychoacoustics, Journal of the
    Acoustical Society of America 49, 467-477.

    Parameters
    ----------
    start : float
        The first level. A higher level is easier.
    steps : float, or sequence of float
        The sizes of steps, above 0. After each reversal the next size is used, until the last.
    down, up : int
        n and m.
    lowest, highest : float
        The limits of the level.
    log : bool
        Whether steps change the natural logarithm of the level, which must then be positive.

    Attributes
    ----------
    level : float
        The level of the next trial.
    levels : list of float
        The level of each trial so far.
    answers : list of bool
        Whether each answer was right.
    reversals : list of int
        The trials after which the direction changed, from 0.

    Raises
    ------
    SettingError
        If a setting is out of its range.

    Examples
    --------
    >>> stairs = Staircase(1.0, steps=[0.5, 0.25])
    >>> round(stairs.converges_at, 4)
    0.7937
    >>> for right in (True, True, True, False):
    ...     _ = stairs.tell(right)
    >>> stairs.level, stairs.reversals
    (0.75, [3])
    """

    @checks_bools
    def __init__(
        self,
        start: float,
        steps: float | Sequence[float] = 0.1,
        *,
        down: int = 3,
        up: int = 1,
        lowest: float = 0.0,
        highest: float = np.inf,
        log: bool = False,
    ) -> None:
        sizes = np.atleast_1d(np.asarray(steps, float))
        check(start=(start, Range()))
        check(down=(down, integers(1)), up=(up, integers(1)))
        if not len(sizes) or not (np.isfinite(sizes) & (sizes > 0)).all():
            raise SettingError(f"steps are {steps!r}: give one or more, above 0")
        if not lowest <= start <= highest or (log and not start > 0):
            raise SettingError(
                f"start is {start!r}: give a level from {lowest:g} to {highest:g}"
                + (", above 0" if log else "")
            )
        self.level, self.steps, self.down, self.up = float(start), sizes, down, up
        self.lowest, self.highest, self.log = lowest, highest, log
        self.levels: list[float] = []
        self.answers: list[bool] = []
        self.reversals: list[int] = []
        self._rule, self._direction = StaircaseRule(down, up), 0

    @property
    def converges_at(self) -> float:
        """The share p of right answers to which the staircase converges."""

        def balance(p: float) -> float:
            right, wrong = p ** (self.down - 1), (1 - p) ** (self.up - 1)
            harder = right * (1 - (1 - p) ** self.up)
            return harder - 0.5 * (right + wrong - right * wrong)

        return float(brentq(balance, 1e-9, 1 - 1e-9))

    @checks_bools
    def tell(self, right: bool) -> float:
        """Record whether the answer at the current level was right, and return the next level."""
        self.levels.append(self.level)
        self.answers.append(bool(right))
        if direction := self._rule.step(right):
            self._step(direction)
        return self.level

    def _step(self, direction: int) -> None:
        if self._direction == -direction:
            self.reversals.append(len(self.levels) - 1)
        self._direction = direction
        size = direction * self.steps[min(len(self.reversals), len(self.steps) - 1)]
        moved = self.level * np.exp(size) if self.log else self.level + size
        self.level = float(np.clip(moved, self.lowest, self.highest))

    def threshold(self, skip: int = 4) -> float:
        """Return the mean level at the reversals, but without the first ``skip`` reversals."""
        used = self.reversals[skip:]
        if not used:
            raise SettingError(
                f"there are {len(self.reversals)} reversals and skip is {skip}: run more trials"
            )
        return float(np.mean([self.levels[trial] for trial in used]))

    def __repr__(self) -> str:
        return f"Staircase({self.down}-down {self.up}-up, level {self.level:g})"


def run_staircase(
    observer: TemplateObserver,
    task: FourSquares,
    staircase: Staircase,
    n_trials: int,
    random_state: Any = None,
) -> Classifications:
    """Run a task with a simulated person; a staircase sets the contrast of each trial.

    Parameters
    ----------
    observer : TemplateObserver
        An observer whose classes are the labels of the task.
    task : FourSquares
    staircase : Staircase
        The staircase; every answer changes its level.
    n_trials : int
    random_state : int, RandomState or None
        The seed of the positions of signals and of the pixel noise.

    Returns
    -------
    Classifications
        The trials. ``shown`` has the right answers, ``extra`` has ``place`` and ``contrast``.

    Examples
    --------
    >>> task = FourSquares(side=2)
    >>> person = TemplateObserver(task.signals, task.labels, random_state=0)
    >>> stairs = Staircase(1.0, [0.2, 0.05])
    >>> run_staircase(person, task, stairs, 50, random_state=0)
    Classifications(50 trials of 4 x 4 pixels: bottom, top)
    """
    random = check_random_state(random_state)
    places = random.randint(4, size=n_trials)
    images = task.draw(places, 0.0, random)
    answers, contrasts = np.empty(n_trials, dtype=np.intp), np.empty(n_trials)
    for trial, place in enumerate(places):
        contrasts[trial] = staircase.level
        images[trial] += staircase.level * task.signals[place]
        answers[trial] = observer.pick(images[trial : trial + 1])[0]
        staircase.tell(bool(observer.classes[answers[trial]] == task.labels[place]))
    return Classifications(
        images,
        observer.classes[answers],
        shown=task.labels[places],
        extra={"place": places, "contrast": contrasts},
    )
