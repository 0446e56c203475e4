"""Settings and log of the session of a study."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import islice
from math import comb
from typing import Any

from resemblance.asking import Session, question as asked
from resemblance.asking.question import Picked
from resemblance.catalog import BESIDE, RANDOM, STRATEGIES, models_of
from resemblance.observers import ModelObserver, Observer
from resemblance.store import Answer, Event
from resemblance.store.people import ERASED
from resemblance.study.folder import StudyFolder
from resemblance.study.kinds import KINDS, Spec
from resemblance.study.live import LiveStudy
from resemblance.study.quality import MAP
from resemblance.study.settings import SEED, Settings

Line = dict[str, Any]
TESTS = 3.0  # smallest expected number of held-out questions
MOST_TESTS = 1 / 3  # largest share of held-out questions


def followed(folder: StudyFolder, files: Sequence[str]) -> dict[str, ModelObserver]:
    names = folder.names
    return {
        file: ModelObserver(vectors.of(names), "cosine", items=names)
        for file, vectors in folder.models(files).items()
    }


def session_settings(
    settings: Settings, n_items: int, models: Mapping[str, Observer]
) -> dict[str, Any]:
    """Return the arguments for a study's :class:`resemblance.asking.Session`."""
    asking, study = settings.asking, settings.study
    shares = asking.shares if settings.adaptive else {RANDOM: 1.0}
    made = {
        name: entry.make(*([models] if entry.needs_models else []))
        for name, entry in (STRATEGIES | BESIDE).items()
        if name in shares
    }
    return {
        "strategies": made,
        "shares": shares,
        "model": models_of(asking.model, asking.n_components, settings.features.file is not None),
        "start_per_head": asking.start_per_head,
        "refit_every": n_items,
        "held_out": asking.held_out,
        "auto_refit": False,
        "keep_log": False,
        "random_state": SEED,
        **KINDS[study.kind].session(study.options, settings.own),
    }


def asked_and_chosen(
    answer: Answer, settings: Settings, n_items: int, place: Mapping[str, int]
) -> tuple[Spec, Picked | None]:
    """Return the question, and the indices of the chosen items (None if it was skipped)."""
    spec = answer.spec
    if not settings.adaptive:
        held_out = spec["held_out"] or is_test(spec, settings, n_items)
        spec = spec | {"held_out": held_out, "session": None}
    if answer.skipped:
        return spec, None
    picked = KINDS[settings.study.kind].picked(spec, answer.response)
    return spec, place[picked] if isinstance(picked, str) else tuple(map(place.__getitem__, picked))


def is_test(spec: Spec, settings: Settings, n_items: int) -> bool:
    """Return whether a question is held out, which depends only on a hash of its items.

    Either all answers to a question are held out, or no answer. The share of held-out questions is
    the setting ``held_out``; it is larger if only few questions are possible.
    """
    others = n_items - (spec["head"] is not None)
    possible = comb(others, len(spec["options"])) * (1 if spec["head"] is None else n_items)
    share = max(settings.asking.held_out, min(MOST_TESTS, TESTS / max(possible, 1)))
    words = repr((SEED, spec["head"], sorted(spec["options"]))).encode()
    number = int.from_bytes(blake2b(words, digest_size=8).digest(), "big")
    return number < share * 2.0**64


def counting(session: Session, n_answers: int | None = None) -> list[asked.Answer]:
    """Return the first ``n_answers`` answers, without skips and excluded people."""
    return [
        answer
        for answer in islice(session.answers.values(), n_answers)
        if answer.chosen is not None and answer.observer not in session.left_out
    ]


class Replay:
    """The log of a session, rebuilt from the store."""

    def __init__(
        self, live: LiveStudy, answers: Iterable[Answer], left_out: frozenset[str]
    ) -> None:
        self.live, self.answers, self.left_out = live, answers, left_out
        self.numbers: dict[str, int] = {}
        self._place = {name: place for place, name in enumerate(live.folder.names)}
        self._n = self._n_told = self.fitted = 0

    def lines(self) -> Iterator[Line]:
        maps = self.live.store.events.audit(self.live.record, MAP)
        comparable = self._comparable(maps)
        if added := self.live.folder.names[len(self.live.first.names) :]:
            features = self.live.folder.known_features(added)
            rows = {} if features is None else {"features": features}
            yield {"event": "add items", "names": list(added), **rows}
        yield {"event": "leave out", "observers": sorted(self.left_out)}
        for place, event in enumerate(maps[:-1]):
            yield _fit(event, place >= comparable)
        n_items = len(self.live.first.names)
        for answer in self.answers:
            if answer.purpose == "main":
                spec, chosen = asked_and_chosen(answer, self.live.settings, n_items, self._place)
                yield self._question(spec)
                yield self._answer(answer.code, chosen)
        if self.live.settings.adaptive:
            yield from self._out(len(maps))
        for event in maps[-1:]:
            # Events of the first fits lack some details.
            kept = "noise", "positions", "penalty", "share", "map", "weights", "choice", "clicks"
            whole = {name: event.details[name] for name in kept if name in event.details}
            self.fitted = min(event.details["told"], self._n_told)
            yield _fit(event, comparable < len(maps)) | whole | {"told": self.fitted}

    def _comparable(self, maps: list[Event]) -> int:
        """Return the index of the first fit with the same held-out answers as now."""
        erased = self.live.store.events.audit(self.live.record, ERASED)
        since = erased[-1].id if erased else 0
        # Go back over fits that came after the last erasure and left out the same people.
        first, left_out = len(maps), sorted(self.left_out)
        while (
            first and maps[first - 1].id > since and maps[first - 1].details["left_out"] == left_out
        ):
            first -= 1
        return first

    def _out(self, n_fits: int) -> Iterator[Line]:
        store, record = self.live.store, self.live.record
        # The pool is read before the people, so that no question is missed.
        waiting = store.pool.waiting(record, n_fits)
        gone = ("finished", "stopped", "withdrawn")
        out = [
            question.spec
            for person in store.people.all(record)
            if person.state not in gone
            for question in store.questions.outstanding(person)
        ]
        for spec in (*out, *waiting):
            key = spec["session"]
            if key is not None and key not in self.numbers:
                self.numbers[key] = self._n
                yield self._question(spec)

    def _question(self, spec: Spec) -> Line:
        self._n += 1
        return {
            "event": "note" if spec["session"] is None else "ask",
            "head": None if spec["head"] is None else self._place[spec["head"]],
            "options": [self._place[name] for name in spec["options"]],
            "strategy": spec["strategy"],
            "held_out": spec["held_out"],
        }

    def _answer(self, code: str, chosen: Picked | None) -> Line:
        self._n_told += 1
        return {
            "event": "tell",
            "number": self._n - 1,
            "chosen": chosen,
            "observer": code,
        }


def _fit(event: Event, comparable: bool) -> Line:
    kept = ("told", "trust", "held_out_loss") if comparable else ("told", "trust")
    return {"event": "fit", **{name: event.details[name] for name in kept}}
