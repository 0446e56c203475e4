"""Run a real server for benchmarks: a study about dots, `resemblance serve`, and people."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random

from resemblance.errors import UnavailableError
from resemblance.study.folder import StudyFolder
from resemblance.study.live import open_folders, open_stores
from resemblance.web.simulated_people import Visitor

NAME = "dots"
TOML = """
[study]
name = "dots"
[stimuli]
items = "items.csv"
[tasks]
per_participant = 200
practice = 0
gold_share = {gold}
[asking]
strategy = "{strategy}"
start_per_head = {start}
[recruitment]
simulated = "count"
[pages]
consent = "page.md"
instructions = "page.md"
debrief = "page.md"
[server]
proxies = ["127.0.0.1"]
"""
SERVE = "from resemblance.cli import app; app()"


def write_study(folder: Path, n_items: int, **more: object) -> StudyFolder:
    rows = [f"i{number:04d},dot {number}" for number in range(n_items)]
    (folder / "items.csv").write_text("\n".join(["name,text", *rows]) + "\n")
    (folder / "page.md").write_text("# A page\n")
    settings = {"strategy": "predictive", "gold": 0.2, "start": 3} | more
    (folder / "study.toml").write_text(TOML.format(**settings))
    return StudyFolder.open(folder)


def open_live(folder: Path, url: str | None = None):
    """Open the study while the server runs; return it and its store, which the caller closes."""
    if url:
        os.environ["RESEMBLANCE_DATABASE"] = url
    (live,), (store,) = open_stores(open_folders([folder]))
    return live, store


class Eyes:
    """The perception of the dots: points in a plane, where nearer options are more probable."""

    def __init__(self, n_items: int, seed: int = 0) -> None:
        self.random = Random(seed)
        self.points = [[self.random.gauss(0, 1) for _ in "xy"] for _ in range(n_items)]

    def choose(self, question: dict) -> dict:
        """Answer a question in the form that the page receives."""
        shown = [question["head"], *question["options"]]
        head, *options = (self.points[int(one["text"].split()[1])] for one in shown)
        likeness = [
            1 / (0.01 + sum((a - b) ** 2 for a, b in zip(head, o, strict=True))) ** 2
            for o in options
        ]
        return {"chosen": self.random.choices(range(len(options)), likeness)[0]}


class Server:
    """`resemblance serve` in separate processes.

    Parameters
    ----------
    folder : Path
        The folder of the study.
    url : str, optional
        The database; by default the study's SQLite file.
    processes : int
        The number of web processes.
    """

    def __init__(self, folder: Path, url: str | None = None, processes: int = 1) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}"
        self.command = [sys.executable, "-c", SERVE, "serve", str(folder), f"--port={self.port}"]
        self.command += [f"--processes={processes}"]
        self.environment = os.environ | ({"RESEMBLANCE_DATABASE": url} if url else {})

    def __enter__(self) -> "Server":
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.process.send_signal(signal.SIGINT)
        self.process.wait(30)

    def start(self) -> None:
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, env=self.environment)
        if not self.process.stdout.readline():
            raise UnavailableError("the server did not start: see its error above")

    def pids(self, role: str) -> list[int]:
        if role == "supervisor":
            return [self.process.pid]
        return [pid for pid in self._children() if command(pid).endswith(f"\0{role}\0".encode())]

    def _children(self) -> list[int]:
        lists = Path(f"/proc/{self.process.pid}/task").glob("*/children")
        return [int(pid) for path in lists for pid in path.read_text().split() if living(pid)]

    def kill(self, *roles: str) -> None:
        """Kill processes by kill -9; restart a supervisor like an operator."""
        for pid in [pid for role in roles for pid in self.pids(role)]:
            with suppress(ProcessLookupError):  # it may have ended by itself
                os.kill(pid, signal.SIGKILL)
        if "supervisor" in roles:
            self.process.wait()
            self.start()

    def memory(self) -> dict[str, int]:
        """Return the megabytes of each role and of all; shared memory counts once.

        "files" are pages of program files, which the system can drop and read again.
        """
        roles = {role: self.pids(role) for role in ("supervisor", "web", "worker")}
        alone = {role: sum(megabytes(pids)) for role, pids in roles.items()}
        own, files = megabytes([pid for pids in roles.values() for pid in pids])
        return alone | {"all": own + files, "files": files}


def living(pid: int | str) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def megabytes(pids: list[int]) -> tuple[int, int]:
    """Return the memory of processes: all anonymous pages, and each page of a file once.

    Unlike pss, it does not depend on other processes that use the same files.
    """
    anonymous, files = 0, {}
    for pid in pids:
        for part in Path(f"/proc/{pid}/smaps").read_text().split("VmFlags:"):
            told = dict(re.findall(r"^(\w+): +(\d+) kB", part, re.M))
            if "Rss" in told:
                mapped = re.search(r"^[0-9a-f]+-[0-9a-f]+ \S+ (\S+) \S+ \d+ *(.*)$", part, re.M)
                own, rss = int(told["Anonymous"]), int(told["Rss"])
                anonymous += own
                files[mapped.groups()] = max(files.get(mapped.groups(), 0), rss - own)
    return anonymous // 1024, sum(files.values()) // 1024


def until(condition: Callable[[], object], seconds: float, what: str) -> None:
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise UnavailableError(f"after {seconds:g} s still not: {what}")
        time.sleep(0.005)


class Person(Visitor):
    """A visitor who records given answers, and how often requests were repeated."""

    def __init__(self, *args: object, **named: object) -> None:
        super().__init__(*args, **named)
        self.given: dict[str, dict] = {}
        self.again = 0

    def _answer(self, question: dict) -> dict:
        answer = super()._answer(question)
        self.given[question["id"]] = answer["response"]
        return answer

    def _request(self, method: str, path: str, body: dict | None) -> tuple[int, dict]:
        try:
            return super()._request(method, path, body)
        except Exception:
            self.again += path.endswith("/answers")
            raise


def is_well(address: str) -> bool:
    try:
        with urllib.request.urlopen(f"{address}/health", timeout=5) as reply:
            return bool(json.load(reply)["ok"])
    except OSError:
        return False
