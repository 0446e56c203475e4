"""Attacks on a study that is served: each on SQLite and on a real PostgreSQL."""

import pytest

import study_folder
from postgres import emptied, postgresql
from web import conftest as web

make_study, serve, quick_passwords = study_folder.make_study, web.serve, web.quick_passwords


@pytest.fixture(scope="session")
def one_database():
    return postgresql().create()


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request, tmp_path):
    """The address of a database without rows."""
    if request.param == "postgresql":
        return emptied(request.getfixturevalue("one_database"))
    return f"sqlite:///{tmp_path}/study.sqlite"


@pytest.fixture
def served(make_study, serve, url):
    """One small study, served."""
    return serve(make_study(), database=url)
