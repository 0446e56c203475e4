"""Fit a folder of answers that stays on disk, and write a map and a report."""

import time
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from resemblance import __version__
from resemblance.analysis import Analysis, evaluate
from resemblance.cli import output
from resemblance.cli.options import Kind
from resemblance.cli.output import Work
from resemblance.cli.problems import message_of
from resemblance.cli.source import Source
from resemblance.errors import SettingError
from resemblance.fitting import OrdinalEmbedding
from resemblance.recipe import Recipe
from resemblance.saving import save

if TYPE_CHECKING:
    from resemblance.judgments import Judgments, StoredJudgments

SHARE = 100  # one row of so many is held out
MOST_TESTED = 200_000  # rows that are scored
MOST_SHOWN = 2_000  # items of a map
FILES = "map.png", "embedding.csv", "model.npz", "report.json"


@dataclass
class StoredFit:
    source: Source
    recipe: Recipe
    folder: Path

    model: OrdinalEmbedding = field(init=False)
    analysis: Analysis = field(init=False)
    seconds: float = 0.0
    status: str = "complete"

    def __post_init__(self) -> None:
        self._refuse()
        self.rows = self._scan()
        by = "response_id" if "response_id" in self.rows.columns else "row"
        self.train, test = self.rows.split(SHARE, by=by, seed=self.recipe.seed)
        if not len(test) or not len(self.train):
            raise SettingError(
                f"{self.source.file} has {len(self.rows):,} rows, too few to hold one of {SHARE} "
                "out: fit them from one file"
            )
        self.test: Judgments = test.sample(MOST_TESTED, self.recipe.seed)
        self.work = Work()

    def _refuse(self) -> None:
        if self.source.clicks is not None:
            raise SettingError("--clicks are fitted beside a file of answers, not a folder")
        if self.recipe.dims == "auto" or self.recipe.chooses_model or self.recipe.described.search:
            raise SettingError(
                "answers in a folder are fitted once: name the --dims and a --model that needs no "
                "search, or choose them on some of the answers in one file first"
            )

    def _scan(self) -> "StoredJudgments":
        from resemblance import judgments

        kind = self.source.kind or Kind.triplets
        if not hasattr(judgments, f"scan_{kind}"):
            raise SettingError(f"--kind {kind} is read from one file, not from a folder")
        scan: Callable[..., StoredJudgments] = getattr(judgments, f"scan_{kind}")
        return scan(self.source.file, self.source.known_items(), self.source.columns)

    def run(self) -> None:
        output.make_folder(self.folder)
        start = time.perf_counter()
        asked = self.recipe.dims or self.recipe.described.n_components
        dims = None if asked is None else int(asked)
        with self.work, warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            what = f"fitting {self.recipe.described.title}"
            callback = self.work.iterations(what, n_rows=len(self.train))
            self.model = self.recipe.estimator(dims, callback).fit(self.train)
            self.seconds = time.perf_counter() - start
            self.model.callback = None
            self.status = "interrupted while fitting" if self.work.stopped else self.status
        messages = [message_of(warning.message) for warning in caught]
        self.analysis = replace(
            evaluate(self.model, self.test),
            warnings=tuple(messages),
            seconds=self.seconds,
            door="command",
        )
        self.write()

    def write(self) -> None:
        output.write_embedding(self.folder / "embedding.csv", self.model)
        save(self.model, self.folder / "model.npz")
        n, drawn = len(self.model.items_), self._drawn_items
        title = f"{self.recipe.title(self.model)}, {len(self.train):,} rows"
        words = (
            f"{title}; {len(drawn):,} of {n:,} items, drawn at random" if len(drawn) < n else title
        )
        notes = output.write_maps(
            self.folder, self.model, self.source.file.name, words, subset=drawn
        )
        self.analysis = replace(self.analysis, warnings=(*self.analysis.warnings, *notes))
        output.write_report(self.folder / "report.json", self.report())

    @property
    def _drawn_items(self) -> Any:
        n = len(self.model.items_)
        if n <= MOST_SHOWN:
            return np.arange(n)
        return np.sort(np.random.default_rng(self.recipe.seed).choice(n, MOST_SHOWN, replace=False))

    def report(self) -> dict[str, Any]:
        settings = {**asdict(self.source), "model": self.recipe.model, "dims": self.recipe.dims}
        return {
            "resemblance": __version__,
            "status": self.status,
            "settings": settings | dict(self.recipe.settings) | {"seed": self.recipe.seed},
            "rows": {
                "scanned": len(self.rows),
                "fitted": len(self.train),
                "held_out": len(self.rows) - len(self.train),
                "scored": len(self.test),
                "columns_left_out": self.rows.left_out,
            },
            **self.analysis.as_dict(),
        }

    def tell(self) -> None:
        fitted = f"{len(self.train):,} {self.source.kind or Kind.triplets} of {self.source.file}"
        held = ("held out", f"{len(self.test):,} others, which are what the following is about")
        left = self.rows.left_out
        columns = [("columns left out", ", ".join(left))] if left else []
        words = [("fitted", fitted), held, *columns, *self.analysis.lines()]
        output.print_summary(words, self.analysis.warnings, self.status, self.folder, FILES)
