"""A rehearsal by an imagined crowd, begun at the desk: the command `rehearse`, in its own process.

One runs at a time: a lock that its process holds says so to all web processes. It ends with the one
that began it. All that it writes is in a folder beside the accounts, which the next start removes.
"""

import os
import re
import runpy
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO, Any

from resemblance.failures import Failure

FOLDER, LOCK, LOG = ".crowd", "lock", "log"
REPORT = "rehearsal.md"
FILES = {REPORT: "The report", "preregistration.md": "The text of a preregistration"}
COMMAND = ("nice", sys.executable, "-m", __name__)  # people who take part go first


class Crowd:
    """The rehearsals of a server, in a folder beside the file of its accounts."""

    def __init__(self, accounts: Path) -> None:
        self.folder = accounts.with_name(f"{FOLDER}-{os.getppid()}").absolute()
        self._process: subprocess.Popen[bytes] | None = None  # whose input closes with this one
        left = [path for path in self.folder.parent.glob(f"{FOLDER}-*") if path != self.folder]
        for path in [*left, *(() if self.running else self.folder.glob("*/tmp"))]:
            shutil.rmtree(path, ignore_errors=True)

    @property
    def running(self) -> str:
        """The study that is rehearsed now, if one is."""
        if not (self.folder / LOCK).exists():
            return ""
        with (self.folder / LOCK).open() as lock:
            return "" if _locked(lock, "LOCK_SH") else lock.read()

    def begin(self, study: Path, name: str, people: int) -> None:
        """Begin a rehearsal.

        Raises
        ------
        Failure
            rehearsing, if one runs already.
        """
        self.folder.mkdir(mode=0o700, exist_ok=True)
        with (self.folder / LOCK).open("a") as lock:
            while not _locked(lock, "LOCK_EX"):
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

    def files(self, name: str) -> dict[str, Path]:
        """Find what the last rehearsal of a study has written, once it has ended."""
        paths = {file: self.folder / name / "out" / file for file in FILES}
        return {file: path for file, path in paths.items() if path.is_file()}

    def status(self, name: str) -> dict[str, Any]:
        """Return how the rehearsal of a study stands: its last words, or its report and files."""
        log, files = self.folder / name / LOG, self.files(name)
        lines = log.read_text(errors="replace").split("\n") if log.is_file() else []
        last = [line.strip() for line in lines if line.strip() and "secret" not in line][-1:]
        report = files[REPORT].read_text(encoding="utf-8") if REPORT in files else ""
        return {
            "running": self.running == name,
            "said": re.sub(r"\s{2,}", ", ", "".join(last)),
            "report": re.findall(r"^- (.*)", report, re.M),
            "files": {file: FILES[file] for file in files},
        }


def _locked(file: IO[str], how: str) -> bool:
    """Lock a file, unless another process has."""
    import fcntl

    try:
        fcntl.flock(file, getattr(fcntl, how) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _watch() -> None:
    while os.read(0, 65536):
        pass
    os.kill(os.getpid(), signal.SIGINT)


if __name__ == "__main__":  # a command that ends, as by Ctrl-C, where its standard input does
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in the background
    threading.Thread(target=_watch, daemon=True).start()
    runpy.run_module("resemblance", run_name="__main__", alter_sys=True)
