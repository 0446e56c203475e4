"""The first tables: an older version made them; new databases get those of today at once."""

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Do nothing: every database that is migrated has these tables."""
