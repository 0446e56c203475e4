"""What a study's store tells a session that is to go on from it."""

from collections.abc import Iterator
from typing import Any

from resemblance.store import Event
from resemblance.study.kinds import Spec
from resemblance.study.live import LiveStudy
from resemblance.study.quality import MAP, Quality
from resemblance.study.worker.told import told

Line = dict[str, Any]
ERASED = "participant erased"
ALL_ROUNDS = 2**31 - 1


class Replay:
    """The log of a session, drawn from the store: read it to its end.

    Attributes
    ----------
    numbers : dict of str to int
        The session's number of each question that may still be answered, by the key in its spec.
    waiting : list of dict
        The questions of the pool, which were taken out of it and must be put back.
    fitted : int
        The answers that the last fit saw.
    """

    def __init__(self, live: LiveStudy, quality: Quality, left_out: frozenset[str]) -> None:
        self.live, self.quality, self.left_out = live, quality, left_out
        self.numbers: dict[str, int] = {}
        self.waiting: list[Spec] = []
        self._place = {name: place for place, name in enumerate(live.folder.names)}
        self._n = self._told = self.fitted = 0

    def lines(self) -> Iterator[Line]:
        """Yield fits, answers and questions out as lines of a log, the last fit at its end."""
        maps = self.live.store.events.audit(self.live.record, MAP)
        comparable = self._comparable(maps)
        if added := self.live.folder.names[len(self.live.first.names) :]:
            yield {"event": "add items", "names": list(added)}
        yield {"event": "leave out", "observers": sorted(self.left_out)}
        for place, event in enumerate(maps[:-1]):
            yield _fit(event, place >= comparable)
        n_items = len(self.live.first.names)
        for answer in self.quality.read():
            if answer.purpose == "main":
                spec, chosen = told(answer, self.live.settings, n_items)
                yield self._question(spec)
                yield self._answer(answer.code, chosen)
        if self.live.settings.adaptive:
            yield from self._out()
        for event in maps[-1:]:
            whole = {name: event.details[name] for name in ("noise", "positions")}
            self.fitted = min(event.details["told"], self._told)
            yield _fit(event, comparable < len(maps)) | whole | {"told": self.fitted}

    def _comparable(self, maps: list[Event]) -> int:
        """Say from which fit on the held-out answers are those of today, in the same order."""
        erased = self.live.store.events.audit(self.live.record, ERASED)
        since = erased[-1].id if erased else 0
        first = len(maps)
        while first and maps[first - 1].id > since and self._sees_all(maps[first - 1]):
            first -= 1
        return first

    def _sees_all(self, event: Event) -> bool:
        """Say whether a fit left out whom today's leaves out."""
        return event.details["left_out"] == sorted(self.left_out)

    def _out(self) -> Iterator[Line]:
        """Yield the questions that are out with people, then those of the pool."""
        store, record = self.live.store, self.live.record
        gone = ("finished", "stopped")
        people = [one for one in store.people.all(record) if one.state not in gone]
        out = [question.spec for one in people for question in store.questions.outstanding(one)]
        self.waiting = store.pool.withdraw(record, ALL_ROUNDS)
        for spec in (*out, *self.waiting):
            key = spec["session"]
            if key is not None and key not in self.numbers:
                self.numbers[key] = self._n
                yield self._question(spec)

    def _question(self, spec: Spec) -> Line:
        """Return the line of a question: asked by a session, or noted."""
        self._n += 1
        return {
            "event": "note" if spec["session"] is None else "ask",
            "head": None if spec["head"] is None else self._place[spec["head"]],
            "options": [self._place[name] for name in spec["options"]],
            "strategy": spec["strategy"],
            "held_out": spec["held_out"],
        }

    def _answer(self, code: str, chosen: str | None) -> Line:
        """Return the line of a person's answer to the question before it."""
        self._told += 1
        return {
            "event": "tell",
            "number": self._n - 1,
            "chosen": None if chosen is None else self._place[chosen],
            "observer": code,
        }


def _fit(event: Event, comparable: bool) -> Line:
    """Return the line of a fit: with the losses that the guard can compare."""
    kept = ("told", "trust", "held_out_loss") if comparable else ("told", "trust")
    return {"event": "fit", **{name: event.details[name] for name in kept}}
