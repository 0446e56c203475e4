"""What happens around a server: other versions, poolers, slow visitors, guessers."""

import re
import selectors
import socket
import threading
import time
from urllib.parse import parse_qs, urlsplit

import pytest

from postgres import postgresql
from resemblance.store import Store, StoreError, migration
from resemblance.web import guards


@pytest.fixture
def new_url(request, tmp_path, url):
    """The address of a database of its own: its tables are changed."""
    return url if url.startswith("sqlite") else postgresql().create()


def test_nobody_migrates_a_database_that_an_older_server_works_on(new_url, monkeypatch):
    with monkeypatch.context() as then:
        then.setattr(migration, "HEAD", "0001")
        server = Store.open(new_url)
        with server.database.writer._engine.begin() as connection:
            connection.exec_driver_sql(
                "INSERT INTO studies (name, settings, stimuli, state, created) "
                "VALUES ('ties', '', '{}', 'open', 0)"
            )
    study = type("Study", (), {"id": 1})()
    with server.lease(study):
        with pytest.raises(StoreError, match="version 0001"):
            Store.open(new_url)
        with server.database.readers.connect() as connection:
            assert migration.revision_of(connection) == "0001"
    server.close()
    with Store.open(new_url) as newer:
        assert newer.studies.named("ties").changes is None


KEY_DATA = re.compile(rb"K\x00\x00\x00\x0c....", re.DOTALL)  # a process number may hold a newline


class Pooler:
    """A door before PostgreSQL that tells of another process than the one that serves."""

    def __init__(self, folder):
        self.target = f"{folder}/.s.PGSQL.5432"
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.port = self.listening.getsockname()[1]
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            try:
                client, _ = self.listening.accept()
            except OSError:
                return
            threading.Thread(target=self.pass_on, args=(client,), daemon=True).start()

    def pass_on(self, client):
        server = socket.socket(socket.AF_UNIX)
        server.connect(self.target)
        ways = {client: server, server: client}
        with selectors.DefaultSelector() as ready, client, server:
            for one in ways:
                ready.register(one, selectors.EVENT_READ)
            while True:
                for key, _ in ready.select():
                    data = key.fileobj.recv(65536)
                    if not data:
                        return
                    if key.fileobj is server:  # BackendKeyData: K, its length, process, key
                        data = KEY_DATA.sub(b"K\0\0\0\x0c\0\0\0\x07", data)
                    ways[key.fileobj].sendall(data)


def test_a_pooler_before_postgresql_is_refused():
    url = postgresql().create()
    Store.open(url).close()
    about = urlsplit(url)
    pooler = Pooler(parse_qs(about.query)["host"][0])
    with pytest.raises(StoreError, match="PgBouncer"):
        Store.open(f"postgresql://postgres@127.0.0.1:{pooler.port}{about.path}?sslmode=disable")
    pooler.listening.close()


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
