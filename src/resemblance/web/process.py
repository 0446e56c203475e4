"""A child process of the supervisor: a web process or the worker, depending on its argument.

The first line of standard input is the task in JSON. The task contains keys, which would be visible
to all users of the machine if it were an argument. The first line of standard output is the reply:
``ready``, or an error. The process ends when its standard input closes.
"""

import gc
import json
import logging
import os
import socket
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from resemblance.errors import ResemblanceError

if TYPE_CHECKING:
    from resemblance.store import Store
    from resemblance.study.live import LiveStudy
    from resemblance.web.limits import Sharing

FORMAT = "%(asctime)s %(levelname)s %(message)s"
log = logging.getLogger("resemblance.web")

END_S = 10.0  # seconds after which a process that should end is killed
PIPE = 0  # file descriptor of standard input


def set_up(level: str) -> None:
    logging.basicConfig(stream=sys.stderr, format=FORMAT)
    logging.getLogger("resemblance").setLevel(level)


def main() -> None:
    task = _read_task()
    set_up(task["log"])
    stop = threading.Event()
    threading.Thread(target=_watch, args=(stop,), daemon=True).start()
    try:
        {"web": serve_web, "worker": run_worker}[sys.argv[1]](task, stop)
    except ResemblanceError as error:
        reply(str(error))
        raise SystemExit(1) from None


def _read_task() -> dict[str, Any]:
    """Read the first line without Python's buffer, whose lock could block the process's exit."""
    line = b""
    while not line.endswith(b"\n"):
        if not (more := os.read(PIPE, 65536)):
            raise SystemExit(1)
        line += more
    task: dict[str, Any] = json.loads(line)
    return task


def _watch(stop: threading.Event) -> None:
    while os.read(PIPE, 65536):
        pass
    stop.set()
    threading.Timer(END_S, os._exit, (1,)).start()


def reply(words: str) -> None:
    """Send a reply to the supervisor; later output is written to the log."""
    with suppress(BrokenPipeError):
        os.write(sys.stdout.fileno(), json.dumps(words).encode() + b"\n")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())


def serve_web(task: dict[str, Any], stop: threading.Event) -> None:
    from resemblance.web.accounts import Accounts
    from resemblance.web.app import create_app
    from resemblance.web.connections import run

    lives, stores = _opened(task)
    tell_unready(lives)
    app = create_app(
        lives,
        Accounts(Path(task["secret"])),
        host=task["host"],
        sharing=_sharing(task),
    )
    gc.freeze()  # Garbage collection skips all objects created so far, so answers are 1.5 % faster.
    reply("ready")
    run(app, socket.socket(fileno=task["socket"]), stop)
    for store in stores:
        store.close()


def tell_unready(lives: "list[LiveStudy]") -> None:
    """Log unfinished pages; until the pages are finished, only simulated people can enter."""
    for live in lives:
        nobody = f"nobody{' but simulated people' * live.settings.recruitment.admits_simulated}"
        for file in live.folder.unready:
            log.warning("%s: %s can enter before %s is written", live.folder.name, nobody, file)


def _sharing(task: dict[str, Any]) -> "Sharing":
    from resemblance.web.limits import Buckets, Sharing

    if task.get("buckets") is None:
        return Sharing()
    return Sharing(task["processes"], Buckets(Path(task["buckets"]), task["buckets_key"]))


def _opened(task: dict[str, Any]) -> "tuple[list[LiveStudy], list[Store]]":
    from resemblance.study.live import open_folders, open_stores

    folders = open_folders(Path(path) for path in task["studies"])
    return open_stores(folders)


def run_worker(task: dict[str, Any], stop: threading.Event) -> None:
    lives, stores = _opened(task)
    reply("ready")
    from resemblance.study.worker import run

    run(lives, stop)
    for store in stores:
        store.close()


if __name__ == "__main__":
    main()
