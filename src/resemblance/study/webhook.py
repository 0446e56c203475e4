"""Where a study calls when it stops or a rule fires: ``[webhook]``, and what is sent there."""

import hmac
import json
import re
import time
from http.client import HTTPException
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from pydantic import field_validator

from resemblance.errors import FileError
from resemblance.store.records import Event
from resemblance.study.files import read_text
from resemblance.study.rules import RULE
from resemblance.study.sections import Section, setting
from resemblance.study.stimuli import inside

TOLD = (RULE, "study open", "study paused", "study closed")  # lines of the audit trail
SIGNATURE = "Resemblance-Signature"
WAIT_S = 10.0  # how long a receiver may take
LEAST = 16  # letters of a secret
HERE = "localhost", "127.0.0.1", "::1"


class Webhook(Section):
    """Where the server tells that the study stopped, or that a rule fired."""

    address: str | None = setting(None, "An https address, which gets JSON by POST.")
    secret: str | None = setting(None, "File in the study's folder with the secret that signs it.")

    @field_validator("address")
    @classmethod
    def _safe(cls, address: str | None) -> str | None:
        parts = urlsplit(address or "https://none")
        if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in HERE):
            raise ValueError(f"{address!r} is no https address: what is sent there could be read")
        return address


def secret_of(folder: Path, webhook: Webhook) -> bytes:
    """Read the secret.

    Raises
    ------
    FileError
        If none is named, or it is not in the folder or too short.
    """
    if webhook.secret is None:
        raise FileError("webhook.address needs webhook.secret: name a file with a long random text")
    path = inside(folder, webhook.secret)
    secret = read_text(path).strip()
    if len(secret) < LEAST:
        raise FileError(f"{path} holds {len(secret)} letters: write {LEAST} random ones or more")
    return secret.encode()


def body_of(study: str, event: Event) -> bytes:
    """Write what is sent of a line of the audit trail; ``id`` is the same where it comes twice."""
    body = {
        "study": study,
        "id": event.id,
        "at": event.at,
        "event": event.what,
        "by": event.who,
        "details": event.details,
    }
    return json.dumps(body, sort_keys=True).encode()


def signed(secret: bytes, body: bytes, at: int) -> str:
    """Sign a body: ``t=`` the time in seconds, ``v1=`` HMAC-SHA256 of the time, a dot, the body.

    Examples
    --------
    >>> signed(b"a secret of ours", b"{}", 7)[:16]
    't=7,v1=d286d2c16'
    """
    digest = hmac.new(secret, f"{at}.".encode() + body, "sha256").hexdigest()
    return f"t={at},v1={digest}"


def is_signed(secret: bytes, body: bytes, header: str, now: float, most_s: float = 300.0) -> bool:
    """Say whether a body comes from who has the secret, and not from long ago: for receivers."""
    match = re.fullmatch(r"t=(\d{1,12}),v1=[0-9a-f]{64}", header)
    if match is None or abs(now - int(match[1])) > most_s:
        return False
    return hmac.compare_digest(signed(secret, body, int(match[1])), header)


def send(address: str, secret: bytes, body: bytes) -> str | None:
    """Send a body; return what went wrong, None where it was taken."""
    headers = {
        "Content-Type": "application/json",
        SIGNATURE: signed(secret, body, int(time.time())),
    }
    try:
        with urlopen(Request(address, body, headers, method="POST"), timeout=WAIT_S):
            return None
    except HTTPError as error:
        return f"status {error.code}"
    except (OSError, HTTPException) as error:
        return str(error)
