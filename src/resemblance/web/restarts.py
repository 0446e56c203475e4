"""How often the supervisor started its processes again, told to those who serve the metrics.

The supervisor makes a folder and names it in the environment of its children; it counts there in a
file of its own, and prometheus_client keeps the times of requests beside it.
"""

import json
import os
import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from resemblance.files import whole

FOLDER = "PROMETHEUS_MULTIPROC_DIR"  # the variable that prometheus_client reads, too
FILE = "restarts.json"


@dataclass
class Restarts:
    """The restarts of each role, in a file.

    Parameters
    ----------
    folder : Path
        Where the file is.
    roles : iterable of str
        What is counted, from 0.
    """

    folder: Path
    roles: Iterable[str]
    _counts: dict[str, int] = field(init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self._counts = dict.fromkeys(self.roles, 0)
        self._write()

    def add(self, role: str) -> None:
        """Count one more."""
        with self._lock:
            self._counts[role] += 1
            self._write()

    def _write(self) -> None:
        with whole(self.folder / FILE) as part:
            part.write_text(json.dumps(self._counts))


def counted() -> dict[str, int]:
    """Return the restarts of each role; none where no supervisor counts them."""
    folder = os.environ.get(FOLDER)
    if folder is None:
        return {}
    counts: dict[str, int] = json.loads((Path(folder) / FILE).read_text())
    return counts
