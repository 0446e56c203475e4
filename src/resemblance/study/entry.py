"""Admit or refuse participants, and redirect them at the end with a completion code."""

import hashlib
import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import Any
from urllib.parse import quote, urlsplit

from resemblance.store import Participant
from resemblance.store.people import GONE, Counter
from resemblance.store.records import SIMULATED
from resemblance.study.failures import Failure
from resemblance.study.live import LiveStudy
from resemblance.study.privacy import AGAIN, DIGITS, NUMBERED, ids_of, readable, seal
from resemblance.study.settings import Settings
from resemblance.study.signed import signed

IDS = {"prolific": "PROLIFIC_PID", "mturk": "workerId", "sona": "id"}
FORMS = {  # format of the ids of each recruiting service
    "prolific": (re.compile(r"[0-9a-f]{24}"), "24 digits and letters a to f"),
    "mturk": (re.compile(r"A[0-9A-Z]{8,20}"), "A and 8 to 20 digits and capital letters"),
    "sona": (re.compile(rf"[0-9]{{1,{DIGITS}}}|[0-9A-Za-z-]{{16,64}}"), "a number"),
}
KEPT = {  # parameters of the address that are stored, by recruiting service
    "prolific": ("STUDY_ID", "SESSION_ID"),
    "mturk": ("assignmentId", "hitId", "turkSubmitTo"),
    "sona": ("survey_code",),
}
BACK = "https://app.prolific.com/submissions/complete?cc={code}"
MTURK = ("https://www.mturk.com", "https://workersandbox.mturk.com")
LET_IN = 'Set recruitment.simulated = "enter" in its study.toml.'
Assign = Callable[[Counter], str]
# A person who left after answering has a place reserved for this many minutes.
HOLD_MINUTES = 120.0
# A person who entered and gave no answer has a place reserved for this many minutes.
UNANSWERED_MINUTES = 10.0
WAIT_S = 30  # seconds until a person may retry, if too many people entered from the same network
# MTurk's assignmentId for a worker who has not accepted the task
PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"


@dataclass(frozen=True)
class Identity:
    source: str
    external_id: str | None = None
    kept: dict[str, str] = field(default_factory=dict)


def identity(live: LiveStudy, parameters: Mapping[str, str]) -> Identity:
    """Return a person's identity, read from the parameters of the address."""
    recruitment = live.settings.recruitment
    if name := parameters.get(SIMULATED):
        if not recruitment.admits_simulated:
            raise Failure("excluded", "This study takes no simulated people.", LET_IN)
        return Identity(SIMULATED, name)
    source = recruitment.source
    if source == "open":
        return Identity("open")
    if parameters.get("assignmentId") == PREVIEW:
        raise Failure("preview")
    parameters = signed(live, parameters) if recruitment.signed else parameters
    external_id = parameters.get(IDS[source], "").strip()
    if source == "sona":
        external_id = external_id or parameters.get("survey_code", "").strip()
    if not external_id:
        raise Failure("no_id", f"The address has no {IDS[source]}.")
    form, words = FORMS[source]
    if not form.fullmatch(external_id):
        raise Failure("no_id", f"{IDS[source]} is not an id of this service, which is {words}.")
    kept = {name: parameters[name] for name in KEPT[source] if name in parameters}
    return Identity(source, external_id, kept)


def enter(
    live: LiveStudy,
    parameters: Mapping[str, str],
    browser: dict[str, Any],
    key: str | None = None,
    waits: bool = False,
) -> tuple[str, Participant]:
    """Admit a person; return the token for all further requests, and the person.

    A retry with the same ``key`` returns the same token. ``waits`` means that many people from this
    network have entered and not answered; new people are then refused for a while.
    """
    who = identity(live, parameters)
    if live.folder.unready and who.source != SIMULATED:
        raise Failure("not_ready")
    ids = ids_of(live.folder.path, who.source, who.external_id) if who.external_id else ()
    if live.folder.barred.intersection(ids):
        raise Failure("excluded")
    token = f"{live.folder.name}.{key or secrets.token_hex(32)}"
    details = browser | {"parameters": who.kept}
    asked = "consent" in live.folder.pages  # Before consent, ids are stored encrypted.
    sealed = seal(token, who.external_id, details) if asked else details
    digest = ids[1] if ids and asked else who.external_id

    def again(person: Participant, bound: bool) -> dict[str, Any]:
        # After the error the old token, session and browser remain valid.
        if person.state == "finished":
            raise Failure("second_entry")
        # Numeric ids are short and can be guessed, so each id is bound to one browser.
        if bound and who.source in NUMBERED:
            raise Failure("bound")
        entered = person.state == "entered"
        kept = {"external_id": digest if entered else who.external_id}
        return kept | {"browser": (sealed if entered else details) | {AGAIN: live.clock()}}

    participant = live.store.people.enter(
        live.record,
        who.source,
        digest,
        token_hash(token),
        sealed,
        admit=lambda count: admit(live, count, waits),
        again=again,
        also=ids,
        assign=assigned(live, parameters),
    )
    return token, participant


def admit(live: LiveStudy, count: Counter, waits: bool) -> None:
    if live.state != "open":
        raise Failure(live.state)
    most = live.settings.recruitment.max_participants
    if most is not None and held_places(count(*holding(live))) >= most:
        raise Failure("full")
    if waits:
        raise Failure("too_many", retry_after=WAIT_S)


def assigned(live: LiveStudy, params: Mapping[str, Any]) -> Assign | None:
    return partial(assign, live, params) if live.settings.conditions.names else None


def assign(
    live: LiveStudy,
    params: Mapping[str, Any],
    count: Counter,
) -> str:
    conditions = live.settings.conditions
    held = count(*holding(live))
    rng = Random(f"{live.chance} {sorted(held.items())} arm")
    try:
        return conditions.arm(held, params, rng)
    except KeyError as error:
        name, allowed = error.args
        remedy = f"Give {name}=, one of {', '.join(allowed)}."
        raise Failure("unknown_condition", remedy=remedy) from None


def holding(live: LiveStudy) -> tuple[float, float]:
    """Return two times, served and entered, which decide whether a person's place is reserved.

    A person with answers has a place if a question was served after the first time. A person
    without answers has a place if they entered after the second time, which is only minutes ago
    because anybody can invent an address to enter.
    """
    now = live.clock()
    return now - 60.0 * HOLD_MINUTES, now - 60.0 * UNANSWERED_MINUTES


def held_places(counts: dict[str, int]) -> int:
    return sum(n for state, n in counts.items() if state not in GONE)


def token_hash(token: str) -> str:
    """Return the digest of a token; a token of 256 random bits needs no salt."""
    return hashlib.sha256(token.encode()).hexdigest()


def completion(settings: Settings, participant: Participant) -> dict[str, Any]:
    code = participant.completion_code
    return {"code": code, "redirect": _redirect(settings, participant, code or "")}


def _redirect(settings: Settings, participant: Participant, code: str) -> dict[str, Any] | None:
    recruitment = settings.recruitment
    if participant.source == "mturk":
        return _submission(participant, code)
    pattern = recruitment.redirect
    if pattern is None and participant.source == "prolific" and recruitment.completion_code:
        pattern = BACK
    if pattern is None or not code:
        return None
    external_id, _ = readable(participant)
    filled = {"code": quote(code, safe=""), "id": quote(external_id or "", safe="")}
    url = pattern.replace("{code}", filled["code"]).replace("{id}", filled["id"])
    return {"url": url, "method": "GET", "fields": {}}


def _submission(participant: Participant, code: str) -> dict[str, Any] | None:
    kept = participant.browser.get("parameters", {})
    address = urlsplit(kept.get("turkSubmitTo", ""))
    host = f"{address.scheme}://{address.netloc}"
    if host not in MTURK or "assignmentId" not in kept:
        return None
    fields = {"assignmentId": kept["assignmentId"], "code": code}
    return {"url": f"{host}/mturk/externalSubmit", "method": "POST", "fields": fields}


def submit_hosts(settings: Settings) -> tuple[str, ...]:
    return MTURK if settings.recruitment.source == "mturk" else ()
