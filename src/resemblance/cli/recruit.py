"""The command `recruit`."""

import json
from typing import TYPE_CHECKING, Annotated

import typer

from resemblance.cli.options import StudyPath, option
from resemblance.errors import SettingError

if TYPE_CHECKING:
    from resemblance.study.live import LiveStudy
    from resemblance.study.recruit import Offer, Recruiter


def recruit(
    study: StudyPath,
    places: Annotated[
        int | None, option("Number of people. Default: recruitment.max_participants.", min=1)
    ] = None,
    approve: Annotated[
        bool, option("Approve submissions of people who finished and pass the rules.")
    ] = False,
    send: Annotated[bool, option("Really do it; otherwise only show what would be sent.")] = False,
    sandbox: Annotated[bool, option("Use MTurk's sandbox, where nobody is paid.")] = False,
) -> None:
    """Recruit people on Prolific or MTurk, or approve their work.

    recruitment.source in study.toml sets the platform. Without --send, the command only shows the
    offer. With --send, the study is published and costs money. With --approve, work is approved by
    the rules of [quality].
    """
    from resemblance.study.folder import StudyFolder
    from resemblance.study.live import open_stored
    from resemblance.study.recruit import offer_of, recruiter_of

    folder = StudyFolder.open(study)
    service = recruiter_of(folder, sandbox)
    if approve:
        with open_stored(study) as live:
            approve_work(service, live, send)
        return
    offer = offer_of(folder, places)
    service.check(offer)
    tell_offer(service, offer)
    if send:
        with open_stored(study) as live:
            make_offer(service, offer, live)
    if not send:
        typer.echo("nothing was sent: add --send to offer it")


def tell_offer(service: "Recruiter", offer: "Offer") -> None:
    fee, currency = service.fee(offer), offer.terms.currency
    typer.echo(json.dumps(service.request(offer), indent=2, ensure_ascii=False))
    typer.echo(
        f"{offer.places} people at {offer.pay} {currency} for {offer.minutes:g} minutes "
        f"({offer.hourly} an hour): {offer.total:.2f} {currency}, and a fee of at most "
        f"{fee:.2f}: {offer.total + fee:.2f} {currency} in total, without taxes"
    )


def make_offer(service: "Recruiter", offer: "Offer", live: "LiveStudy") -> None:
    from resemblance.study.recruit import RECRUITED

    task = service.publish(offer)
    line = {"source": service.source, "task": task, "places": offer.places, "pay": str(offer.pay)}
    live.store.events.record(live.record, "researcher", RECRUITED, line)
    typer.echo(f"offered on {service.source}: {task}")


def approve_work(service: "Recruiter", live: "LiveStudy", send: bool) -> None:
    from resemblance.study.recruit import RECRUITED, decide

    events = live.store.events.audit(live.record, RECRUITED)
    tasks = [e.details["task"] for e in events if e.details["source"] == service.source]
    if not tasks:
        raise SettingError(
            f"nothing was published on {service.source} yet: recruit with --send first"
        )
    submissions = [work for task in tasks for work in service.submissions(task)]
    decisions = decide(live, service.source, submissions)
    for decision in decisions:
        name = decision.code or decision.submission.person
        typer.echo(f"{name}: {'approved' if decision.approved else 'held: ' + decision.reason}")
        if decision.approved and send:
            service.approve(decision.submission)
    n = sum(decision.approved for decision in decisions)
    typer.echo(f"{n} to approve, {len(decisions) - n} to check, of {len(submissions)} submissions")
    if send and n:
        line = {"source": service.source, "approved": n, "held": len(decisions) - n}
        live.store.events.record(live.record, "researcher", "work approved", line)
    if not send:
        typer.echo("nothing was sent: add --send to approve")
