import pytest

from postgres import emptied, postgresql


@pytest.fixture(scope="session")
def one_database():
    return postgresql().create()


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request, tmp_path):
    """The address of a database without rows: each test runs on SQLite and on PostgreSQL."""
    if request.param == "postgresql":
        return emptied(request.getfixturevalue("one_database"))
    return f"sqlite:///{tmp_path}/study.sqlite"
