"""Adaptive staircases, which keep a task about equally hard for everybody."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.optimize import brentq
from sklearn.utils import check_random_state

from resemblance.errors import SettingError
from resemblance.judgments import Classifications
from resemblance.observers.templates import TemplateObserver
from resemblance.ranges import Range, check, checks_bools, integers
from resemblance.staircase import StaircaseRule
from resemblance.stimuli import FourSquares


class Staircase:
    r"""An n-down m-up staircase: harder after n right answers in a row, easier after m wrong ones.

    .. math:: \frac{p^{n-1} (1 - q^m)}{p^{n-1} + q^{m-1} - p^{n-1} q^{m-1}} = \tfrac12,
        \quad q = 1 - p

    is where it converges: there a run of n right answers comes before one of m wrong ones every
    other time. With m = 1 this is p^n = 1/2: 79.4 % right answers for 3-down 1-up.

    Parameters
    ----------
    start : float
        The first level. A higher level is easier.
    steps : float, or sequence of float
        The size of steps, above 0. Each reversal moves to the next size, and the last one stays.
    down, up : int
        n and m.
    lowest, highest : float
        The level stays between them.
    log : bool
        Whether steps are of the natural logarithm of the level, which is then above 0.

    Attributes
    ----------
    level : float
        The level of the next trial.
    levels : list of float
        That of each trial so far.
    answers : list of bool
        Whether each was answered right.
    reversals : list of int
        The trials after which the direction changed, from 0.

    Raises
    ------
    SettingError
        If a setting is out of its range.

    References
    ----------
    H. Levitt (1971), Transformed up-down methods in psychoacoustics, Journal of the Acoustical
    Society of America 49, 467-477.

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
        """The share of right answers at which the level stays."""

        def balance(p: float) -> float:
            right, wrong = p ** (self.down - 1), (1 - p) ** (self.up - 1)
            harder = right * (1 - (1 - p) ** self.up)
            return harder - 0.5 * (right + wrong - right * wrong)

        return float(brentq(balance, 1e-9, 1 - 1e-9))

    @checks_bools
    def tell(self, right: bool) -> float:
        """Take the answer at the present level; give the next one.

        Parameters
        ----------
        right : bool
            Whether it was right.

        Returns
        -------
        float
        """
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
        """Return the mean level at the reversals, without the first few.

        Parameters
        ----------
        skip : int
            How many reversals are left out, while the level is still far away.

        Returns
        -------
        float
        """
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
    """Run a task with somebody, trial by trial, at the contrast of a staircase.

    Parameters
    ----------
    observer : TemplateObserver
        An observer whose classes are the labels of the task.
    task : FourSquares
    staircase : Staircase
        It is told of every answer.
    n_trials : int
    random_state : int, RandomState or None
        Draws places and pixel noise.

    Returns
    -------
    Classifications
        With the right answers as ``shown``, and ``place`` and ``contrast`` in ``extra``.

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
