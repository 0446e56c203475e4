"""Rate limits."""

import pytest

from resemblance.study.failures import Failure
from resemblance.web import limits
from resemblance.web.limits import Limit


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


def test_the_refusal_says_when_to_come_back():
    limit = Limit(burst=1, per_second=0.1, clock=Clock())
    limit.take("a")
    with pytest.raises(Failure) as refused:
        limit.take("a")
    assert refused.value.status == 429
    assert refused.value.body()["error"]["retry_after"] == 10


def test_memory_is_bounded(monkeypatch):
    monkeypatch.setattr(limits, "MOST_KEYS", 10)
    clock = Clock()
    limit = Limit(burst=1, per_second=1, clock=clock)
    for visitor in range(1000):
        clock.now += 0.01
        limit.wait(str(visitor))
    assert len(limit._left) <= 10
