"""Fit answers in a file, or in a folder on disk; write a map and a report."""

import time
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from resemblance import __version__
from resemblance.analysis import Analysis, estimate_effects, evaluate
from resemblance.analysis.comparison import spreads
from resemblance.analysis.exclusions import looked_at, without_gold
from resemblance.analysis.second_map import SecondMap, refuse_second_map, second_map
from resemblance.analysis.wording import second_map_words
from resemblance.analysis.workflow import Workflow, splitter
from resemblance.arrays import Floats
from resemblance.catalog import REASON
from resemblance.cli import output
from resemblance.cli.loadings import FILES, Loadings
from resemblance.cli.options import By, Kind
from resemblance.cli.output import Picture, Work
from resemblance.cli.problems import Stopped, message_of
from resemblance.cli.source import CONFUSIONS, Source
from resemblance.errors import SettingError, count, first_few
from resemblance.fitting import OrdinalEmbedding
from resemblance.fitting.averaging import AveragedUncertainty, averaged_uncertainty
from resemblance.fitting.held_out import joined
from resemblance.fitting.penalty import settled
from resemblance.judgments import Judgments
from resemblance.judgments.tables import write_table
from resemblance.optional import pd
from resemblance.recipe import Recipe
from resemblance.saving import save
from resemblance.scores import feature_directions, nearest_items, word_directions
from resemblance.scores.directions import Directions, FeatureDirections

if TYPE_CHECKING:
    from resemblance.judgments import StoredJudgments

STORED_FILES = "map.png", "embedding.csv", "model.npz", "report.json"
NEIGHBOURS = 10
DIRECTIONS = "directions.csv"
OVERRULED = "overruled.csv"
TWO_MAPS = "two-maps.png"
DISTANCES = "distances.csv"
MOST_MEASURED = 100  # with more items, the distances of all pairs are not measured
# Files that not all fits write.
OTHER_FILES = (
    "model.npz",
    "dimensions.png",
    DIRECTIONS,
    OVERRULED,
    TWO_MAPS,
    DISTANCES,
    "kernel_weights.png",
)
SHARE = 100  # one in this many rows on disk is held out
MOST_TESTED = 200_000  # maximum number of scored held-out rows
MOST_SHOWN = 2_000  # maximum number of items on a map
UNLIKE = 10.0  # two features whose spreads have a larger ratio cause a warning


@dataclass
class FitFiles(ABC):
    source: Source
    recipe: Recipe
    folder: Path

    model: OrdinalEmbedding = field(init=False)
    directions: list[Directions] = field(default_factory=list, init=False)
    alike: list[str] = field(default_factory=list, init=False)  # columns with too few values
    status: str = field(default="not finished", init=False)

    @abstractmethod
    def report(self) -> dict[str, Any]: ...

    def write_report(self) -> None:
        report = {"resemblance": __version__, "status": self.status, **self.report()}
        output.write_report(self.folder / "report.json", report)

    def write_map(
        self, title: str, subtitle: str, covariances: Floats | None = None, **drawn: Any
    ) -> list[str]:
        output.write_embedding(self.folder / "embedding.csv", self.model, covariances)
        self._find_directions()
        drawn["directions"] = self.directions
        notes = output.write_maps(self.folder, self.model, title, subtitle, **drawn)
        save(self.model, self.folder / "model.npz")
        return notes

    def _find_directions(self) -> None:
        model, path = self.model, self.folder / DIRECTIONS
        self.directions = self.named_directions()
        path.unlink(missing_ok=True)
        mentioned = ~np.isin(np.arange(len(model.items_)), model.unmentioned_)
        n_least = model.embedding_.shape[1] + 3
        numbers = pd.DataFrame(
            self.source.numbers(model.items_), range(len(mentioned)), dtype=float
        )
        numbers = numbers[mentioned].replace([-np.inf, np.inf], np.nan).reindex(numbers.index)
        varied = (numbers.count() >= n_least) & (numbers.min() < numbers.max())
        self.alike = [*numbers.columns[~varied]]
        if varied.any() and np.ptp(model.embedding_[mentioned], axis=0).any():
            self.directions.insert(0, feature_directions(model, numbers.loc[:, varied]))
        if tables := [several.to_pandas() for several in self.directions]:
            output.write_csv(path, pd.concat(tables))

    def named_directions(self) -> list[Directions]:
        return []

    def direction_lines(self) -> list[tuple[str, str]]:
        lines = {several.title: several.lines() for several in self.directions}
        if self.alike:
            lines.setdefault(FeatureDirections.title, []).append(
                f"too few values that differ: {first_few(self.alike)}"
            )
        return [(title, "; ".join(parts)) for title, parts in lines.items()]


@dataclass
class Fit(FitFiles):
    """A fit to answers in a file, with cross-validation, files and report."""

    folds: int | None = None
    by: By | None = None
    neighbours: Path | None = None
    rdm: Path | None = None
    picture: Picture | None = None
    keep_gold: bool = False
    screen: bool = False
    second_map: bool = False

    flow: Workflow = field(init=False)
    loadings: Loadings | None = None
    second: SecondMap | None = None
    explained: AveragedUncertainty | None = None  # uncertainty of positions
    notes: list[str] = field(default_factory=list)  # notes on the figures

    def __post_init__(self) -> None:
        self.all_answers = self.source.read()
        self.source = self.source.of_kind(self.all_answers)
        self.excluded = self.source.excluded()
        answers, gold = without_gold(self.all_answers, self.keep_gold)
        answers, people = looked_at(answers, self.screen, self.recipe.seed)
        self.work = Work()
        self.flow = Workflow(
            answers,
            self.recipe,
            splitter(answers, self.folds, self.by, self.recipe.seed),
            self.by,
            self.source.read_clicks(answers.items),
            self.work,
            self._when_fitted,
            gold=gold,
            people=people,
            machine=self.source.read_machine(answers),
        )
        if self.second_map:
            if self.recipe.informed:
                raise SettingError(
                    "a second map uses no features: leave out --features or --second-map"
                )
            model = self.flow._estimator(self.flow.recipe, self.flow.first_dims, None)
            refuse_second_map(answers, model)
        self.counted = self.recipe.described.kind == CONFUSIONS and bool(self.source.features)
        if self.counted:
            self._read_features()

    def _read_features(self) -> None:
        if self.recipe.open and len(self.flow.answers) < 2:
            named = " and ".join(f"--{name}" for name in self.recipe.open)
            raise SettingError(f"a single pair is not enough to choose settings: give {named}")
        names, spread = self.feature_names, spreads(self.flow.answers)
        rising = self.recipe.settings.get("monotone", ())
        for name in rising:
            if name not in names:
                raise SettingError(
                    f"--monotone has no feature {name!r}: use some of {', '.join(names)}"
                )
        if rising:
            self.flow.settings["monotone"] = tuple(names.index(name) for name in rising)
        least, most = spread.argmin(), spread.argmax()
        if spread[most] > UNLIKE * spread[least] > 0:
            self.notes.append(
                f"{names[most]} varies {spread[most] / spread[least]:.0f} times as much as "
                f"{names[least]}, which therefore counts for little: rescale the features so that "
                "they vary equally."
            )

    @cached_property
    def feature_names(self) -> tuple[str, ...]:
        return self.source.feature_names()

    def run(self) -> None:
        output.make_folder(self.folder)
        for name in (*OTHER_FILES, *FILES):  # removes files of an earlier fit
            (self.folder / name).unlink(missing_ok=True)
        with self.work:
            try:
                self.flow.run()
                self._find_again()
                self._test_second_map()
                self._measure_distances()
                self.status = "complete"
            except Stopped:
                self.status = f"interrupted while {self.flow.stage}"
        if self.analysis.curve is not None:
            from resemblance.plotting import plot_dimensions

            output.write_figure(
                self.folder / "dimensions.png", plot_dimensions(self.analysis.curve)
            )
        self.write_report()

    @property
    def analysis(self) -> Analysis:
        analysis = self.flow.analysis
        warnings = tuple(dict.fromkeys([*analysis.warnings, *self.notes]))
        return replace(analysis, warnings=warnings, door="command")

    def _when_fitted(self) -> None:
        self.model = self.flow.model
        if self.flow.recipe.described.sparse:
            self.loadings = Loadings(self.model)  # type: ignore[arg-type]
        self.write()
        self.write_report()

    def _find_again(self) -> None:
        flow = self.flow
        if self.loadings is None or flow.cv is None:
            return
        flow.stage = "finding the dimensions again"
        try:
            self.loadings.measure(joined(flow.answers, flow.extra), self.work, self.recipe.seed)
        finally:  # writes results after Ctrl-C too
            self.loadings.write(self.folder, *self._words)

    def _test_second_map(self) -> None:
        if not self.second_map:
            return
        flow = self.flow
        flow.stage = "testing a second map"
        model = clone(settled(self.model, flow.answers)).set_params(callback=None)
        callback, seed = self.work.steps(flow.stage), self.recipe.seed
        self.second = second_map(flow.answers, model, random_state=seed, callback=callback)
        if self.second.verdict == "yes":
            from resemblance.plotting import plot_several_maps

            figure = plot_several_maps(self.second.model)
            output.write_figure(self.folder / TWO_MAPS, figure, dpi=150)

    def _measure_distances(self) -> None:
        flow, names = self.flow, self.model.items_.names
        if flow.machine is None or len(names) > MOST_MEASURED:
            return
        flow.stage = "measuring distances"
        effects = estimate_effects(
            flow.analysis,
            distances=[*combinations(names, 2)],
            random_state=self.recipe.seed,
            callback=self.work.steps(flow.stage),
        )
        output.write_csv(
            self.folder / DISTANCES, effects.table.drop(columns=["effect", "model", "group"])
        )

    def named_directions(self) -> list[Directions]:
        if REASON not in self.flow.answers.extra:
            return []
        try:
            return [word_directions(self.model, self.flow.answers)]
        except SettingError as error:
            self.notes.append(f"The column {REASON} is not used: {error}.")
            return []

    def write(self) -> None:
        words = self._words
        uncertainty = self.uncertainty()
        covariances = None if self.explained is None else self.explained.item_covariances
        notes = self.write_map(*words, covariances, uncertainty=uncertainty)
        if self.loadings is not None:
            self.loadings.write(self.folder, *words)
        if hasattr(self.model, "kernel_weights_"):
            from resemblance.plotting import plot_kernel_weights

            figure = plot_kernel_weights(self.model)[0]  # type: ignore[arg-type]
            output.write_figure(self.folder / "kernel_weights.png", figure, dpi=150)
        if self.neighbours is not None:
            n = min(NEIGHBOURS, self.flow.answers.n_items - 1)
            write_table(nearest_items(self.model, n).to_pandas(), self.neighbours)
        overruled = self.analysis.overruled
        if overruled is not None and len(overruled.table):
            output.write_csv(self.folder / OVERRULED, overruled.to_pandas())
        if self.rdm is not None:
            output.write_rdm(self.rdm, self.model)
        if self.picture is not None:
            notes += self.picture.write(self.model, self.directions)
        self.notes += [note for note in notes if note not in self.notes]

    @property
    def _words(self) -> tuple[str, str]:
        return (
            self.source.file.name,
            f"{self.flow.recipe.title(self.model)}, {self.analysis.size}",
        )

    def uncertainty(self) -> NDArray[np.float64] | None:
        """Return standard deviations of positions, (n_items,); None if the model has none."""
        self.explained = None
        if self.counted or self.loadings or self.flow.recipe.settings.get("form") == "gram":
            return None
        try:
            answers = joined(self.flow.answers, self.flow.clicks)
            self.explained = averaged_uncertainty(self.model, answers)
        except SettingError:
            return None
        deviation = self.explained.deviation
        return deviation if np.isfinite(deviation).all() else None

    def report(self) -> dict[str, Any]:
        report = self.analysis.as_dict()
        report["data"] |= {"file": self.source.file, "excluded_people": self.excluded}
        return {
            "settings": self._asked(),
            **report,
            "lines": self.words(),
            "features": self.feature_names if self.counted or self.recipe.informed else None,
            "tuning": self.flow.tuning,
            "directions": None,
            "words": None,
            **{named.title: named.to_pandas().to_dict("records") for named in self.directions},
            "second_map": self.second and self.second.as_dict(),
            "explanations": self.explained and self.explained.as_dicts(),
            **({} if self.loadings is None else {"loadings": self.loadings.as_dict()}),
        }

    def _asked(self) -> dict[str, Any]:
        recipe = self.flow.recipe
        return {
            **asdict(self.source),
            "model": self.recipe.model,
            **{name: recipe.settings.get(name) for name in recipe.described.own},
            "seed": recipe.seed,
            "dims": recipe.dims or self.flow.first_dims,
            **{name: getattr(self, name) for name in ("folds", "by", "neighbours", "rdm")},
            "out": self.folder,
            "picture": self.picture and self.picture.as_dict(),
        }

    def tell(self) -> None:
        others = [name for name in (*OTHER_FILES, *FILES) if (self.folder / name).exists()]
        files = ["map.png", "embedding.csv", "report.json", *others]
        output.print_summary(self.words(), self.analysis.warnings, self.status, self.folder, files)

    def words(self) -> list[tuple[str, str]]:
        *lines, last = self.analysis.lines()
        return [
            *lines,
            *self._chosen(),
            *self.direction_lines(),
            *([] if self.second is None else [("second map", second_map_words(self.second))]),
            *self._excluded(),
            last,
        ]

    def _excluded(self) -> list[tuple[str, str]]:
        if not self.excluded:
            return []
        kept = "kept" if self.source.keep_marked else "left out"
        how = "export --with-excluded and --keep-marked keep them"
        return [("excluded", f"{count(self.excluded, 'participant')} by the study, {kept} ({how})")]

    def _chosen(self) -> list[tuple[str, str]]:
        lines = [("features", ", ".join(self.feature_names))] if self.counted else []
        lines += [] if self.loadings is None else self.loadings.lines()
        names = [
            name
            for name in self.flow.recipe.described.searched
            if name in self.flow.settings or name in self.flow.recipe.settings
        ]
        if names:
            said = ", ".join(f"{name} {float(getattr(self.model, name)):.4g}" for name in names)
            if self.flow.tuning is not None:
                said += f" ({' and '.join(self.flow.tuning['chosen'])} chosen on held-out answers)"
            lines.append(("settings", said))
        return lines


@dataclass
class StoredFit(FitFiles):
    """A fit to rows on disk, without a choice of model or dimensions."""

    analysis: Analysis = field(init=False)
    seconds: float = 0.0

    def __post_init__(self) -> None:
        self.status = "complete"
        self._refuse()
        self.rows = self._scan()
        by = "response_id" if "response_id" in self.rows.columns else "row"
        self.train, test = self.rows.split(SHARE, by=by, seed=self.recipe.seed)
        if not len(test) or not len(self.train):
            raise SettingError(
                f"{self.source.file} has {len(self.rows):,} rows, too few to hold out one of "
                f"{SHARE}: fit them from one file"
            )
        self.test: Judgments = test.sample(MOST_TESTED, self.recipe.seed)
        self.work = Work()

    def _refuse(self) -> None:
        if self.source.clicks is not None:
            raise SettingError("--clicks needs answers in one file, not in a folder")
        if self.recipe.dims == "auto" or self.recipe.chooses_model or self.recipe.described.search:
            raise SettingError(
                "answers in a folder are fitted only once: give --dims and a --model without "
                "search, or choose them first, by a fit to some of the answers in one file"
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
        n = len(self.model.items_)
        drawn = np.arange(n)
        if n > MOST_SHOWN:
            rng = np.random.default_rng(self.recipe.seed)
            drawn = np.sort(rng.choice(n, MOST_SHOWN, replace=False))
        title = f"{self.recipe.title(self.model)}, {len(self.train):,} rows"
        words = (
            f"{title}; {len(drawn):,} of {n:,} items, drawn at random" if len(drawn) < n else title
        )
        notes = self.write_map(self.source.file.name, words, subset=drawn)
        self.analysis = replace(self.analysis, warnings=(*self.analysis.warnings, *notes))
        self.write_report()

    def report(self) -> dict[str, Any]:
        settings = {**asdict(self.source), "model": self.recipe.model, "dims": self.recipe.dims}
        return {
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
        held = ("held out", f"{len(self.test):,} others, to which the following lines refer")
        left = self.rows.left_out
        columns = [("columns left out", ", ".join(left))] if left else []
        words = [
            ("fitted", fitted),
            held,
            *columns,
            *self.analysis.lines(),
            *self.direction_lines(),
        ]
        output.print_summary(words, self.analysis.warnings, self.status, self.folder, STORED_FILES)
