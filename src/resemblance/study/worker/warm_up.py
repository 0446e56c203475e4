"""Run a made-up study once, so that all loops are compiled before people wait."""

import logging
from collections.abc import Iterable

from resemblance.errors import quiet
from resemblance.study.settings import Settings

log = logging.getLogger("resemblance.worker")

SPARE = 6  # items beside those of one question
ANSWERS = 60
PEOPLE = 2


def warm_up(studies: Iterable[Settings]) -> None:
    """Ask, tell and fit as each study will, about items that do not exist.

    The first fit on a machine compiles for half a minute or more; later runs take a moment.
    """
    for settings in studies:
        try:
            with quiet():
                _go_through(settings)
        except Exception:  # the real study will say what is wrong
            log.exception("%s: could not warm up", settings.study.name)


def _go_through(settings: Settings) -> None:
    """Answer a session's questions at random, fit, report, and ask again."""
    import numpy as np

    from resemblance.asking import Session
    from resemblance.judgments import Items
    from resemblance.observers import ModelObserver
    from resemblance.study.worker.fitting import fit
    from resemblance.study.worker.report import Costly, Report
    from resemblance.study.worker.session import session_settings

    n_items = settings.study.options + SPARE
    models = {name: ModelObserver(np.eye(n_items)) for name in settings.asking.models}
    made = session_settings(settings, n_items, models)
    features = np.eye(n_items)[:, :2] if settings.features.file else None
    session = Session(
        Items(n_items, features=features), **made | {"start_per_head": 1, "held_out": 0.2}
    )
    for turn in range(ANSWERS):
        question = session.ask()
        picked = question.options[turn % 2 :][: session.asks.picks]
        session.tell(question.number, picked, f"P{turn % PEOPLE}")
    fitted = fit(session.fit_job(), session.judgments("all"))
    session.adopt(fitted.result)
    Report(session, fitted, settings).space(Costly())
    session.ask()
