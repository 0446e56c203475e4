"""How many answers came when: a few bins, however long a study runs."""

from collections import Counter

MOST = 240  # bins
FINEST_S = 60.0


class Activity:
    """Counts over time in at most 240 bins, which grow wider when the time outgrows them.

    Parameters
    ----------
    keep_s : float, optional
        Forget what is older; without it, everything is kept.

    Attributes
    ----------
    width : float
        Of a bin, in seconds.

    Examples
    --------
    >>> activity = Activity()
    >>> for minute in (0, 1, 1, 500):
    ...     activity.add(60.0 * minute, answers=1)
    >>> activity.width, activity.plain()["bins"]
    (180.0, [[0, {'answers': 3}], [166, {'answers': 1}]])
    """

    def __init__(self, keep_s: float | None = None) -> None:
        self.width, self.keep_s = FINEST_S, keep_s
        self._bins: dict[int, Counter[str]] = {}

    def add(self, at: float, **counts: int) -> None:
        """Count what happened at a time."""
        place = int(at // self.width)
        if place in self._bins:
            self._bins[place].update(counts)
            return
        self._bins[place] = Counter(counts)
        first, last = min(self._bins), max(self._bins)
        if self.keep_s is not None:
            oldest = last - int(self.keep_s // self.width)
            self._bins = {place: n for place, n in self._bins.items() if place > oldest}
        elif last - first >= MOST:
            self._widen(-(-(last - first + 1) // MOST))

    def plain(self) -> dict[str, object]:
        """Give it as JSON: the width, and the bins that are not empty, by their place in time."""
        bins = [[place, dict(counts)] for place, counts in sorted(self._bins.items())]
        return {"width": self.width, "bins": bins}

    def _widen(self, factor: int) -> None:
        """Lay neighbours together."""
        old, self._bins = self._bins, {}
        self.width *= factor
        for place, counts in old.items():
            self._bins.setdefault(place // factor, Counter()).update(counts)
