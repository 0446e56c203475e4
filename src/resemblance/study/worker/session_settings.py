"""What a study's settings mean for its session."""

from typing import Any

from resemblance.catalog import MODELS, RANDOM, STRATEGIES
from resemblance.study.settings import Settings
from resemblance.study.worker.comparisons import per_answer


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
    shares = chosen if settings.adaptive else {RANDOM: 1.0}
    return {
        "strategies": {name: STRATEGIES[name].make() for name in shares},
        "shares": shares,
        "model": MODELS[asking.model].make(asking.n_components),
        "n_options": 2 if per > 1 else settings.study.options,
        "start_per_head": per * asking.start_per_head,
        "per_new_item": asking.per_new_item,
        "refit_every": per * (asking.refit_every or n_items),
        "held_out": asking.held_out,
        "auto_refit": False,
        "keep_log": False,
        "random_state": settings.study.seed,
    }
