"""The models and strategies that files and commands call by name; nothing of them is loaded here.

A new model, or a new strategy, is one class and one line of a table: settings of studies, the
command line, the worker and the desk follow from it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from resemblance.errors import SettingError


@dataclass(frozen=True)
class Entry:
    """Something with a name.

    Attributes
    ----------
    title : str
        Its name in print.
    path : str
        Its class, as "module:name"; it is imported when the first one is made.
    about : str
        What it is or does, in a few words.
    has_odds : bool
        Whether a model gives answers a probability.
    adaptive : bool
        Whether a strategy chooses by what was answered.
    needs_head : bool
        Whether a strategy weighs questions about a head alone, and no odd ones out.
    settings : dict
        The settings with which studies make it.
    """

    title: str
    path: str
    about: str = ""
    has_odds: bool = True
    adaptive: bool = True
    needs_head: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict)

    def make(self, *arguments: Any, **settings: Any) -> Any:
        """Make one as studies do, with further settings."""
        module, name = self.path.split(":")
        return getattr(import_module(module), name)(*arguments, **{**self.settings, **settings})


MODELS = {
    "tste": Entry(
        "t-STE", "resemblance.embeddings:TSTE", settings={"alpha": 1.0, "penalty": 0.3, "tol": 1e-3}
    ),
    "ste": Entry("STE", "resemblance.embeddings:STE", settings={"tol": 1e-3}),
    "ckl": Entry("CKL", "resemblance.embeddings:CKL", settings={"tol": 1e-3}),
    "gnmds": Entry("GNMDS", "resemblance.embeddings:GNMDS", has_odds=False, settings={"tol": 1e-3}),
    "soe": Entry("SOE", "resemblance.embeddings:SOE", has_odds=False, settings={"tol": 1e-3}),
}
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
    "random": Entry(
        "RandomQuestions", "resemblance.asking:RandomQuestions", "Chosen at random.", adaptive=False
    ),
}
MODEL, STRATEGY = "tste", "predictive"  # of studies that name none
GOLD_SHARE = 0.2  # of the questions of a study: their answers are known, and only check people
RANDOM = "random"


def find(table: Mapping[str, Entry], what: str, name: Any) -> Entry:
    """Return an entry by its name.

    Raises
    ------
    SettingError
        If there is none of that name; the message lists all.

    Examples
    --------
    >>> find(MODELS, "model", "mds")
    Traceback (most recent call last):
    resemblance.errors.SettingError: unknown model 'mds': choose tste, ste, ckl, gnmds, soe
    """
    if name not in table:
        raise SettingError(f"unknown {what} {name!r}: choose {', '.join(table)}")
    return table[name]


def default_model(n_components: int = 2) -> Any:
    """Make the model that studies fit unless they name another."""
    return MODELS[MODEL].make(n_components)


def with_odds() -> str:
    """List the models that give answers a probability, for a message."""
    *names, last = (name for name, model in MODELS.items() if model.has_odds)
    return f"{', '.join(names)} or {last}"
