"""The command `erase`."""

from typing import Annotated

import typer

from resemblance.cli.options import Database, StudyPath, option
from resemblance.errors import SettingError


def erase(
    study: StudyPath,
    participant: Annotated[
        str,
        typer.Argument(
            help="The pseudonym, as P0001, or the id at the source.", metavar="PARTICIPANT"
        ),
    ],
    database: Database = None,
    yes: Annotated[bool, option("Do not ask whether it is meant.")] = False,
) -> None:
    """Erase a person: answers, pages, id and browser. What stays is the pseudonym and a note.

    It cannot be undone. A running server leaves the answers out of its next fit; files that were
    exported before, and copies of the database, are not reached.
    """
    from resemblance.study.live import open_stored

    with open_stored(study, database) as live:
        people = live.store.people.all(live.record)
        found = [one for one in people if participant in (one.code, one.external_id)]
        if not found:
            raise SettingError(
                f"nobody in {study} is {participant!r}: give a pseudonym from P0001 to "
                f"P{len(people):04d}, or an id at the source"
            )
        for one in found:
            n = len(live.store.answers.of(one))
            if not yes:
                typer.confirm(f"Erase {one.code} with {n} answers for good?", abort=True)
            live.store.people.erase(one, "researcher")
            typer.echo(f"{one.code} is erased: {n} answers, pages, id and browser are gone")
