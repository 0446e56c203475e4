"""A secret of each study, from which what participants must not foresee is drawn."""

from alembic import op
from sqlalchemy import Column, String, text

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add the secret; studies that have begun go on without one, so that nobody's plan changes."""
    op.add_column("studies", Column("secret", String, nullable=False, server_default=text("''")))
