"""Withdraw a participant, and keep or erase their answers."""

import logging
from typing import Any

from resemblance.store import Participant
from resemblance.store.errors import LeftoverError
from resemblance.store.people import BY_ONESELF
from resemblance.study.failures import Failure
from resemblance.study.live import LiveStudy
from resemblance.study.participation import Participation
from resemblance.study.sealed_ids import stand_in

log = logging.getLogger("resemblance.web")
RETURNED_BY_HAND = ("prolific", "mturk")  # services where people return a submission themselves


def withdraw(who: Participation, keep: bool) -> dict[str, Any]:
    """Withdraw a person, and keep only the answers, or delete everything."""
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
    """Erase a person; if a log that is being read still holds something, tell the researcher."""
    try:
        live.store.people.erase(person, BY_ONESELF)
    except LeftoverError as error:
        log.error("%s: %s", person.code, error)
