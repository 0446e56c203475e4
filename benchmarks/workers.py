"""Run fits in other interpreters: our own, and a peer's in its own environment."""

import json
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from typing import Any, Self

import numpy as np
from problems import Problem

from resemblance import Triplets
from resemblance.scores import triplet_error

HERE = Path(__file__).parent
PEERS = HERE / "peers"
THREADED = ("OMP", "OPENBLAS", "MKL", "NUMBA")


class Worker:
    """A process that runs fits of one library, one after the other.

    Parameters
    ----------
    library : str
        The name in peers/<library>_worker.py.
    python : path
        The interpreter that has the library.
    one_core : bool
        Whether the process is limited to one thread.
    """

    def __init__(
        self, library: str, python: str | Path = sys.executable, one_core: bool = False
    ) -> None:
        one_thread = {f"{name}_NUM_THREADS": "1" for name in THREADED} if one_core else {}
        self._process = subprocess.Popen(
            [str(python), "-W", "ignore", str(PEERS / f"{library}_worker.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | one_thread,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def fit(
        self, problem: Problem, method: str, seed: int = 0, **settings: Any
    ) -> dict[str, float]:
        """Fit once; return seconds, iterations, peak memory and the held-out error."""
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "embedding.npy"
            took = self._ask(
                method=method,
                train=str(problem.train),
                n_items=problem.n_items,
                seed=seed,
                out=str(out),
                **settings,
            )
            test = Triplets(np.load(problem.test), items=problem.n_items)
            return {**took, "error": triplet_error(np.load(out), test)}

    def _ask(self, **task: Any) -> dict[str, float]:
        """Send one task; wait for its answer."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(task) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError(f"the worker ended during {task}: see its message above")
        return dict(json.loads(answer))


def cblearn_python(given: Path | None) -> Path:
    """Return an interpreter with cblearn: the given one, or that of a new environment."""
    if given is not None:
        return given
    folder = HERE / ".venv-cblearn"
    python, requirements = folder / "bin" / "python", PEERS / "cblearn-requirements.txt"
    if not (folder / ".ready").exists():
        if sys.version_info >= (3, 13):
            raise SystemExit("cblearn needs Python 3.11 or 3.12: name one with --cblearn-python.")
        venv.create(folder, with_pip=True, clear=True)
        subprocess.run([python, "-m", "pip", "install", "-q", "-r", requirements], check=True)
        (folder / ".ready").touch()
    return python
