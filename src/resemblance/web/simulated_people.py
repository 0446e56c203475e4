"""Simulated participants, who answer over HTTP; some are honest, some guess, some leave early."""

import http.client
import json
import secrets
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import exp, inf
from random import Random
from typing import Any
from urllib.parse import quote, urlsplit
from urllib.request import urlopen

from resemblance.errors import UnavailableError
from resemblance.study.kinds import KINDS
from resemblance.study.kinds.base import Point
from resemblance.study.stimuli import digest_of

Json = dict[str, Any]
Choose = Callable[[Json], Json]

AGAIN = (408, 425, 429, 500, 502, 503, 504)  # status codes after which requests are retried
PATIENCE_S = 60.0  # seconds in which requests are retried
_LOOKED_AT: dict[str, str] = {}  # digests of downloaded stimuli, by URL
LAPSE = 0.05  # share of random answers among those of honest people
CHEATERS, LEAVING = 0.1, 0.1  # share of people who cheat, and share of people who leave early
SPREAD = 0.3  # standard deviation of the logarithms of noise, weights and pace of people
HASTE_S = 0.25  # response time of dishonest people, in seconds
DISHONEST = ("guesses", "first place")


class Visitor:
    """A simulated participant, from the first page to the completion code.

    Failed requests are retried, as the page does. ``took`` returns the response time of an answer
    in seconds; the visitor really waits ``speed`` times this, and ``delay`` seconds before each
    request. ``waits`` collects the seconds until answers were acknowledged.
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
        """Take part until the end or a stop; raise UnavailableError after a minute of errors."""
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
            # The largest value passes the headphone check.
            end = "max" if page["kind"] == "measure" else "min"
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
        reason = "simulated" if question["reason"] else None
        response = {"response": self.choose(question), "reason": reason, "rt_ms": 1000.0 * seconds}
        return {"question": question["id"], "skipped": False, "client": client, **response}

    def _look(self, url: str) -> str:
        if url not in _LOOKED_AT:
            with urlopen(f"http://{self._host}{url}", timeout=15) as file:
                _LOOKED_AT[url] = digest_of(file.read())
        return _LOOKED_AT[url]

    def _send(self, method: str, path: str, body: Json | None = None) -> Json:
        deadline = time.monotonic() + PATIENCE_S
        for attempt in range(10**6):
            try:
                status, reply = self._request(method, f"/api{path}", body)
            except (OSError, http.client.HTTPException, ValueError) as error:
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


@dataclass(frozen=True)
class Imagined:
    kind: str  # "honest", "leaves" (honest, but leaves early), or one of DISHONEST
    noise: float
    weights: tuple[float, ...]  # weight of each dimension
    pace: float  # response time as a multiple of the usual response time
    stays: float  # share of the questions that the person answers before leaving
    seed: int

    @property
    def is_honest(self) -> bool:
        return self.kind not in DISHONEST

    def seconds(self, usual: float, rng: Random) -> float:
        return usual * self.pace * exp(rng.gauss(0.0, SPREAD)) if self.is_honest else HASTE_S

    def answer(self, question: Json, seen: Sequence[Point], rng: Random) -> Json:
        kind = KINDS[question["kind"]]
        places = [[w * x for w, x in zip(self.weights, at, strict=True)] for at in seen]
        lapses = self.kind == "guesses" or (self.is_honest and rng.random() < LAPSE)
        gold = question.get("facts", {}).get("gold")
        if gold is not None and self.is_honest and not lapses:
            return kind.giving(question, gold)
        response = kind.imagined(question, places, rng, inf if lapses else self.noise)
        return kind.at_first_places(question, response) if self.kind == "first place" else response


def crowd(n: int, dimensions: int, rng: Random, noise: float = 1.0) -> list[Imagined]:
    """Return simulated people: 10 % are dishonest, and 10 % are honest but leave early."""
    cheats, leave = round(CHEATERS * n), round(LEAVING * n)
    kinds = [DISHONEST[number % 2] for number in range(cheats)] + ["leaves"] * leave
    kinds += ["honest"] * (n - len(kinds))
    rng.shuffle(kinds)

    def spread() -> float:
        return exp(rng.gauss(0.0, SPREAD))

    return [
        Imagined(
            kind,
            noise * spread(),
            tuple(spread() for _ in range(dimensions)),
            spread(),
            rng.uniform(0.1, 0.9) if kind == "leaves" else 1.0,
            rng.getrandbits(32),
        )
        for kind in kinds
    ]


def visitor(
    person: Imagined,
    name: str,
    address: str,
    study: str,
    places: Mapping[str, Point],
    total: int,
    facts_of: Callable[[str], Json] = lambda _: {},
    **more: Any,
) -> Visitor:
    """Return a visitor that answers for a simulated person.

    ``places`` maps digests of stimuli to positions. ``facts_of`` maps the id of a question to facts
    that honest people see: the right place (``gold``), or the ``label`` of a noisy image.
    """
    rng, stop, asked = Random(person.seed), threading.Event(), 0

    def choose(question: Json) -> Json:
        nonlocal asked
        asked += 1
        if asked > person.stays * total:
            stop.set()  # This answer is never sent.
        names = filter(None, [question["head"], *question["options"]])
        question = question | {"facts": facts_of(question["id"])}
        return person.answer(question, [_place(name, places) for name in names], rng)

    took: Callable[[Json], float] = partial(_seconds, person, rng)
    return Visitor(address, study, name, choose, took=took, stop=stop, **more)


def _seconds(person: Imagined, rng: Random, question: Json) -> float:
    return person.seconds(KINDS[question["kind"]].seconds, rng)


def _place(item: Json, places: Mapping[str, Point]) -> Point:
    key = item["digest"] or digest_of((item["text"] or "").encode())
    try:
        return places[key]
    except KeyError:
        return next(iter(places.values()))
