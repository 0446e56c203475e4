"""The arm of a study that each person is in: conditions, in the order in which they come."""

from alembic import op
from sqlalchemy import Column, String

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add the arm; nobody has one yet, as no study had conditions."""
    op.add_column("participants", Column("arm", String))
