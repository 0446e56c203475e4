"""Send questions to a machine, through a program or a server."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from mimetypes import guess_type
from pathlib import Path
from typing import Any

from resemblance.errors import SettingError, UnavailableError

# tries of a request to a busy server, and the first pause, which then doubles
TRIES, PAUSE_S = 4, 2.0
BUSY = 408, 429, 500, 502, 503, 504


@dataclass(frozen=True)
class ShownQuestion:
    """A question as shown to a machine.

    Attributes
    ----------
    wording : str
        The question.
    head : str or Path or None
        A text, or the file of a picture, that the options are compared with.
    options : tuple of str or Path
        In the order shown; they are numbered from 1.
    """

    wording: str
    head: str | Path | None
    options: tuple[str | Path, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON, as commands read it."""
        head = None if self.head is None else str(self.head)
        return {"wording": self.wording, "head": head, "options": [str(o) for o in self.options]}

    def parts(self) -> Iterator[tuple[str, str | Path]]:
        """Yield the parts of the page, in their order: "text" or "picture", and what it shows."""
        listed = [(f"{number}:", content) for number, content in enumerate(self.options, 1)]
        first = [] if self.head is None else [("The first thing:", self.head)]
        yield "text", self.wording
        for label, content in (*first, *listed):
            yield "text", label
            yield ("picture" if isinstance(content, Path) else "text"), content


@dataclass(frozen=True)
class Reply:
    """The reply of a machine: a text with the number of one option, and its tokens."""

    text: str
    tokens: int = 0


Answers = Callable[[ShownQuestion], Any]


class Command:
    """A program that reads a question as JSON, and writes its answer.

    Parameters
    ----------
    *words : str
        The program and its arguments.
    timeout : float
        Seconds that it may take.
    """

    def __init__(self, *words: str, timeout: float = 60.0) -> None:
        self.words, self.timeout = words, timeout
        self.name = " ".join(words)

    def __call__(self, asked: ShownQuestion) -> Reply:
        given = json.dumps(asked.as_dict())
        try:
            done = subprocess.run(
                self.words, input=given, capture_output=True, text=True, timeout=self.timeout
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise UnavailableError(f"{self.name} gives no answer: {error}") from None
        if done.returncode:
            raise UnavailableError(
                f"{self.name} ended with {done.returncode}: {done.stderr[-500:]}"
            )
        return Reply(done.stdout)


class Endpoint:
    """A server with the common chat interface: messages in, ``choices`` out.

    Parameters
    ----------
    address : str
        Where chats go, such as http://localhost:8080/v1/chat/completions.
    model : str
        The server's name of the model.
    temperature : float
        Of its answers; it is told to the server, and written down.
    key : str, optional
        The name of the environment variable that holds the key; the key itself is written nowhere.
    timeout : float
        Seconds that an answer may take.
    """

    def __init__(
        self,
        address: str,
        model: str,
        *,
        temperature: float = 0.0,
        key: str | None = None,
        timeout: float = 60.0,
    ) -> None:
        if not address.startswith(("http://", "https://")):
            raise SettingError(
                f"address is {address!r}: give http:// or https://.", setting="address"
            )
        if key is not None and key not in os.environ:
            raise SettingError(f"no environment variable {key}: set it to the key.", setting="key")
        self.address, self.model, self.temperature = address, model, temperature
        self.key, self.timeout = key, timeout
        self.name = f"{model}, temperature {temperature:g}"

    def __call__(self, asked: ShownQuestion) -> Reply:
        """Ask; retry a busy server with growing pauses."""
        content = [_part(*part) for part in asked.parts()]
        body = {
            "model": self.model,
            "temperature": self.temperature,
            "messages": [{"role": "user", "content": content}],
        }
        reply = self._sent(json.dumps(body).encode())
        try:
            text = reply["choices"][0]["message"]["content"]
            tokens = int((reply.get("usage") or {}).get("total_tokens") or 0)
        except (KeyError, IndexError, TypeError, ValueError):
            raise UnavailableError(
                f"{self.address} answers in another form than chats do"
            ) from None
        return Reply(str(text or ""), tokens)

    def _sent(self, body: bytes) -> Any:
        headers = {"Content-Type": "application/json"}
        if self.key is not None:
            headers["Authorization"] = f"Bearer {os.environ[self.key]}"
        request = urllib.request.Request(self.address, body, headers)
        for attempt in range(TRIES):
            try:
                with urllib.request.urlopen(request, timeout=self.timeout) as reply:
                    return json.load(reply)
            except urllib.error.HTTPError as error:
                problem = f"status {error.code}"
                if error.code not in BUSY:
                    break
            except (OSError, ValueError) as error:
                problem = str(error)
            if attempt + 1 < TRIES:
                time.sleep(PAUSE_S * 2**attempt)
        raise UnavailableError(f"{self.address} gives no answer ({problem})")


def _part(kind: str, content: str | Path) -> dict[str, Any]:
    if kind == "text":
        return {"type": "text", "text": str(content)}
    path = Path(content)
    data = base64.b64encode(path.read_bytes()).decode()
    url = f"data:{guess_type(path.name)[0] or 'image/png'};base64,{data}"
    return {"type": "image_url", "image_url": {"url": url}}
