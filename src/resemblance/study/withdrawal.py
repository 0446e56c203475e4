"""Withdraw a participant, and keep or erase their answers."""

import logging
from typing import Any

from resemblance.store import Participant
from resemblance.store.errors import LeftoverError
from resemblance.store.people import BY_ONESELF
from resemblance.study.before_consent import stand_in
from resemblance.study.failures import Failure
from resemblance.study.live import LiveStudy
from resemblance.study.participation import Participation

log = logging.getLogger("resemblance.web")
RETURNED_BY_HAND = ("prolific", "mturk")  # services where people return a submission themselves


def withdraw(who: Participation, keep: bool) -> dict[str, Any]:
    """Keep what somebody answered so far, and nothing else of the person; or delete all at once.

    Raises
    ------
    Failure
        no_withdrawal, where the study wants people to write instead.
    """
    live, person = who.live, who.participant
    if not live.settings.recruitment.withdraw:
        raise Failure("no_withdrawal")
    if keep:
        live.store.people.withdraw(person, stand_in(live.folder.path, person))
    else:
        _erase(live, person)
    returned = person.source in RETURNED_BY_HAND and person.finished is None
    return {"kept": keep, "service": person.source if returned else None}


def _erase(live: LiveStudy, person: Participant) -> None:
    """Erase a person; what is left in a log that is being read, the researcher is told."""
    try:
        live.store.people.erase(person, BY_ONESELF)
    except LeftoverError as error:
        log.error("%s: %s", person.code, error)
