"""A worker that is killed for memory at each fit: people go on, and smaller fits follow."""

import multiprocessing
import os
import signal
import threading

import numpy as np
import pytest

from resemblance.store.studies import FIT_BEGUN
from resemblance.study.live import open_folders, open_stores
from resemblance.study.worker import learner, loop, measured
from resemblance.study.worker.attempts import ALIKE, MOST, REST_S, Attempts
from resemblance.web.desk.overview import Overview
from small_study import Hands, People, open_study


@pytest.fixture
def live(tmp_path):
    live = open_study(tmp_path / "dots", f"sqlite:///{tmp_path}/study.sqlite")
    yield live
    live.store.close()


def begun(live, what=FIT_BEGUN):
    """How many answers each fit took that was begun."""
    events = live.store.events.audit(live.record, what)
    return [event.details["taken"] for event in events if event.details["tries"]]


def run_until_killed(folder, url, rows):
    """Be a worker that the system kills where it fits more than so many answers."""

    def fit(job, answers, machines, whole=learner.fit):
        if len(job.judgments) > rows:
            os.kill(os.getpid(), signal.SIGKILL)
        stop.set()
        return whole(job, answers, machines)

    stop, learner.fit = threading.Event(), fit
    lives, _ = open_stores(open_folders([folder]), url)
    loop.run(lives, stop)


def test_after_kills_a_smaller_fit_follows_and_the_desk_tells(tmp_path, live):
    url, people = f"sqlite:///{tmp_path}/study.sqlite", People(live, 3)
    people.answer(120)
    context = multiprocessing.get_context("fork")
    for _ in range(ALIKE + 1):
        most = begun(live)[-1] // 2 if begun(live) else 0
        worker = context.Process(target=run_until_killed, args=(tmp_path / "dots", url, most))
        worker.start()
        worker.join(120)
        people.answer(1)  # the pages go on
    taken = begun(live)
    assert (worker.exitcode, len(taken)) == (0, ALIKE + 1)
    assert taken[0] <= taken[ALIKE - 1] == 2 * taken[ALIKE] + taken[ALIKE - 1] % 2
    assert live.store.events.last(live.record, "fit failed").details["answers"] >= taken[1]


@pytest.fixture
def starved(monkeypatch):
    """No fit has the memory that it wants."""
    sizes = []

    def fit(job, answers, machines):
        sizes.append(len(job.judgments))
        raise MemoryError

    monkeypatch.setattr(learner, "fit", fit)
    return sizes


def test_without_memory_it_tries_less_and_less_then_waits_for_answers(live, starved):
    hands, people = Hands(live), People(live, 3)
    people.answer(120)
    hands.settle()
    assert len(starved) == MOST
    assert starved[:ALIKE] == [starved[0]] * ALIKE
    assert starved[ALIKE:] == [starved[0] // 2**k for k in range(1, MOST - ALIKE + 1)]
    assert Overview(live).failure
    again = Hands(live)
    hands.work.close()
    again.begin()
    assert len(starved) == MOST
    people.answer(60)
    again.settle()
    assert len(starved) > MOST
    assert starved[MOST] == starved[MOST - 1] // 2


def test_what_once_fitted_is_the_most_for_a_day(live, monkeypatch):
    now = [live.clock()]
    monkeypatch.setattr(live, "clock", lambda: now[0])
    tries = Attempts(live, FIT_BEGUN, "fit failed")
    assert [len(tries.begin(1000)) for _ in range(ALIKE + 1)] == [1000] * ALIKE + [500]
    tries.end()
    assert (tries.begin(1200) == np.arange(500) * 1200 // 500).all()
    tries.end()
    now[0] += REST_S + 1
    assert len(tries.begin(1300)) == 1300
    tries.end()
    assert len(tries.begin(1400)) == 1400


def test_what_ends_in_order_counts_for_nothing(live):
    hands, people = Hands(live), People(live, 3)
    for _ in range(ALIKE + 1):
        people.answer(60)
        while not (hands.asker and hands.asker.is_busy):
            hands.work.step(hands.threads)
        hands.work.close()
        hands.work._at = 0.0
    sizes = begun(live)
    assert sizes == sorted(sizes)
    hands.threads.shutdown()


def test_a_map_of_ratings_takes_less_too(tmp_path, monkeypatch):
    sizes = []

    def fit(kind, answers, *_):
        sizes.append(len(answers))
        raise MemoryError

    monkeypatch.setattr(measured, "fit", fit)
    live = open_study(tmp_path / "dots", f"sqlite:///{tmp_path}/r.sqlite", kind="pair_rating")
    People(live, 3).answer(120)
    Hands(live).settle()
    assert sizes == [*[sizes[0]] * ALIKE, *(sizes[0] // 2**k for k in range(1, len(sizes) - 1))]
    assert len(sizes) == MOST
    live.store.close()
