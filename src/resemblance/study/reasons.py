"""Ask after an answer in which way items differ, and check the words."""

from random import Random
from unicodedata import category

from resemblance.errors import ResemblanceError
from resemblance.store import Served
from resemblance.study.kinds import KINDS
from resemblance.study.live import LiveStudy
from resemblance.study.protocol import LONGEST_REASON

JOINERS = (
    "\u200c\u200d"  # Letters of some scripts need them; other invisible characters are removed.
)


class ReasonError(ResemblanceError, ValueError):
    """The words do not fit their question."""


def asks_reason(live: LiveStudy, question: Served) -> bool:
    """Return whether words are asked after a question, by chance that no answer changes.

    Catch trials, repeats and practice have no words.
    """
    if question.purpose != "main" or not KINDS[question.kind].asks_reason:
        return False
    rng = Random(f"{live.chance} reason {question.participant} {question.place}")
    return rng.random() < live.settings.tasks.reason_share


def checked(text: str, was_asked: bool) -> str:
    """Return the words without outer spaces and invisible characters; "" means skipped.

    >>> checked("  a <b>  louder ", True)
    'a <b> louder'
    """
    if not was_asked:
        raise ReasonError("no words were asked: send the answer without a reason")
    kept = "".join(c for c in " ".join(text.split()) if c in JOINERS or category(c)[0] != "C")
    if len(kept) > LONGEST_REASON:
        raise ReasonError(
            f"the reason has {len(kept):,} characters: send {LONGEST_REASON} at most, or none"
        )
    return kept.strip()
