"""The end of a person's part: the completion code, and the way back."""

from typing import Any
from urllib.parse import quote, urlsplit

from resemblance.store import Participant
from resemblance.study.settings import Settings

PROLIFIC = "https://app.prolific.com/submissions/complete?cc={code}"
MTURK = ("https://www.mturk.com", "https://workersandbox.mturk.com")


def completion(settings: Settings, participant: Participant) -> dict[str, Any]:
    """Return the code and the redirect of a person who has finished."""
    code = participant.completion_code
    return {"code": code, "redirect": _redirect(settings, participant, code or "")}


def _redirect(settings: Settings, participant: Participant, code: str) -> dict[str, Any] | None:
    recruitment = settings.recruitment
    if participant.source == "mturk":
        return _submission(participant, code)
    pattern = recruitment.redirect
    if pattern is None and participant.source == "prolific" and recruitment.completion_code:
        pattern = PROLIFIC
    if pattern is None:
        return None
    filled = {"code": quote(code, safe=""), "id": quote(participant.external_id or "", safe="")}
    url = pattern.replace("{code}", filled["code"]).replace("{id}", filled["id"])
    return {"url": url, "method": "GET", "fields": {}}


def _submission(participant: Participant, code: str) -> dict[str, Any] | None:
    """Return the form that tells MTurk that the task is done; only MTurk's own hosts get it."""
    kept = participant.browser.get("parameters", {})
    address = urlsplit(kept.get("turkSubmitTo", ""))
    host = f"{address.scheme}://{address.netloc}"
    if host not in MTURK or "assignmentId" not in kept:
        return None
    fields = {"assignmentId": kept["assignmentId"], "code": code}
    return {"url": f"{host}/mturk/externalSubmit", "method": "POST", "fields": fields}


def submit_hosts(settings: Settings) -> tuple[str, ...]:
    """Name the hosts that the participant's page may send a form to."""
    return MTURK if settings.recruitment.source == "mturk" else ()
