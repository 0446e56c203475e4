"""Define the rule of adaptive staircases, for observers and studies."""

from dataclasses import dataclass


@dataclass
class StaircaseRule:
    """An n-down m-up rule: harder after n right answers in a row, easier after m wrong ones.

    >>> rule = StaircaseRule(down=2, up=1)
    >>> [rule.step(right) for right in (True, True, False, True)]
    [0, -1, 1, 0]
    """

    down: int = 3  # n
    up: int = 1  # m
    _run: int = 0

    def step(self, right: bool) -> int:
        """Return the step after an answer: -1 harder, 1 easier, 0 none."""
        self._run = max(self._run, 0) + 1 if right else min(self._run, 0) - 1
        if self._run not in (self.down, -self.up):
            return 0
        self._run = 0
        return -1 if right else 1
