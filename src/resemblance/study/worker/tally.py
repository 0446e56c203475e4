"""Count answers for the desk, for each person and over time."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from resemblance.store import Answer, Store, Study, Tally
from resemblance.study.quality import Quality
from resemblance.study.settings import Settings

HOUR_S = 3600.0
MOST = 240  # bins
FINEST_S = 60.0


class Activity:
    """Counts over time in at most 240 bins, which are merged as time goes on.

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
        bins = [[place, dict(counts)] for place, counts in sorted(self._bins.items())]
        return {"width": self.width, "bins": bins}

    def _widen(self, factor: int) -> None:
        old, self._bins = self._bins, {}
        self.width *= factor
        for place, counts in old.items():
            self._bins.setdefault(place // factor, Counter()).update(counts)


class TalliedQuality(Quality):
    def __init__(self, store: Store, study: Study, settings: Settings) -> None:
        super().__init__(store, study, settings)
        self.whole, self.recent = Activity(), Activity(HOUR_S)
        self.purposes: Counter[str] = Counter()
        self._people: dict[str, int] = {}  # the number of each person, by pseudonym
        self._latest: dict[str, float] = {}  # time of the last answer, by pseudonym
        self._stored = {tally.participant: tally for tally in store.tallies.all(study)}
        self._touched: set[str] = set()
        self._main: Counter[int] = Counter()  # answers of each person that a fit may take
        self._simulated: Counter[str] = Counter()  # answers of each simulated person

    def add(self, answer: Answer) -> None:
        super().add(answer)
        practice = answer.purpose == "practice"
        self.purposes["skipped" if answer.skipped and not practice else answer.purpose] += 1
        if practice:
            return
        self._main[answer.participant] += answer.purpose == "main" and not answer.skipped
        counts = {"answers": 1}
        if answer.simulated:
            self._simulated[answer.code] += 1
        elif answer.code not in self._people:
            counts["people"] = 1
        for activity in (self.whole, self.recent):
            activity.add(answer.received, **counts)
        self._people[answer.code] = answer.participant
        self._latest[answer.code] = answer.received
        self._touched.add(answer.code)

    def recall(self, report: Mapping[str, Any]) -> None:
        """Read the worker's figures of people, which are news for all of them."""
        super().recall(report)
        self._touched |= self._people.keys()

    def tell(self, more: dict[str, Any]) -> None:
        new = [
            tally
            for tally in map(self._tally, self._touched)
            if self._stored.get(tally.participant) != tally
        ]
        counts = {
            "answers": sum(self.purposes.values()) - self.purposes["practice"],
            "purposes": dict(self.purposes),
            "people": len(self._people) - len(self._simulated),
            "simulated": len(self._simulated),
            "simulated_answers": self._simulated.total(),
            "left_out": sum(self._main[person] for person in self.uncounted()),
            "whole": self.whole.plain(),
            "recent": self.recent.plain(),
        }
        self.store.tallies.tell(self.study, counts | more, new)
        self._stored |= {tally.participant: tally for tally in new}
        self._touched.clear()

    @property
    def has_news(self) -> bool:
        return bool(self._touched)

    def _tally(self, code: str) -> Tally:
        row = self.row(code)
        figures = {**row, "latest": self._latest[code]}
        return Tally(self._people[code], row["answers"], bool(row["flags"]), figures)
