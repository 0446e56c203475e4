"""Held-out error: which rows are held out together, and what each fold says."""

from dataclasses import dataclass
from math import nan
from statistics import fmean, stdev
from typing import TYPE_CHECKING

from resemblance.cli.options import By
from resemblance.errors import SettingError

if TYPE_CHECKING:
    from resemblance.fitting import GroupedKFold, OrdinalEmbedding
    from resemblance.judgments import Confusions, Judgments

FOLDS = 10


@dataclass(frozen=True)
class Fold:
    """What a model fitted on the other folds says of one fold."""

    error: float  # nan of confusions, of which no answer is the right one
    log_loss: float
    converged: bool

    @classmethod
    def of(cls, model: "OrdinalEmbedding", held_out: "Judgments | Confusions") -> "Fold":
        """Score a fitted model on rows that it has not seen."""
        from resemblance.judgments import Confusions

        error = nan if isinstance(held_out, Confusions) else 1 - model.score(held_out)
        return cls(error, model.log_loss(held_out), model.converged_)


@dataclass(frozen=True)
class Validation:
    """How to hold out: how many folds (10, or as many as there are), and what stays whole."""

    folds: int | None = None
    by: By | None = None

    def __post_init__(self) -> None:
        if self.folds is not None and (self.folds < 0 or self.folds == 1):
            raise SettingError(f"--folds is {self.folds}; give at least 2, or 0 for none")

    def splitter(self, judgments: "Judgments | Confusions", seed: int) -> "GroupedKFold | None":
        """Make the splitter, or None where nothing is to be or can be held out."""
        from resemblance.fitting import GroupedKFold

        units = units_of(judgments, kept_whole(judgments, self.by))
        n_splits = min(FOLDS, units) if self.folds is None else self.folds
        if n_splits == 0 or (self.folds is None and units < 2):
            return None
        by = kept_whole(judgments, self.by) or By.group
        splitter = GroupedKFold(n_splits, by=by.value, random_state=seed)
        next(splitter.split(judgments))  # settings that make no folds are refused here
        return splitter


def need_held_out(dims: int | None, held_out: bool) -> None:
    """Refuse to choose the dimensions where no answers are held out."""
    if dims is None and not held_out:
        raise SettingError(
            "--dims auto needs held-out answers: give --folds 2 or more, or name the --dims"
        )


def kept_whole(judgments: "Judgments | Confusions", by: By | None) -> By | None:
    """Say what stays whole: what was asked for, else the groups there are, else None (rows)."""
    if by is None:
        return None if judgments.group is None else By.group
    if getattr(judgments, by) is None:
        raise SettingError(
            f"--by {by} needs a {by} for every row, and there is none: name its column with "
            f"--columns {by}=..., or leave --by out"
        )
    return by


def units_of(judgments: "Judgments | Confusions", by: By | None) -> int:
    """Count what is held out as a whole: groups, observers or rows."""
    return len(judgments) if by is None else len(set(getattr(judgments, by).tolist()))


def standard_error(errors: list[float]) -> float | None:
    """Give the standard error of a mean over folds; None for one fold."""
    return stdev(errors) / len(errors) ** 0.5 if len(errors) > 1 else None


def mean(numbers: list[float]) -> float | None:
    """Give the mean; None of nothing."""
    return fmean(numbers) if numbers else None
