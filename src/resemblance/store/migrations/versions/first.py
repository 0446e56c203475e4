"""Create the first tables."""

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Do nothing: what makes a new database makes its tables."""
