"""The supervisor, which starts the web processes and the worker, and restarts them if they die.

The listening socket stays open, so that a restart of a web process loses no connections. A child
ends when the pipe from its supervisor closes, even if the supervisor was killed.
"""

import errno
import json
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from dataclasses import asdict, dataclass, replace

from resemblance.errors import SettingError, UnavailableError
from resemblance.web.limits import BucketsFile

BACKLOG = 2048
# Seconds before a restart. The pause grows if a child often dies soon after its start.
PAUSES = (0.0, 0.2, 1.0, 5.0)
YOUNG_S = 10.0  # A child that dies within this many seconds died soon after its start.
LEAVING_S = 3.0  # Seconds in which children of a killed supervisor may still use the port.
QUICK = {"PYDANTIC_DISABLE_PLUGINS": "__all__"}  # This setting makes the start 0.1 s faster.
log = logging.getLogger("resemblance.web")


@dataclass(frozen=True)
class Task:
    """Settings of child processes; files: ``secret`` has the accounts, ``buckets`` the limits."""

    studies: tuple[str, ...]
    secret: str
    host: str = "127.0.0.1"
    log: str = "WARNING"
    processes: int = 1
    buckets: str | None = None
    buckets_key: str = ""


def listen(host: str, port: int, patience: float = LEAVING_S) -> socket.socket:
    """Listen on a port; if it is in use, retry for ``patience`` seconds."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    taken = socket.socket(family)
    taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    until = time.monotonic() + patience
    while True:
        try:
            taken.bind((host, port))
            break
        except OSError as problem:
            if problem.errno != errno.EADDRINUSE or time.monotonic() > until:
                taken.close()
                raise UnavailableError(
                    f"cannot listen on {host}, port {port} ({problem.strerror or problem}): stop "
                    "the program that uses it, or choose another --port (0: any free port)"
                ) from None
        time.sleep(0.05)
    taken.listen(BACKLOG)
    return taken


class Child:
    """A process that is restarted if it dies, until it is stopped."""

    def __init__(self, role: str, task: Task, taken: socket.socket) -> None:
        self.role, self.task, self.socket = role, task, taken
        self.process: subprocess.Popen[bytes] | None = None
        self._stopping = threading.Event()
        self._spawning = threading.Lock()
        self._thread = threading.Thread(target=self._keep, daemon=True)

    def start(self, wait: bool) -> None:
        if wait and (said := self._spawn()) != "ready":
            raise SettingError(said or f"the {self.role} process ended before it was ready")
        self._thread.start()

    def stop(self) -> None:
        with self._spawning:
            self._stopping.set()
            if self.process is not None and self.process.stdin is not None:
                self.process.stdin.close()

    def join(self, seconds: float) -> None:
        if self.process is None:
            return
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def _spawn(self) -> str:
        given = {"socket": self.socket.fileno(), **asdict(self.task)}
        with self._spawning:
            if self._stopping.is_set():
                return ""
            self.process = subprocess.Popen(
                [sys.executable, "-m", "resemblance.web.process", self.role],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                pass_fds=[self.socket.fileno()] if self.role == "web" else [],
                env={**os.environ, **QUICK},
                process_group=0,  # Ctrl-C goes only to the supervisor, which closes the pipes.
            )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with self.process.stdout as said:  # The child writes only its reply here.
            try:
                self.process.stdin.write(json.dumps(given).encode() + b"\n")
                self.process.stdin.flush()
            except (BrokenPipeError, ValueError):  # The child is already dead or stopped.
                return ""
            reply = said.readline()
        return str(json.loads(reply)) if reply else ""

    def _keep(self) -> None:
        """Restart the process: at once if it was killed, after growing pauses if it failed."""
        young = 0
        while not self._stopping.is_set():
            began = time.monotonic()
            if self.process is None and (said := self._spawn()) not in ("ready", ""):
                log.error("the %s process cannot start: %s", self.role, said)
            status = self.process.wait() if self.process else None
            if self._stopping.is_set():
                return
            by_itself = status != -signal.SIGKILL and time.monotonic() - began < YOUNG_S
            young = young + 1 if by_itself else 0
            log.warning("the %s process ended (%s) and is restarted", self.role, status)
            self._stopping.wait(PAUSES[min(young, len(PAUSES) - 1)])
            with self._spawning:
                self.process = None if not self._stopping.is_set() else self.process


class Supervisor:
    def __init__(self, task: Task, host: str, port: int, n_web: int = 1) -> None:
        self.socket = listen(host, port)
        self.buckets = BucketsFile() if n_web > 1 else None
        if self.buckets is not None:
            path, key = self.buckets.path, self.buckets.key
            task = replace(task, processes=n_web, buckets=path, buckets_key=key)
        roles = ["web"] * n_web + ["worker"]
        self.children = [Child(role, task, self.socket) for role in roles]

    @property
    def port(self) -> int:
        return int(self.socket.getsockname()[1])

    def start(self) -> None:
        """Start the children; wait for the first child, which creates the database."""
        try:
            for number, child in enumerate(self.children):
                child.start(wait=number == 0)
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        for child in self.children:
            child.stop()
        for child in self.children:
            child.join(12.0)
        self.socket.close()
        if self.buckets is not None:
            self.buckets.remove()

    def pids(self) -> list[tuple[str, int]]:
        running = [(child.role, child.process) for child in self.children if child.process]
        return [(role, process.pid) for role, process in running if process.poll() is None]
