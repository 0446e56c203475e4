"""Models and strategies by name, listed without loading them.

A new model, or a new strategy, is one class and one line of a table: settings of studies, the
command line, the worker and the desk follow from it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any, TypeVar

from resemblance.errors import SettingError

# Measures of similarity between two dissimilarity matrices.
RDM_SIMILARITIES = (
    *("spearman", "pearson", "cosine", "rho-a", "kendall tau-a", "kendall tau-b"),
    *("whitened pearson", "whitened cosine"),
)

Found = TypeVar("Found", bound="Entry")


@dataclass(frozen=True)
class Entry:
    """A named class of a table."""

    title: str  # its name in print
    path: str  # its class as "module:name", imported on use
    about: str = ""
    has_odds: bool = True  # whether a model gives probabilities of answers
    adaptive: bool = True  # whether a strategy depends on answers
    needs_head: bool = False  # whether a strategy needs questions about a head
    needs_models: bool = False  # whether a strategy needs models that disagree
    settings: Mapping[str, Any] = field(default_factory=dict)  # settings with which studies make it

    def load(self) -> Any:
        module, name = self.path.split(":")
        return getattr(import_module(module), name)

    def make(self, *arguments: Any, **settings: Any) -> Any:
        return self.load()(*arguments, **{**self.settings, **settings})


@dataclass(frozen=True)
class Model(Entry):
    reference: str = ""  # paper to cite
    own: tuple[str, ...] = ()  # settings of its class that are options of the command
    kind: str = "comparisons"  # its input: "comparisons" or "confusions"
    features: int = 0  # number of feature files: none, 1, or several
    n_components: int | None = 2  # default number of dimensions; None is all
    search: str = ""  # class that chooses open settings, as "module:name"
    # those settings, with the search's names of their grids
    searched: Mapping[str, str] = field(default_factory=dict)
    sparse: bool = False  # whether it learns sparse loadings of 0 or more
    believes: bool = False  # whether features can be a prior of positions (PRIOR)

    @property
    def options(self) -> tuple[str, ...]:
        """The options of the command for this model, besides the common ones."""
        options = (*self.own, "items")
        if self.kind == "comparisons":
            options += ("kind",) + ("clicks",) * (not self.features)
        if self.features or self.believes:
            options += ("features", "feature_columns")
        return options + ("kernels", "missing") * (self.features > 1)


SEVERAL = 99  # files of features
QUICK = {"tol": 1e-3}  # settings of fits that a study makes while people answer
SHRUNK = {
    "penalty": "auto"
}  # without it, probabilities are far too extreme after some hundred answers
DESCENT = ("form", "penalty", "n_init", "max_iter", "n_jobs", "device")
STE_PAPER = (
    "L. van der Maaten and K. Weinberger (2012). Stochastic triplet embedding. In: IEEE "
    "International Workshop on Machine Learning for Signal Processing (MLSP). "
    "doi:10.1109/MLSP.2012.6349720"
)
POE_PAPER = (
    "B. McFee and G. Lanckriet (2011). Learning multi-modal similarity. Journal of Machine "
    "Learning Research 12, 491-523."
)
MODELS = {
    "tste": Model(
        "t-STE",
        "resemblance.embeddings:TSTE",
        settings=SHRUNK,
        reference=STE_PAPER,
        own=("alpha", *DESCENT),
        believes=True,
    ),
    "ste": Model(
        "STE",
        "resemblance.embeddings:STE",
        settings=SHRUNK,
        reference=STE_PAPER,
        own=DESCENT,
        believes=True,
    ),
    "ckl": Model(
        "CKL",
        "resemblance.embeddings:CKL",
        settings=SHRUNK,
        reference="O. Tamuz, C. Liu, S. Belongie, O. Shamir and A. T. Kalai (2011). Adaptively "
        "learning the crowd kernel. In: Proceedings of the 28th International Conference on "
        "Machine Learning (ICML), 673-680.",
        own=("mu", *DESCENT),
        believes=True,
    ),
    "gnmds": Model(
        "GNMDS",
        "resemblance.embeddings:GNMDS",
        has_odds=False,
        reference="S. Agarwal, J. Wills, L. Cayton, G. Lanckriet, D. Kriegman and S. Belongie "
        "(2007). Generalized non-metric multidimensional scaling. In: Proceedings of the 11th "
        "International Conference on Artificial Intelligence and Statistics (AISTATS), PMLR 2, "
        "11-18.",
        own=("margin", *DESCENT),
    ),
    "soe": Model(
        "SOE",
        "resemblance.embeddings:SOE",
        has_odds=False,
        reference="Y. Terada and U. von Luxburg (2014). Local ordinal embedding. In: Proceedings "
        "of the 31st International Conference on Machine Learning (ICML), PMLR 32(2), 847-855.",
        own=("margin", *DESCENT),
    ),
}
# Maps of features, which studies do not fit.
YADA_OWN = (
    *("kernel", "bandwidth", "penalty", "choice", "lapse", "monotone", "one_to_one"),
    *("n_init", "max_iter"),
)
POE_OWN = ("kernel", "bandwidth", "beta", "diagonal", "margin", "max_iter")
MAPS = {
    "yada": Model(
        "Yada",
        "resemblance.mappings:Yada",
        reference="J.-M. Xu, X. Zhu and T. T. Rogers (2012). Metric learning for estimating "
        "psychological similarities. ACM Transactions on Intelligent Systems and Technology 3(3), "
        "55.",
        own=YADA_OWN,
        kind="confusions",
        features=1,
        search="resemblance.mappings:YadaCV",
        searched={"penalty": "penalties", "bandwidth": "bandwidths"},
    ),
    "poe": Model(
        "POE",
        "resemblance.mappings:POE",
        reference=POE_PAPER,
        own=POE_OWN,
        features=1,
        n_components=None,
        search="resemblance.mappings:POECV",
        searched={"beta": "betas"},
    ),
}
MAPS["mkpoe"] = replace(
    MAPS["poe"],
    title="MK-POE",
    path="resemblance.mappings:MKPOE",
    features=SEVERAL,
    search="resemblance.mappings:MKPOECV",
)
# Dimensions that people name, which studies do not fit.
SPARSE = {
    "spose": Model(
        "SPoSE",
        "resemblance.embeddings:SPoSE",
        settings={"penalty": "auto"},
        reference="C. Y. Zheng, F. Pereira, C. I. Baker and M. N. Hebart (2019). Revealing "
        "interpretable object representations from human behavior. In: International Conference "
        "on Learning Representations (ICLR).",
        own=("penalty", "l1_ratio", "n_init", "max_iter", "n_jobs", "device"),
        n_components=None,
        sparse=True,
    )
}
ALL_MODELS = {**MODELS, **MAPS, **SPARSE}
AUTO_MODEL = "auto"  # the one under which answers held out are most likely
OFFERED = {
    **ALL_MODELS,
    AUTO_MODEL: Model(
        "the likeliest of t-STE, STE and CKL",
        "",
        own=("n_init", "max_iter", "device"),
        believes=True,
    ),
}
COMPARED = tuple(name for name, model in MODELS.items() if model.has_odds)
ALPHAS = 3.0, 10.0  # degrees of freedom of t-STE that are tried besides its own, d - 1
IN_A_PLANE = tuple(name for name in COMPARED if name != "ckl")  # t-STE there, but for the scale
PRIOR = Entry(  # the form of these where items have features
    "features as a prior",
    "resemblance.forms:FeaturePrior",
    settings={"map": "auto", "standardised": True},
)
PRIOR_ALONE = replace(PRIOR, settings={"share": 0.99, "standardised": True})  # believed outright
STUDY_MODELS = {AUTO_MODEL: OFFERED[AUTO_MODEL], **MODELS}
STRATEGIES = {
    "predictive": Entry(
        "PredictiveGain",
        "resemblance.asking:PredictiveGain",
        "What an answer tells about all positions.",
        # a quarter of its own work and memory; in simulated studies no worse a map
        settings={"max_candidates": 1024, "n_targets": 128, "max_parameters": 1000},
    ),
    "information": Entry(
        "InformationGain",
        "resemblance.asking:InformationGain",
        "What an answer tells about the head.",
        needs_head=True,
    ),
    "uncertain": Entry(
        "UncertainQuestions",
        "resemblance.asking:UncertainQuestions",
        "Answers nearest to a toss-up.",
    ),
    "controversial": Entry(
        "ControversialQuestions",
        "resemblance.asking:ControversialQuestions",
        "What the models of asking.models disagree about.",
        needs_models=True,
        settings={"max_candidates": 1024},
    ),
    "random": Entry(
        "RandomQuestions", "resemblance.asking:RandomQuestions", "Chosen at random.", adaptive=False
    ),
}
CONTRADICTIONS = "contradictions"  # asked beside those of a strategy, as a share
BESIDE = {
    CONTRADICTIONS: Entry(
        "ContradictingAnswers",
        "resemblance.asking:ContradictingAnswers",
        "Questions whose answers contradict others, asked again.",
        needs_head=True,
    )
}
MODEL = "tste"  # fitted first where one is chosen, and where none can be
MEASURED_MODEL = "ste"  # "auto" for measured distances: t-STE and CKL are never very sure
STUDY_MODEL, STRATEGY = AUTO_MODEL, "predictive"  # defaults of studies
PER_NEW_ITEM = 12  # answers about an added item before it joins the others
CURRENCY = "USD"  # default currency of pay
# scheme and host of a web page in small letters, with the port if there is one
ORIGIN = r"^https?://(?:[a-z0-9.-]+|\[[0-9a-f:]+\])(?::[0-9]{1,5})?$"
DATABASE = "RESEMBLANCE_DATABASE"  # the variable with the address of the database
CONFINED = "RESEMBLANCE_CONFINED"  # the variable that refuses pictures from outside their table
GOLD_SHARE = 0.2  # share of a study's questions that are gold
START, HELD_OUT, NEW, RANDOM = "start", "held out", "new item", "random"
LISTED = "listed"  # a pair of the researcher's list
INFORMED = "informed"  # chosen by what features make likely, before the first fit
AT_RANDOM = (START, HELD_OUT, RANDOM)  # purposes of questions that no strategy chose
GOLD = "gold"  # made so that everybody answers it alike
# why else a question may be asked
OTHERS = (INFORMED, NEW, GOLD, "repeat", "agreement", LISTED, CONTRADICTIONS)


def find(table: Mapping[str, Found], what: str, name: Any) -> Found:
    """Return an entry by its name; the error lists all names.

    >>> find(MODELS, "model", "mds")
    Traceback (most recent call last):
    resemblance.errors.SettingError: unknown model 'mds': choose tste, ste, ckl, gnmds, soe
    """
    if name not in table:
        raise SettingError(f"unknown {what} {name!r}: choose {', '.join(table)}", setting=what)
    return table[name]


def cited(estimator: str) -> tuple[str, str]:
    """Return the name in print of an estimator class, and the paper to cite.

    >>> cited("TSTE")[0], cited("OrdinalEmbedding")
    ('t-STE', ('OrdinalEmbedding', ''))
    """
    for model in ALL_MODELS.values():
        if model.path.endswith(f":{estimator}"):
            return model.title, model.reference
    return estimator, ""


def compared_in(n_components: int) -> tuple[str, ...]:
    """Return the models to choose among; t-STE and CKL are equal in up to two dimensions.

    >>> compared_in(2), compared_in(3)
    (('tste', 'ste'), ('tste', 'ste', 'ckl'))
    """
    return COMPARED if n_components > 2 else IN_A_PLANE


def choices_in(n_components: int) -> dict[str, tuple[str, dict[str, float]]]:
    """Return the models among which `fit` chooses, with settings, by printed name.

    Models between t-STE with few degrees of freedom and STE suit people who sometimes guess, and
    kernels with lighter tails.

    >>> list(choices_in(2))
    ['tste', 'ste', 'tste alpha=3', 'tste alpha=10']
    """
    plain: dict[str, tuple[str, dict[str, float]]] = {
        name: (name, {}) for name in compared_in(n_components)
    }
    more = {f"tste alpha={a:g}": ("tste", {"alpha": a}) for a in ALPHAS if a > n_components - 1}
    return plain | more


def models_of(name: str, n_components: int = 2, informed: bool = False) -> dict[str, Any]:
    """Make a study's model by name, or all candidates for "auto".

    With features (`informed`), models with a likelihood use them as far as answers confirm.

    >>> list(models_of("auto", 3)), list(models_of("ste"))
    (['tste', 'ste', 'ckl'], ['ste'])
    """
    names = compared_in(n_components) if name == AUTO_MODEL else (name,)
    made = {name: MODELS[name].make(n_components, **QUICK) for name in names}
    for name, model in made.items():
        if informed and MODELS[name].believes:
            model.set_params(form=PRIOR.make())
    return made


def with_odds() -> str:
    *names, last = COMPARED
    return f"{', '.join(names)} or {last}"
