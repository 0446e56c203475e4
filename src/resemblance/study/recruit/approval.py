"""Decide whose work is approved: people who finished and whom no rule flags.

A person takes part once, and is paid once, however many submissions come under the same id.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from resemblance.store import Participant
from resemblance.study.live import LiveStudy
from resemblance.study.quality import Quality
from resemblance.study.recruit.offer import Submission
from resemblance.study.sealed_ids import ids_of


@dataclass(frozen=True)
class Decision:
    submission: Submission
    code: str  # pseudonym, or "" if the id is unknown
    reason: str  # why it is not approved, or ""

    @property
    def approved(self) -> bool:
        """Whether it is approved. Nobody is rejected: a researcher checks the others."""
        return not self.reason


def decide(live: LiveStudy, source: str, submissions: Sequence[Submission]) -> list[Decision]:
    people = {p.external_id: p for p in live.store.people.all(live.record) if p.source == source}
    excluded = live.store.people.excluded(live.record)
    quality = Quality.of(live)
    person_of = {
        work.person: _first(people, ids_of(live.folder.path, source, work.person))
        for work in submissions
    }
    paid = _paid(person_of, submissions)
    decisions = []
    for submission in submissions:
        if submission.waiting:
            person = person_of[submission.person]
            reason = _reason(person, excluded, quality) or _twice(submission, paid)
            decisions.append(Decision(submission, person.code if person else "", reason))
    return decisions


def _first(people: Mapping[str | None, Participant], ids: Sequence[str]) -> Participant | None:
    return next((people[name] for name in ids if name in people), None)


SESSION = ("SESSION_ID", "assignmentId")  # parameters with the submission's id, by service


def _paid(
    people: Mapping[str, Participant | None], submissions: Sequence[Submission]
) -> dict[str, Submission]:
    """Return each person's submission to pay: one paid before, the finished one, or the first."""
    chosen: dict[str, Submission] = {}
    for work in sorted(submissions, key=lambda work: not work.paid):  # a stable order
        if not (work.paid or work.waiting):
            continue
        before, person = chosen.setdefault(work.person, work), people.get(work.person)
        kept = person.browser.get("parameters", {}) if person else {}
        if not before.paid and work.id in [kept.get(name) for name in SESSION]:
            chosen[work.person] = work
    return chosen


def _twice(submission: Submission, paid: Mapping[str, Submission]) -> str:
    other = paid[submission.person]
    if other is submission:
        return ""
    was = "was paid" if other.paid else "is paid"
    return f"submitted twice: submission {other.id} {was}, and this is {submission.id}"


def _reason(person: Participant | None, excluded: set[int], quality: Quality) -> str:
    if person is None:
        return "nobody with this id took part"
    if person.id in excluded:
        return "excluded"
    if flags := quality.verdicts([person.code], sure=True):
        return "; ".join(verdict.reason for verdict in flags)
    if person.finished is None:  # people who withdrew after finishing have done the work
        answers = quality.row(person.code)["answers"]
        return f"did not finish ({person.state}, {answers} answers)"
    return ""
