"""Start one process of the server like the supervisor, for tests that attack it."""

import json
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from dataclasses import asdict, dataclass

import uvicorn

from resemblance.web.supervisor import Task, listen

MODULE = ("-m", "resemblance.web.process")


def until(condition, seconds=90.0):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := condition():
            return found
        time.sleep(0.05)
    raise AssertionError("nothing happened in time")


@contextmanager
def running(app, **settings):
    """Run an application in a thread, on a local port; yield its address."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error", **settings))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.02)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join()


@dataclass(frozen=True)
class Running:
    process: subprocess.Popen
    address: tuple

    @property
    def url(self):
        return f"http://127.0.0.1:{self.address[1]}"


@contextmanager
def started(folder, role="web", before=(), program=MODULE, **settings):
    """Run a process for a study; ``before`` precedes the command, ``settings`` are for Popen."""
    with listen("127.0.0.1", 0) as taken:
        process = subprocess.Popen(
            [*before, sys.executable, *program, role],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            pass_fds=[taken.fileno()],
            **settings,
        )
        task = asdict(Task((str(folder),), str(folder / "secret"))) | {"socket": taken.fileno()}
        try:
            process.stdin.write(json.dumps(task).encode() + b"\n")
            process.stdin.flush()
            if b"ready" not in process.stdout.readline():
                raise ChildProcessError(f"the {role} process could not start")
            yield Running(process, taken.getsockname())
        finally:
            process.stdin.close()
            process.stdout.close()
            process.wait(20)
