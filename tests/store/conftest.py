import pytest

from postgres import emptied, postgresql


@pytest.fixture(scope="session")
def one_database():
    return postgresql().create()


@pytest.fixture
def file_url(tmp_path):
    return f"sqlite:///{tmp_path}/study.sqlite"


@pytest.fixture
def server_url(one_database):
    return emptied(one_database)


@pytest.fixture(params=["sqlite", "postgresql"])
def new_url(request, tmp_path):
    """The address of a database without tables: each test runs on SQLite and on PostgreSQL."""
    if request.param == "postgresql":
        return postgresql().create()
    return f"sqlite:///{tmp_path}/study.sqlite"
