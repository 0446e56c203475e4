"""From a file of answers to a map and a report: what `fit` and `demo` do."""

import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.text import Text

from resemblance import __version__
from resemblance.analysis import Analysis
from resemblance.analysis.workflow import MOST_DIMS, splitter
from resemblance.catalog import AUTO_MODEL, MODEL, Entry
from resemblance.cli import output
from resemblance.cli.loadings import FILES, Loadings
from resemblance.cli.models import Recipe
from resemblance.cli.options import By
from resemblance.cli.picture import Picture
from resemblance.cli.problems import Stopped, message_of
from resemblance.cli.progress import Work
from resemblance.cli.source import CONFUSIONS, Source
from resemblance.errors import SettingError
from resemblance.fitting import (
    DimensionCurve,
    GroupedKFold,
    HeldOut,
    ModelComparison,
    OrdinalEmbedding,
    compare_models,
)
from resemblance.fitting.held_out import ceiling_of, joined, kept_whole
from resemblance.fitting.uncertainty import PositionUncertainty
from resemblance.judgments.tables import write_table
from resemblance.saving import save
from resemblance.scores import nearest_items

MOST_PARAMETERS = 1000  # of a full covariance: beyond, each item is taken alone
SEARCH_FOLDS = 5
NEIGHBOURS = 10
OTHER_FILES = "model.npz", "dimensions.png", "kernel_weights.png"  # that not every fit writes
UNLIKE = 10.0  # times that one feature may vary as much as another before it is told


@dataclass
class Study:
    """Answers, how to fit them, and what has been found so far."""

    source: Source
    recipe: Recipe
    folder: Path
    visible: bool = False
    folds: int | None = None
    by: By | None = None
    neighbours: Path | None = None
    k: int | None = None
    rdm: Path | None = None
    picture: Picture | None = None

    model: OrdinalEmbedding = field(init=False)
    seconds: float = 0.0
    notes: list[str] = field(default_factory=list)
    held_out: dict[int, HeldOut] = field(default_factory=dict)
    found: dict[str, Any] = field(default_factory=dict)  # settings that were chosen
    tuning: dict[str, Any] | None = None
    compared: ModelComparison | None = None
    loadings: Loadings | None = None
    stage: str = "fitting"
    status: str = "not finished"

    def __post_init__(self) -> None:
        self.judgments = self.source.read()
        self.counted = self.source.kind == CONFUSIONS
        self.clicks = self.source.read_clicks(self.judgments.items)
        self.splitter = self._splitter()
        self.recipe.need_held_out(self.splitter is not None)
        self.chooses_model = self.recipe.chooses_model
        if self.chooses_model:  # among those of the default's kind, of which one is fitted first
            self.recipe = replace(self.recipe, model=MODEL)
        self.n_neighbours = self._neighbours()
        self.work = Work(self.visible)
        self.ceiling = ceiling_of(self.judgments)
        if self.counted:
            self._read_features()

    def _splitter(self) -> GroupedKFold | None:
        """Make the splitter, or None where nothing is to be or can be held out."""
        return splitter(self.judgments, self.folds, self.by, self.recipe.seed)

    def _neighbours(self) -> int:
        """Return how many neighbours are told, and refuse more than there are."""
        others = self.judgments.n_items - 1
        if self.k is not None and self.k > others:
            raise SettingError(f"--k is {self.k}, and an item has {others} neighbours: lower it")
        return min(NEIGHBOURS, others) if self.k is None else self.k

    def _read_features(self) -> None:
        """Take what a fit of counts needs of the features: their names and their spread."""
        if self.recipe.open and len(self.judgments) < 2:
            named = " and ".join(f"--{name}" for name in self.recipe.open)
            raise SettingError(f"one pair leaves none to choose settings on: give {named}")
        names, spread = self.feature_names, self.judgments.items.features.std(axis=0)
        for name in self.recipe.settings.get("monotone", ()):
            if name not in names:
                raise SettingError(
                    f"--monotone names {name}, and the features are {', '.join(names)}: name some "
                    "of these"
                )
        numbers = [names.index(name) for name in self.recipe.settings.get("monotone", ())]
        self.unit = float(np.sqrt((spread**2).mean())) or 1.0
        self.found = {"bandwidth": self.unit} if "bandwidth" in self.recipe.open else {}
        self.found |= {"monotone": tuple(numbers)} if numbers else {}
        least, most = spread.argmin(), spread.argmax()
        self.unlike = (
            f"{names[most]} varies {spread[most] / spread[least]:.0f} times as much as "
            f"{names[least]}, which counts for little at the start of the fit and in a kernel: "
            "bring the features to units in which they vary alike."
            if spread[most] > UNLIKE * spread[least] > 0
            else None
        )

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The names of the features, of the first file of them."""
        return self.source.feature_names()

    def run(self) -> None:
        """Fit first, so that a Ctrl-C during cross-validation finds the map in place."""
        output.make_folder(self.folder)
        for name in (*OTHER_FILES, *FILES):  # of an earlier fit
            (self.folder / name).unlink(missing_ok=True)
        with self.work:
            try:
                self.fit(self._first_dims)
                self.write_report()
                self.hold_out()
                self.find_again()
                self.status = "complete"
            except Stopped:
                self.status = f"interrupted while {self.stage}"
        self.write_report()

    @property
    def _first_dims(self) -> int | None:
        """The number of dimensions of the first fit; None is all."""
        if self.recipe.dims == "auto":
            return min(2, self.judgments.n_items - 1)
        asked = self.recipe.dims
        return self.recipe.described.n_components if asked is None else int(asked)

    def estimator(self, dims: int | None, callback: Any) -> OrdinalEmbedding:
        """Make an estimator with the settings that were given, or chosen."""
        own = self.recipe.described.settings.keys() - self.recipe.settings.keys()
        none = "penalty" in own and not self.judgments.scoring.of_answers
        more = {"penalty": None} if none else {}  # it is chosen for answers alone
        return self.recipe.estimator(dims, callback, **(more | self.found))

    def fit(self, dims: int | None) -> None:
        """Fit all answers, write the positions and the maps, then obey Ctrl-C."""
        self.stage, start = "fitting", time.perf_counter()
        with self._noting():
            callback = self.work.iterations(f"fitting {self.recipe.described.title}")
            estimator = self.estimator(dims, callback)
            self.model = estimator.fit(joined(self.judgments, self.clicks))
        self.seconds = time.perf_counter() - start
        if self.recipe.described.sparse:
            self.found |= self.model.chosen_
            self.loadings = Loadings(self.model)  # type: ignore[arg-type]
        self.model.callback = lambda now: self.work.stopped  # of the folds, which show no bar
        self.write()
        self.work.check()

    def write(self) -> None:
        """Write the positions, the maps, the model and the nearest items."""
        output.write_embedding(self.folder / "embedding.csv", self.model)
        words = self._words
        if self.loadings is not None:
            self.loadings.write(self.folder, *words)
        output.write_maps(self.folder, self.model, *words, uncertainty=self.uncertainty())
        if hasattr(self.model, "kernel_weights_"):
            output.write_kernel_weights(self.folder / "kernel_weights.png", self.model)
        save(self.model, self.folder / "model.npz")
        if self.neighbours is not None:
            write_table(nearest_items(self.model, self.n_neighbours).to_pandas(), self.neighbours)
        if self.rdm is not None:
            output.write_rdm(self.rdm, self.model)
        if self.picture is not None:
            told = self.picture.write(self.model)
            self.notes += [note for note in told if note not in self.notes]

    @property
    def _words(self) -> tuple[str, str]:
        """The title of pictures, and the line below it."""
        return self.source.file.name, f"{self.recipe.title(self.model)}, {self.analysis.size}"

    def uncertainty(self) -> NDArray[np.float64] | None:
        """Return the standard deviation of each position, where the model can say."""
        if self.counted or self.loadings or self.recipe.settings.get("form") == "gram":
            return None
        try:
            told = joined(self.judgments, self.clicks)
            found = PositionUncertainty.of_fit(self.model, told, MOST_PARAMETERS).deviation
        except SettingError:
            return None
        return found if np.isfinite(found).all() else None

    def hold_out(self) -> None:
        """Choose what is left open on answers held out, and measure the fit on them."""
        if self.chooses_model:
            self.choose_model()
        if self.recipe.dims == "auto":
            self.choose_dimension()
            return
        if self.recipe.open and (self.counted or self.splitter is not None):
            self.choose_settings()
        self.cross_validate([self.model.n_components])

    def find_again(self) -> None:
        """Say how well dimensions with names are found again, unless nothing is to be checked."""
        if self.loadings is None or self.splitter is None:
            return
        self.stage = "finding the dimensions again"
        told = joined(self.judgments, self.clicks)
        try:
            self.loadings.measure(told, self.work, self.recipe.seed)
        finally:  # what was measured before a Ctrl-C counts
            self.loadings.write(self.folder, *self._words)

    def cross_validate(self, dims: list[Any]) -> None:
        """Hold out every fold in turn, for each number of dimensions."""
        if self.splitter is None:
            return
        auto = self.recipe.dims == "auto"
        self.stage = "choosing the number of dimensions" if auto else "cross-validating"
        advance = self.work.folds(self.stage, len(dims) * self.splitter.n_splits)
        for n in dims:
            model = self.estimator(n, lambda now: self.work.stopped)
            data = self.judgments, self.splitter, self.clicks
            self.held_out[n] = HeldOut.of_folds(model, *data, advance)
            self.work.check()

    def choose_dimension(self) -> None:
        """Cross-validate the fitted dimensions, then the others; fit again in those chosen."""
        tried = range(1, min(MOST_DIMS, self.judgments.n_items - 1) + 1)
        self.cross_validate(sorted(tried, key=lambda n: n != self.model.n_components))
        curve = self.curve
        assert curve is not None
        output.write_curve(self.folder / "dimensions.png", curve)
        if curve.chosen != self.model.n_components:
            self.fit(curve.chosen)

    def choose_model(self) -> None:
        """Choose the model under which answers held out are most likely; it has its own options."""
        self.stage = "choosing the model"
        n = self.model.n_components
        self.compared = compare_models(
            self.judgments,
            n_components=n,
            cv=self.splitter,
            callback=self.work.steps(self.stage),
        )
        if self.compared.chosen != self.recipe.model:
            self.recipe = replace(self.recipe, model=self.compared.chosen)
            self.fit(n)

    def choose_settings(self) -> None:
        """Choose the settings that are open as the model's search does, and fit with them."""
        asked, described = self.recipe.open, self.recipe.described
        self.stage = f"choosing {' and '.join(asked)}"
        estimator = self.estimator(self.model.n_components, lambda now: self.work.check())
        kind = Entry("", described.search).load()
        grids: dict[str, Any] = {
            grid: np.asarray(getattr(kind(), grid)) if name in asked else [getattr(estimator, name)]
            for name, grid in described.searched.items()
        }
        if "bandwidth" in asked:
            grids["bandwidths"] *= self.unit
        search = kind(estimator, **grids, cv=self._search_folds(), random_state=self.recipe.seed)
        search.choose(self.judgments, self.work.steps(self.stage))
        chosen = {name: getattr(search, f"best_{name}_") for name in asked}
        scores = search.scores_ if self.counted else search.scores_.mean(axis=1)  # over folds
        self.tuning = {"chosen": chosen, **grids, "scores": scores}
        self.found |= chosen
        self.fit(self.model.n_components)

    def _search_folds(self) -> Any:
        """Return the folds on which settings are chosen."""
        if self.counted:
            return min(SEARCH_FOLDS, len(self.judgments))
        assert self.splitter is not None
        n_splits = min(SEARCH_FOLDS, self.splitter.n_splits)
        return GroupedKFold(n_splits, by=self.splitter.by, random_state=self.recipe.seed)

    @property
    def curve(self) -> DimensionCurve | None:
        """The held-out errors of those numbers of dimensions whose folds are all there."""
        if self.recipe.dims != "auto" or self.splitter is None:
            return None
        n_splits = self.splitter.n_splits
        done = {n: one for n, one in self.held_out.items() if len(one.errors) == n_splits}
        if not done:
            return None
        dims = sorted(done)
        errors = np.array([done[n].errors for n in dims])
        ceiling = None if self.ceiling is None else self.ceiling.error
        return DimensionCurve(np.array(dims), errors, ceiling)

    @contextmanager
    def _noting(self) -> Iterator[None]:
        """Keep what the library warns of, in place of what it said of an earlier fit."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield
        told = [message_of(warning.message) for warning in caught]
        self.notes = list(dict.fromkeys([*told, *filter(None, [getattr(self, "unlike", None)])]))

    @property
    def analysis(self) -> Analysis:
        """What is known of the fit so far."""
        return Analysis(
            self.model,
            self.judgments,
            self._held_out(),
            self.ceiling,
            self.clicks,
            self.curve,
            self.seconds,
            tuple(self.notes),
            self.compared,
        )

    def _held_out(self) -> HeldOut | None:
        """Return what the folds said of the fitted number of dimensions, so far."""
        if self.splitter is None:
            return None
        by = kept_whole(self.judgments, self.by)
        return self.held_out.get(self.model.n_components, HeldOut(by, self.splitter.n_splits))

    def report(self) -> dict[str, Any]:
        """Draw up what is known so far."""
        known = self.analysis.as_dict()
        known["data"] |= {"file": self.source.file}
        return {
            "resemblance": __version__,
            "status": self.status,
            "settings": self._asked(),
            **known,
            "features": self.feature_names if self.counted else None,
            "tuning": self.tuning,
            **({} if self.loadings is None else {"loadings": self.loadings.as_dict()}),
        }

    def _asked(self) -> dict[str, Any]:
        """Repeat the settings of the command."""
        recipe = self.recipe
        own = {name: recipe.settings.get(name) for name in recipe.described.own}
        picture = None if self.picture is None else self.picture.as_dict()
        files = {"out": self.folder, "neighbours": self.neighbours, "rdm": self.rdm}
        checked = {"dims": recipe.dims or self._first_dims, "folds": self.folds, "by": self.by}
        model = AUTO_MODEL if self.chooses_model else recipe.model
        return {**asdict(self.source), "model": model, **own, "seed": recipe.seed} | {
            **checked,
            **files,
            "picture": picture,
        }

    def write_report(self) -> None:
        """Write the report as it is now."""
        output.write_report(self.folder / "report.json", self.report())

    def tell(self) -> None:
        """Print what the fit found, and where its files are."""
        console = Console(highlight=False)
        *lines, last = self.analysis.lines()
        output.print_lines([*lines, *self._chosen(), last])
        for warning in self.notes:
            console.print(Text.assemble(("warning: ", "bold yellow"), warning))
        if self.status != "complete":
            console.print(Text(f"{self.status}: what there was is kept", "bold yellow"))
        console.print(Text(f"map: {self.folder / 'map.html'}", "bold green"), soft_wrap=True)
        names = "map.png", "embedding.csv", "report.json"
        others = [
            *names,
            *(name for name in (*OTHER_FILES, *FILES) if (self.folder / name).exists()),
        ]
        console.print(Text(f"and in the same folder: {', '.join(others)}"), soft_wrap=True)

    def _chosen(self) -> list[tuple[str, str]]:
        """Name the features of counts, and the settings that a search may choose, and how."""
        lines = [("features", ", ".join(self.feature_names))] if self.counted else []
        lines += [] if self.loadings is None else self.loadings.lines()
        if self.compared is not None:
            table = self.compared.to_pandas()
            said = ", ".join(f"{name} {loss:.3f}" for name, loss in table["log_loss"].items())
            lines.append(("models", f"{said} (log loss; the least is fitted, of a tie the first)"))
        names = self.recipe.described.searched
        if names:
            said = ", ".join(f"{name} {self._value(name):.4g}" for name in names)
            if self.tuning is not None:
                said += f" ({' and '.join(self.tuning['chosen'])} chosen on held-out answers)"
            lines.append(("settings", said))
        return lines

    def _value(self, name: str) -> float:
        return float(getattr(self.model, name))
