"""The models that `fit` offers: their estimator, their own settings and what to cite."""

from dataclasses import asdict, dataclass
from enum import StrEnum
from math import inf
from typing import TYPE_CHECKING, Any

from resemblance.errors import SettingError

if TYPE_CHECKING:
    from resemblance.fitting import OrdinalEmbedding
    from resemblance.solvers import Callback


class ModelName(StrEnum):
    """A model, as the command line calls it."""

    tste = "tste"
    ste = "ste"
    ckl = "ckl"
    gnmds = "gnmds"
    soe = "soe"
    yada = "yada"
    poe = "poe"
    mkpoe = "mkpoe"


class FormName(StrEnum):
    """What is fitted: positions, or a matrix of inner products."""

    coordinates = "coordinates"
    gram = "gram"


class KernelName(StrEnum):
    """The kernel of features that a map is linear in."""

    rbf = "rbf"
    linear = "linear"
    polynomial = "polynomial"
    cosine = "cosine"
    tfidf = "tfidf"
    chi2 = "chi2"
    histogram = "histogram"
    precomputed = "precomputed"


class ChoiceName(StrEnum):
    """How a distance becomes an error."""

    gaussian = "gaussian"
    exponential = "exponential"


@dataclass(frozen=True)
class Model:
    """A model: its name in print, its estimator, its own setting and its paper."""

    title: str
    estimator: str
    setting: str | None
    reference: str


_STE_PAPER = (
    "L. van der Maaten and K. Weinberger (2012). Stochastic triplet embedding. In: IEEE "
    "International Workshop on Machine Learning for Signal Processing (MLSP). "
    "doi:10.1109/MLSP.2012.6349720"
)
MODELS = {
    ModelName.tste: Model("t-STE", "TSTE", "alpha", _STE_PAPER),
    ModelName.ste: Model("STE", "STE", None, _STE_PAPER),
    ModelName.ckl: Model(
        "CKL",
        "CKL",
        "mu",
        "O. Tamuz, C. Liu, S. Belongie, O. Shamir and A. T. Kalai (2011). Adaptively learning the "
        "crowd kernel. In: Proceedings of the 28th International Conference on Machine Learning "
        "(ICML), 673-680.",
    ),
    ModelName.gnmds: Model(
        "GNMDS",
        "GNMDS",
        "margin",
        "S. Agarwal, J. Wills, L. Cayton, G. Lanckriet, D. Kriegman and S. Belongie (2007). "
        "Generalized non-metric multidimensional scaling. In: Proceedings of the 11th "
        "International Conference on Artificial Intelligence and Statistics (AISTATS), PMLR 2, "
        "11-18.",
    ),
    ModelName.soe: Model(
        "SOE",
        "SOE",
        "margin",
        "Y. Terada and U. von Luxburg (2014). Local ordinal embedding. In: Proceedings of the 31st "
        "International Conference on Machine Learning (ICML), PMLR 32(2), 847-855.",
    ),
}


def positive(**settings: float | None) -> None:
    """Refuse settings that are given and are no positive number.

    Examples
    --------
    >>> positive(alpha=None, mu=-1.0)
    Traceback (most recent call last):
    resemblance.errors.SettingError: --mu is -1: give a positive number
    """
    for name, value in settings.items():
        if value is not None and not 0 < value < inf:
            raise SettingError(f"--{name} is {value:g}: give a positive number")


@dataclass(frozen=True)
class Recipe:
    """Everything about a fit but the number of dimensions."""

    model: ModelName = ModelName.tste
    form: FormName = FormName.coordinates
    penalty: float | None = None
    mu: float | None = None
    alpha: float | None = None
    margin: float | None = None
    n_init: int = 1
    max_iter: int = 1000
    seed: int = 0

    def __post_init__(self) -> None:
        for setting in ("mu", "alpha", "margin"):
            if setting != MODELS[self.model].setting and getattr(self, setting) is not None:
                takes = [name for name, model in MODELS.items() if model.setting == setting]
                raise SettingError(
                    f"--{setting} is no setting of {self.model}: leave it out, or take --model "
                    f"{' or '.join(takes)}"
                )
        positive(alpha=self.alpha, mu=self.mu, margin=self.margin)
        if self.penalty is not None and not 0 <= self.penalty < inf:
            raise SettingError(f"--penalty is {self.penalty:g}: give 0 or a positive number")

    @property
    def described(self) -> Model:
        """The model's names and paper."""
        return MODELS[self.model]

    def title(self, dims: int) -> str:
        """Name the model and its dimensions."""
        gram = ", Gram matrix" if self.form is FormName.gram else ""
        return f"{self.described.title}{gram}, {dims} dimension{'s'[: dims > 1]}"

    def estimator(self, dims: int, callback: "Callback | None" = None) -> "OrdinalEmbedding":
        """Make the estimator, not yet fitted."""
        import resemblance.embeddings

        settings: dict[str, Any] = asdict(self)
        del settings["model"]
        own = {name: settings.pop(name) for name in ("mu", "alpha", "margin")}
        given = {name: value for name, value in own.items() if value is not None}
        settings["random_state"] = settings.pop("seed")
        kind = getattr(resemblance.embeddings, self.described.estimator)
        return kind(n_components=dims, callback=callback, **settings, **given)
