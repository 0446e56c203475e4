"""First version of the tables."""

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Do nothing: a new database is created with all tables."""
