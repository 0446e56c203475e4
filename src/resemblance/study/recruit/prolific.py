"""Recruit on Prolific, with its REST interface."""

import json
import os
from decimal import Decimal
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode
from urllib.request import HTTPRedirectHandler, Request, build_opener

from resemblance.errors import SettingError, UnavailableError
from resemblance.study.recruit.offer import Offer, Recruiter, Submission

HOST = "https://api.prolific.com"
TOKEN = "PROLIFIC_TOKEN"
FEE = Decimal("0.43")  # highest fee, as a share of the pay
PAGE = 100
WAIT_S = 30.0
IDS = "PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"


class _NoRedirect(HTTPRedirectHandler):
    """Follows no redirect, since the token is for one host alone."""

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
                f"{error} The study is a draft there ({task}): publish or delete it on its page."
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
                f"Prolific cannot be reached ({error}): try again, what was approved stays so"
            ) from None
