"""Recruit on Prolific or Mechanical Turk: publish an offer, and approve submissions.

A person takes part once and is paid once, even if there are several submissions with the same id.
"""

import json
import os
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, ClassVar
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode
from urllib.request import HTTPRedirectHandler, Request, build_opener
from xml.sax.saxutils import escape

from resemblance.errors import SettingError, UnavailableError
from resemblance.optional import require
from resemblance.store import Participant
from resemblance.study.folder import StudyFolder
from resemblance.study.live import LiveStudy
from resemblance.study.privacy import ids_of
from resemblance.study.quality import Quality
from resemblance.study.sections import Recruitment

RECRUITED = "recruited"  # event of the audit trail: an offer was published
CENT = Decimal("0.01")
HOST = "https://api.prolific.com"
TOKEN = "PROLIFIC_TOKEN"
FEE = Decimal("0.43")  # largest fee, as a share of the pay
PAGE = 100
WAIT_S = 30.0
IDS = "PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"
REGION = "us-east-1"
SANDBOX = "https://mturk-requester-sandbox.us-east-1.amazonaws.com"
SCHEMA = (
    "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2006-07-14/"
    "ExternalQuestion.xsd"
)
# MTurk's ids of two qualifications: DONE, the number of approved HITs; APPROVED, the percentage
DONE, APPROVED = "00000000000000000040", "000000000000000000L0"
DAY_S = 86_400
# seconds until an offer ends (LIFETIME_S); until MTurk approves a submission itself (REVIEW_S)
LIFETIME_S, REVIEW_S = 14 * DAY_S, 7 * DAY_S
# MTurk's fee as a share of the pay: FEE_FEW for fewer than MANY people, else FEE_MANY.
FEE_FEW, FEE_MANY, MANY = Decimal("0.2"), Decimal("0.4"), 10
# parameters of the address that contain the submission's id, of Prolific and of MTurk
SESSION = ("SESSION_ID", "assignmentId")


@dataclass(frozen=True)
class Offer:
    study: str
    title: str
    description: str
    address: str
    places: int  # number of people
    pay: Decimal  # pay per person, in units of the currency
    minutes: float  # announced duration in minutes
    terms: Recruitment  # currency, and requirements on people

    @property
    def hourly(self) -> Decimal:
        return (self.pay * 60 / Decimal(str(self.minutes))).quantize(CENT, ROUND_HALF_UP)

    @property
    def total(self) -> Decimal:
        return self.pay * self.places


@dataclass(frozen=True)
class Submission:
    id: str  # the service's id of the submission
    person: str  # the service's id of the person
    waiting: bool  # whether the submission waits for approval
    paid: bool = False


class Recruiter(ABC):
    """A recruiting service; ``source`` is the name of the service in study.toml."""

    source: ClassVar[str]

    @abstractmethod
    def check(self, offer: Offer) -> None: ...

    @abstractmethod
    def fee(self, offer: Offer) -> Decimal:
        """Return the largest fee of the service, without taxes."""

    @abstractmethod
    def request(self, offer: Offer) -> dict[str, Any]: ...

    @abstractmethod
    def publish(self, offer: Offer) -> str:
        """Publish the offer, which costs money; return the service's id of the published task."""

    @abstractmethod
    def submissions(self, task: str) -> list[Submission]: ...

    @abstractmethod
    def approve(self, submission: Submission) -> None: ...


def offer_of(folder: StudyFolder, places: int | None = None) -> Offer:
    """Read a study's offer; raise SettingError if pay, places or a public address are missing."""
    settings = folder.settings
    wanted = settings.recruitment
    places, address = places or wanted.max_participants, settings.server.address or ""
    for lacking, remedy in (
        (not places, "the number of people is missing: give --places, or max_participants"),
        (wanted.pay <= 0, "the pay is missing: give recruitment.pay"),
        (
            not address.startswith("https://"),
            "the public address is missing: give server.address, https://...",
        ),
    ):
        if lacking:
            raise SettingError(f"{folder.path}/study.toml: {remedy}")
    assert places is not None
    return Offer(
        study=folder.name,
        title=settings.study.title,
        description=wanted.description or settings.study.prompt,
        address=f"{address}/s/{folder.name}",
        places=places,
        pay=Decimal(str(wanted.pay)).quantize(CENT, ROUND_HALF_UP),
        minutes=settings.exact_minutes,
        terms=wanted,
    )


class _NoRedirect(HTTPRedirectHandler):
    """Refuses redirects, because they would send the token to another host."""

    def redirect_request(self, *_: Any) -> None: ...


class Prolific(Recruiter):
    source = "prolific"

    def __init__(self, token: str | None = None, host: str = HOST) -> None:
        self._token, self._host = token, host
        self._opener = build_opener(_NoRedirect)

    def check(self, offer: Offer) -> None:
        if not offer.terms.completion_code:
            raise SettingError(
                "Prolific recognises finished people by a code: give "
                "recruitment.completion_code in study.toml"
            )

    def fee(self, offer: Offer) -> Decimal:
        return offer.total * FEE

    def request(self, offer: Offer) -> dict[str, Any]:
        terms = offer.terms
        signed = {"is_external_study_url_secure": True} if terms.signed else {}
        rate = {"lower": terms.min_approval, "upper": 100}
        return {
            "name": offer.title,
            "internal_name": offer.study,
            "description": offer.description,
            "external_study_url": f"{offer.address}?{IDS}",
            "prolific_id_option": "url_parameters",
            **signed,
            "completion_codes": [
                {
                    "code": offer.terms.completion_code,
                    "code_type": "COMPLETED",
                    "actions": [{"action": "MANUALLY_REVIEW"}],
                }
            ],
            "total_available_places": offer.places,
            "estimated_completion_time": max(1, round(offer.minutes)),
            "reward": int(offer.pay * 100),
            "device_compatibility": ["desktop", "tablet", "mobile"],
            "submissions_config": {"max_submissions_per_participant": 1},
            "filters": [
                {"filter_id": "approval_rate", "selected_range": rate},
                {"filter_id": "approval_numbers", "selected_range": {"lower": terms.min_tasks}},
            ],
        }

    def publish(self, offer: Offer) -> str:
        task = str(self._call("studies/", self.request(offer))["id"])
        try:
            self._call(f"studies/{task}/transition/", {"action": "PUBLISH"})
        except UnavailableError as error:
            raise UnavailableError(
                f"{error} Prolific has the study as a draft ({task}): publish or delete it there."
            ) from None
        return task

    def submissions(self, task: str) -> list[Submission]:
        results: list[dict[str, Any]] = []
        page = 1
        while len(results) == PAGE * (page - 1):
            query = urlencode({"study": task, "page": page, "page_size": PAGE})
            results += self._call(f"submissions/?{query}")["results"]
            page += 1
        return [
            Submission(
                entry["id"],
                entry["participant_id"],
                entry["status"].upper().replace("_", " ") == "AWAITING REVIEW",
                paid=entry["status"] == "APPROVED",
            )
            for entry in results
        ]

    def approve(self, submission: Submission) -> None:
        self._call(f"submissions/{submission.id}/transition/", {"action": "APPROVE"})

    def _call(self, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        token = self._token or os.environ.get(TOKEN)
        if not token:
            raise SettingError(f"no token for Prolific: set {TOKEN} in the environment")
        headers = {"Authorization": f"Token {token}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        request = Request(f"{self._host}/api/v1/{path}", data, headers)
        try:
            with self._opener.open(request, timeout=WAIT_S) as answer:
                reply: dict[str, Any] = json.load(answer)
                return reply
        except HTTPError as error:
            said = error.read(500).decode(errors="replace").strip()
            raise UnavailableError(f"Prolific refuses ({error.code}): {said}") from None
        except (URLError, OSError, ValueError) as error:
            raise UnavailableError(
                f"Prolific cannot be reached ({error}): try again, earlier approvals are kept"
            ) from None


class MTurk(Recruiter):
    """Tasks on Mechanical Turk: a single HIT for all people, so that nobody takes part twice."""

    source = "mturk"

    def __init__(self, client: Any = None, sandbox: bool = False) -> None:
        self._client, self._sandbox = client, sandbox

    def check(self, offer: Offer) -> None:
        if offer.terms.currency != "USD":
            raise SettingError(
                f"MTurk pays in USD, not {offer.terms.currency}: correct recruitment.currency in "
                "study.toml"
            )

    def fee(self, offer: Offer) -> Decimal:
        return offer.total * (FEE_MANY if offer.places >= MANY else FEE_FEW)

    def request(self, offer: Offer) -> dict[str, Any]:
        at_least = {
            "Comparator": "GreaterThanOrEqualTo",
            "ActionsGuarded": "Accept" if self._sandbox else "DiscoverPreviewAndAccept",
        }
        record = [(DONE, offer.terms.min_tasks), (APPROVED, int(offer.terms.min_approval))]
        return {
            "Title": offer.title,
            "Description": offer.description,
            "Keywords": "similarity, pictures, research",
            "Reward": str(offer.pay),
            "MaxAssignments": offer.places,
            "LifetimeInSeconds": LIFETIME_S,
            "AssignmentDurationInSeconds": max(3600, int(offer.minutes * 60 * 3)),
            "AutoApprovalDelayInSeconds": REVIEW_S,
            "RequesterAnnotation": offer.study,
            "Question": (
                f'<ExternalQuestion xmlns="{SCHEMA}"><ExternalURL>{escape(offer.address)}'
                "</ExternalURL><FrameHeight>0</FrameHeight></ExternalQuestion>"
            ),
            "QualificationRequirements": [
                {"QualificationTypeId": kind, "IntegerValues": [least], **at_least}
                for kind, least in record
                if least > 0
            ],
        }

    def publish(self, offer: Offer) -> str:
        return str(self._call("create_hit", **self.request(offer))["HIT"]["HITId"])

    def submissions(self, task: str) -> list[Submission]:
        assignments: list[dict[str, Any]] = []
        more: dict[str, str] = {}
        while True:
            page = self._call("list_assignments_for_hit", HITId=task, MaxResults=100, **more)
            assignments += page["Assignments"]
            if not page.get("NextToken"):
                break
            more = {"NextToken": page["NextToken"]}
        return [
            Submission(
                assignment["AssignmentId"],
                assignment["WorkerId"],
                assignment["AssignmentStatus"] == "Submitted",
                paid=assignment["AssignmentStatus"] == "Approved",
            )
            for assignment in assignments
        ]

    def approve(self, submission: Submission) -> None:
        self._call("approve_assignment", AssignmentId=submission.id)

    def _call(self, name: str, **arguments: Any) -> dict[str, Any]:
        if self._client is None:
            boto3, at = require("MTurk needs", "boto3"), SANDBOX if self._sandbox else None
            self._client = boto3.client("mturk", REGION, endpoint_url=at)
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            reply: dict[str, Any] = getattr(self._client, name)(**arguments)
        except (BotoCoreError, ClientError) as error:
            raise UnavailableError(f"MTurk refuses, or cannot be reached: {error}") from None
        return reply


@dataclass(frozen=True)
class Decision:
    submission: Submission
    code: str  # pseudonym of the person, or "" if the id is unknown
    reason: str  # reason not to approve; "" to approve

    @property
    def approved(self) -> bool:
        """Whether to approve the submission. If not, a researcher decides."""
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


def _paid(
    people: Mapping[str, Participant | None], submissions: Sequence[Submission]
) -> dict[str, Submission]:
    """Map each person to the submission to pay: one already paid, else finished, else the first."""
    chosen: dict[str, Submission] = {}
    # Python's sorting is stable, so equal submissions stay in their order.
    for work in sorted(submissions, key=lambda work: not work.paid):
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
    if person.finished is None:  # A person who withdrew after finishing has done the work.
        answers = quality.row(person.code)["answers"]
        return f"did not finish ({person.state}, {answers} answers)"
    return ""


def recruiter_of(folder: StudyFolder, sandbox: bool = False) -> Recruiter:
    source = folder.settings.recruitment.source
    if source == "prolific" and not sandbox:
        return Prolific()
    if source == "mturk":
        return MTurk(sandbox=sandbox)
    reason = "Prolific has no sandbox" if sandbox else f"recruitment.source is {source!r}"
    raise SettingError(
        f"{folder.path}/study.toml: {reason}: set recruitment.source to 'prolific' or 'mturk'"
    )
