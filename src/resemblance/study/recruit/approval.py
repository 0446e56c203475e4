"""Whose work is approved: those who finished, and to whom no rule of the study applies."""

from collections.abc import Sequence
from dataclasses import dataclass

from resemblance.store import Participant
from resemblance.study.live import LiveStudy
from resemblance.study.quality import Quality
from resemblance.study.recruit.offer import Submission


@dataclass(frozen=True)
class Decision:
    """What is done about a submission that waits.

    Attributes
    ----------
    submission : Submission
        Which.
    code : str
        The person's pseudonym; empty where nobody of this id was here.
    reason : str
        Why it is not approved; empty where it is.
    """

    submission: Submission
    code: str
    reason: str

    @property
    def approved(self) -> bool:
        """Whether it is approved. Nobody is rejected: what is held is for a person to look at."""
        return not self.reason


def decide(live: LiveStudy, source: str, submissions: Sequence[Submission]) -> list[Decision]:
    """Decide about the submissions that wait.

    Parameters
    ----------
    live : LiveStudy
        The study.
    source : str
        The service.
    submissions : sequence of Submission
        What was handed in there.
    """
    people = {
        one.external_id: one for one in live.store.people.all(live.record) if one.source == source
    }
    excluded = live.store.people.excluded(live.record)
    quality = Quality.of(live)
    found = []
    for submission in submissions:
        if submission.waiting:
            person = people.get(submission.person)
            reason = _reason(person, excluded, quality)
            found.append(Decision(submission, person.code if person else "", reason))
    return found


def _reason(person: Participant | None, excluded: set[int], quality: Quality) -> str:
    """Say why somebody's work is not approved."""
    if person is None:
        return "nobody of this id took part"
    if person.id in excluded:
        return "excluded"
    if flags := quality.verdicts([person.code]):
        return "; ".join(verdict.reason for verdict in flags)
    if person.state != "finished":
        answers = quality.row(person.code)["answers"]
        return f"did not finish ({person.state}, {answers} answers)"
    return ""
