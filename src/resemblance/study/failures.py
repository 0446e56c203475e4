"""Errors that the server sends: HTTP status, error code, problem and remedy."""

from typing import Any

from resemblance.errors import ResemblanceError

# the HTTP status, the problem and the remedy of each error code
CODES: dict[str, tuple[int, str, str]] = {
    "unknown_study": (404, "There is no such study here.", "Check the address."),
    "unknown_page": (404, "There is no such page in this study.", "Reload the page."),
    "unknown_address": (404, "There is nothing at this address.", "Check the address."),
    "unknown_media": (404, "There is no such stimulus.", "Reload the page."),
    "unknown_item": (404, "There is no such item.", "Check its name: GET /api/items lists all."),
    "no_features": (409, "This model has no map of features.", "Place the item by answers."),
    "no_clicks": (403, "This server keeps no clicks.", "Nothing was stored."),
    "broken_picture": (404, "This picture cannot be shown.", "Replace the file, then reload."),
    "unknown_participant": (404, "There is no such participant.", "Check the pseudonym."),
    "changed_media": (410, "This stimulus was changed after the study began.", "Put it back."),
    "changed_map": (410, "The map has changed since this search began.", "Start over."),
    "unknown_token": (401, "This participant is not known.", "Open the study's address again."),
    "erased": (410, "Your data were erased from this study.", "Nothing more is stored. Thank you."),
    "withdrawn": (410, "You have withdrawn from this study.", "Nothing more is stored. Thank you."),
    "no_withdrawal": (
        403,
        "Nobody can withdraw on the page of this study.",
        "Write to the researcher, and name your pseudonym.",
    ),
    "unknown_question": (409, "A question was not asked of this participant.", "Reload the page."),
    "invalid_response": (422, "The answer does not fit its question.", "Reload the page."),
    "invalid_reason": (422, "The words do not fit their question.", "Send others, or none."),
    "invalid_page": (422, "The page was not filled in correctly.", "Correct it."),
    "invalid_request": (422, "The request is not valid.", "Reload the page."),
    "consent_required": (409, "Consent was not given yet.", "Read the first page and agree."),
    "unfinished": (409, "Some answers are still missing.", "Send them, then finish."),
    "not_ready": (403, "The study is not ready yet.", "Please come back later."),
    "closed": (403, "The study is closed.", "Thank you for your interest."),
    "paused": (403, "The study is paused.", "Please come back later."),
    "full": (403, "The study has all the participants that it needs.", "Thank you."),
    "second_entry": (409, "You took part in this study before.", "Once is enough. Thank you."),
    "bound": (
        403,
        "Somebody began with this id in another browser.",
        "Go on there, or ask the researcher to let you in here.",
    ),
    "excluded": (403, "You cannot take part in this study.", "Ask the researcher why."),
    "preview": (403, "This is a preview.", "Accept the task to begin."),
    "no_id": (403, "The address holds no participant's id.", "Start from the service's page."),
    "unknown_condition": (
        403,
        "The address names no condition, or no group, of this study.",
        "Start from the link that you were given.",
    ),
    "no_token": (
        403,
        "Prolific did not sign this address.",
        "Open the study from Prolific's page.",
    ),
    "bad_token": (
        403,
        "The signature of this address is not valid here.",
        "Open the study again from Prolific's page.",
    ),
    "old_token": (403, "This link has expired.", "Open the study again from Prolific's page."),
    "no_keys": (
        503,
        "The signature of this address cannot be checked at the moment.",
        "Nothing is lost: try again in a minute.",
    ),
    "wrong_type": (415, "The request is not JSON.", "Send Content-Type: application/json."),
    "too_large": (413, "The request is too large.", "Send less at a time."),
    "too_slow": (408, "The request came too slowly.", "Send it again."),
    "too_many": (429, "Too many requests.", "Wait a moment and try again."),
    "wrong_host": (421, "This server has another name.", "Use the address that serve printed."),
    "not_from_here": (
        403,
        "Only the server's own machine may request this.",
        "Request it there, without the proxy.",
    ),
    "wrong_method": (405, "This address does not accept this method.", "Check the method."),
    "login_required": (401, "You are not logged in.", "Log in at /desk."),
    "not_owner": (
        403,
        "This account can view this study, but not change it.",
        "Ask an owner of the study.",
    ),
    "not_admin": (
        403,
        "This account may not invite others.",
        "Ask whoever invited you, or the person who runs the server.",
    ),
    "wrong_secret": (403, "The secret or password is wrong.", "Try again, or restart the server."),
    "old_form": (403, "This form is too old, or from another site.", "Reload the page."),
    "wrong_origin": (403, "This form is on a page of another site.", "Send it from the desk."),
    "unavailable": (503, "The server cannot store this now.", "Nothing is lost: try again."),
    "not_built": (503, "The participant's page is not built.", "Run make frontend, then restart."),
    "failed": (500, "The server failed.", "Try again; the researcher finds the cause in the log."),
}


class Failure(ResemblanceError):
    def __init__(
        self, code: str, message: str | None = None, remedy: str | None = None, **more: Any
    ) -> None:
        self.status, said, to_do = CODES[code]
        self.code, self.message, self.remedy = code, message or said, remedy or to_do
        self.more = more
        super().__init__(f"{self.message} {self.remedy}")

    def body(self) -> dict[str, Any]:
        error = {"code": self.code, "message": self.message, "remedy": self.remedy}
        return {"error": error | self.more}
