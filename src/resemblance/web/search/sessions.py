"""Sessions that a laboratory's own pages drive by ask and tell, logged on disk."""

import logging
import re
import secrets
import threading
import time
from collections import OrderedDict
from itertools import islice
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from resemblance.asking import Session
from resemblance.catalog import default_model
from resemblance.errors import FileError, UnknownQuestionError
from resemblance.study.failures import Failure
from resemblance.web.search import lines

MOST = 1000  # files in the folder
MOST_BYTES = 4 << 20  # size of a session's file, up to twice that for open questions
MOST_IN_ALL = 1 << 30  # bytes of all files
MOST_OPEN = 64  # sessions in memory; others are read from their files again
IDLE_S = 3600.0  # idle seconds until a session leaves memory
EMPTY_S = 86_400.0  # seconds until a file without answers is removed
MOST_OUT = 500  # questions of a session that wait for their answers
_ID = re.compile(r"[A-Za-z0-9_-]{16,64}")
log = logging.getLogger("resemblance.web")


class Sessions:
    """Sessions in a folder: one file of JSON lines each, first its settings, then its log.

    An event is on the disk before it is answered for. A file is read again when the server is
    started anew, and when its session was let go. Fits run within the request that makes them due.
    Sessions are bounded in number, size and age; a file with an answer in it is never removed.

    Parameters
    ----------
    folder : Path
        Where the files are.
    """

    def __init__(self, folder: Path) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FileError(f"{folder} cannot be made ({error}): name another folder") from None
        self.folder = folder
        self._open: WeakValueDictionary[str, Opened] = WeakValueDictionary()  # all in use
        self._recent: OrderedDict[str, tuple[Opened, float]] = OrderedDict()  # kept, last used last
        self._doors: dict[str, threading.Lock] = {}  # one thread at a time reads a file
        self._lock = threading.Lock()

    def begin(self, items: list[str], settings: dict[str, Any]) -> "tuple[str, Session]":
        """Begin a session."""
        if len(set(items)) < len(items):
            raise Failure("invalid_request", "Two items have one name.", "Rename one.")
        name = secrets.token_urlsafe(16)
        path = self.folder / f"{name}.jsonl"
        opened = Opened(path, Session(items, **_own(settings)))
        with self._lock:
            self._make_room()
            try:
                opened.save({"items": items, "settings": settings})
            except Failure:
                path.unlink(missing_ok=True)
                raise
            self._keep(name, opened)
        return name, opened.session

    def _make_room(self) -> None:
        """Refuse a further session where the folder is full of answers; remove empty old ones."""
        files = [(path, path.stat()) for path in self.folder.glob("*.jsonl")]
        if len(files) >= MOST:
            old = time.time() - EMPTY_S
            for path, about in files:
                if (
                    about.st_mtime < old
                    and path.stem not in self._open
                    and not any(row.get("event") == "tell" for row in lines.read(path))
                ):
                    path.unlink(missing_ok=True)
            files = [pair for pair in files if pair[0].exists()]
        remedy = "Move old files out of the folder of --sessions."
        if len(files) >= MOST:
            raise Failure("too_many", f"{MOST} sessions are kept.", remedy)
        if sum(about.st_size for _, about in files) >= MOST_IN_ALL:
            raise Failure("too_many", f"All sessions hold {MOST_IN_ALL >> 20} MB.", remedy)

    def _keep(self, name: str, opened: "Opened") -> None:
        """Keep a session in memory, and let those go that were used longest ago."""
        now = time.monotonic()
        self._open[name] = opened
        self._recent.pop(name, None)
        self._recent[name] = opened, now
        idle = [key for key, (_, used) in self._recent.items() if now - used > IDLE_S]
        for key in [*idle, *list(self._recent)[: max(0, len(self._recent) - MOST_OPEN)]]:
            self._recent.pop(key, None)

    def get(self, name: str) -> "Opened":
        """Find a session, on the disk where it is not open."""
        with self._lock:
            if (opened := self._open.get(name)) is not None:
                self._keep(name, opened)
                return opened
            path = self.folder / f"{name}.jsonl"
            if not _ID.fullmatch(name) or not path.is_file():
                raise Failure("unknown_session")
            door = self._doors.setdefault(name, threading.Lock())
        with door:
            opened = self._open.get(name) or Opened.read(path)
            with self._lock:
                self._keep(name, opened)
                self._doors.pop(name, None)
            return opened


def _own(settings: dict[str, Any]) -> dict[str, Any]:
    """Return the settings of a session as it takes them."""
    return {
        "model": default_model(settings["n_components"]),
        "n_options": settings["n_options"],
        "start_per_head": settings["start_per_head"],
        "random_state": settings["seed"],
    }


class Opened:
    """A session that is open, and the file of its log, which has so many events already."""

    def __init__(self, path: Path, session: Session, written: int = 0) -> None:
        self.path, self.session, self.lock = path, session, threading.Lock()
        self._written = written

    @classmethod
    def read(cls, path: Path) -> "Opened":
        """Go on from a file; a last line that was not written whole is left out."""
        rows = list(lines.read(path))
        if not rows:  # the server ended before it told anybody of the session
            raise Failure("unknown_session")
        first, *events = rows
        session = Session.resume(events, first["items"], **_own(first["settings"]))
        return cls(path, session, len(session.log))

    def ask(self) -> Any:
        """Ask the next question."""
        with self.lock:
            self._refuse_above(MOST_BYTES)
            if len(out := self.session.pending) >= MOST_OUT:
                raise Failure(
                    "too_many",
                    f"{len(out)} questions wait for their answers, the first is {min(out)}.",
                    "Tell them; those that nobody will answer as skipped: chosen is null.",
                )
            question = self.session.ask()
            self.save()
        return question

    def tell(self, number: int, chosen: str | None, observer: str) -> None:
        """Take an answer; one that was told before in the same words is not told again."""
        with self.lock:
            self._refuse_above(2 * MOST_BYTES)
            names = self.session.items.names
            if chosen is not None and chosen not in names:
                raise Failure("unknown_item", self.session.items.unknown(chosen))
            item = None if chosen is None else names.index(chosen)
            before = self.session.answers.get(number)
            if before is None or before.chosen != item:
                try:
                    self.session.tell(number, item, observer)
                except UnknownQuestionError as error:
                    raise Failure(
                        "unknown_question", str(error), "Tell a question that is out."
                    ) from None
            self.save()  # an answer told before, too, as the disk may have refused it then

    def _refuse_above(self, most: int) -> None:
        """Refuse where the log is as long as it may be."""
        if self.path.stat().st_size >= most:
            said = f"The log of this session holds {most >> 20} MB."
            raise Failure("too_many", said, "Begin another session.")

    def save(self, *rows: dict[str, Any]) -> None:
        """Append rows, and what has happened since."""
        events = self.session.log
        new = [*rows, *islice(events, self._written, None)]
        try:
            if new:
                lines.append(self.path, new)
        except OSError as error:
            log.error("%s cannot be written: %s", self.path, error)
            raise Failure("unavailable") from None
        self._written = len(events)
