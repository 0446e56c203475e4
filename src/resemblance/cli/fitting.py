"""Fit a file of answers, and write a map and a report, for `fit` and `demo`."""

from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from resemblance import __version__
from resemblance.analysis import Analysis
from resemblance.analysis.exclusions import looked_at, without_gold
from resemblance.analysis.workflow import Workflow, splitter, spreads
from resemblance.cli import output
from resemblance.cli.options import By
from resemblance.cli.output import Work
from resemblance.cli.picture import Picture
from resemblance.cli.problems import Stopped
from resemblance.cli.source import CONFUSIONS, Source
from resemblance.embeddings import (
    LoadingSpread,
    Reproducibility,
    SPoSE,
    loading_spread,
    reproducibility,
)
from resemblance.embeddings.spose import MOST_COMPONENTS
from resemblance.errors import SettingError, count
from resemblance.files import whole
from resemblance.fitting.certainty.averaging import AveragedUncertainty, averaged_uncertainty
from resemblance.fitting.choosing.held_out import joined
from resemblance.judgments import Judgments
from resemblance.judgments.tables import write_table
from resemblance.recipe import Recipe
from resemblance.saving import save
from resemblance.scores import nearest_items

if TYPE_CHECKING:
    pass

FILES = "dimensions.html", "dimensions.csv", "loadings.png"
N_SEEDS, N_SPLITS, N_REFITS = 2, 5, 30
MOST_LISTED = 12  # dimensions whose splits are counted on a line
NEIGHBOURS = 10
OTHER_FILES = "model.npz", "dimensions.png", "kernel_weights.png"  # files that only some fits write
UNLIKE = 10.0  # times that one feature may vary as much as another before it is told


@dataclass
class Loadings:
    """A fit of non-negative loadings, and the reproducibility of its dimensions."""

    model: SPoSE
    again: Reproducibility | None = None
    spread: LoadingSpread | None = None

    def measure(self, judgments: Judgments, work: Work, seed: int) -> None:
        """Fit again from other starts, to halves of the answers and to reweighted ones."""
        self.again = reproducibility(
            self.model,
            judgments,
            n_seeds=N_SEEDS,
            n_splits=N_SPLITS,
            random_state=seed,
            callback=work.steps("finding the dimensions again"),
        )
        self.spread = loading_spread(
            self.model,
            judgments,
            n_refits=N_REFITS,
            random_state=seed,
            callback=work.steps("how far loadings move"),
        )

    def write(self, folder: Path, title: str, subtitle: str) -> None:
        from resemblance.plotting import save_loadings

        for name in FILES:
            with whole(folder / name) as part:
                save_loadings(
                    self.model,
                    part,
                    reproducibility=self.again,
                    spread=None if name.endswith(".png") else self.spread,
                    title=title,
                    subtitle=subtitle,
                )

    @property
    def at_first(self) -> int:
        """The number of dimensions before unneeded ones were dropped."""
        asked = self.model.n_components
        return min(MOST_COMPONENTS, len(self.model.items_)) if asked is None else asked

    @property
    def zeros(self) -> float:
        return float((self.model.embedding_ == 0).mean())

    def as_dict(self) -> dict[str, Any]:
        again = self.again
        return {
            "dimensions": self.model.embedding_.shape[1],
            "at_first": self.at_first,
            "penalty": self.model.penalty_,
            "l1_ratio": self.model.l1_ratio,
            "zeros": self.zeros,
            "shares": self.model.shares_.tolist(),
            "reproducibility": again
            and {
                "seeds": again.seeds.tolist(),
                "halves": again.halves.tolist(),
                "n_seeds": again.n_seeds,
                "found_again": again.found_again.tolist(),
                "n_splits": again.n_splits,
            },
        }

    def lines(self) -> list[tuple[str, str]]:
        facts, chosen = self.as_dict(), self.model.penalty == "auto"
        said = (
            f"{facts['dimensions']} dimensions are left of {facts['at_first']}; penalty "
            f"{facts['penalty']:.3g}{', chosen on held-out answers' * chosen}; {self.zeros:.0%} of "
            "loadings are 0"
        )
        return [("loadings", said), *self._found_again()]

    def _found_again(self) -> list[tuple[str, str]]:
        again = self.again
        if again is None:
            return []
        most = int((2 * again.found_again > again.n_splits).sum())
        more = ", …" * (len(again.seeds) > MOST_LISTED)
        each = ", ".join(map(str, again.found_again[:MOST_LISTED])) + more
        return [
            (
                "found again",
                f"{most} of {len(again.seeds)} dimensions, in most of {again.n_splits} splits of "
                f"the answers into halves (each in {each} of {again.n_splits}): name these; the "
                "others may be chance, or need more answers",
            )
        ]


@dataclass
class Fit:
    """Answers, the settings of their fit, and the files and words of their analysis."""

    source: Source
    recipe: Recipe
    folder: Path
    folds: int | None = None
    by: By | None = None
    neighbours: Path | None = None
    rdm: Path | None = None
    picture: Picture | None = None
    keep_gold: bool = False
    screen: bool = False

    flow: Workflow = field(init=False)
    loadings: Loadings | None = None
    explained: AveragedUncertainty | None = None  # uncertainty of positions, and its explanation
    notes: list[str] = field(default_factory=list)  # notes on the figures
    status: str = "not finished"

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
        )
        self.counted = self.recipe.described.kind == CONFUSIONS
        if self.counted:
            self._read_features()

    def _read_features(self) -> None:
        """Read what a fit of counts needs of the features: their names and their spread."""
        if self.recipe.open and len(self.flow.answers) < 2:
            named = " and ".join(f"--{name}" for name in self.recipe.open)
            raise SettingError(f"one pair leaves none to choose settings on: give {named}")
        names, spread = self.feature_names, spreads(self.flow.answers)
        rising = self.recipe.settings.get("monotone", ())
        for name in rising:
            if name not in names:
                raise SettingError(
                    f"--monotone names {name}, and the features are {', '.join(names)}: name some "
                    "of these"
                )
        if rising:
            self.flow.settings["monotone"] = tuple(names.index(name) for name in rising)
        least, most = spread.argmin(), spread.argmax()
        if spread[most] > UNLIKE * spread[least] > 0:
            self.notes.append(
                f"{names[most]} varies {spread[most] / spread[least]:.0f} times as much as "
                f"{names[least]}, which counts for little at the start of the fit and in a kernel: "
                "bring the features to units in which they vary alike."
            )

    @cached_property
    def feature_names(self) -> tuple[str, ...]:
        """The names of the features in the first file of features."""
        return self.source.feature_names()

    def run(self) -> None:
        """Fit, hold out and write; files written before a Ctrl-C stay."""
        output.make_folder(self.folder)
        for name in (*OTHER_FILES, *FILES):  # files of an earlier fit
            (self.folder / name).unlink(missing_ok=True)
        with self.work:
            try:
                self.flow.run()
                self._find_again()
                self.status = "complete"
            except Stopped:
                self.status = f"interrupted while {self.flow.stage}"
        if self.analysis.curve is not None:
            output.write_curve(self.folder / "dimensions.png", self.analysis.curve)
        self.write_report()

    @property
    def analysis(self) -> Analysis:
        """What is known of the fit so far."""
        analysis = self.flow.analysis
        warnings = tuple(dict.fromkeys([*analysis.warnings, *self.notes]))
        return replace(analysis, warnings=warnings, door="command")

    def _when_fitted(self) -> None:
        if self.flow.recipe.described.sparse:
            self.loadings = Loadings(self.flow.model)  # type: ignore[arg-type]
        self.write()
        self.write_report()

    def _find_again(self) -> None:
        """Report how often named dimensions are found again, unless checks are off."""
        flow = self.flow
        if self.loadings is None or flow.cv is None:
            return
        flow.stage = "finding the dimensions again"
        try:
            self.loadings.measure(joined(flow.answers, flow.extra), self.work, self.recipe.seed)
        finally:  # results before Ctrl-C are kept
            self.loadings.write(self.folder, *self._words)

    def write(self) -> None:
        """Write the positions, the maps, the model and the nearest items."""
        output.write_embedding(self.folder / "embedding.csv", self.flow.model)
        words = self._words
        if self.loadings is not None:
            self.loadings.write(self.folder, *words)
        notes = output.write_maps(
            self.folder, self.flow.model, *words, uncertainty=self.uncertainty()
        )
        if hasattr(self.flow.model, "kernel_weights_"):
            output.write_kernel_weights(self.folder / "kernel_weights.png", self.flow.model)
        save(self.flow.model, self.folder / "model.npz")
        if self.neighbours is not None:
            n = min(NEIGHBOURS, self.flow.answers.n_items - 1)
            write_table(nearest_items(self.flow.model, n).to_pandas(), self.neighbours)
        if self.rdm is not None:
            output.write_rdm(self.rdm, self.flow.model)
        if self.picture is not None:
            notes += self.picture.write(self.flow.model)
        self.notes += [note for note in notes if note not in self.notes]

    @property
    def _words(self) -> tuple[str, str]:
        return (
            self.source.file.name,
            f"{self.flow.recipe.title(self.flow.model)}, {self.analysis.size}",
        )

    def uncertainty(self) -> NDArray[np.float64] | None:
        """Return the standard deviation of each position, for models that have one."""
        self.explained = None
        if self.counted or self.loadings or self.flow.recipe.settings.get("form") == "gram":
            return None
        try:
            answers = joined(self.flow.answers, self.flow.extra)
            self.explained = averaged_uncertainty(self.flow.model, answers)
        except SettingError:
            return None
        deviation = self.explained.deviation
        return deviation if np.isfinite(deviation).all() else None

    def report(self) -> dict[str, Any]:
        report = self.analysis.as_dict()
        report["data"] |= {"file": self.source.file, "excluded_people": self.excluded}
        return {
            "resemblance": __version__,
            "status": self.status,
            "settings": self._asked(),
            **report,
            "lines": self.words(),
            "features": self.feature_names if self.counted or self.recipe.informed else None,
            "tuning": self.flow.tuning,
            "explanations": self.explained and self.explained.as_dicts(),
            **({} if self.loadings is None else {"loadings": self.loadings.as_dict()}),
        }

    def _asked(self) -> dict[str, Any]:
        recipe = self.flow.recipe
        own = {name: recipe.settings.get(name) for name in recipe.described.own}
        picture = None if self.picture is None else self.picture.as_dict()
        files = {
            "out": self.folder,
            "neighbours": self.neighbours,
            "rdm": self.rdm,
        }
        checked = {"dims": recipe.dims or self.flow.first_dims, "folds": self.folds, "by": self.by}
        return {**asdict(self.source), "model": self.recipe.model, **own, "seed": recipe.seed} | {
            **checked,
            **files,
            "picture": picture,
        }

    def write_report(self) -> None:
        output.write_report(self.folder / "report.json", self.report())

    def tell(self) -> None:
        others = [name for name in (*OTHER_FILES, *FILES) if (self.folder / name).exists()]
        files = ["map.png", "embedding.csv", "report.json", *others]
        output.print_summary(self.words(), self.analysis.warnings, self.status, self.folder, files)

    def words(self) -> list[tuple[str, str]]:
        """Return the findings of the fit, each with its name; the last is the next step."""
        *lines, last = self.analysis.lines()
        return [*lines, *self._chosen(), *self._excluded(), last]

    def _excluded(self) -> list[tuple[str, str]]:
        """Say how many people a study excluded, and how their answers are kept."""
        if not self.excluded:
            return []
        kept = "kept" if self.source.keep_marked else "left out"
        how = "export --with-excluded and --keep-marked keep them"
        return [("excluded", f"{count(self.excluded, 'participant')} by the study, {kept} ({how})")]

    def _chosen(self) -> list[tuple[str, str]]:
        """Return the features of counts, and the settings that a search chose, and how."""
        lines = [("features", ", ".join(self.feature_names))] if self.counted else []
        lines += [] if self.loadings is None else self.loadings.lines()
        names = self.flow.recipe.described.searched
        if names:
            said = ", ".join(
                f"{name} {float(getattr(self.flow.model, name)):.4g}" for name in names
            )
            if self.flow.tuning is not None:
                said += f" ({' and '.join(self.flow.tuning['chosen'])} chosen on held-out answers)"
            lines.append(("settings", said))
        return lines
