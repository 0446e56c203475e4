"""Several files of features at the command line: where they come from, and how POE maps them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from resemblance.cli.models import KernelName, Model, ModelName, positive
from resemblance.cli.options import Missing
from resemblance.cli.source import Source, items_of_file
from resemblance.cli.yada import CountSource, check_options
from resemblance.errors import JudgmentError, SettingError

if TYPE_CHECKING:
    from resemblance.judgments import Items, Judgments
    from resemblance.mappings import MKPOE, POE
    from resemblance.solvers import Callback

_PAPER = (
    "B. McFee and G. Lanckriet (2011). Learning multi-modal similarity. Journal of Machine "
    "Learning Research 12, 491-523."
)
POES = {
    ModelName.poe: Model("POE", "POE", "beta", _PAPER),
    ModelName.mkpoe: Model("MK-POE", "MKPOE", "beta", _PAPER),
}
OF_VIEWS = ("kernels", "missing")
OF_POE = ("beta", "diagonal", *OF_VIEWS)
OF_OTHERS = (
    "form",
    "penalty",
    "mu",
    "alpha",
    "choice",
    "lapse",
    "monotone",
    "one_to_one",
    "n_init",
    "clicks",
)


@dataclass(frozen=True)
class PoeRecipe:
    """Everything about a fit of POE or MK-POE but the number of dimensions (0 is all)."""

    model: ModelName
    kernel: KernelName = KernelName.rbf
    kernels: Mapping[str, str] | None = None
    bandwidth: float | None = None
    beta: float | None = None
    diagonal: bool = False
    margin: float | None = None
    max_iter: int = 20_000
    seed: int = 0

    def __post_init__(self) -> None:
        positive(beta=self.beta, bandwidth=self.bandwidth, margin=self.margin)
        for view, kernel in (self.kernels or {}).items():
            if kernel not in list(KernelName):
                raise SettingError(
                    f"--kernels gives {view} the kernel {kernel}: choose {', '.join(KernelName)}"
                )

    @property
    def described(self) -> Model:
        """The model's names and paper."""
        return POES[self.model]

    def title(self, dims: int) -> str:
        """Name the model and its dimensions."""
        form = "diagonal" if self.diagonal else "full"
        kept = f"{dims} dimension{'s'[: dims > 1]}" if dims else "all dimensions"
        return f"{self.described.title}, {form}, {kept}"

    def estimator(self, dims: int, callback: "Callback | None" = None) -> "POE | MKPOE":
        """Make the estimator, not yet fitted."""
        from resemblance import mappings

        given = {"beta": self.beta, "margin": self.margin, "bandwidth": self.bandwidth}
        settings: dict[str, Any] = {k: v for k, v in given.items() if v is not None}
        settings |= {"diagonal": self.diagonal, "max_iter": self.max_iter, "callback": callback}
        if self.model is ModelName.poe:
            return mappings.POE(dims or None, kernel=self.kernel.value, **settings)
        kernels = dict(self.kernels) if self.kernels else self.kernel.value
        return mappings.MKPOE(dims or None, kernels=kernels, **settings)


@dataclass(frozen=True)
class ViewSource(Source):
    """A file of answers, files of their items' features, and how to read them."""

    features: tuple[Path, ...] = ()
    feature_columns: tuple[str, ...] | None = None
    missing: Missing = Missing.error

    def read(self) -> "Judgments":
        """Read the judgments, on items with a view for each file."""
        try:
            return self.judgments(self._joined())
        except JudgmentError as error:
            message = str(error).replace('missing="mean"', "--missing mean")
            raise JudgmentError(
                message.replace("add it to the items", "add it to the files of --features")
            ) from None

    def _joined(self) -> "Items":
        from resemblance.judgments import Items, join_views

        stems = [path.name.split(".")[0] for path in self.features]
        if len(set(stems)) < len(stems):
            raise SettingError(
                f"two files of --features are called {max(stems, key=stems.count)}: a view is "
                "called as its file, so give them different names"
            )
        tables = [None if path.suffix == ".npy" else self._table(path) for path in self.features]
        known = [table for table in tables if table is not None]
        if self.items is not None:
            known = [items_of_file(self.items, self.item_columns), *known]
        if not known:
            raise SettingError(
                "a .npy file does not name its items: name them, in its order, with --items FILE"
            )
        first = known[0]
        views: dict[str, Any] = {
            stem: (first.names, _array(path)) if table is None else (table.names, table.features)
            for stem, path, table in zip(stems, self.features, tables, strict=True)
        }
        parts = {part: getattr(first, part) for part in ("labels", "images", "titles")}
        joined = join_views(views, first.names, self.missing.value, **parts)
        if isinstance(joined.features, dict) and len(stems) == 1:
            return Items(joined.names, joined.features[stems[0]], **parts)
        return joined

    def _table(self, path: Path) -> "Items":
        columns = None if self.items is not None else self.item_columns
        return CountSource(self.file, path, self.feature_columns, item_columns=columns)._items()


def _array(path: Path) -> Any:
    """Read a .npy file."""
    import numpy as np

    from resemblance.errors import FileError

    try:
        return np.load(path, allow_pickle=False)
    except (OSError, ValueError) as error:
        raise FileError(f"{path} cannot be read as an array ({error}): save it again") from None


def check_feature_options(model: ModelName, given: Iterable[str], features: Sequence[Path]) -> None:
    """Refuse options that are not of the model, and a wrong number of files of features."""
    foreign: tuple[str, ...] = OF_POE
    if model in POES:
        foreign = OF_OTHERS if model is ModelName.mkpoe else OF_OTHERS + OF_VIEWS
    for name in set(given).intersection(foreign):
        remedy = "--model mkpoe" if name in OF_POE else "another --model"
        raise SettingError(
            f"--{name.replace('_', '-')} is no option of {model}: leave it out, or take {remedy}"
        )
    if len(features) > 1 and model is not ModelName.mkpoe:
        raise SettingError(f"{model} takes one file of --features: take --model mkpoe for several")
    if model not in POES:
        check_options(model, given, features[0] if features else None)
    elif not features:
        raise SettingError(f"{model} maps features: give them with --features FILE")
