"""Recruit on Amazon Mechanical Turk, with boto3."""

from decimal import Decimal
from typing import Any
from xml.sax.saxutils import escape

from resemblance.errors import SettingError, UnavailableError
from resemblance.optional import require
from resemblance.study.recruit.offer import Offer, Recruiter, Submission

REGION = "us-east-1"
SANDBOX = "https://mturk-requester-sandbox.us-east-1.amazonaws.com"
SCHEMA = (
    "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2006-07-14/"
    "ExternalQuestion.xsd"
)
DONE, APPROVED = "00000000000000000040", "000000000000000000L0"  # HITs approved; per cent approved
DAY_S = 86_400
LIFETIME_S, REVIEW_S = 14 * DAY_S, 7 * DAY_S  # an offer lives so long; unseen work is paid after
FEE, FEE_MANY, MANY = Decimal("0.2"), Decimal("0.4"), 10  # the fee doubles from ten people on


class MTurk(Recruiter):
    """Tasks on Mechanical Turk: one HIT for all people, so that nobody takes part twice."""

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
        return offer.total * (FEE_MANY if offer.places >= MANY else FEE)

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
        """Call an operation; errors are reported in the service's words."""
        if self._client is None:
            boto3, at = require("MTurk needs", "boto3"), SANDBOX if self._sandbox else None
            self._client = boto3.client("mturk", REGION, endpoint_url=at)
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            reply: dict[str, Any] = getattr(self._client, name)(**arguments)
        except (BotoCoreError, ClientError) as error:
            raise UnavailableError(f"MTurk refuses, or cannot be reached: {error}") from None
        return reply
