"""What a study's settings mean for its session."""

from typing import Any

from resemblance.asking import (
    InformationGain,
    PredictiveGain,
    RandomQuestions,
    Strategy,
    UncertainQuestions,
)
from resemblance.embeddings import CKL, GNMDS, SOE, STE, TSTE
from resemblance.fitting import OrdinalEmbedding
from resemblance.web.settings import Asking, Settings

# A quarter of the strategy's own work and memory; in simulated studies no worse a map.
LIGHT: dict[str, Any] = {"max_candidates": 1024, "n_targets": 128, "max_parameters": 1000}


def session_settings(settings: Settings) -> dict[str, Any]:
    """Give the settings of the session that a study's settings describe.

    Examples
    --------
    >>> from resemblance.web.settings import Study
    >>> sorted(session_settings(Settings(study=Study(name="ties"))))[:3]
    ['auto_refit', 'held_out', 'keep_log']
    """
    asking = settings.asking
    shares = {name: share for name, share in asking.shares.model_dump().items() if share > 0}
    return {
        "strategies": {name: _strategy(name) for name in shares},
        "shares": shares,
        "model": _model(asking),
        "n_options": settings.study.options,
        "start_per_head": asking.start_per_head,
        "per_new_item": asking.per_new_item,
        "refit_every": asking.refit_every or None,
        "held_out": asking.held_out,
        "auto_refit": False,
        "keep_log": False,
        "random_state": settings.study.seed,
    }


def _strategy(name: str) -> Strategy:
    if name == "predictive":
        return PredictiveGain(**LIGHT)
    others = {
        "information": InformationGain,
        "uncertain": UncertainQuestions,
        "random": RandomQuestions,
    }
    return others[name]()


def _model(asking: Asking) -> OrdinalEmbedding:
    n, tol = asking.n_components, 1e-3
    if asking.model == "tste":
        return TSTE(n, alpha=1.0, penalty=0.3, tol=tol)
    others = {"ste": STE, "ckl": CKL, "gnmds": GNMDS, "soe": SOE}
    return others[asking.model](n, tol=tol)
