"""From a file of answers to a map and a report: what `fit` and `demo` do."""

import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from resemblance.cli import output
from resemblance.cli.models import FormName, Recipe
from resemblance.cli.neighbours import Neighbours
from resemblance.cli.problems import in_options
from resemblance.cli.progress import Stopped, Work
from resemblance.cli.report import report_on
from resemblance.cli.source import Source
from resemblance.cli.validation import Fold, Validation, need_held_out
from resemblance.cli.views import PoeRecipe
from resemblance.cli.yada import CountSource, YadaRecipe
from resemblance.errors import SettingError
from resemblance.fitting import DimensionCurve, OrdinalEmbedding
from resemblance.fitting.uncertainty import PositionUncertainty
from resemblance.judgments import join_judgments
from resemblance.saving import save
from resemblance.scores import NoiseCeiling, noise_ceiling

MOST_DIMS = 10
MOST_PARAMETERS = 1000  # of a full covariance: beyond, each item is taken alone


@dataclass
class Study:
    """Answers, how to fit them, and what has been found so far."""

    source: Source | CountSource
    recipe: Recipe | YadaRecipe | PoeRecipe
    validation: Validation
    dims: int | None
    folder: Path
    work: Work

    model: OrdinalEmbedding = field(init=False)
    seconds: float = 0.0
    notes: list[str] = field(default_factory=list)
    held_out: dict[int, list[Fold]] = field(default_factory=dict)
    stage: str = "fitting"
    status: str = "not finished"
    neighbours: Neighbours | None = None

    def __post_init__(self) -> None:
        self.judgments: Any = self.source.read()  # judgments, or confusions
        self.clicks = (
            self.source.read_clicks(self.judgments.items)
            if isinstance(self.source, Source)
            else None
        )
        self.splitter = self.validation.splitter(self.judgments, self.recipe.seed)
        need_held_out(self.dims, self.splitter is not None)
        if self.neighbours is not None:
            self.neighbours.check(self.judgments.n_items)
        self.ceiling = self.find_ceiling()

    def find_ceiling(self) -> NoiseCeiling | None:
        """Estimate what no model can do better than, from repeated questions."""
        return noise_ceiling(self.judgments, random_state=self.recipe.seed)

    def run(self) -> None:
        """Fit first, so that a Ctrl-C during cross-validation finds the map in place."""
        output.make_folder(self.folder)
        for name in ("dimensions.png", "kernel_weights.png", "model.npz"):  # of an earlier fit
            (self.folder / name).unlink(missing_ok=True)
        try:
            self.fit(min(2, self.judgments.n_items - 1) if self.dims is None else self.dims)
            output.write_report(self.folder / "report.json", self.report())
            self.hold_out()
            self.status = "complete"
        except Stopped:
            self.status = f"interrupted while {self.stage}"

    def fit(self, dims: int) -> None:
        """Fit all answers, write the positions and the maps, then obey Ctrl-C."""
        self.stage = "fitting"
        title = self.recipe.title(dims)
        start = time.perf_counter()
        with self._noting():
            callback = self.work.iterations(f"fitting {title}")
            self.model = self.recipe.estimator(dims, callback).fit(self.and_clicks(self.judgments))
        self.seconds = time.perf_counter() - start
        self.write(title)
        self.work.check()

    def write(self, title: str) -> None:
        """Write the positions, the maps and the model."""
        output.write_embedding(self.folder / "embedding.csv", self.model)
        words = self.source.file.name, f"{title}, {self.counted}"
        output.write_maps(self.folder, self.model, *words, uncertainty=self.uncertainty())
        save(self.model, self.folder / "model.npz")
        if self.neighbours is not None:
            self.neighbours.write(self.model)

    def and_clicks(self, answers: Any) -> Any:
        """Give answers with all clicks: these are fitted each time, and never tested."""
        return answers if self.clicks is None else join_judgments([answers, self.clicks])

    @property
    def counted(self) -> str:
        """Say how many answers and clicks were fitted."""
        clicks = "" if self.clicks is None else f" and {len(self.clicks):,} clicks"
        return f"{len(self.judgments):,} {self.source.kind}{clicks}"

    def uncertainty(self) -> NDArray[np.float64] | None:
        """Give the standard deviation of each position, where positions are free and have odds."""
        if self.model.form != FormName.coordinates:
            return None
        try:
            told = self.and_clicks(self.judgments)
            found = PositionUncertainty.of_fit(self.model, told, MOST_PARAMETERS).deviation
        except SettingError:
            return None
        return found if np.isfinite(found).all() else None

    def hold_out(self) -> None:
        """Measure the fit on answers held out, and choose by them what is to be chosen."""
        if self.dims is None:
            self.choose_dimension()
        else:
            self.cross_validate([self.dims])

    def report(self) -> dict[str, Any]:
        """Draw up what is known so far."""
        return report_on(self)

    def cross_validate(self, dims: list[int]) -> None:
        """Hold out every fold in turn, for each number of dimensions."""
        if self.splitter is None:
            return
        auto = self.dims is None
        self.stage = "choosing the number of dimensions" if auto else "cross-validating"
        advance = self.work.folds(self.stage, len(dims) * self.splitter.n_splits)
        for n in dims:
            found = self.held_out.setdefault(n, [])
            for train, test in self.splitter.split(self.judgments):
                with warnings.catch_warnings(action="ignore"):
                    model = self.recipe.estimator(n, self.work.until_stopped)
                    model.fit(self.and_clicks(self.judgments[train]))
                self.work.check()
                found.append(Fold.of(model, self.judgments[test]))
                advance()

    def choose_dimension(self) -> None:
        """Cross-validate the fitted dimensions, then the others; fit again in those chosen."""
        tried = range(1, min(MOST_DIMS, self.judgments.n_items - 1) + 1)
        self.cross_validate(sorted(tried, key=lambda n: n != self.model.n_components))
        curve = self.curve
        assert curve is not None
        output.write_curve(self.folder / "dimensions.png", curve)
        if curve.chosen != self.model.n_components:
            self.fit(curve.chosen)

    @property
    def curve(self) -> DimensionCurve | None:
        """The held-out errors of those numbers of dimensions whose folds are all there."""
        if self.dims is not None or self.splitter is None:
            return None
        errors = {n: [fold.error for fold in folds] for n, folds in self.held_out.items()}
        done = sorted(n for n, found in errors.items() if len(found) == self.splitter.n_splits)
        if not done:
            return None
        ceiling = None if self.ceiling is None else self.ceiling.error
        return DimensionCurve(np.array(done), np.array([errors[n] for n in done]), ceiling)

    @contextmanager
    def _noting(self) -> Iterator[None]:
        """Keep what the library warns of, in place of what it said of an earlier fit."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield
        self.notes = list(dict.fromkeys(in_options(str(warning.message)) for warning in caught))


def run_study(
    source: Source | CountSource,
    recipe: Recipe | YadaRecipe | PoeRecipe,
    validation: Validation,
    dims: int | None,
    folder: Path,
    visible: bool = False,
    kind: type[Study] = Study,
    neighbours: Neighbours | None = None,
) -> dict[str, Any]:
    """Fit a file of answers and leave everything in a folder; None dimensions are chosen.

    Returns
    -------
    dict
        The report, as it is in the folder.
    """
    study = kind(source, recipe, validation, dims, folder, Work(visible), neighbours=neighbours)
    with study.work:
        study.run()
    report = study.report()
    output.write_report(folder / "report.json", report)
    return report
