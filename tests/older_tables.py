"""Databases as earlier versions made them: one migration after the other, up to theirs."""

from resemblance.store import migration


def by_migrations(monkeypatch, revision=migration.HEAD):
    """Make the tables of new databases as that version did."""

    def make(connection):
        migration._upgrade(connection, connection.engine.url, None)

    monkeypatch.setattr(migration, "HEAD", revision)
    monkeypatch.setattr(migration, "_make", make)
