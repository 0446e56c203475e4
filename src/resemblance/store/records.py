"""Immutable records that the store takes and returns."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

Json: TypeAlias = dict[str, Any]
StudyState: TypeAlias = Literal["open", "paused", "closed"]
ParticipantState: TypeAlias = Literal["entered", "consented", "finished", "stopped", "withdrawn"]
QuestionState: TypeAlias = Literal["out", "answered", "skipped", "abandoned"]
Purpose: TypeAlias = Literal["main", "practice", "gold", "repeat"]
SIMULATED = "simulated"  # source of simulated people


class _Sent:
    __slots__ = ()
    source: str

    @property
    def simulated(self) -> bool:
        return self.source == SIMULATED


@dataclass(frozen=True, slots=True)
class Study:
    id: int
    name: str
    settings: str
    stimuli: dict[str, str]  # digests of stimuli by name
    state: StudyState
    created: float  # seconds since 1970, like all times in the store
    # Seed of random choices, which participants must not be able to predict.
    secret: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Participant(_Sent):
    id: int
    study: int
    code: str  # pseudonym, such as "P0001-K7QXM"
    source: str  # source of the person: "open", "prolific", "mturk", "sona" or "simulated"
    external_id: str | None  # id at the source; None if erased
    state: ParticipantState
    browser: Json
    created: float
    finished: float | None = None
    completion_code: str | None = None
    arm: str | None = None


@dataclass(frozen=True, slots=True)
class Wanted:
    """A question to serve: the next of a pool, or ``spec`` if the pool is empty."""

    spec: Json
    purpose: Purpose = "main"
    pool: int | None = None  # id of the study whose pool is used; None for no pool


@dataclass(frozen=True, slots=True)
class Served:
    id: str  # a random id, which nobody can guess
    study: int
    participant: int
    place: int  # number of this question among the person's questions, from 0
    kind: str
    purpose: Purpose
    spec: Json  # complete description of the question, which is not sent to browsers
    pool_id: int | None
    served: float
    state: QuestionState = "out"


@dataclass(frozen=True, slots=True)
class Progress:
    """Numbers of a person's questions: asked, done (answered or skipped), practised."""

    asked: int
    done: int
    practised: int

    def after(self, purposes: Sequence[Purpose], served: int) -> "Progress":
        """Return the progress after answers with these purposes, and ``served`` new questions."""
        practised = self.practised + list(purposes).count("practice")
        return Progress(self.asked + served, self.done + len(purposes), practised)


@dataclass(frozen=True, slots=True)
class Standing:
    participant: Participant
    out: tuple[Served, ...]
    progress: Progress
    # hash of the token by which the person was found
    token_hash: str = field(default="", repr=False)

    @property
    def mark(self) -> tuple[str, str, int, int, int]:
        """A value that changes with the person's state."""
        asked, done = self.progress.asked, self.progress.done
        return self.token_hash, self.participant.state, asked, done, len(self.out)


@dataclass(frozen=True, slots=True)
class AnswerIn:
    question_id: str
    response: Any = None
    rt_ms: float | None = None
    client: Json = field(default_factory=dict)  # focus, screen and times as reported by the browser
    skipped: bool = False


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """The answer to a question is stored; ``new`` means that it was not stored before."""

    question_id: str
    new: bool


@dataclass(frozen=True, slots=True)
class Answer(_Sent):
    """A row of the log: an answer, with its question and its participant."""

    id: int  # Later answers have larger ids.
    question: str
    participant: int
    code: str
    source: str
    place: int
    kind: str
    purpose: Purpose
    spec: Json
    pool_id: int | None
    served: float
    response: Any
    rt_ms: float | None
    client: Json
    skipped: bool
    received: float
    arm: str | None = None


@dataclass(frozen=True, slots=True)
class PageResponse(_Sent):
    participant: int
    code: str
    source: str
    page: str
    response: Json
    received: float


@dataclass(frozen=True, slots=True)
class Event:
    id: int
    at: float
    who: str
    what: str
    details: Json


@dataclass(frozen=True, slots=True)
class Space:
    id: int
    study: int
    made: float
    answers: int  # number of answers when the fit began
    model: bytes  # content of the file that resemblance.save writes
    positions: list[list[float]]  # positions of the items, in the order of the study's items
    uncertainty: list[float] | None  # standard deviation of each item's position; None if unknown
    scores: Json  # scores of the fit, and other data for the desk


@dataclass(frozen=True, slots=True)
class Scored:
    id: int
    made: float
    answers: int
    scores: Json


@dataclass(frozen=True, slots=True)
class Tally:
    participant: int
    answers: int
    flagged: bool
    figures: Json


@dataclass(frozen=True, slots=True)
class Pulse:
    """The worker's last heartbeat in a study, and its counts."""

    at: float
    told: Json


@dataclass(frozen=True, slots=True)
class PersonRow:
    """A row of the desk's table of people; before the worker's first update, counts are None."""

    id: int
    code: str
    source: str
    state: ParticipantState
    created: float
    finished: float | None
    arm: str | None
    answers: int | None
    flagged: bool | None
    figures: Json | None
    excluded: bool | None  # latest decision; None without a decision
    reason: str | None
    by: str | None
