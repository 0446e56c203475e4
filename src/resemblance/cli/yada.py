"""Confusions and features at the command line: where they come from, and how Yada fits them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

from resemblance.cli.models import ChoiceName, KernelName, Model, ModelName, positive
from resemblance.cli.source import items_of_file
from resemblance.errors import FileError, JudgmentError, SettingError

if TYPE_CHECKING:
    from resemblance.judgments import Confusions, Items
    from resemblance.mappings import Yada
    from resemblance.solvers import Callback

YADA = Model(
    "Yada",
    "Yada",
    "mu",
    "J.-M. Xu, X. Zhu and T. T. Rogers (2012). Metric learning for estimating psychological "
    "similarities. ACM Transactions on Intelligent Systems and Technology 3(3), 55.",
)
OF_COMPARISONS = ("form", "penalty", "alpha", "margin", "kind", "catches", "items", "clicks")
OF_CONFUSIONS = (
    "features",
    "feature_columns",
    "kernel",
    "bandwidth",
    "choice",
    "lapse",
    "monotone",
    "one_to_one",
)
NO_FEATURES = ("item", "name", "label", "image")


@dataclass(frozen=True)
class YadaRecipe:
    """Everything about a fit of Yada but the number of dimensions."""

    mu: float | None = None
    bandwidth: float | None = None
    kernel: KernelName = KernelName.rbf
    choice: ChoiceName = ChoiceName.gaussian
    lapse: float = 0.0
    monotone: tuple[Any, ...] = ()  # names, and for the fit their numbers
    one_to_one: bool = False
    n_init: int | None = None
    max_iter: int = 1000
    seed: int = 0
    model: ModelName = ModelName.yada
    described = YADA

    def __post_init__(self) -> None:
        if self.mu is not None and not 0 <= self.mu < inf:
            raise SettingError(f"--mu is {self.mu:g}: give 0 or a positive number")
        if self.bandwidth is not None and not self.has_bandwidth:
            raise SettingError(
                f"--bandwidth is of --kernel rbf, not of {self.kernel}: leave it out"
            )
        positive(bandwidth=self.bandwidth)
        if not 0 <= self.lapse < 1:
            raise SettingError(f"--lapse is {self.lapse:g}: give a share from 0 to below 1")

    @property
    def has_bandwidth(self) -> bool:
        """Whether the kernel has one."""
        return self.kernel is KernelName.rbf

    @property
    def open_settings(self) -> list[str]:
        """Name what cross-validation is to choose."""
        wanted = ["mu", "bandwidth"] if self.has_bandwidth else ["mu"]
        return [name for name in wanted if getattr(self, name) is None]

    def title(self, dims: int) -> str:
        """Name the model and its dimensions."""
        return f"Yada, {self.kernel} kernel, {dims} dimension{'s'[: dims > 1]}"

    def numbers_of(self, features: tuple[str, ...]) -> tuple[int, ...]:
        """Number the features that --monotone names."""
        for name in self.monotone:
            if name not in features:
                raise SettingError(
                    f"--monotone names {name}, and the features are {', '.join(features)}: name "
                    "some of these"
                )
        return tuple(features.index(name) for name in self.monotone)

    def estimator(self, dims: int, callback: "Callback | None" = None) -> "Yada":
        """Make the estimator, not yet fitted."""
        from resemblance.mappings import Yada

        given: dict[str, Any] = {"penalty": self.mu, "bandwidth": self.bandwidth}
        return Yada(
            dims,
            kernel=self.kernel.value,
            choice=self.choice.value,
            lapse=self.lapse,
            monotone=self.monotone,
            one_to_one=self.one_to_one,
            n_init=self.n_init,
            max_iter=self.max_iter,
            random_state=self.seed,
            callback=callback,
            **{name: value for name, value in given.items() if value is not None},
        )


@dataclass(frozen=True)
class CountSource:
    """A file of confusions, a file of their items' features, and how to read them."""

    file: Path
    features: Path
    feature_columns: tuple[str, ...] | None = None
    columns: Mapping[str, str] | None = None
    item_columns: Mapping[str, str] | None = None
    kind: str = "confusions"

    def read(self) -> "Confusions":
        """Read the confusions, on items with features."""
        try:
            return read_counts(self.file, self.columns, self._items())
        except JudgmentError as error:
            message = str(error).replace("add it to the items", f"add it to {self.features}")
            raise JudgmentError(message) from None

    def feature_names(self) -> tuple[str, ...]:
        """Name the columns that are features: those asked for, else all that say nothing else."""
        if self.feature_columns is not None:
            return self.feature_columns
        from resemblance.judgments.tables import names_of, read_table

        others = {name for role in NO_FEATURES for name in names_of(role)}
        others |= set((self.item_columns or {}).values())
        columns = read_table(self.features, others).frame.columns
        names = tuple(str(column) for column in columns if column not in others)
        if not names:
            raise FileError(
                f"{self.features} has no feature beside {', '.join(columns)}: add a column of "
                "numbers for each, or name them with --feature-columns"
            )
        return names

    def _items(self) -> "Items":
        try:
            return items_of_file(self.features, self.item_columns, self.feature_names())
        except JudgmentError as error:
            if self.feature_columns is None and "must be a number" in str(error):
                raise JudgmentError(f"{error}, or name the --feature-columns") from None
            raise
        except FileError as error:
            raise FileError(str(error).replace("features=", "--feature-columns")) from None


def read_counts(file: Path, columns: Mapping[str, str] | None, items: "Items") -> "Confusions":
    """Read confusions on given items."""
    from resemblance.judgments import read_confusions

    return read_confusions(file, items, columns)


def check_options(model: ModelName, given: Iterable[str], features: Path | None) -> None:
    """Refuse options that are not of the model, and Yada without features."""
    foreign = OF_COMPARISONS if model is ModelName.yada else OF_CONFUSIONS
    for name in set(given).intersection(foreign):
        other = "another --model" if model is ModelName.yada else "--model yada"
        remedy = "name its items in --features" if name == "items" else f"take {other}"
        raise SettingError(
            f"--{name.replace('_', '-')} is no option of {model}: leave it out, or {remedy}"
        )
    if model is ModelName.yada and features is None:
        raise SettingError("yada maps features: give them with --features FILE")
