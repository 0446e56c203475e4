"""Rate limits."""

import sqlite3
import subprocess
import sys

import pytest

from resemblance.web import limits
from resemblance.web.limits import Buckets, BucketsFile, Limit, Limits, Sharing, network_of


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def test_a_burst_then_so_many_a_second():
    clock = Clock()
    limit = Limit(burst=3, per_second=2, clock=clock)
    assert [limit.wait("a") for _ in range(4)] == [0, 0, 0, 0.5]
    clock.now = 0.5
    assert [limit.wait("a") for _ in range(2)] == [0, 0.5]
    assert limit.wait("b") == 0


def test_memory_is_bounded(monkeypatch):
    monkeypatch.setattr(limits, "MOST_KEYS", 10)
    clock = Clock()
    limit = Limit(burst=1, per_second=1, clock=clock)
    for visitor in range(1000):
        clock.now += 0.01
        limit.wait(str(visitor))
    assert len(limit._left) <= 10


TAKE = """
import sys
from pathlib import Path
from resemblance.web.limits import Buckets
from resemblance.web.limits import Sharing
limit = Sharing(2, Buckets(Path(sys.argv[1]), "key")).exact("logins", 500, 1e-6)
print(sum(limit.wait("one network") == 0 for _ in range(400)))
"""


@pytest.fixture
def file(tmp_path):
    return tmp_path / "limits.sqlite"


def test_what_processes_take_together_is_what_one_may_take(file):
    command = [sys.executable, "-c", TAKE, str(file)]
    taking = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert sum(int(one.communicate(timeout=60)[0]) for one in taking) == 500


def test_a_shared_limit_fills_again_as_any_other(file):
    clock = Clock()
    made = [Sharing(2, Buckets(file, "key")).exact("logins", 3, 2) for _ in range(2)]
    for one in made:
        one.clock = clock
    assert [made[n % 2].wait("a") for n in range(4)] == [0, 0, 0, 0.5]
    clock.now = 0.5
    assert [one.wait("a") for one in made] == [0, 0.5]
    assert made[0].wait("b") == 0


def test_the_file_holds_neither_addresses_nor_names(file):
    limit = Sharing(2, Buckets(file, "key")).exact("tries", 1, 1)
    assert limit.wait("ada.lovelace") == limit.wait("192.0.2.7") == 0
    assert limit.wait("half \ud800") == 0
    told = b"".join(path.read_bytes() for path in file.parent.iterdir())
    assert not [word for word in (b"ada", b"192.0.2.7", b"tries") if word in told]


def test_the_file_is_bounded(file, monkeypatch):
    monkeypatch.setattr(limits, "MOST_KEYS", 10)
    monkeypatch.setattr(limits, "SWEEP", 5)
    limit = Sharing(2, Buckets(file, "key")).exact("entries", 1, 1e-6)
    for visitor in range(100):
        assert limit.wait(str(visitor)) == 0
    assert limit.wait("99") > 0
    with sqlite3.connect(file) as left:
        assert left.execute("SELECT count(*) FROM buckets").fetchone()[0] < 15


def test_a_file_that_fails_leaves_each_process_its_own_limit(file):
    shared = Buckets(file, "key")
    limit = Sharing(2, shared).exact("logins", 2, 1e-6)
    shared._file.close()
    assert [limit.wait("a") == 0 for _ in range(3)] == [True, True, False]


def test_what_is_frequent_is_divided_and_never_below_one():
    for n in (1, 2, 3, 64):
        parts = Limits(Sharing(n))
        for whole, part in zip(vars(Limits()).values(), vars(parts).values(), strict=True):
            if isinstance(whole, Limit):
                divisor = min(n, limits.MOST_PARTS)
                assert (part.burst, part.per_second) == (
                    pytest.approx(whole.burst / divisor),
                    pytest.approx(whole.per_second / divisor),
                )
                assert part.burst >= 1


def test_a_supervisor_removes_its_file():
    made = BucketsFile()
    Buckets(path := limits.Path(made.path), made.key)
    assert path.exists()
    made.remove()
    assert not path.parent.exists()


def test_the_network_of_an_address():
    networks = {
        "2001:db8:1:2:3:4:5:6": "2001:db8:1:2::/64",
        "::ffff:192.0.2.7": "192.0.2.7",
        "192.0.2.7": "192.0.2.7",
    }
    assert {address: network_of(address) for address in networks} == networks
