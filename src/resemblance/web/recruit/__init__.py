"""Finding people: studies offered on Prolific and MTurk, and their work approved."""

from resemblance.web.recruit.approval import Decision, decide
from resemblance.web.recruit.mturk import MTurk
from resemblance.web.recruit.offer import Offer, Recruiter, Submission, offer_of, recruiter_of
from resemblance.web.recruit.prolific import Prolific

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
