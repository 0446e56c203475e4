"""Simulated visitors, who take part by the requests that the participant's page sends."""

import http.client
import json
import secrets
import threading
import time
from collections.abc import Callable
from random import Random
from typing import Any
from urllib.parse import quote, urlsplit
from urllib.request import urlopen

from resemblance.errors import UnavailableError
from resemblance.study.stimuli import digest_of

Json = dict[str, Any]
Choose = Callable[[Json], Json]

AGAIN = (408, 425, 429, 500, 502, 503, 504)  # the page, too, sends the same again
PATIENCE_S = 60.0
_LOOKED_AT: dict[str, str] = {}  # the digest of what each address shows


class Visitor:
    """A simulated participant, from the first page to the completion code.

    Failed requests are repeated until acknowledged, as the page does. ``choose`` returns the
    response to a question, such as ``{"chosen": place}``; items with a file have its ``digest``
    too. ``took`` returns the seconds for an answer, of which the share ``speed`` is waited, plus
    ``delay`` for each request. ``waits`` collects the seconds until answers were acknowledged.
    """

    def __init__(
        self,
        address: str,
        study: str,
        name: str,
        choose: Choose,
        *,
        took: Callable[[Json], float] = lambda _: 0.4,
        speed: float = 0.0,
        delay: float = 0.0,
        stop: threading.Event | None = None,
        parameters: dict[str, str] | None = None,
    ) -> None:
        self.study, self.name, self.choose = study, name, choose
        self.parameters = parameters or {}
        self.took, self.speed, self.delay = took, speed, delay
        self.pseudonym = ""
        self.stop = threading.Event() if stop is None else stop
        self.acknowledged: list[str] = []
        self.waits: list[float] = []
        self.code: str | None = None
        self._host = urlsplit(address).netloc
        self._connection: http.client.HTTPConnection | None = None
        self._token = ""

    def run(self) -> None:
        """Take part until the end, or until stopped; raises UnavailableError after a minute
        without server.
        """
        entry: Json = {"key": secrets.token_hex(32)}
        entry["parameters"] = {"simulated": self.name, **self.parameters}
        entered = self._send("POST", f"/studies/{quote(self.study)}/participants", entry)
        self._token, self.pseudonym = entered["token"], entered["code"]
        standing = self._send("GET", "/me")
        while not self.stop.is_set() and standing["state"] not in ("debrief", "finished"):
            if standing["state"] in ("stopped", "withdrawn"):
                return
            standing = self._step(standing)
        if not self.stop.is_set():
            self.code = self._send("POST", "/me/finish", {})["code"]

    def _step(self, standing: Json) -> Json:
        if standing["page"] is not None:
            page = standing["page"]
            filled: Json = {"agree": True if page["kind"] == "consent" else None, "seconds": 1.0}
            end = "max" if page["kind"] == "measure" else "min"  # headphones are heard
            rng = Random(f"{self.name} {page['name']}")
            filled["values"] = {field["name"]: _filled(field, rng, end) for field in page["fields"]}
            return self._send("POST", f"/me/pages/{quote(page['name'])}", filled)
        questions = standing.get("questions", [])
        answers = [self._answer(questions[0])] if questions else []
        if self.stop.is_set():
            return standing
        began = time.perf_counter()
        standing = self._send("POST", "/me/answers", {"answers": answers, "want": 1})
        if answers:
            self.waits.append(time.perf_counter() - began)
            self.acknowledged += standing["acknowledged"]
        return standing

    def _answer(self, question: Json) -> Json:
        seconds = self.took(question)
        self.stop.wait(self.speed * seconds)
        client = {"input": "simulated", "shown": 1000.0 * time.time()}
        for item in filter(None, [question["head"], *question["options"]]):
            item["digest"] = item["url"] and self._look(item["url"])
        response = {"response": self.choose(question), "rt_ms": 1000.0 * seconds}
        return {"question": question["id"], "skipped": False, "client": client, **response}

    def _look(self, url: str) -> str:
        """Return the digest of a file, fetched once, as in a browser."""
        if url not in _LOOKED_AT:
            with urlopen(f"http://{self._host}{url}", timeout=15) as file:
                _LOOKED_AT[url] = digest_of(file.read())
        return _LOOKED_AT[url]

    def _send(self, method: str, path: str, body: Json | None = None) -> Json:
        deadline = time.monotonic() + PATIENCE_S
        for attempt in range(10**6):
            try:
                status, reply = self._request(method, f"/api{path}", body)
            except (OSError, http.client.HTTPException, ValueError) as error:  # no JSON: a proxy's
                self._connection, status, reply = None, 503, {"error": {"message": str(error)}}
            if status < 400:
                return reply
            if status not in AGAIN or time.monotonic() > deadline or self.stop.is_set():
                break
            self.stop.wait(min(0.05 * 2**attempt, 2.0))
        problem = reply.get("error", {})
        raise UnavailableError(
            f"visitor {self.name} was refused ({status} at {path}): {problem.get('message')} "
            f"{problem.get('remedy', '')}"
        )

    def _request(self, method: str, path: str, body: Json | None) -> tuple[int, Json]:
        self.stop.wait(self.delay)
        if self._connection is None:
            self._connection = http.client.HTTPConnection(self._host, timeout=15)
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self._token}"}
        content = None if body is None else json.dumps(body)
        self._connection.request(method, path, content, headers)
        response = self._connection.getresponse()
        return response.status, json.loads(response.read() or b"{}")


def _filled(field: Json, rng: Random, end: str = "min") -> Any:
    if field["type"] == "choice":
        value = rng.choice(field["options"])
        return [value] if field["multiple"] else value
    if field["type"] == "scale":
        return (field["min"] + field["max"]) // 2
    if field["type"] == "number":
        return next((at for at in (field[end], field["min"]) if at is not None), 30)
    return "simulated"
