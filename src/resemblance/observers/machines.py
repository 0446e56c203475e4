"""Machine participants: models that see the whole question, as people do."""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from mimetypes import guess_type
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from resemblance.errors import EmptyError, FileError, SettingError, UnavailableError
from resemblance.files import whole
from resemblance.fitting import JudgmentsLike
from resemblance.judgments import Choices, Items, OddOneOuts, Triplets, as_judgments
from resemblance.judgments.joining import MACHINE
from resemblance.notebook import Card, Shown
from resemblance.observers.observer import Asked, answered
from resemblance.progress import Steps, Told
from resemblance.ranges import check, integers, one_of

# number of tries if a server is busy, and the first pause in seconds; later pauses double
TRIES, PAUSE_S = 4, 2.0
BUSY = 408, 429, 500, 502, 503, 504
WORDING = {
    "head": "Which one is more similar to the first thing? Answer with its number alone.",
    "odd": "Which one is the odd one out? Answer with its number alone.",
}


@dataclass(frozen=True)
class ShownQuestion:
    """A question as shown to a machine; options are numbered from 1, in the order shown.

    Attributes
    ----------
    wording : str
    head : str or Path or None
        The text, or file of a picture, that the options are compared with.
    options : tuple of str or Path
    """

    wording: str
    head: str | Path | None
    options: tuple[str | Path, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the question as JSON values, for a :class:`Command`."""
        head = None if self.head is None else str(self.head)
        return {"wording": self.wording, "head": head, "options": [str(o) for o in self.options]}

    def parts(self) -> Iterator[tuple[str, str | Path]]:
        """Yield the parts of the page in order: ("text", text) or ("picture", path)."""
        listed = [(f"{number}:", content) for number, content in enumerate(self.options, 1)]
        first = [] if self.head is None else [("The first thing:", self.head)]
        yield "text", self.wording
        for label, content in (*first, *listed):
            yield "text", label
            yield ("picture" if isinstance(content, Path) else "text"), content


@dataclass(frozen=True)
class Reply:
    """The reply of a machine: a text with the number of one option, and the tokens used."""

    text: str
    tokens: int = 0


Answers = Callable[[ShownQuestion], Any]


class Command:
    """A program that reads a question as JSON, and writes an answer.

    Parameters
    ----------
    *words : str
        The program and its arguments.
    timeout : float
        The time limit in seconds.
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
    """A server with the common chat interface: ``messages`` in requests, ``choices`` in replies.

    Parameters
    ----------
    address : str
        The URL, such as http://localhost:8080/v1/chat/completions.
    model : str
        The server's name of the model.
    temperature : float
        The sampling temperature, sent to the server and recorded.
    key : str, optional
        The name of the environment variable that contains the API key. The key is never recorded.
    timeout : float
        The time limit of an answer, in seconds.
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
            raise SettingError(f"there is no environment variable {key}: set it.", setting="key")
        self.address, self.model, self.temperature = address, model, temperature
        self.key, self.timeout = key, timeout
        self.name = f"{model}, temperature {temperature:g}"

    def __call__(self, asked: ShownQuestion) -> Reply:
        """Return the reply to a question; if the server is busy, retry after growing pauses."""
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


@dataclass(frozen=True)
class MachineAnswers(Shown):
    """The answers of a machine.

    Attributes
    ----------
    judgments : Triplets, Choices or OddOneOuts
        A row for each answer. The ``observer`` is "machine: " and the name. A question that was
        asked in two orders has two rows.
    refused : int
        The number of replies that name no option or several options; such replies have no row.
    agreement : float or None
        The share of questions with the same answer in both orders.
    first : float
        The share of answers that choose the option shown first. Without an effect of position it is
        1 / (number of options).
    tokens : int
        The number of tokens of new replies, if the machine reports tokens.
    cached : int
        The number of replies from the cache.
    """

    judgments: Triplets | Choices | OddOneOuts
    refused: int
    agreement: float | None
    first: float
    tokens: int
    cached: int

    def _card(self) -> Card:
        facts = {name: getattr(self, name) for name in ("refused", "agreement", "first", "tokens")}
        return Card("Machine's answers", {"rows": len(self.judgments), **facts})


class MachineParticipant:
    """A machine participant, which sees the whole question and names an option.

    Parameters
    ----------
    answers : callable
        An :class:`Endpoint`, a :class:`Command`, or a function that takes a :class:`ShownQuestion`
        and returns a :class:`Reply` or a text with the number of an option.
    name : str, optional
        The observer's name in answers; default: the machine's ``name``.
    shown : sequence, optional
        The texts, or paths of pictures, shown for the items. Default: the images of the items;
        without images, their names.
    wording : str, optional
        The question.
    cache : path, optional
        A file of JSON lines that stores each reply by the content of its question. A stopped run
        can continue, and no reply is paid twice.
    orders : {1, 2}
        With 2, each question is asked twice, the second time with the options in reverse order.
    random_state : int
        The seed of the order of options.
    at_once : int
        The number of questions asked in parallel, each in its own thread.

    Examples
    --------
    >>> import resemblance as rs
    >>> longest = lambda asked: str(1 + max(range(3), key=lambda k: len(asked.options[k])))
    >>> machine = rs.MachineParticipant(longest, "longest")
    >>> items = rs.Items(["a", "bb", "cccc", "dd"])
    >>> made = machine.ask(rs.OddOneOuts([[0, 1, 2], [1, 2, 3]], [0, 1], items))
    >>> made.judgments.index[:, 0].tolist(), made.agreement, set(made.judgments.observer.tolist())
    ([2, 2, 2, 2], 1.0, {'machine: longest'})
    """

    def __init__(
        self,
        answers: Answers,
        name: str | None = None,
        *,
        shown: Sequence[str | PathLike[str]] | None = None,
        wording: str | None = None,
        cache: str | PathLike[str] | None = None,
        orders: int = 2,
        random_state: int = 0,
        at_once: int = 1,
    ) -> None:
        named = name or getattr(answers, "name", None)
        if not named:
            raise SettingError("a function has no name in answers: give name=.", setting="name")
        check(orders=(orders, one_of(1, 2)), at_once=(at_once, integers(1)))
        self.answers, self.name, self.shown, self.wording = answers, named, shown, wording
        self.orders, self.random_state, self.at_once = orders, random_state, at_once
        self.cache = None if cache is None else Path(cache)
        self._kept: dict[str, str] = {} if self.cache is None else _read(self.cache)

    def ask(self, questions: JudgmentsLike, callback: Told | None = None) -> MachineAnswers:
        """Ask all questions; answers that the judgments already contain are ignored.

        Parameters
        ----------
        questions : Triplets, Choices, OddOneOuts or array (m, 3)
        callback : callable, optional
            Called with (replies, replies in all).

        Raises
        ------
        UnavailableError
            If the machine does not reply; earlier replies are in the cache.
        EmptyError
            If no reply names an option.
        SettingError
            If ``shown`` lacks an item, or the questions are quadruplets.
        """
        asked = as_judgments(questions)
        if not isinstance(asked, Triplets | Choices | OddOneOuts):
            raise SettingError("give triplets, choices or odd ones out.", setting="questions")
        heads, contents = asked.options_from, self._contents(asked.items)
        wording = self.wording or WORDING["head" if heads else "odd"]
        rng, steps = np.random.default_rng(self.random_state), Steps(callback, len(asked))
        steps.expect(len(asked) * (self.orders - 1))
        every: list[tuple[int, list[int], ShownQuestion]] = []
        for number, row in enumerate(asked.index.tolist()):
            options = [int(o) for o in rng.permutation([o for o in row[heads:] if o >= 0])]
            for order in (options, options[::-1])[: self.orders]:
                head = contents[row[0]] if heads else None
                question = ShownQuestion(wording, head, tuple(contents[o] for o in order))
                gaps = [-1] * (len(row) - heads - len(order))
                every.append((number, [*row[:heads], *order, *gaps], question))
        texts, tally = self._texts([question for *_, question in every], steps)
        places = [
            _number_in(text, len(question.options))
            for text, (*_, question) in zip(texts, every, strict=True)
        ]
        replies = [
            (number, place, row)
            for place, (number, row, _) in zip(places, every, strict=True)
            if place is not None
        ]
        return self._gathered(asked, replies, tally)

    def _contents(self, items: Items) -> Sequence[str | Path]:
        given = self.shown if self.shown is not None else items.images
        if given is None:
            return items.names
        if len(given) != len(items):
            raise SettingError(
                f"shown has {len(given)} entries for {len(items)} items: give one for each item.",
                setting="shown",
            )
        return [Path(content) if isinstance(content, PathLike) else content for content in given]

    def _texts(
        self, questions: list[ShownQuestion], steps: Steps
    ) -> tuple[list[str], Counter[str]]:
        keys = [self._key(question) for question in questions]
        new = {k: q for k, q in zip(keys, questions, strict=True) if k not in self._kept}
        tally = Counter(tokens=0, cached=len(questions) - len(new))
        for _ in range(tally["cached"]):
            steps.take()
        for key, answer in self._answered(new):
            kept = answer if isinstance(answer, Reply) else Reply(str(answer))
            tally["tokens"] += kept.tokens
            self._keep(key, kept)
            steps.take()
        return [self._kept[key] for key in keys], tally

    def _answered(self, new: dict[str, ShownQuestion]) -> Iterator[tuple[str, Reply | str]]:
        """Ask a new question after each reply; after a failure, only wait for replies under way."""
        left, failures = iter(new.items()), list[BaseException]()
        out: dict[Future[Reply | str], str] = {}
        with ThreadPoolExecutor(self.at_once) as pool:
            while True:
                for key, question in islice(left, 0 if failures else self.at_once - len(out)):
                    out[pool.submit(self.answers, question)] = key
                if not out:
                    break
                for reply in wait(out, return_when=FIRST_COMPLETED).done:
                    key, failure = out.pop(reply), reply.exception()
                    if failure is None:
                        yield key, reply.result()
                    else:
                        failures.append(failure)
        if failures:
            raise failures[0]

    def _key(self, asked: ShownQuestion) -> str:
        digest = sha256(self.name.encode())
        for kind, part in asked.parts():
            content = Path(part).read_bytes() if kind == "picture" else str(part).encode()
            digest.update(f"{kind} {len(content)} ".encode() + content)
        return digest.hexdigest()

    def _keep(self, key: str, reply: Reply) -> None:
        self._kept[key] = reply.text
        if self.cache is not None:
            line = {"key": key, "kind": MACHINE, "machine": self.name, "reply": reply.text}
            with self.cache.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line | {"tokens": reply.tokens}) + "\n")

    def _gathered(
        self,
        asked: Asked,
        replies: list[tuple[int, int, list[int]]],
        tally: Counter[str],
    ) -> MachineAnswers:
        if not replies:
            raise EmptyError(
                f"{self.name} names a single option in none of {len(asked) * self.orders} "
                "replies: rephrase the question."
            )
        numbers, places, rows = (np.array(part) for part in zip(*replies, strict=True))
        presented = asked[numbers]._with(
            index=rows.astype(np.int32),
            weight=None,
            response_id=None,
            observer=np.full(len(rows), f"{MACHINE}: {self.name}"),
            _extra={"kind": np.full(len(rows), MACHINE)},
        )
        judgments = answered(presented, places)
        chosen = judgments.index[:, asked.options_from]
        # whether a row and the next row are the same question in two orders
        again = numbers[1:] == numbers[:-1]
        return MachineAnswers(
            judgments,
            len(asked) * self.orders - len(rows),
            float((chosen[1:] == chosen[:-1])[again].mean()) if again.any() else None,
            float((places == 0).mean()),
            tally["tokens"],
            tally["cached"],
        )


def _number_in(text: str, n: int) -> int | None:
    named = {int(digits) for digits in re.findall(r"\d+", text)}
    return named.pop() - 1 if len(named) == 1 and 1 <= min(named) <= n else None


def _read(path: Path) -> dict[str, str]:
    if not path.exists():
        return {}
    kept, lines = {}, path.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, 1):
        try:
            entry = json.loads(line)
            kept[str(entry["key"])] = str(entry["reply"])
        except (ValueError, KeyError, TypeError):
            if number < len(lines):
                problem = "is not a cached reply: correct or remove the line"
                raise FileError(f"{path}, line {number} {problem}") from None
            with whole(path) as part:
                part.write_text("".join(f"{line}\n" for line in lines[:-1]), encoding="utf-8")
    return kept
