"""Small clients of what servers offer to programs; they need Python alone."""

import json
import time
from collections.abc import Iterator, Sequence
from functools import partial
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote, urlencode
from urllib.request import HTTPRedirectHandler, Request, build_opener

from resemblance.errors import SettingError, UnavailableError
from resemblance.failures import Failure
from resemblance.ranges import POSITIVE, check

in_address = partial(quote, safe="")


class _Stays(HTTPRedirectHandler):
    """Goes where it was sent alone: another server must not read the token, and a body is lost."""

    def redirect_request(self, *redirect: Any) -> None:
        """Follow no redirect."""


urlopen = build_opener(_Stays).open


class _Api:
    """Requests to a server, and what it refuses."""

    headers: dict[str, str]
    command = "resemblance serve"

    def __init__(self, address: str, timeout: float = 30.0) -> None:
        check(timeout=(timeout, POSITIVE))
        if not address.startswith(("http://", "https://")):
            raise SettingError(
                f"address is {address!r}: give one that begins with http:// or https://.",
                setting="address",
            )
        self.address, self.timeout, self.headers = address.rstrip("/"), timeout, {}

    def _get(self, path: str, *needs: str, **query: Any) -> dict[str, Any]:
        request = Request(f"{self.address}/api/{path}?{urlencode(query)}", headers=self.headers)
        return self._call(request, needs)

    def _post(self, path: str, *needs: str, **body: Any) -> dict[str, Any]:
        headers = {**self.headers, "Content-Type": "application/json"}
        data = json.dumps(body, default=lambda numbers: numbers.tolist()).encode()
        request = Request(f"{self.address}/api/{path}", data, headers, method="POST")
        return self._call(request, needs)

    def _call(self, request: Request, needs: Sequence[str]) -> dict[str, Any]:
        """Make a request; where there were too many, again when the server says so."""
        until = time.monotonic() + self.timeout
        while True:
            try:
                with urlopen(request, timeout=self.timeout) as reply:
                    answer: Any = json.load(reply)
                if not isinstance(answer, dict) or not answer.keys() >= set(needs):
                    raise ValueError(f"the reply lacks {', '.join(needs) or 'its names'}")
                return answer
            except HTTPError as refusal:
                wait = refusal.headers.get("Retry-After", "") if refusal.code == 429 else ""
                if not wait.isdecimal() or time.monotonic() + int(wait) > until:
                    raise _failure(refusal) from None
                time.sleep(int(wait))
            except (OSError, HTTPException, ValueError) as error:
                raise UnavailableError(
                    f"{self.address} cannot be reached ({error}): is {self.command} running there?"
                ) from None


class StudyClient(_Api):
    """The results of a study that is served, for a program; nothing is changed by it.

    Parameters
    ----------
    address : str
        Of the server, such as ``"https://lab.example"``.
    study : str
        The name of the study in addresses.
    token : str
        What the study's settings page at the desk made.
    timeout : float
        How many seconds a request may take, and wait where the server asks for patience.

    Raises
    ------
    UnavailableError, Failure
        By every method: as those of :class:`Client`.

    Examples
    --------
    >>> StudyClient("http://127.0.0.1:1", "ties", "no token").analysis()
    Traceback (most recent call last):
    resemblance.errors.UnavailableError: http://127.0.0.1:1 cannot be reached ...
    """

    def __init__(self, address: str, study: str, token: str, timeout: float = 30.0) -> None:
        super().__init__(address, timeout)
        if not (token.isascii() and token.isprintable() and token):
            raise SettingError("the token is none: copy it from the desk.", setting="token")
        self.study, self.headers = in_address(study), {"Authorization": f"Bearer {token}"}

    def answers(self, after: int = 0) -> Iterator[dict[str, Any]]:
        """Yield the answers after one of the log, as an export's table ``answers`` has them."""
        return self._paged("answers", "answers", "after", after)

    def people(self) -> Iterator[dict[str, Any]]:
        """Yield the people by pseudonym, with the quality of their answers."""
        return self._paged("people", "people", "start", 0)

    def space(self, condition: str = "") -> dict[str, Any]:
        """Return the newest map: items, positions, deviation, and of how many answers it is."""
        return self._get(f"results/{self.study}/space", condition=condition)

    def analysis(self, condition: str = "") -> dict[str, Any]:
        """Return what is known of it: the error with its interval, the ceiling, what to do next."""
        return self._get(f"results/{self.study}/analysis", condition=condition)

    def _paged(self, path: str, key: str, name: str, at: int | None) -> Iterator[dict[str, Any]]:
        while at is not None:
            page = self._get(f"results/{self.study}/{path}", key, "next", **{name: at})
            yield from page[key]
            at = page["next"]


class Client(_Api):
    """A fitted space behind an address, with the verbs of its API.

    Parameters
    ----------
    address : str
        What ``resemblance search`` printed, such as ``"http://127.0.0.1:8000"``.
    timeout : float
        How many seconds a request may take, and wait where the server asks for patience.

    Raises
    ------
    UnavailableError
        By every method: if the server cannot be reached.
    Failure
        By every method: what the server refuses, with its ``code``, ``message`` and ``remedy``.

    Examples
    --------
    >>> Client("http://127.0.0.1:1").distance("a", "b")
    Traceback (most recent call last):
    resemblance.errors.UnavailableError: http://127.0.0.1:1 cannot be reached ...
    """

    command = "resemblance search"

    def items(self) -> dict[str, Any]:
        """List all items, and where they are."""
        return self._get("items")

    def nearest(self, item: str, k: int = 10) -> list[dict[str, Any]]:
        """Return the k items nearest to an item, with their distances."""
        return list(self._get("nearest", "nearest", item=item, k=k)["nearest"])

    def nearest_to(self, point: Sequence[float], k: int = 10) -> list[dict[str, Any]]:
        """Return the k items nearest to a point, with their distances."""
        return list(self._post("nearest", "nearest", point=list(point), k=k)["nearest"])

    def distance(self, a: str, b: str) -> float:
        """Return the distance between two items."""
        return float(self._get("distance", "distance", a=a, b=b)["distance"])

    def answer(self, head: str, a: str, b: str) -> float:
        """Return the probability that a is judged more similar to the head than b is."""
        return float(self._get("answer", "probability", head=head, a=a, b=b)["probability"])

    def position_of(self, features: Sequence[float]) -> list[float]:
        """Return the position of an item from its features."""
        return list(self._post("position", "position", features=list(features))["position"])

    def place(self, answers: Sequence[Sequence[str]]) -> dict[str, Any]:
        """Return position and covariance of a new item; each answer has the one chosen first."""
        return self._post("position", answers=[list(answer) for answer in answers])

    def begin(self, items: Sequence[str] | None = None, **settings: Any) -> str:
        """Begin a session about the model's items, or others; give its name."""
        named = {} if items is None else {"items": list(items)}
        return str(self._post("sessions", "session", **named, **settings)["session"])

    def ask(self, session: str) -> dict[str, Any]:
        """Ask the next question: its number, head and options."""
        return self._post(f"sessions/{in_address(session)}/ask")

    def tell(
        self, session: str, question: int, chosen: str | None, observer: str = ""
    ) -> dict[str, Any]:
        """Tell the option chosen, or None for a skip; give how far the session is."""
        path = f"sessions/{in_address(session)}/tell"
        return self._post(path, question=question, chosen=chosen, observer=observer)

    def progress(self, session: str) -> dict[str, Any]:
        """Say how far a session is, which questions wait for their answers, what it learned."""
        return self._get(f"sessions/{in_address(session)}")


def _failure(refusal: HTTPError) -> Failure:
    """Return the error that the server tells."""
    if (place := refusal.headers.get("Location")) and 300 <= refusal.code < 400:
        return Failure("failed", f"The server answers elsewhere: {place}.", "Give that address.")
    try:
        error = json.load(refusal)["error"]
        return Failure(error["code"], error["message"], error["remedy"])
    except (OSError, HTTPException, ValueError, KeyError, TypeError):
        return Failure("failed", f"The server answered {refusal.code}.")
