"""Output of commands: lines and progress in the terminal, figures, and tables."""

import signal
import time
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import wraps
from inspect import signature
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn

from resemblance.cli import options
from resemblance.cli.problems import Stopped, message_of, with_options
from resemblance.errors import FileError
from resemblance.files import FIGURE_WIDTH, FIGURES, as_json, centimetres, safe, whole
from resemblance.progress import Watch

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure
    from numpy.typing import NDArray

    from resemblance.fitting import OrdinalEmbedding
    from resemblance.plotting.scene import SomeDirections
    from resemblance.progress import Told
    from resemblance.solvers import Callback, Progress as Iteration

WIDTH = 17.0  # width of figures in centimetres
DPI = 300


def with_figures(command: Callable[..., None]) -> Callable[..., None]:
    """Add the option ``--size`` to a command, for all of its pictures."""

    @wraps(command)
    def drawing(*args: Any, size: str | None = None, **given: Any) -> None:
        width = None if size is None else centimetres(size)
        token = FIGURE_WIDTH.set(width)
        try:
            command(*args, **given)
        finally:
            FIGURE_WIDTH.reset(token)

    return with_options(drawing, {"size": (options.FigureSize, None)}, signature(command))


def make_folder(path: Path) -> Path:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"{path} cannot be created ({error}): name another folder") from error
    return path


def write_csv(path: Path, table: "pd.DataFrame") -> None:
    with whole(path) as part:
        table.map(safe).to_csv(part, index=False)


def write_figure(path: Path, drawn: "Axes | Figure | SubFigure", dpi: int = 200) -> None:
    figure: Any = drawn.get_figure(root=True)
    with whole(path) as part:
        figure.savefig(part, format=path.suffix[1:].lower(), dpi=dpi)


def print_lines(lines: Iterable[tuple[str, str]]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for name, said in lines:
        table.add_row(name, Text(said))
    Console(highlight=False, markup=False).print(table)


def print_summary(
    lines: Iterable[tuple[str, str]],
    warnings: Iterable[str],
    status: str,
    folder: Path,
    files: Iterable[str],
) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, markup=False)
    print_lines(lines)
    for warning in warnings:
        console.print(Text.assemble(("warning: ", "bold yellow"), warning))
    if status != "complete":
        console.print(Text(f"{status}: the results so far are kept", "bold yellow"))
    console.print(Text(f"map: {folder / 'map.html'}", "bold green"), soft_wrap=True)
    console.print(Text(f"and in the same folder: {', '.join(files)}"), soft_wrap=True)


def write_embedding(
    path: Path, model: "OrdinalEmbedding", covariances: "NDArray[np.float64] | None" = None
) -> None:
    import numpy as np
    import pandas as pd

    items = model.items_
    table: dict[str, Any] = {"item": items.names}
    if items.titles is not None:
        table["name"] = items.titles
    if items.labels is not None:
        table["label"] = items.labels
    table |= {f"x{d}": x for d, x in enumerate(model.embedding_.T, 1)}
    if covariances is not None:
        from resemblance.fitting.averaging import by_pairs

        table |= by_pairs(covariances)
    table["mentioned"] = ~np.isin(np.arange(len(items)), model.unmentioned_)
    write_csv(path, pd.DataFrame(table))


def write_rdm(path: Path, model: "OrdinalEmbedding") -> None:
    from resemblance.errors import quiet
    from resemblance.rdms import rdm, write_rdms

    with quiet():
        made = rdm(model)
    write_rdms(made, path)


def write_maps(
    folder: Path,
    model: "OrdinalEmbedding",
    title: str,
    subtitle: str,
    uncertainty: "NDArray[np.float64] | None" = None,
    directions: "SomeDirections" = None,
    subset: "NDArray[np.intp] | None" = None,
) -> list[str]:
    """Write map.png and map.html; return notes on characters that are missing in all fonts."""
    import numpy as np

    from resemblance.errors import quiet
    from resemblance.plotting import save_map
    from resemblance.plotting.canvas import without_font

    subset = np.arange(len(model.items_)) if subset is None else subset
    for name in ("map.png", "map.html"):
        with whole(folder / name) as part, quiet():
            save_map(
                model.embedding_[subset],
                part,
                model.items_.taken(subset),
                flagged=np.isin(subset, model.unmentioned_),
                uncertainty=uncertainty,
                directions=directions,
                title=title,
                subtitle=subtitle,
            )
    return without_font([title, subtitle, *(model.items_.titles or model.items_.names)])


def write_report(path: Path, report: Mapping[str, Any]) -> None:
    with whole(path) as part:
        part.write_text(as_json(report) + "\n", encoding="utf-8")


class Work(Watch):
    """A progress bar on stderr that handles Ctrl-C.

    After the first Ctrl-C, iterations stop and `check` raises `Stopped`. A second Ctrl-C raises
    `KeyboardInterrupt` at once.
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
            self._bar.update(task, description="stopping (Ctrl-C again to discard everything)")

    def check(self, what: str = "working") -> None:
        if self.stopped:
            raise Stopped(what)

    def iterations(self, what: str, n_rows: int = 0) -> "Callback":
        """Return a callback of fits that shows iterations, and stops the fit after Ctrl-C."""
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
        """Return a callback of steps that raises `Stopped` after Ctrl-C."""
        task = self._bar.add_task(what, total=None)

        def advance(done: int, n: int) -> None:
            self._bar.update(task, total=n, completed=done)
            self.check(what)

        return advance

    def folds(self, what: str, total: int) -> "Told":
        """Return a callback of folds that returns whether Ctrl-C was pressed."""
        task = self._bar.add_task(what, total=total)

        def advance(done: int, n_folds: int) -> bool:
            self._bar.update(task, advance=1)
            return self.stopped

        return advance

    def words(self, warning: Warning | str) -> str:
        return message_of(warning)


@dataclass(frozen=True)
class Picture:
    file: Path
    width: float = WIDTH

    @classmethod
    def asked(cls, file: Path | None, out: Path) -> "Picture | None":
        """Check the path before answers are read. It may be in `out`, which may not exist yet."""
        if file is None:
            return None
        suffix = file.suffix.lower()
        if suffix not in FIGURES:
            raise FileError(
                f"{file}: --picture cannot be {suffix or 'without suffix'!r}: name a .pdf, .svg or "
                ".png file",
                setting="picture",
            )
        if not file.parent.is_dir() and file.parent.absolute() != out.absolute():
            raise FileError(
                f"{file}: there is no folder {file.parent}: create it first (--picture)",
                setting="picture",
            )
        return cls(file, FIGURE_WIDTH.get() or WIDTH)

    def write(self, model: "OrdinalEmbedding", directions: "SomeDirections" = None) -> list[str]:
        from resemblance.plotting import save_map
        from resemblance.plotting.canvas import without_font

        with warnings.catch_warnings(record=True) as caught, whole(self.file) as part:
            warnings.simplefilter("always")
            save_map(
                model.embedding_,
                part,
                model.items_,
                flagged=model.unmentioned_,
                directions=directions,
                width=self.width,
                dpi=DPI,
            )
        missing = without_font(model.items_.titles or model.items_.names)
        notes = dict.fromkeys(message_of(warning.message) for warning in caught)
        return [note if note in missing else f"{self.file.name}: {note}" for note in notes]

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)
