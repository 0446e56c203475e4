"""From files of answers and of features to one space: what `fit` does with POE and MK-POE."""

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from resemblance.cli import output
from resemblance.cli.study import Study
from resemblance.cli.views import PoeRecipe, ViewSource
from resemblance.errors import SettingError
from resemblance.fitting import GroupedKFold
from resemblance.mappings import POECV
from resemblance.mappings.poe import PartialOrderMapping
from resemblance.mappings.poe_cv import BETAS

FOLDS = 5  # that choose beta


@dataclass
class PoeStudy(Study):
    """Answers and views, how they are fitted, and what has been found so far."""

    source: ViewSource
    recipe: PoeRecipe
    tuning: dict[str, Any] | None = None

    def __post_init__(self) -> None:
        if self.dims is None:
            raise SettingError("--dims auto is of other models: leave it out for all dimensions")
        self.asked = self.recipe
        super().__post_init__()

    def write(self, title: str) -> None:
        """Write also how much each kernel counts."""
        from resemblance.plotting import plot_kernel_weights

        super().write(title)
        assert isinstance(self.model, PartialOrderMapping)
        with output.whole(self.folder / "kernel_weights.png") as part:
            figure = plot_kernel_weights(self.model)[0].get_figure(root=True)
            assert figure is not None
            figure.savefig(part, format="png", dpi=150)

    def hold_out(self) -> None:
        """Choose beta if it is open, fit again with it, and measure the fit."""
        assert self.dims is not None
        if self.asked.beta is None and self.splitter is not None:
            self.choose_beta(self.dims)
            self.fit(self.dims)
        self.cross_validate([self.dims])

    def choose_beta(self, dims: int) -> None:
        """Search beta as POECV does, one fold after the other."""
        self.stage = "choosing beta"
        assert self.splitter is not None
        n_splits = min(FOLDS, self.splitter.n_splits)
        folds = GroupedKFold(n_splits, by=self.splitter.by, random_state=self.asked.seed)
        advance = self.work.folds(self.stage, n_splits)
        found = []
        for fold in folds.split(self.judgments):
            model = self.recipe.estimator(dims, lambda now: self.work.until_stopped(now))
            with warnings.catch_warnings(action="ignore"):
                found.append(POECV(model, cv=[fold]).held_out_scores(self.judgments))
            self.work.check()
            advance()
        means = np.mean(found, axis=0)
        beta = float(BETAS[int(means.argmax())])
        self.recipe = replace(self.recipe, beta=beta)
        self.tuning = {"chosen": {"beta": beta}, "beta": BETAS, "accuracy": means[:, 0]}

    def report(self) -> dict[str, Any]:
        """Add the views and their weights to the report."""
        assert isinstance(self.model, PartialOrderMapping)
        views = {
            "kernel_weights": self.model.kernel_weights_,
            "gap": self.model.gap_,
            "tuning": self.tuning,
        }
        return super().report() | output.plain(views)
