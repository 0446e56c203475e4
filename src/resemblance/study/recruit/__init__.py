"""Finding people: studies offered on Prolific and MTurk, and their work approved."""

from resemblance.study.recruit.approval import Decision, decide
from resemblance.study.recruit.mturk import MTurk
from resemblance.study.recruit.offer import Offer, Recruiter, Submission, offer_of, recruiter_of
from resemblance.study.recruit.prolific import Prolific

__all__ = [
    "Decision",
    "MTurk",
    "Offer",
    "Prolific",
    "Recruiter",
    "Submission",
    "decide",
    "offer_of",
    "recruiter_of",
]
