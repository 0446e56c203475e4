"""What a study's settings mean for its session."""

from typing import Any

from resemblance.catalog import MODELS, RANDOM, STRATEGIES
from resemblance.study.kinds import KINDS
from resemblance.study.settings import Settings


def session_settings(settings: Settings, n_items: int) -> dict[str, Any]:
    """Return the settings of the session that a study of so many items describes.

    A study whose questions are not chosen has a session too, which is told what was answered.

    Examples
    --------
    >>> from resemblance.study.settings import Study
    >>> sorted(session_settings(Settings(study=Study(name="ties")), 12))[:3]
    ['auto_refit', 'held_out', 'keep_log']
    """
    asking, study = settings.asking, settings.study
    chosen = {name: share for name, share in asking.shares.model_dump().items() if share > 0}
    shares = chosen if settings.adaptive else {RANDOM: 1.0}
    return {
        "strategies": {name: STRATEGIES[name].make() for name in shares},
        "shares": shares,
        "model": MODELS[asking.model].make(asking.n_components),
        "start_per_head": asking.start_per_head,
        "per_new_item": asking.per_new_item,
        "refit_every": asking.refit_every or n_items,
        "held_out": asking.held_out,
        "auto_refit": False,
        "keep_log": False,
        "random_state": study.seed,
        **KINDS[study.kind].session(study.options),
    }
