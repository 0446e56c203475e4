"""First version of the tables."""

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Do nothing: new databases are created with all tables."""
