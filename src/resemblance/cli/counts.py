"""From a file of confusions and one of features to a map of features: what `fit` does with Yada."""

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import xlog1py, xlogy
from sklearn.base import clone

from resemblance import __version__
from resemblance.cli import report
from resemblance.cli.output import plain
from resemblance.cli.study import Study
from resemblance.cli.validation import mean, standard_error
from resemblance.cli.yada import CountSource, YadaRecipe
from resemblance.errors import SettingError
from resemblance.judgments import Confusions
from resemblance.mappings import YadaCV, yada_cv
from resemblance.scores import NoiseCeiling

UNLIKE = 10.0  # times that one feature may vary as much as another before it is told


@dataclass
class CountStudy(Study):
    """Confusions and features, how Yada fits them, and what has been found so far."""

    source: CountSource
    recipe: YadaRecipe
    tuning: dict[str, Any] | None = None

    def __post_init__(self) -> None:
        if self.dims is None:
            raise SettingError("--dims auto is of comparisons: name the --dims of yada")
        self.settings = self.recipe
        if self.recipe.monotone:
            numbers = self.recipe.numbers_of(self.source.feature_names())
            self.recipe = replace(self.recipe, monotone=numbers)
        super().__post_init__()
        if self.settings.open_settings and len(self.judgments) < 2:
            named = " and ".join(f"--{name}" for name in self.settings.open_settings)
            raise SettingError(f"one pair leaves none to choose settings on: give {named}")
        self.spread = self.judgments.items.features.std(axis=0)
        if self.recipe.has_bandwidth and self.recipe.bandwidth is None:
            self.recipe = replace(self.recipe, bandwidth=self.unit)  # until it is chosen

    @property
    def unit(self) -> float:
        """The features' standard deviation: the root of their mean variance."""
        return float(np.sqrt((self.spread**2).mean())) or 1.0

    def find_ceiling(self) -> NoiseCeiling | None:
        """Give None: pairs are asked repeatedly, and their own ratios are the ceiling."""
        return None

    def fit(self, dims: int) -> None:
        """Fit all counts, and tell of features that the kernel hardly sees."""
        super().fit(dims)
        least, most = self.spread.argmin(), self.spread.argmax()
        if self.spread[most] > UNLIKE * self.spread[least] > 0:
            names = self.source.feature_names()
            self.notes.append(
                f"{names[most]} varies {self.spread[most] / self.spread[least]:.0f} times as much "
                f"as {names[least]}, which counts for little at the start of the fit and in a "
                "kernel: bring the features to units in which they vary alike."
            )

    def hold_out(self) -> None:
        """Choose the settings that are open, fit again with them, and measure the fit."""
        assert self.dims is not None
        if self.settings.open_settings:
            self.choose_settings(self.dims)
            self.fit(self.dims)
        self.cross_validate([self.dims])

    def choose_settings(self, dims: int) -> None:
        """Search mu and the bandwidth as YadaCV does, one bandwidth after the other."""
        asked = self.settings
        self.stage = f"choosing {' and '.join(asked.open_settings)}"
        mus = yada_cv.PENALTIES if asked.mu is None else (asked.mu,)
        tried: Any = self.unit * np.asarray(yada_cv.BANDWIDTHS)
        if "bandwidth" not in asked.open_settings:
            tried = [self.recipe.estimator(dims).bandwidth]
        advance = self.work.folds(self.stage, len(tried))
        estimator = self.recipe.estimator(dims, lambda now: self.work.check())
        folds = min(YadaCV().cv, len(self.judgments))
        search = YadaCV(estimator, penalties=mus, cv=folds, random_state=asked.seed)
        searches = []
        with warnings.catch_warnings(action="ignore"):
            for width in tried:
                searches.append(clone(search).set_params(bandwidths=[width]).fit(self.judgments))
                advance()
        best = max(searches, key=lambda search: search.best_score_)
        found: dict[str, Any] = {"mu": best.best_penalty_, "bandwidth": best.best_bandwidth_}
        self.recipe = replace(self.recipe, **{name: found[name] for name in asked.open_settings})
        self.tuning = {
            "chosen": {name: found[name] for name in asked.open_settings},
            "mu": mus,
            "bandwidth": tried if asked.has_bandwidth else None,
            "log_likelihood": [search.scores_[0] for search in searches],
        }

    def report(self) -> dict[str, Any]:
        """Draw up the report as plain values, which JSON can hold."""
        counts = self.judgments
        asked = {name: getattr(self.settings, name) for name in ("mu", "bandwidth", "monotone")}
        sums = {"trials": counts.trials.sum(), "errors": counts.errors.sum()}
        return plain(
            {
                "resemblance": __version__,
                "status": self.status,
                "settings": report.settings_of(self) | asked,
                "model": report.model_of(self),
                "data": report.data_of(self) | sums,
                "features": self.source.feature_names(),
                "tuning": self.tuning,
                "fit": {
                    "loss": self.model.loss_,
                    "n_iter": self.model.n_iter_,
                    "converged": self.model.converged_,
                    "seconds": self.seconds,
                    "log_likelihood": self.model.score(counts),
                },
                "cross_validation": self.held_out_report(),
                "labels": report.labels_of(self),
                "warnings": self.notes,
            }
        )

    def held_out_report(self) -> dict[str, Any] | None:
        """Give the log-likelihood of a held-out trial, and what it may be compared with."""
        if self.splitter is None:
            return None
        folds = self.held_out.get(self.model.n_components, [])
        scores = [-fold.log_loss for fold in folds]
        return {
            **report.folds_of(self, folds),
            "log_likelihood_of_folds": scores,
            "log_likelihood": mean(scores),
            "standard_error": standard_error(scores),
            "guessing": {"log_likelihood": -np.log(2.0)},
            "own_ratios": own_ratios(self.judgments),
        }


def own_ratios(counts: Confusions) -> float:
    r"""Give the log-likelihood of a trial if each pair's own share of errors were its probability.

    .. math:: \frac{\sum a \log (a/n) + (n - a) \log (1 - a/n)}{\sum n}
    """
    right = counts.trials - counts.errors
    total = xlogy(counts.errors, counts.ratio) + xlog1py(right, -counts.ratio)
    return float(total.sum() / counts.trials.sum())
