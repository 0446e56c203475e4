"""Show progress of a command, and end it on Ctrl-C."""

import signal
import time
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn

from resemblance.cli.problems import Stopped, message_of
from resemblance.progress import Watch

if TYPE_CHECKING:
    from resemblance.progress import Told
    from resemblance.solvers import Callback, Progress as Iteration


class Work(Watch):
    """A progress bar on stderr, with a Ctrl-C that waits for a safe place.

    After the first Ctrl-C, iterations stop and `check` raises `Stopped`. The second one is
    Python's own `KeyboardInterrupt`.
    """

    def __init__(self) -> None:
        console = Console(stderr=True)
        super().__init__()
        self.stopped = False
        self.ending = lambda now: self.stopped
        self._bar = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )

    def __enter__(self) -> Self:
        self._before = signal.signal(signal.SIGINT, self._stop)
        if not self._bar.disable:
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if not self._bar.disable:
            self._bar.stop()
        signal.signal(signal.SIGINT, self._before)

    def _stop(self, number: int, frame: Any) -> None:
        if self.stopped:
            raise KeyboardInterrupt
        self.stopped = True
        for task in self._bar.task_ids:
            self._bar.update(task, description="stopping (Ctrl-C again to drop everything)")

    def check(self, what: str = "working") -> None:
        """Raise if Ctrl-C was pressed."""
        if self.stopped:
            raise Stopped(what)

    def iterations(self, what: str, n_rows: int = 0) -> "Callback":
        """Return a fit's callback, which shows iterations and stops after Ctrl-C.

        With a number of rows it also shows rows per second.
        """
        task, before = self._bar.add_task(what, total=None), time.perf_counter()

        def report(now: "Iteration") -> bool:
            nonlocal before
            passed, before = time.perf_counter() - before, time.perf_counter()
            rate = f", {n_rows / max(passed, 1e-6) / 1e6:.2g} million rows/s" if n_rows else ""
            words = {} if self.stopped else {"description": f"{what}: loss {now.loss:.5g}{rate}"}
            self._bar.update(task, completed=now.iteration, **words)  # type: ignore[arg-type]
            return self.stopped

        return report

    def steps(self, what: str) -> "Told":
        """Return a callback of steps, which raises `Stopped` after Ctrl-C."""
        task = self._bar.add_task(what, total=None)

        def advance(done: int, n: int) -> None:
            self._bar.update(task, total=n, completed=done)
            self.check(what)

        return advance

    def folds(self, what: str, total: int) -> "Told":
        """Return a function to call after each fold, which returns whether Ctrl-C was pressed."""
        task = self._bar.add_task(what, total=total)

        def advance(done: int, n_folds: int) -> bool:
            self._bar.update(task, advance=1)
            return self.stopped

        return advance

    def words(self, warning: Warning | str) -> str:
        """Return a warning with the command's option that it is about."""
        return message_of(warning)
