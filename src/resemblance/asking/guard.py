"""The guard: while held-out answers show no gain, shares go back to random questions."""

from collections import deque

import numpy as np

from resemblance.asking.learning import FitResult

WINDOW = 5  # fits over which a gain must show
ENOUGH = 40  # held-out answers before anything is judged
STEP = 0.25  # how far trust moves at a fit


class Guard:
    """Trust in the adaptive strategies, from 0 to 1, after what held-out answers show.

    At each fit, the held-out answers that were there ``WINDOW`` fits ago are predicted by both
    fits. Where the mean loss has risen (by more than its standard error), trust falls by a quarter;
    where it has fallen, or nothing can be said, trust rises again by as much. Held-out questions
    are random, so adaptive questions cannot flatter themselves.

    Attributes
    ----------
    trust : float
        What the shares of adaptive strategies are multiplied by; the rest is asked at random.

    Examples
    --------
    >>> Guard().trust
    1.0
    """

    def __init__(self) -> None:
        self.trust = 1.0
        self._past: deque[np.ndarray] = deque(maxlen=WINDOW)

    def see(self, result: FitResult) -> None:
        """Weigh a new fit against the one some fits ago."""
        if len(self._past) == WINDOW:
            n = min(len(self._past[0]), len(result.held_out_loss))
            change = result.held_out_loss[:n] - self._past[0][:n]
            if len(change) >= ENOUGH:
                error = change.std(ddof=1) / np.sqrt(len(change))
                step = -STEP if change.mean() > error else STEP
                self.trust = float(np.clip(self.trust + step, 0.0, 1.0))
        self._past.append(result.held_out_loss)

    def recall(self, trust: float, loss: np.ndarray) -> None:
        """Take a fit of the past as it was weighed then."""
        self.trust = trust
        self._past.append(loss)

    def forget(self) -> None:
        """Begin anew, with the trust as it is: held-out answers are no longer the same."""
        self._past.clear()
