"""The rule of adaptive staircases, for simulated people and studies."""

from dataclasses import dataclass


@dataclass
class StaircaseRule:
    """An n-down m-up rule: harder after n right answers, easier after m wrong answers.

    >>> rule = StaircaseRule(down=2, up=1)
    >>> [rule.step(right) for right in (True, True, False, True)]
    [0, -1, 1, 0]
    """

    down: int = 3  # number n of right answers in a row before a harder level
    up: int = 1  # number m of wrong answers in a row before an easier level
    _run: int = 0

    def step(self, right: bool) -> int:
        """Return the step after an answer: -1 is harder, 1 easier, 0 no change."""
        self._run = max(self._run, 0) + 1 if right else min(self._run, 0) - 1
        if self._run not in (self.down, -self.up):
            return 0
        self._run = 0
        return -1 if right else 1
