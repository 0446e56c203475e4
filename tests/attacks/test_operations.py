"""Events around a server: other versions, poolers, slow visitors, guessers."""

import os
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from postgres import missing, postgresql
from resemblance.store import Store, StoreError
from resemblance.web import guards


@pytest.fixture
def pooler(tmp_path):
    """Start PgBouncer before the cluster, in a mode, and give the address of a database."""
    program = shutil.which("pgbouncer", path=f"{os.environ['PATH']}:/usr/sbin")
    if program is None:
        missing("PgBouncer (apt install pgbouncer)")
    started = []

    def start(mode):
        folder = Path(tempfile.mkdtemp(prefix="pooler-"))
        folder.chmod(0o777)
        settings = {
            "listen_addr": "", "unix_socket_dir": folder, "listen_port": 6432, "auth_type": "any",
            "pool_mode": mode, "logfile": folder / "log", "default_pool_size": 30,
        }  # fmt: skip
        lines = [f"{name} = {value}" for name, value in settings.items()]
        about = urlsplit(postgresql().create())
        target = f"host={postgresql().folder} user=postgres"
        lines = ["[databases]", f"* = {target}", "[pgbouncer]", *lines]
        (folder / "ini").write_text("\n".join(lines))
        user = {"user": "postgres"} if os.geteuid() == 0 else {}
        started.append((subprocess.Popen([program, "-q", folder / "ini"], cwd="/", **user), folder))
        while not (folder / ".s.PGSQL.6432").exists():
            assert started[-1][0].poll() is None
            time.sleep(0.02)
        return f"postgresql://postgres@{about.path}?host={folder}&port=6432"

    yield start
    for process, folder in started:
        process.terminate()
        process.wait()
        shutil.rmtree(folder)


@pytest.mark.server
def test_a_pooler_that_keeps_sessions_whole_is_as_good_as_none(pooler):
    url = pooler("session")
    with Store.open(url) as store, Store.open(url) as another:
        study = store.studies.add("ties", "", {})
        with store.lease(study) as lease:
            assert lease.held()
            assert another.lease(study) is None
        with another.lease(study) as later:
            assert later.held()


@pytest.mark.server
@pytest.mark.parametrize("mode", ["transaction", "statement"])
def test_a_pooler_that_shares_sessions_is_refused(pooler, mode):
    with pytest.raises(StoreError):
        Store.open(pooler(mode))


def test_uploads_that_never_end_are_closed(served, listen, monkeypatch):
    monkeypatch.setattr(guards, "SLOWEST_S", 0.5)
    port = listen(served)
    head = b"POST /api/studies/ties/participants HTTP/1.1\r\nHost: localhost\r\n"
    head += b"Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n{"
    slow = [socket.create_connection(("127.0.0.1", port)) for _ in range(100)]
    for one in slow:
        one.sendall(head)
    time.sleep(0.5)
    for one in slow:
        one.settimeout(10)
        reply = b""
        while data := one.recv(65536):  # until the server closes it
            reply += data
        assert reply.startswith(b"HTTP/1.1 408 ")
        assert b"too_slow" in reply
        one.close()


def test_who_guesses_tokens_soon_reads_the_database_no_more(served):
    person = served.person()
    assert person.get().status_code == 200
    served.shared.strangers.burst, served.shared.strangers.per_second = 20, 0.001
    served.shared.strangers._left.clear()
    reads, standing = [], served.store.people.standing
    served.store.people.standing = lambda hashed: reads.append(hashed) or standing(hashed)
    statuses = [
        served.client.get("/api/me", headers={"Authorization": f"Bearer ties.{n}"}).status_code
        for n in range(60)
    ]
    assert (statuses.count(401), statuses.count(429)) == (20, 40)
    assert len(reads) == 20
    assert person.get().status_code == 200  # from the same address
