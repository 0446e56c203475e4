"""A worker: reads one fit to do per line (JSON), answers each with a line of what it took.

Both libraries are driven by this same loop, each in an interpreter of its own. It needs nothing but
NumPy, so that it runs in any peer's environment.
"""

import json
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

WARM_UP = 2000  # rows of the first fit of each method, which compiles what there is to compile


def peak_mb() -> float:
    """Give the peak memory of this process, in units of 10^6 bytes.

    Linux remembers in ru_maxrss what the parent held when it started this process; VmHWM does not.
    """
    status = Path("/proc/self/status")
    if status.exists():
        line = next(row for row in status.read_text().splitlines() if row.startswith("VmHWM"))
        return int(line.split()[1]) * 1024 / 1e6
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e6 if sys.platform == "darwin" else peak * 1024 / 1e6


def serve(fit: Callable[..., tuple[np.ndarray, int]]) -> None:
    """Do the fits that are asked for on standard input until it ends.

    ``fit(method, triplets, n_items, seed, **settings)`` gives the embedding and the iterations.
    """
    warm: set[str] = set()
    for line in sys.stdin:
        task = json.loads(line)
        out, method, train = task.pop("out"), task["method"], task.pop("train")
        triplets = np.load(train)
        if method not in warm:
            fit(**task, triplets=triplets[:WARM_UP])
            warm.add(method)
        before, cpu, wall = peak_mb(), time.process_time(), time.perf_counter()
        embedding, n_iter = fit(**task, triplets=triplets)
        took = {
            "seconds": time.perf_counter() - wall,
            "cpu_seconds": time.process_time() - cpu,
            "n_iter": int(n_iter),
            "peak_before_mb": before,
            "peak_mb": peak_mb(),
        }
        np.save(out, embedding)
        print(json.dumps(took), flush=True)
