"""Attacks on a study that is served: each on SQLite and on a real PostgreSQL."""

import socket
import threading

import pytest
import uvicorn

import study_folder
from postgres import emptied, postgresql
from web import conftest as web

make_study, quick_passwords = study_folder.make_study, web.quick_passwords
serve, runner = web.serve, web.runner


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


@pytest.fixture
def listen():
    """Let an application that is served listen on a port, which it gives."""
    ends = []

    def listen_(served):
        server = uvicorn.Server(uvicorn.Config(served.app, lifespan="off", log_config=None))
        taken = socket.create_server(("127.0.0.1", 0), backlog=200)
        running = {"sockets": [taken]}
        thread = threading.Thread(target=server.run, kwargs=running, daemon=True)
        thread.start()
        ends.append((server, thread, taken))
        return taken.getsockname()[1]

    yield listen_
    for server, thread, taken in ends:
        server.should_exit = True
        thread.join(10)
        taken.close()
