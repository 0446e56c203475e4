"""The database of studies, people, questions and answers."""

from resemblance.optional import need_packages

need_packages("a study server needs", "sqlalchemy")

from resemblance.store.errors import (
    ContentError,
    ErasedError,
    StaleError,
    StoreError,
    WithdrawnError,
)
from resemblance.store.lease import Lease
from resemblance.store.records import (
    Acknowledged,
    Answer,
    AnswerIn,
    Event,
    PageResponse,
    Participant,
    PersonRow,
    Progress,
    Pulse,
    Scored,
    Served,
    Space,
    Standing,
    Study,
    Tally,
    Wanted,
)
from resemblance.store.store import Store

__all__ = [
    "Acknowledged",
    "Answer",
    "AnswerIn",
    "ContentError",
    "ErasedError",
    "Event",
    "Lease",
    "PageResponse",
    "Participant",
    "PersonRow",
    "Progress",
    "Pulse",
    "Scored",
    "Served",
    "Space",
    "StaleError",
    "Standing",
    "Store",
    "StoreError",
    "Study",
    "Tally",
    "Wanted",
    "WithdrawnError",
]
