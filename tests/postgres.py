"""Run PostgreSQL for tests: a temporary cluster without a network, stopped after the tests."""

import atexit
import os
import shutil
import subprocess
import tempfile
import time
from contextlib import contextmanager
from functools import cache
from itertools import count
from pathlib import Path

import pytest

SETTINGS = "-c listen_addresses='' -c max_connections=200 -c log_min_messages=panic"
numbers = count()


def missing(what):
    if os.environ.get("REQUIRE_ALL") == "1":
        pytest.fail(f"REQUIRE_ALL=1, but {what} is missing", pytrace=False)
    pytest.skip(f"{what} is missing")


def programs():
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda p: p.parts[-3])
    path = found[-1] if found else shutil.which("initdb")
    return path and Path(path).parent


class Cluster:
    """A running cluster, owned by ``postgres`` if root runs the tests."""

    def __init__(self, bin, primary=None):
        self._bin = bin
        self._user = {"user": "postgres", "group": "postgres"} if os.geteuid() == 0 else {}
        self.folder = Path(tempfile.mkdtemp(prefix="pg-"))
        if self._user:
            shutil.chown(self.folder, "postgres", "postgres")
        self.data = self.folder / "data"
        if primary is None:
            self._do("initdb", "-N", "-A", "trust", "-U", "postgres", "-E", "UTF8", "-D", self.data)
        else:
            source = f"host={primary.folder} user=postgres application_name=standby"
            self._do("pg_basebackup", "-N", "-R", "-c", "fast", "-d", source, "-D", self.data)
        self.start()

    @contextmanager
    def standby(self):
        """Yield a synchronous standby: until it ends, each commit here waits for it."""
        import psycopg

        following = Cluster(self._bin, self)
        try:
            self.set("synchronous_standby_names", "standby")
            state = "SELECT sync_state FROM pg_stat_replication"
            with psycopg.connect(host=str(self.folder), user="postgres", autocommit=True) as asking:
                while asking.execute(state).fetchall() != [("sync",)]:
                    time.sleep(0.05)
            yield following
        finally:
            following.remove()
            (self.data / "postgresql.auto.conf").write_text("")
            if not (self.data / "postmaster.pid").exists():
                self.start()
            self._do("pg_ctl", "reload", "-D", self.data)

    def promote(self):
        self._do("pg_ctl", "promote", "-w", "-D", self.data)

    def _do(self, program, *arguments):
        subprocess.run(
            [self._bin / program, *map(str, arguments)],
            check=True,
            stdout=subprocess.DEVNULL,
            cwd="/",
            **self._user,
        )

    def start(self):
        options = f"{SETTINGS} -k {self.folder}"
        self._do("pg_ctl", "start", "-w", "-D", self.data, "-o", options, "-l", self.data / "log")

    def stop(self):
        self._do("pg_ctl", "stop", "-m", "immediate", "-D", self.data)

    def set(self, name, value):
        with (self.data / "postgresql.auto.conf").open("w") as file:
            file.write(f"{name} = {value}\n")
        self._do("pg_ctl", "reload", "-D", self.data)
        time.sleep(0.2)

    def remove(self):
        self.stop()
        shutil.rmtree(self.folder)

    def create(self):
        name = f"test{next(numbers)}"
        self._do("createdb", "-h", self.folder, "-U", "postgres", name)
        return f"postgresql://postgres@/{name}?host={self.folder}"


@cache
def cluster():
    made = Cluster(programs())
    atexit.register(made.remove)
    return made


def postgresql():
    """Return the cluster, or skip the test if a program is missing (fail with REQUIRE_ALL=1)."""
    if programs() is None:
        missing("PostgreSQL (apt install postgresql)")
    return cluster()


def emptied(url):
    """Delete all rows of a database that several tests share, and return its address."""
    import psycopg

    tables = "answers, questions, pages, exclusions, pool, spaces, tallies, pulses, participants"
    tables += ", events, studies"
    with psycopg.connect(url) as connection:
        if connection.execute("SELECT to_regclass('studies')").fetchone()[0]:
            for table in tables.split(", "):
                connection.execute(f"DELETE FROM {table}")
    return url
