"""Mark the first version of the tables."""

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Do nothing: the tables of a new database are created directly."""
