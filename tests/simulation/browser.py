"""Requests to the web application of a process, without a network."""

import json
from dataclasses import dataclass
from http.cookies import SimpleCookie
from urllib.parse import urlencode

from resemblance.errors import ResemblanceError

HOST = "127.0.0.1"


class Refused(ResemblanceError):
    """The server refuses, and says why."""


@dataclass(frozen=True)
class Reply:
    """What came back."""

    status: int
    headers: list
    body: bytes

    @property
    def json(self):
        """What it says, where that is JSON."""
        return json.loads(self.body)

    def cookies(self):
        """Give the cookies that it sets."""
        found = SimpleCookie()
        for name, value in self.headers:
            if name == b"set-cookie":
                found.load(value.decode())
        return {name: one.value for name, one in found.items()}


async def send(process, method, path, body=b"", kind="application/json", app=None, **headers):
    """Send a request to the application of a process, or to a part of it."""
    said = {"host": HOST, "content-type": kind, "accept": "application/json", **headers}
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "scheme": "http",
        "http_version": "1.1",
        "server": (HOST, 80),
        "client": (HOST, 1),
        "headers": [(name.encode(), value.encode()) for name, value in said.items()],
        "app": process.app,
    }
    heard = []

    async def receive():
        return {"type": "http.request", "body": body, "more_body": False}

    async def told(message):
        heard.append(message)

    await (app or process.app)(scope, receive, told)
    first, *parts = heard
    whole = b"".join(part.get("body", b"") for part in parts)
    return Reply(first["status"], first["headers"], whole)


async def send_answers(process, token, answers, want, app=None):
    """Send answers as the participant's page does."""
    told = [one.model_dump(mode="json") for one in answers]
    body = json.dumps({"answers": told, "want": want}).encode()
    bearer = f"Bearer {token}"
    return await send(process, "POST", "/api/me/answers", body, app=app, authorization=bearer)


def send_form(process, path, cookies, **fields):
    """Send a form of the desk."""
    cookie = "; ".join(f"{name}={value}" for name, value in cookies.items())
    form = "application/x-www-form-urlencoded"
    return process.machine.run(
        send(process, "POST", path, urlencode(fields).encode(), form, cookie=cookie)
    )
