"""Exclusions, which can be taken back, and erasure, which cannot."""

from typing import Any

from sqlalchemy import Connection, delete, func, insert, select, update

from resemblance.store import schema
from resemblance.store.access import Access, write
from resemblance.store.events import note
from resemblance.store.participants import lock
from resemblance.store.records import Participant, Study

RULED = schema.exclusions.c


class Exclusions(Access):
    """Whose answers do not count."""

    @write
    def exclude(
        self,
        connection: Connection,
        participant: Participant,
        excluded: bool,
        reason: str,
        by: str,
    ) -> None:
        """Let a person's answers count no longer, or again; the last word counts."""
        now, study = self.clock(), participant.study
        row = {"study": study, "participant": participant.id, "excluded": excluded}
        connection.execute(
            insert(schema.exclusions), {**row, "reason": reason, "by": by, "at": now}
        )
        what = "participant excluded" if excluded else "participant included"
        note(connection, study, now, by, what, participant=participant.code, reason=reason)

    def excluded(self, study: Study) -> set[int]:
        """Return the numbers of the participants whose answers do not count."""
        last = select(func.max(RULED.id)).where(RULED.study == study.id)
        wanted = select(RULED.participant).where(
            RULED.id.in_(last.group_by(RULED.participant)), RULED.excluded
        )
        return {row.participant for row in self._rows(wanted)}

    @write
    def erase(self, connection: Connection, participant: Participant, who: str) -> None:
        """Forget a person: answers, questions, pages, external id, token, browser.

        What stays is the pseudonym, so that codes are never used twice, and a line in the audit
        trail. SQLite overwrites what it deletes; the log beside the file is emptied when the last
        process closes it, or after some further writes.
        """
        lock(connection, participant)
        theirs = (schema.answers, schema.questions, schema.pages, schema.exclusions, schema.tallies)
        for table in theirs:
            connection.execute(delete(table).where(table.c.participant == participant.id))
        people = schema.participants
        nothing: dict[str, Any] = dict.fromkeys(("external_id", "token_hash", "completion_code"))
        forgetting = update(people).where(people.c.id == participant.id)
        connection.execute(forgetting.values(**nothing, browser={}, state="stopped"))
        now, study = self.clock(), participant.study
        note(connection, study, now, who, "participant erased", participant=participant.code)
