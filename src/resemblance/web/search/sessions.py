"""Sessions that a laboratory's own pages drive: ask and tell, with their log on the disk."""

import json
import re
import secrets
import threading
from pathlib import Path
from typing import Any

from resemblance.asking import Session
from resemblance.embeddings import TSTE
from resemblance.errors import FileError, UnknownQuestionError
from resemblance.web.failures import Failure

MOST = 1000
_ID = re.compile(r"[A-Za-z0-9_-]{16,64}")


class Sessions:
    """Sessions in a folder: one file of JSON lines each, first its settings, then its log.

    An event is on the disk before it is answered for. A file is read again when the server is
    started anew. Fits run within the request that makes them due.

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
        self._open: dict[str, _Open] = {}
        self._lock = threading.Lock()

    def begin(self, items: list[str], settings: dict[str, Any]) -> "tuple[str, Session]":
        """Begin a session."""
        if len(set(items)) < len(items):
            raise Failure("invalid_request", "Two items have one name.", "Rename one.")
        with self._lock:
            if len(self._open) >= MOST:
                raise Failure("too_many", f"{MOST} sessions are open.", "Restart the server.")
            name = secrets.token_urlsafe(16)
            self._open[name] = opened = _Open(self.folder / f"{name}.jsonl", items, settings)
        return name, opened.session

    def get(self, name: str) -> "_Open":
        """Find a session, on the disk where it is not open."""
        with self._lock:
            if name not in self._open:
                path = self.folder / f"{name}.jsonl"
                if not _ID.fullmatch(name) or not path.is_file():
                    raise Failure("unknown_session")
                self._open[name] = _Open.read(path)
            return self._open[name]


class _Open:
    """A session that is open, and the file of its log."""

    def __init__(
        self,
        path: Path,
        items: list[str],
        settings: dict[str, Any],
        log: list[dict[str, Any]] | None = None,
    ) -> None:
        self.path, self.lock = path, threading.Lock()
        model = TSTE(settings["n_components"], alpha=1.0, penalty=0.3, tol=1e-3)
        own = {
            "model": model,
            "n_options": settings["n_options"],
            "start_per_head": settings["start_per_head"],
            "random_state": settings["seed"],
        }
        self.session = Session(items, **own) if log is None else Session.resume(log, items, **own)
        self._written = len(self.session.log) if log is not None else 0
        if log is None:
            self._write([{"items": items, "settings": settings}])
            self.save()

    @classmethod
    def read(cls, path: Path) -> "_Open":
        """Go on from a file; a last line that was not written whole is left out."""
        whole = path.read_text(encoding="utf-8").rpartition("\n")[0]
        first, *log = map(json.loads, whole.splitlines())
        path.write_text(whole + "\n", encoding="utf-8")
        return cls(path, first["items"], first["settings"], log)

    def ask(self) -> Any:
        """Ask the next question."""
        with self.lock:
            question = self.session.ask()
            self.save()
        return question

    def tell(self, number: int, chosen: str | None, observer: str) -> None:
        """Take an answer; one that was told before in the same words is not told again."""
        with self.lock:
            names = self.session.items.names
            if chosen is not None and chosen not in names:
                raise Failure("unknown_item", self.session.items.unknown(chosen))
            item = None if chosen is None else names.index(chosen)
            before = self.session.answers.get(number)
            if before is not None and before.chosen == item:
                return
            try:
                self.session.tell(number, item, observer)
            except UnknownQuestionError as error:
                raise Failure(
                    "unknown_question", str(error), "Tell a question that is out."
                ) from None
            self.save()

    def save(self) -> None:
        """Append what has happened since."""
        self._write(list(self.session.log)[self._written :])
        self._written = len(self.session.log)

    def _write(self, lines: list[dict[str, Any]]) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(line) + "\n" for line in lines)
            file.flush()
