"""Fitted spaces of a study: the newest ones, and a thinned history."""

from math import log
from typing import Any

from sqlalchemy import Connection, Select, delete, insert, select

from resemblance.store import schema
from resemblance.store.database import Part, columns_of, write
from resemblance.store.records import Json, Scored, Space, Study

MOST = 50  # spaces of a study that are kept
NEWEST = 20  # number of latest spaces that are all kept
SPACE = schema.spaces.c


class Spaces(Part):
    """The spaces of studies."""

    @write
    def add(
        self,
        connection: Connection,
        study: Study,
        answers: int,
        model: bytes,
        positions: list[list[float]],
        uncertainty: list[float] | None,
        scores: Json,
    ) -> int:
        """Store a fitted space, and return its number.

        A study keeps 50 spaces: the newest, and earlier ones whose numbers of answers grow by
        about equal factors.
        """
        row = {"study": study.id, "made": self.database.clock(), "answers": answers, "model": model}
        row |= {"positions": positions, "uncertainty": uncertainty, "scores": scores}
        added = connection.execute(insert(schema.spaces).values(**row).returning(SPACE.id))
        number: int = added.scalar_one()
        kept = select(SPACE.id, SPACE.answers).where(SPACE.study == study.id).order_by(SPACE.id)
        past = [(row.id, row.answers) for row in connection.execute(kept)]
        gone = [past.pop(_closest(past)) for _ in range(len(past) - MOST)]
        if gone:
            ids = [number for number, _ in gone]
            connection.execute(delete(schema.spaces).where(SPACE.id.in_(ids)))
        return number

    def latest(self, study: Study) -> Space | None:
        """Return the space of the last fit of a study; None before the first."""
        return next(iter(self.all(study, 1)), None)

    def get(self, study: Study, number: int) -> Space | None:
        """Return the space with this number; None if it is no longer kept."""
        return self.database.first(Space, _spaces_of(study).where(SPACE.id == number))

    def all(self, study: Study, limit: int = MOST) -> list[Space]:
        """Return the kept spaces, newest first."""
        newest = _spaces_of(study).order_by(SPACE.id.desc())
        return self.database.all(Space, newest.limit(limit))

    def scored(self, study: Study) -> list[Scored]:
        """Return the scores of the kept spaces, oldest first."""
        wanted = select(*columns_of(Scored, schema.spaces)).where(SPACE.study == study.id)
        return self.database.all(Scored, wanted.order_by(SPACE.id))


def _spaces_of(study: Study) -> Select[Any]:
    return select(*columns_of(Space, schema.spaces)).where(SPACE.study == study.id)


def _closest(past: list[tuple[int, int]]) -> int:
    """Return the position, neither first nor among the newest, with the closest neighbours."""
    step = [log(max(answers, 1)) for _, answers in past]
    return min(range(1, len(past) - NEWEST), key=lambda place: step[place + 1] - step[place - 1])
