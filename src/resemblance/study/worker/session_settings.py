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
from resemblance.study.settings import Asking, Settings
from resemblance.study.worker.comparisons import per_answer

# A quarter of the strategy's own work and memory; in simulated studies no worse a map.
LIGHT: dict[str, Any] = {"max_candidates": 1024, "n_targets": 128, "max_parameters": 1000}


def session_settings(settings: Settings, n_items: int) -> dict[str, Any]:
    """Give the settings of the session that a study of so many items describes.

    A study whose questions are not chosen has a session too, which is told what was answered.

    Examples
    --------
    >>> from resemblance.study.settings import Study
    >>> sorted(session_settings(Settings(study=Study(name="ties")), 12))[:3]
    ['auto_refit', 'held_out', 'keep_log']
    """
    asking, per = settings.asking, per_answer(settings)
    chosen = {name: share for name, share in asking.shares.model_dump().items() if share > 0}
    shares = chosen if settings.adaptive else {"random": 1.0}
    return {
        "strategies": {name: _strategy(name) for name in shares},
        "shares": shares,
        "model": _model(asking),
        "n_options": 2 if settings.study.kind == "odd_one_out" else settings.study.options,
        "start_per_head": per * asking.start_per_head,
        "per_new_item": asking.per_new_item,
        "refit_every": per * (asking.refit_every or n_items),
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
