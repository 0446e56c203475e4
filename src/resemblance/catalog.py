"""Tables of models and strategies by name; no class is imported.

A new model or strategy needs a class and an entry in a table. Settings of studies, the command
line, the worker and the desk read these tables.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any, TypeVar

from resemblance.errors import SettingError

RDM_SIMILARITIES = (
    *("spearman", "pearson", "cosine", "rho-a", "kendall tau-a", "kendall tau-b"),
    *("whitened pearson", "whitened cosine"),
)

Found = TypeVar("Found", bound="Entry")


@dataclass(frozen=True)
class Entry:
    """An entry of a table: a class with its name."""

    title: str  # name in reports
    path: str  # class as "module:name", imported when first used
    about: str = ""
    has_odds: bool = True  # whether a model predicts probabilities
    adaptive: bool = True  # whether a strategy depends on answers
    needs_head: bool = False  # whether a strategy needs questions with a head
    needs_models: bool = False  # whether a strategy needs models to compare
    settings: Mapping[str, Any] = field(default_factory=dict)  # settings of the model in studies

    def load(self) -> Any:
        module, name = self.path.split(":")
        return getattr(import_module(module), name)

    def make(self, *arguments: Any, **settings: Any) -> Any:
        return self.load()(*arguments, **{**self.settings, **settings})


@dataclass(frozen=True)
class Model(Entry):
    reference: str = ""  # paper to cite
    own: tuple[str, ...] = ()  # settings that are options of the model's command
    kind: str = "comparisons"  # kind of input: "comparisons" or "confusions"
    features: int = 0  # number of feature files: 0, 1, or SEVERAL
    n_components: int | None = 2  # default number of dimensions; None for as many as possible
    search: str = ""  # class that chooses open settings by cross-validation, as "module:name"
    # settings that the class chooses, each with the name of its grid
    searched: Mapping[str, str] = field(default_factory=dict)
    sparse: bool = False  # whether the model learns sparse non-negative loadings
    believes: bool = False  # whether features can be a prior of positions (see PRIOR)

    @property
    def options(self) -> tuple[str, ...]:
        """The options that only this model's command has."""
        options = (*self.own, "items")
        if self.kind == "comparisons":
            options += ("kind",) + ("clicks",) * (not self.features)
        if self.features or self.believes:
            options += ("features", "feature_columns")
        return options + ("kernels", "missing") * (self.features > 1)


SEVERAL = 99  # number of feature files of models that accept several views
QUICK = {"tol": 1e-3}  # settings of fits in a running study
# models whose probabilities are too extreme after a few hundred answers without a penalty
SHRUNK = {"penalty": "auto"}
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
# maps of features, which studies do not use
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
# models with interpretable dimensions; studies do not use them
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
AUTO_MODEL = "auto"  # name for the model with the lowest log loss on held-out answers
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
ALPHAS = 3.0, 10.0  # degrees of freedom to try for t-STE, besides the default d - 1 in d dimensions
# In one or two dimensions, CKL equals a scaled t-STE.
IN_A_PLANE = tuple(name for name in COMPARED if name != "ckl")
PRIOR = Entry(  # form of the compared models if items have features
    "features as a prior",
    "resemblance.forms:FeaturePrior",
    settings={"map": "auto", "standardised": True},
)
# form that uses almost only features
PRIOR_ALONE = replace(PRIOR, settings={"share": 0.99, "standardised": True})
STUDY_MODELS = {AUTO_MODEL: OFFERED[AUTO_MODEL], **MODELS}


@dataclass(frozen=True)
class DrawnKind(Entry):
    # lowest and highest value of each feature
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)


# kinds of stimuli that are drawn from features
STIMULI = {
    "lines": DrawnKind("Lines", "resemblance.stimuli:Lines", ranges={"length": (10.0, 500.0)}),
    "blobs": DrawnKind("Blobs", "resemblance.stimuli:Blobs", ranges={"x": (-3.0, 3.0)}),
    "screws": DrawnKind(
        "Screws",
        "resemblance.stimuli:Screws",
        ranges={"diameter": (10.0, 150.0), "angle": (0.0, 180.0)},
    ),
    "gabors": DrawnKind(
        "Gabors",
        "resemblance.stimuli:Gabors",
        ranges={"angle": (0.0, 180.0), "frequency": (2.0, 32.0), "contrast": (0.0, 1.0)},
    ),
}
LOADER = "resemblance.datasets:fetch_"
# loaders of public data sets with people's answers
PUBLIC_DATA = {
    "things": Entry("1,854 objects", f"{LOADER}things", settings={"part": "people"}),
    "faces": Entry("36 faces", f"{LOADER}faces"),
    "music": Entry("400 artists", f"{LOADER}music_artists", settings={"genres": False}),
    "eggs": Entry("30 drawn eggs", f"{LOADER}alien_eggs"),
    "eggs-300": Entry("300 drawn eggs", f"{LOADER}alien_eggs", settings={"n": 300}),
}
STRATEGIES = {
    "predictive": Entry(
        "PredictiveGain",
        "resemblance.asking:PredictiveGain",
        "What an answer tells about all positions.",
        # A quarter of the default number of candidates gives equally good maps in simulated
        # studies.
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
CONTRADICTIONS = "contradictions"
# strategies for a share of the questions, used beside another strategy
BESIDE = {
    CONTRADICTIONS: Entry(
        "ContradictingAnswers",
        "resemblance.asking:ContradictingAnswers",
        "Questions whose answers contradict others, asked again.",
        needs_head=True,
    )
}
MODEL = "tste"  # Default if no model can be chosen, and the first model to compare.
# model of "auto" for measured distances: unlike t-STE and CKL, STE can predict certain answers
MEASURED_MODEL = "ste"
STUDY_MODEL, STRATEGY = AUTO_MODEL, "predictive"  # default model and strategy of studies
PER_NEW_ITEM = 12  # number of answers about a new item before it is fitted with all other items
CURRENCY = "USD"  # default currency of pay
# scheme and host of a web page, in lower case, with an optional port
ORIGIN = r"^https?://(?:[a-z0-9.-]+|\[[0-9a-f:]+\])(?::[0-9]{1,5})?$"
DATABASE = "RESEMBLANCE_DATABASE"  # environment variable with the address of the database
# If this variable is set, pictures outside the folder of their table are refused.
CONFINED = "RESEMBLANCE_CONFINED"
SECONDS, PAY = 5.0, 12.0  # default seconds per trial, and pay per hour
GOLD_SHARE = 0.2  # share of gold questions in a study
START, HELD_OUT, NEW, RANDOM = "start", "held out", "new item", "random"
CHOSEN_NOISE = "chosen noise"  # noise about which the strategies of an observer disagree
LISTED = "listed"  # a pair from the researcher's list
INFORMED = "informed"  # chosen with features as a prior, before the first fit
AT_RANDOM = (START, HELD_OUT, RANDOM)  # purposes of questions that were chosen without a strategy
GOLD = "gold"  # a question to which attentive people give the same answer
REASON = "reason"  # column of answers with a word on the way in which items differ
# other purposes of questions
OTHERS = (INFORMED, NEW, GOLD, "repeat", "agreement", LISTED, CONTRADICTIONS)


def find(table: Mapping[str, Found], what: str, name: Any) -> Found:
    """Return the entry with a name; the error for an unknown name lists all names.

    >>> find(MODELS, "model", "mds")
    Traceback (most recent call last):
    resemblance.errors.SettingError: unknown model 'mds': choose tste, ste, ckl, gnmds, soe
    """
    if name not in table:
        raise SettingError(f"unknown {what} {name!r}: choose {', '.join(table)}", setting=what)
    return table[name]


def cited(estimator: str) -> tuple[str, str]:
    """Return the printed name of a class of estimators, and the paper to cite.

    >>> cited("TSTE")[0], cited("OrdinalEmbedding")
    ('t-STE', ('OrdinalEmbedding', ''))
    """
    for model in ALL_MODELS.values():
        if model.path.endswith(f":{estimator}"):
            return model.title, model.reference
    return estimator, ""


def compared_in(n_components: int) -> tuple[str, ...]:
    """Return the names of models to compare: without CKL in one or two dimensions.

    >>> compared_in(2), compared_in(3)
    (('tste', 'ste'), ('tste', 'ste', 'ckl'))
    """
    return COMPARED if n_components > 2 else IN_A_PLANE


def choices_in(n_components: int) -> dict[str, tuple[str, dict[str, float]]]:
    """Return the models that `fit` compares, by printed name: (name, settings).

    t-STE with more degrees of freedom has lighter tails, between t-STE and STE.

    >>> list(choices_in(2))
    ['tste', 'ste', 'tste alpha=3', 'tste alpha=10']
    """
    plain: dict[str, tuple[str, dict[str, float]]] = {
        name: (name, {}) for name in compared_in(n_components)
    }
    more = {f"tste alpha={a:g}": ("tste", {"alpha": a}) for a in ALPHAS if a > n_components - 1}
    return plain | more


def models_of(name: str, n_components: int = 2, informed: bool = False) -> dict[str, Any]:
    """Return the unfitted model of a study by name; all candidates for "auto".

    If ``informed``, models that can do so use features as a prior.

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
