"""Spaces and tallies, for the desk, the map and the search page; settings changed at the desk."""

from alembic import op
from sqlalchemy import JSON, Boolean, Column, Double, ForeignKey, Integer, LargeBinary, text

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add the tables that the worker writes, and what a study's settings were changed to."""
    op.add_column("studies", Column("changes", JSON))
    _make_spaces()
    _make_tallies()
    op.create_index("ix_exclusions_participant", "exclusions", ["participant", "id"])
    unusual = text("what NOT IN ('fit', 'map')")
    op.create_index(
        "ix_events_trail",
        "events",
        ["study", "id"],
        sqlite_where=unusual,
        postgresql_where=unusual,
    )


def _make_spaces() -> None:
    op.create_table(
        "spaces",
        Column("id", Integer, primary_key=True),
        Column("study", Integer, ForeignKey("studies.id"), nullable=False),
        Column("made", Double, nullable=False),
        Column("answers", Integer, nullable=False),
        Column("model", LargeBinary, nullable=False),
        Column("positions", JSON, nullable=False),
        Column("uncertainty", JSON),
        Column("scores", JSON, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_spaces_study_id", "spaces", ["study", "id"])


def _make_tallies() -> None:
    op.create_table(
        "tallies",
        Column(
            "participant",
            Integer,
            ForeignKey("participants.id"),
            primary_key=True,
            autoincrement=False,
        ),
        Column("study", Integer, ForeignKey("studies.id"), nullable=False),
        Column("answers", Integer, nullable=False),
        Column("flagged", Boolean, nullable=False),
        Column("figures", JSON, nullable=False),
    )
    op.create_index("ix_tallies_study", "tallies", ["study"])
    op.create_table(
        "pulses",
        Column("study", Integer, ForeignKey("studies.id"), primary_key=True, autoincrement=False),
        Column("at", Double, nullable=False),
        Column("told", JSON, nullable=False),
    )
