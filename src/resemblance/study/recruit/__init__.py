"""Recruit people on Prolific and MTurk, and approve their work."""

from resemblance.errors import SettingError
from resemblance.study.folder import StudyFolder
from resemblance.study.recruit.approval import decide
from resemblance.study.recruit.mturk import MTurk
from resemblance.study.recruit.offer import Offer, Recruiter, Submission, offer_of
from resemblance.study.recruit.prolific import Prolific

__all__ = [
    "MTurk",
    "Offer",
    "Prolific",
    "Recruiter",
    "Submission",
    "decide",
    "offer_of",
    "recruiter_of",
]


def recruiter_of(folder: StudyFolder, sandbox: bool = False) -> Recruiter:
    source = folder.settings.recruitment.source
    if source == "prolific" and not sandbox:
        return Prolific()
    if source == "mturk":
        return MTurk(sandbox=sandbox)
    reason = "Prolific has no sandbox" if sandbox else f"recruitment.source is {source!r}"
    raise SettingError(
        f"{folder.path}/study.toml: {reason}: people are recruited here on 'prolific' or 'mturk'"
    )
