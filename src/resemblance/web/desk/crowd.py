"""A rehearsal by an imagined crowd, begun at the desk: the command `rehearse`, in its own process.

One runs at a time. A lock that the process holds says so to all web processes, and goes with it.
What it writes, temporary files too, is in a folder beside the accounts. It ends with the process
that began it, and the next start of the server removes the folder.
"""

import os
import re
import runpy
import shutil
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path

from resemblance.failures import Failure

FOLDER, LOCK, LOG = ".crowd", "lock", "log"
FILES = {"rehearsal.md": "The report", "preregistration.md": "The text of a preregistration"}
COMMAND = ("nice", sys.executable, "-m", __name__)  # people who take part go first


@dataclass(frozen=True)
class Shown:
    """What the desk shows of a study's rehearsal: whether it runs, its last words, its files."""

    running: bool
    said: str
    files: dict[str, Path]

    @property
    def report(self) -> list[str]:
        """The lines of the report; none before its end."""
        path = self.files.get("rehearsal.md")
        lines = path.read_text(encoding="utf-8").splitlines() if path else []
        return [line.removeprefix("- ") for line in lines if line.startswith("- ")]


@dataclass
class Crowd:
    """The rehearsals of a server, in a folder of its own."""

    folder: Path
    _process: "subprocess.Popen[bytes] | None" = field(default=None, repr=False)  # and its pipe

    @classmethod
    def beside(cls, accounts: Path) -> "Crowd":
        """Take a folder beside a file, and remove what earlier servers left."""
        crowd = cls(accounts.with_name(f"{FOLDER}-{os.getppid()}").absolute())
        for other in crowd.folder.parent.glob(f"{FOLDER}-*"):
            if other != crowd.folder:
                shutil.rmtree(other, ignore_errors=True)
        if not crowd.running:
            for left in crowd.folder.glob("*/tmp"):
                shutil.rmtree(left, ignore_errors=True)
        return crowd

    @property
    def running(self) -> str:
        """The study that is rehearsed now, if one is."""
        try:
            with (self.folder / LOCK).open("r+") as lock:
                return "" if _locked(lock.fileno(), "LOCK_SH") else lock.read()
        except FileNotFoundError:
            return ""

    def begin(self, study: Path, name: str, people: int) -> None:
        """Begin a rehearsal.

        Raises
        ------
        Failure
            rehearsing, if one runs already.
        """
        self.folder.mkdir(mode=0o700, exist_ok=True)
        with (self.folder / LOCK).open("a+") as lock:
            while not _locked(lock.fileno(), "LOCK_EX"):
                if self.running:  # and it is not that another process looks
                    raise Failure("rehearsing")
            lock.truncate(0)
            lock.write(name)
            lock.flush()
            own = self.folder / name
            shutil.rmtree(own, ignore_errors=True)
            (own / "tmp").mkdir(parents=True)
            arguments = ["rehearse", str(study.absolute()), "--people", str(people), "--out", "out"]
            with (own / LOG).open("wb") as log:
                self._process = subprocess.Popen(
                    [*COMMAND, *arguments],
                    cwd=own,
                    env={**os.environ, "TMPDIR": str(own / "tmp"), "PYTHONUNBUFFERED": "1"},
                    stdin=subprocess.PIPE,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    pass_fds=[lock.fileno()],
                    process_group=0,
                )

    def shown(self, name: str) -> Shown:
        """Look how the rehearsal of a study stands, or ended."""
        running, own = self.running == name, self.folder / name
        log = own / LOG
        lines = log.read_text(errors="replace").split("\n") if log.is_file() else []
        files = {file: own / "out" / file for file in FILES} if not running else {}
        there = {file: path for file, path in files.items() if path.is_file()}
        words = (line for line in lines[::-1] if line.strip() and "secret" not in line)
        return Shown(running, ", ".join(re.split(r"\s{2,}", next(words, "").strip())), there)


def _locked(file: int, how: str) -> bool:
    """Lock a file, unless another process has."""
    try:
        import fcntl

        fcntl.flock(file, getattr(fcntl, how) | fcntl.LOCK_NB)
    except ImportError:
        raise Failure("unavailable", "This system has no locks: rehearse by command.") from None
    except BlockingIOError:
        return False
    return True


def _watch() -> None:
    while os.read(0, 65536):
        pass
    os.kill(os.getpid(), signal.SIGINT)


if __name__ == "__main__":  # a command that ends, as by Ctrl-C, where its standard input does
    threading.Thread(target=_watch, daemon=True).start()
    runpy.run_module("resemblance", run_name="__main__", alter_sys=True)
